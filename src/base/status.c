#include "stave/status.h"

const char *stave_status_text(int status)
{
    switch (status) {
#define STATUS_TEXT(name, value, text)                                                             \
    case name:                                                                                     \
        return text;
        STAVE_STATUS_TABLE(STATUS_TEXT)
#undef STATUS_TEXT
    default:
        return "unknown status";
    }
}

const char *stave_version(void)
{
    return STAVE_VERSION;
}

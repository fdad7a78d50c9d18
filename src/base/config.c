#include "base/config.h"

#include <string.h>

#include "base/error.h"

int stave__config_copy(void *own, size_t own_size, const void *given, size_t given_size,
                       stave_error *error)
{
    memset(own, 0, own_size);
    if (given == NULL)
        return STAVE_OK;
    for (size_t i = own_size; i < given_size; i++)
        if (((const unsigned char *)given)[i] != 0)
            return stave__fail(error, STAVE_E_ARGUMENT, 0,
                               "the config asks for what this version of the library (%s) does "
                               "not know; link a newer one",
                               STAVE_VERSION);
    memcpy(own, given, given_size < own_size ? given_size : own_size);
    return STAVE_OK;
}

void stave__config_give(void *given, size_t given_size, const void *own, size_t own_size)
{
    memset(given, 0, given_size);
    memcpy(given, own, given_size < own_size ? given_size : own_size);
}

/* export/diagram_page.h - the page around a diagram's data. ui/build.mjs makes it of ui/ when Stave is
 * built. */
#ifndef STAVE_EXPORT_DIAGRAM_PAGE_H
#define STAVE_EXPORT_DIAGRAM_PAGE_H

#include <stddef.h>

struct stave__page_part {
    const char *bytes; /* no NUL at their end */
    size_t size;
};

/* Between them stand the title, as HTML text, and the data, as base64. */
enum { STAVE__PAGE_BEFORE_TITLE, STAVE__PAGE_BEFORE_DATA, STAVE__PAGE_AFTER_DATA };

extern const struct stave__page_part stave__diagram_page[3];

#endif

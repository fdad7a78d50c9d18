#include "analyze/nesting.h"

#include <stdlib.h>

#define FIRST_SIZE 64u

bool stave__around_push(struct stave__around *around, const struct stave__span *span)
{
    if (around->used == around->size) {
        uint32_t size = around->size != 0 ? around->size * 2 : FIRST_SIZE; /* 0 beyond 2^31 */
        struct stave__span *larger =
            size != 0 ? realloc(around->spans, size * sizeof *larger) : NULL;
        if (larger == NULL)
            return false;
        around->spans = larger;
        around->size = size;
    }
    around->spans[around->used++] = *span;
    return true;
}

void stave__around_free(struct stave__around *around)
{
    free(around->spans);
    *around = (struct stave__around){0};
}

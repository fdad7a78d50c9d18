#include "fault/memory.h"

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

struct fault_memory memory;

static bool runs_out(void)
{
    if (memory.untouched)
        return false;
    memory.requests++;
    if (memory.fail_at == 0)
        return false;
    return memory.requests == memory.fail_at ||
           (memory.for_good && memory.requests > memory.fail_at);
}

static void *counted(void *piece)
{
    memory.live += piece != NULL;
    return piece;
}

void *__wrap_malloc(size_t size)
{
    return runs_out() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return runs_out() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *piece, size_t size)
{
    if (runs_out())
        return NULL;
    void *larger = __real_realloc(piece, size);
    return piece == NULL ? counted(larger) : larger;
}

void __wrap_free(void *piece)
{
    memory.live -= piece != NULL;
    __real_free(piece);
}

void memory_let_fail(unsigned request, bool for_good)
{
    memory.requests = 0;
    memory.fail_at = request;
    memory.for_good = for_good;
}

/* What is written to a sink, as a whole. */
#include "export/whole.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os.h"

/* ---- to a file ------------------------------------------------------------------------------- */

struct to_file {
    struct stave__os_file file;
    const char *path;
    stave_error *error;
};

static int write_file(void *context, const void *data, size_t size)
{
    struct to_file *to = context;
    return stave__os_write(to->file.fd, to->path, data, size, to->error);
}

int stave__write_file(const char *path, stave__write_function *write, void *context,
                      stave_error *error)
{
    struct to_file to = {.path = path, .error = error};
    int status = stave__os_create(path, &to.file, error);
    if (status < 0)
        return status;
    status = write(context, (stave_sink){write_file, &to}, error);
    if (status >= 0)
        status = stave__os_commit(&to.file, false, error);
    stave__os_discard(&to.file);
    return status;
}

/* ---- to memory ------------------------------------------------------------------------------- */

struct to_memory {
    char *bytes;
    size_t used, room;
};

static int write_memory(void *context, const void *data, size_t size)
{
    struct to_memory *to = context;
    if (size >= to->room - to->used) { /* one more for the NUL */
        size_t room = 2 * to->room > to->used + size + 1 ? 2 * to->room : to->used + size + 1;
        char *larger = realloc(to->bytes, room);
        if (larger == NULL)
            return STAVE_E_MEMORY;
        to->bytes = larger;
        to->room = room;
    }
    memcpy(to->bytes + to->used, data, size);
    to->used += size;
    to->bytes[to->used] = '\0';
    return STAVE_OK;
}

int stave__write_memory(stave__write_function *write, void *context, char **data, size_t *size,
                        stave_error *error)
{
    struct to_memory to = {.bytes = malloc(1), .room = 1};
    if (to.bytes == NULL)
        return stave__fail_memory(error);
    to.bytes[0] = '\0';
    int status = write(context, (stave_sink){write_memory, &to}, error);
    if (status < 0) {
        free(to.bytes);
        return status;
    }
    *data = to.bytes;
    *size = to.used;
    return status;
}

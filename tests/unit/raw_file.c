#include "unit/raw_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/writer.h"

char raw_path[64];
struct traces_bytes raw_file;

int raw_make_path(void **state)
{
    const char *dir = getenv("TMPDIR");
    snprintf(raw_path, sizeof raw_path, "%.40s/stave-XXXXXX", dir != NULL ? dir : "/tmp");
    int fd = mkstemp(raw_path);
    return fd < 0 ? -1 : close(fd);
}

int raw_remove_path(void **state)
{
    return unlink(raw_path);
}

void raw_begin(void)
{
    uint8_t head[STAVE__FILE_HEAD_SIZE];
    raw_file = (struct traces_bytes){0};
    stave__file_head_write(head);
    traces_add(&raw_file, head, sizeof head);
}

void raw_add(struct stave__header header, const void *body, size_t size)
{
    uint8_t *block = malloc(STAVE__HEADER_SIZE + size);
    assert_non_null(block);
    memcpy(block + STAVE__HEADER_SIZE, body, size);
    traces_add(&raw_file, block, stave__header_seal(&header, block, size));
    free(block);
}

stave_trace *raw_open(const stave_trace_config *config)
{
    traces_put_file(raw_path, raw_file.at, raw_file.size);
    return raw_open_path(config);
}

stave_trace *raw_open_path(const stave_trace_config *config)
{
    stave_trace *trace = NULL;
    assert_int_equal(stave_trace_open(raw_path, config, &trace, NULL), STAVE_OK);
    return trace;
}

void raw_assert_damage(const stave_trace *trace, const char *what)
{
    assert_int_equal(stave_trace_damages(trace), 1);
    assert_string_equal(stave_trace_damage(trace, 0).what, what);
}

/* A .stave file to a trace. */
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/error.h"
#include "base/os.h"
#include "trace/file.h"
#include "trace/tables.h"

void stave__file_free(struct stave__file *file)
{
    if (file == NULL)
        return;
    stave__table_free(&file->unknown);
    free(file);
}

/* Where names were lost, one stands for them. */
static int settle_limits(stave_trace *trace, stave_error *error)
{
    struct stave__limits *limits = &trace->blocks.limits;
    int status = STAVE_OK;
    if (stave_trace_damages(trace) > 0 && !trace->file->follow)
        status = stave__tables_name_lost(trace, error);
    limits->strings = stave_trace_strings(trace);
    limits->lanes = trace->lanes.rows;
    return status;
}

/* With a block behind it, it was one. */
static int damaged_head(stave_trace *trace, const char *path, stave_error *error)
{
    struct stave__header header;
    const stave_damage damage = {.size = STAVE__FILE_HEAD_SIZE, .what = "the file's head"};
    if (!stave__file_header_at(trace, STAVE__FILE_HEAD_SIZE, &header))
        return stave__fail(error, STAVE_E_FORMAT, 0, "%s: offset 0: not a .stave file", path);
    return stave__blocks_damage(&trace->blocks, &damage, error);
}

static int check_head(stave_trace *trace, const char *path, stave_error *error)
{
    uint8_t head[STAVE__FILE_HEAD_SIZE] = {0};
    stave_error reason = {0};
    if (trace->file->size >= sizeof head &&
        stave__os_read_at(trace->blocks.file_fd, head, sizeof head, 0, &reason) < 0)
        return stave__fail(error, STAVE_E_IO, 0, "%s: %s", path, reason.message);
    uint32_t version = stave__file_head_read(head);
    if (version == 0)
        return damaged_head(trace, path, error);
    if (version > STAVE__FILE_VERSION)
        return stave__fail(error, STAVE_E_FORMAT, 8,
                           "%s: offset 8: version %u of the format; this stave reads up to %d. Use "
                           "a newer one",
                           path, (unsigned)version, STAVE__FILE_VERSION);
    return STAVE_OK;
}

static int read_blocks(stave_trace *trace, bool ignore_index, bool *indexed, stave_error *error)
{
    int status = STAVE_OK;
    *indexed = false;
    if (!ignore_index)
        status = stave__file_take_index(trace, indexed, error);
    if (status < 0 || *indexed || !ignore_index)
        return status;
    trace->file->scanned = STAVE__FILE_HEAD_SIZE;
    return stave__file_scan(trace, error);
}

static int finish_open(stave_trace *trace, stave_error *error)
{
    int status = settle_limits(trace, error);
    if (status < 0 || trace->file->follow)
        return status;
    status = stave__file_end_spans(trace, error);
    if (status >= 0)
        stave__file_end_boots(trace);
    return status;
}

/* What is opened: a path, or a descriptor, which each attempt has a copy of. */
struct input {
    const char *path; /* NULL: it is a descriptor */
    int fd;
};

static int open_input(const struct input *input, int *fd, stave_error *error)
{
    if (input->path != NULL)
        return stave__os_open_input(input->path, fd, error);
    return stave__os_open_again(input->fd, fd, error);
}

/* One attempt: with the index, or without. */
static int attempt(const struct input *input, const stave_trace_config *config, bool ignore_index,
                   stave_trace **trace, bool *indexed, stave_error *error)
{
    const char *path = input->path != NULL ? input->path : "the file";
    stave_trace *t;
    int status = stave_trace_new(config, &t, error);
    if (status < 0)
        return status;
    t->file = calloc(1, sizeof *t->file);
    if (t->file == NULL) {
        stave_trace_free(t);
        return stave__fail_memory(error);
    }
    t->file->unknown.row_size = sizeof(struct stave__unknown);
    t->file->follow = config->follow;
    t->file->progress = config->progress;
    status = open_input(input, &t->blocks.file_fd, error);
    if (status >= 0)
        status = stave__os_size(t->blocks.file_fd, path, &t->file->size, error);
    if (status >= 0)
        status = check_head(t, path, error);
    if (status >= 0)
        status = read_blocks(t, ignore_index, indexed, error);
    t->file->indexed = *indexed;
    t->file->finished |= *indexed;
    if (status >= 0 && (*indexed || ignore_index))
        status = finish_open(t, error);
    if (status < 0) {
        stave_trace_free(t);
        return status;
    }
    *trace = t;
    return STAVE_OK;
}

static int open_trace(const struct input *input, const stave_trace_config *config,
                      stave_trace **trace, stave_error *error)
{
    stave_trace *opened = NULL;
    bool indexed = false;
    int status = attempt(input, config, config->ignore_index, &opened, &indexed, error);
    if (status >= 0 && !indexed && !config->ignore_index) {
        stave_trace_free(opened); /* a part of what a damaged index said */
        status = attempt(input, config, true, &opened, &indexed, error);
    }
    if (status >= 0)
        *trace = opened;
    return status;
}

int stave_trace_open_sized(const char *path, const stave_trace_config *config, size_t config_size,
                           stave_trace **trace, stave_error *error)
{
    stave_trace_config own;
    int status = stave__config_copy(&own, sizeof own, config, config_size, error);
    return status < 0 ? status : open_trace(&(struct input){.path = path}, &own, trace, error);
}

int stave__trace_open_descriptor(int fd, stave_trace **trace, stave_error *error)
{
    const stave_trace_config config = {0};
    int status = open_trace(&(struct input){.fd = fd}, &config, trace, error);
    stave__os_close(fd);
    return status;
}

int stave_trace_refresh(stave_trace *trace, stave_error *error)
{
    struct stave__file *file = trace->file;
    if (file == NULL || !file->follow || file->indexed)
        return 0;
    uint32_t entries = trace->blocks.entries.rows;
    uint64_t tables = file->tables;
    int status = stave__os_size(trace->blocks.file_fd, "the file", &file->size, error);
    if (status >= 0 && file->scanned < file->size)
        status = stave__file_scan(trace, error);
    if (status >= 0)
        status = settle_limits(trace, error);
    if (status < 0)
        return status;
    return trace->blocks.entries.rows > entries || file->tables > tables;
}

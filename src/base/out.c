#include "base/out.h"

#include "base/error.h"

void stave__out_init(struct stave__out *out, stave_sink sink)
{
    out->sink = sink;
    out->status = STAVE_OK;
    out->used = 0;
}

static void hand_over(struct stave__out *out, const void *bytes, size_t size)
{
    if (out->status >= 0 && size > 0)
        out->status = out->sink.write(out->sink.context, bytes, size);
}

void stave__out_flush(struct stave__out *out)
{
    hand_over(out, out->buffer, out->used);
    out->used = 0;
}

int stave__out_finish(struct stave__out *out, stave_error *error)
{
    stave__out_flush(out);
    if (out->status < 0)
        return stave__fail(error, out->status, 0, "the output could not be written: %s",
                           stave_status_text(out->status));
    return STAVE_OK;
}

void stave__out_bytes(struct stave__out *out, const void *bytes, size_t size)
{
    if (size > sizeof out->buffer - out->used)
        stave__out_flush(out);
    if (size > sizeof out->buffer) {
        hand_over(out, bytes, size);
        return;
    }
    memcpy(out->buffer + out->used, bytes, size);
    out->used += size;
}

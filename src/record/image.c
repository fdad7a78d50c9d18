#include "record/image.h"

#include <stdlib.h>

#include "base/error.h"

int stave__image_open(struct stave__image *image, bool undrained, stave_sink sink,
                      stave_error *error)
{
    *image = (struct stave__image){0};
    int status = stave__image_file_open(&image->file, sink, error);
    if (status >= 0)
        status = stave__image_rows_open(&image->rows, error);
    if (status >= 0)
        status = stave__open_spans_open(&image->spans, error);
    if (status >= 0)
        status = stave__pieces_open(&image->pieces, undrained, error);
    image->rows.spans = &image->spans;
    return image->file.status = status;
}

int stave__image_close(struct stave__image *image)
{
    stave__image_rows_close(&image->rows);
    stave__open_spans_close(&image->spans);
    stave__pieces_close(&image->pieces);
    return stave__image_file_close(&image->file);
}

/* ---- a lane ---------------------------------------------------------------------------------- */

/* False: given up meanwhile. Who drains takes it, record/pool.h P5. */
static bool copy(struct stave__image *image, const struct stave__piece *piece)
{
    image->rows.copied = piece->to - piece->from;
    return stave__piece_copy(piece, image->rows.records) &&
           (!image->pieces.undrained || stave__pool_drain(&stave__recorder.pool, piece->chunk,
                                                          piece->taken, piece->from, piece->to));
}

/* The last piece of which something is asked for, plus 1. */
static uint32_t pieces_end(const struct stave__piece *pieces, uint32_t count, bool whole)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < count && (whole || pieces[i].sealed); i++)
        if (pieces[i].to > pieces[i].from)
            end = i + 1;
    return end;
}

static void put_pieces(struct stave__image *image, const struct stave__piece *pieces, uint32_t end,
                       bool whole)
{
    for (uint32_t i = 0; i < end && image->file.status >= 0; i++) {
        image->rows.piece = i;
        image->rows.is_last = whole && i + 1 == end;
        if (pieces[i].to > pieces[i].from && copy(image, &pieces[i]))
            stave__image_rows_put(&image->rows, &image->file);
    }
}

/* Whether what is open now has not been told. */
static bool has_opened(const struct stave__image *image)
{
    const struct stave__open_spans *spans = &image->spans;
    return spans->now_count > 0 &&
           spans->now[spans->now_count - 1].serial != image->rows.place->told;
}

/* First what is open, then the records: what was open has one by then, or is open still. */
void stave__image_put(struct stave__image *image, uint32_t lane, struct stave__image_place *place,
                      bool whole)
{
    uint32_t count;
    const struct stave__image_lane *known = &image->file.lanes[lane];
    image->rows.lane = known->number;
    image->rows.place = place;
    if (!stave__open_spans_begin(&image->spans, lane, known->life))
        return;
    struct stave__piece *pieces =
        stave__pieces_of(&image->pieces, stave__owner(lane, known->life), &count);
    int status = stave__open_spans_look(&image->spans, pieces, count, image->rows.records,
                                        image->file.error);
    if (status < 0)
        image->file.status = status;
    put_pieces(image, pieces, pieces_end(pieces, count, whole), whole);
    if (whole && image->file.status >= 0 && has_opened(image))
        stave__image_rows_put_open(&image->rows, &image->file);
}

/* ---- of this moment -------------------------------------------------------------------------- */

static void put_all(struct stave__image *image)
{
    uint32_t lanes = stave__lanes_count();
    stave_counts counts;
    stave_get_counts(&counts);
    stave__image_lanes(&image->file, lanes);
    stave__image_clock(&image->file, false);
    stave__image_counts(&image->file, &counts);
    stave__pieces_find(&image->pieces);
    for (uint32_t lane = 0; lane < lanes && image->file.status >= 0; lane++) {
        struct stave__image_place place = {0};
        stave__image_put(image, lane, &place, true);
    }
}

int stave__image_write(stave_sink sink, stave_error *error)
{
    struct stave__image *image = malloc(sizeof *image);
    if (image == NULL)
        return stave__fail_memory(error);
    if (stave__image_open(image, false, sink, error) >= 0)
        put_all(image);
    int status = stave__image_close(image);
    free(image);
    return status;
}

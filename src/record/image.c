#include "record/image.h"

#include <stdlib.h>

#include "base/error.h"
#include "record/image_rules.h"
#include "record/sessions.h"

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

int stave__image_next(struct stave__image *image)
{
    image->taken_before = image->rows.taken;
    return stave__image_file_next(&image->file);
}

bool stave__image_is_full(const struct stave__image *image)
{
    return image->max_bytes != 0 && image->file.writer.offset >= image->max_bytes &&
           image->rows.taken > image->taken_before;
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

/* It is claimed, and has failed: whoever writes the next file may have it, and this one ends before it. */
static void give_back(struct stave__image *image, const struct stave__piece *piece, uint64_t offset)
{
    if (!image->pieces.undrained)
        return;
    stave__pool_undrain(&stave__recorder.pool, piece->chunk, piece->taken, piece->from, piece->to);
    image->file.writer.offset = offset;
}

static void put_piece(struct stave__image *image, const struct stave__piece *piece)
{
    uint64_t offset = image->file.writer.offset;
    if (piece->to == piece->from || !copy(image, piece))
        return;
    stave__image_rows_put(&image->rows, &image->file);
    if (image->file.status < 0)
        give_back(image, piece, offset);
}

/* How many of them, or of their first ones, until the file is full. */
static uint32_t put_pieces(struct stave__image *image, const struct stave__piece *pieces,
                           uint32_t end, bool whole)
{
    uint32_t i = 0;
    image->rows.last_span = 0;
    for (; i < end && image->file.status >= 0 && !stave__image_is_full(image); i++) {
        image->rows.piece = i;
        image->rows.is_last = whole && i + 1 == end;
        put_piece(image, &pieces[i]);
    }
    return i;
}

/* First what is open, then the records: what was open has one by then, or is open still. NULL: the lane is another
 * thread's than the file knows. */
static struct stave__piece *look(struct stave__image *image, uint32_t lane,
                                 struct stave__image_place *place, uint64_t cut, uint32_t *count)
{
    const struct stave__image_lane *known = &image->file.lanes[lane];
    image->rows.lane = known->number;
    image->rows.place = place;
    if (!stave__open_spans_begin(&image->spans, lane, known->life))
        return NULL;
    image->spans.cut = cut;
    struct stave__piece *pieces =
        stave__pieces_of(&image->pieces, stave__owner(lane, known->life), count);
    int status = stave__open_spans_look(&image->spans, pieces, *count, image->rows.records,
                                        image->file.error);
    if (status < 0)
        image->file.status = status;
    return pieces;
}

void stave__image_put_open(struct stave__image *image, uint32_t lane,
                           struct stave__image_place *place)
{
    uint32_t count;
    if (look(image, lane, place, place->cut, &count) != NULL && image->file.status >= 0)
        stave__image_rows_put_open_before(&image->rows, &image->file);
}

uint32_t stave__image_put(struct stave__image *image, uint32_t lane,
                          struct stave__image_place *place, bool whole)
{
    uint32_t count;
    struct stave__piece *pieces = look(image, lane, place, 0, &count);
    if (pieces == NULL)
        return 0;
    stave__image_lane_name(&image->file, lane);
    uint32_t end = pieces_end(pieces, count, whole);
    uint32_t left = end - put_pieces(image, pieces, end, whole);
    if (image->file.status < 0)
        return left;
    if (left == 0 && whole)
        stave__image_rows_put_open(&image->rows, &image->file);
    else if (stave__image_is_full(image))
        stave__image_rows_put_open_at_cut(&image->rows, &image->file);
    return left;
}

/* ---- of this moment -------------------------------------------------------------------------- */

static void put_all(struct stave__image *image)
{
    uint32_t lanes = stave__lanes_count();
    stave_counts counts;
    stave_get_counts(&counts);
    stave__image_lanes(&image->file, lanes);
    stave__image_clock(&image->file, false);
    stave__image_counts(&image->file, &counts, &stave__recorder.counts_before);
    stave__image_rules(&image->file);
    stave__pieces_find(&image->pieces);
    for (uint32_t lane = 0; lane < lanes && image->file.status >= 0; lane++) {
        struct stave__image_place place = {0};
        stave__image_put(image, lane, &place, true);
    }
    stave__image_rules(&image->file);
    stave__image_sessions(&image->file);
}

int stave__image_write(stave_sink sink, const struct stave_session *session, stave_error *error)
{
    struct stave__image *image = malloc(sizeof *image);
    if (image == NULL)
        return stave__fail_memory(error);
    int opened = stave__image_open(image, false, sink, error);
    if (session != NULL) {
        image->spans.is_of_session = true;
        image->spans.session_start = session->start;
        image->file.rules.session = session->number;
    }
    if (opened >= 0)
        put_all(image);
    int status = stave__image_close(image);
    free(image);
    return status;
}

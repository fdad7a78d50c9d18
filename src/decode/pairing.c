#include "decode/pairing.h"

#include "base/error.h"

void stave__pairing_init(struct pairing *pairing, stave_trace *trace, stave_decode_stats *stats)
{
    *pairing = (struct pairing){
        .trace = trace,
        .stats = stats,
        .voices = {.row_size = sizeof(struct voice)},
        .writers = {.row_size = sizeof(struct writer)},
    };
}

void stave__pairing_free(struct pairing *pairing)
{
    stave__table_free(&pairing->voices);
    stave__table_free(&pairing->writers);
    stave__idmap_free(&pairing->voice_ids);
    stave__idmap_free(&pairing->lane_writers);
}

void stave__pairing_begin_run(struct pairing *pairing, uint32_t boot)
{
    pairing->boot = boot;
    stave__table_clear(&pairing->voices);
    stave__table_clear(&pairing->writers);
    stave__idmap_clear(&pairing->voice_ids);
    stave__idmap_clear(&pairing->lane_writers);
    for (int i = 0; i < PAIRING_DIRECT; i++)
        pairing->direct[i] = NULL;
    pairing->first_open = pairing->last_open = NULL;
}

/* ---- voices and writers ---------------------------------------------------------------------- */

struct voice *stave__pairing_find(const struct pairing *pairing, uint32_t id)
{
    if (id < PAIRING_DIRECT)
        return pairing->direct[id];
    uint32_t index = stave__idmap_get(&pairing->voice_ids, id);
    return index != IDMAP_NONE ? stave__table_at(&pairing->voices, index) : NULL;
}

struct voice *stave__pairing_add(struct pairing *pairing, uint32_t id, int *status,
                                 stave_error *error)
{
    *status = STAVE_OK;
    if (pairing_is_full(pairing))
        return NULL;
    struct voice *voice = stave__table_add(&pairing->voices);
    if (voice == NULL || (id >= PAIRING_DIRECT &&
                          !stave__idmap_add(&pairing->voice_ids, id, pairing->voices.rows - 1))) {
        *status = stave__fail_memory(error);
        return NULL;
    }
    if (id < PAIRING_DIRECT)
        pairing->direct[id] = voice;
    return voice;
}

static struct writer *add_writer(struct pairing *pairing, uint32_t lane, stave_error *error)
{
    struct writer *writer = stave__table_add(&pairing->writers);
    if (writer == NULL) {
        stave__fail_memory(error);
        return NULL;
    }
    struct stave__blocks *blocks = &pairing->trace->blocks;
    stave__appender_init(&writer->spans, blocks, STAVE_SPANS, lane, pairing->boot);
    stave__appender_init(&writer->marks, blocks, STAVE_MARKS, lane, pairing->boot);
    return writer;
}

int stave__pairing_own_writer(struct pairing *pairing, struct voice *voice, stave_error *error)
{
    voice->writer = add_writer(pairing, STAVE__NO_LANE, error);
    return voice->writer != NULL ? STAVE_OK : STAVE_E_MEMORY;
}

static int settle_lane(struct pairing *pairing, struct voice *voice, stave_error *error)
{
    uint32_t lane;
    int status = stave__trace_lane(pairing->trace, &voice->lane, &lane, error);
    if (status < 0)
        return status;
    voice->changed = false;
    stave__appender_move(&voice->writer->spans, lane);
    stave__appender_move(&voice->writer->marks, lane);
    return STAVE_OK;
}

int stave__pairing_name(struct pairing *pairing, struct voice *voice, const stave_lane *lane,
                        stave_error *error)
{
    bool first = voice->lane.name == 0;
    voice->lane = *lane;
    voice->changed = true;
    return first ? settle_lane(pairing, voice, error) : STAVE_OK;
}

int stave__pairing_lane_writer(struct pairing *pairing, const stave_lane *lane,
                               struct writer **writer, stave_error *error)
{
    bool full = pairing->writers.rows == STAVE_DECODER_IDS_MAX;
    uint32_t id;
    *writer = NULL;
    if (full && !stave__trace_find_lane(pairing->trace, lane, &id))
        return STAVE_OK;
    int status = stave__trace_lane(pairing->trace, lane, &id, error);
    if (status < 0)
        return status;
    uint32_t index = stave__idmap_get(&pairing->lane_writers, id);
    if (index != IDMAP_NONE) {
        *writer = stave__table_at(&pairing->writers, index);
        return STAVE_OK;
    }
    if (full)
        return STAVE_OK;
    *writer = add_writer(pairing, id, error);
    if (*writer == NULL)
        return STAVE_E_MEMORY;
    index = pairing->writers.rows - 1;
    return stave__idmap_add(&pairing->lane_writers, id, index) ? STAVE_OK
                                                               : stave__fail_memory(error);
}

/* ---- open spans: the rare cases -------------------------------------------------------------- */

void stave__pairing_start_again(struct pairing *pairing, struct voice *voice)
{
    pairing->stats->duplicate_starts++;
    pairing_list_remove(pairing, voice);
}

void stave__pairing_end_unopened(struct pairing *pairing, struct voice *voice)
{
    if (!voice->cut)
        pairing->stats->orphan_ends++;
    voice->cut = false;
}

int stave__pairing_cut(struct pairing *pairing, int64_t tick, stave_error *error)
{
    while (pairing->first_open != NULL) {
        struct voice *voice = pairing->first_open;
        pairing_list_remove(pairing, voice);
        int status = pairing_close(voice, tick, STAVE_FLAG_INTERRUPTED, error);
        if (status < 0)
            return status;
        voice->cut = true;
    }
    return STAVE_OK;
}

static void count_rows(struct pairing *pairing, struct writer *writer)
{
    stave_decode_stats *stats = pairing->stats;
    stave__appender_seal(&writer->spans, NULL);
    stave__appender_seal(&writer->marks, NULL);
    if (writer->spans.lane == STAVE__NO_LANE) {
        stats->unresolved += writer->spans.rows + writer->marks.rows;
    } else {
        stats->spans += writer->spans.rows;
        stats->markers += writer->marks.rows;
    }
}

int stave__pairing_end_run(struct pairing *pairing, stave_error *error)
{
    for (uint32_t i = 0; i < pairing->voices.rows; i++) {
        struct voice *voice = stave__table_at(&pairing->voices, i);
        int status = voice->changed ? settle_lane(pairing, voice, error) : STAVE_OK;
        if (status < 0)
            return status;
    }
    for (uint32_t i = 0; i < pairing->writers.rows; i++)
        count_rows(pairing, stave__table_at(&pairing->writers, i));
    return STAVE_OK;
}

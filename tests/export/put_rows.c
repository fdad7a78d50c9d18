#include "export/put_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row, and where it goes. */
struct put {
    uint32_t lane, boot, kind;
    uint32_t at; /* in the order in which they were put down */
    struct stave__row row;
};

stave_trace *rows_now;

static struct put *puts_;
static uint32_t puts_used, puts_room;
static stave_place places[64];
static uint32_t places_used;
static uint32_t open_lane = STAVE_NONE, open_boot;
static const struct stave__stack *open_stack;
static uint64_t random_state;
static bool skip_empty_spans;

void rows_check(int status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "make_traces: %s\n", stave_status_text(status));
    exit(1);
}

void rows_begin(void)
{
    rows_check(stave_trace_new(NULL, &rows_now, NULL));
    puts_used = places_used = 0;
    open_lane = STAVE_NONE;
    open_stack = NULL;
    random_state = 1;
}

/* ---- tables ---------------------------------------------------------------------------------- */

uint32_t rows_bytes(const char *bytes, size_t size)
{
    uint32_t id;
    rows_check(stave__trace_string(rows_now, bytes, size, &id, NULL));
    return id;
}

uint32_t rows_text(const char *text)
{
    return rows_bytes(text, strlen(text));
}

uint32_t rows_text_again(const char *text)
{
    rows_text(text);
    rows_check(stave__strings_append(&rows_now->strings, text, strlen(text)));
    return stave_trace_strings(rows_now) - 1;
}

uint32_t rows_process(const char *name, uint64_t number)
{
    uint32_t id;
    stave_process process = {.name = rows_text(name), .number = number};
    rows_check(stave__trace_process(rows_now, &process, &id, NULL));
    return id;
}

uint32_t rows_lane(const stave_lane *like, const char *name)
{
    uint32_t id;
    stave_lane lane = *like;
    lane.name = rows_text(name);
    rows_check(stave__trace_lane(rows_now, &lane, &id, NULL));
    return id;
}

uint64_t rows_real(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

void rows_place(const stave_place *place)
{
    rows_check(places_used < sizeof places / sizeof places[0] ? STAVE_OK : STAVE_E_LIMIT);
    places[places_used++] = *place;
}

/* ---- rows ------------------------------------------------------------------------------------ */

void rows_skip_empty_spans(void)
{
    skip_empty_spans = true;
}

void rows_put(uint32_t lane, uint32_t boot, uint32_t kind, struct stave__row row)
{
    if (skip_empty_spans && kind == STAVE_SPANS && row.start == row.end)
        return;
    if (puts_used == puts_room) {
        puts_room = puts_room != 0 ? 2 * puts_room : 1024;
        puts_ = realloc(puts_, puts_room * sizeof *puts_);
        rows_check(puts_ != NULL ? STAVE_OK : STAVE_E_MEMORY);
    }
    puts_[puts_used] = (struct put){lane, boot, kind, puts_used, row};
    puts_used++;
}

void rows_leave_open(uint32_t lane, uint32_t boot, const struct stave__stack *stack)
{
    open_lane = lane;
    open_boot = boot;
    open_stack = stack;
}

uint32_t rows_random(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

static int compare_puts(const void *a, const void *b)
{
    const struct put *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->boot != y->boot)
        return x->boot < y->boot ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static bool go_together(const struct put *a, const struct put *b)
{
    return a->lane == b->lane && a->kind == b->kind && a->boot == b->boot;
}

static void shuffle(uint32_t from, uint32_t end)
{
    for (uint32_t i = end; i > from + 1; i--) {
        uint32_t other = from + rows_random(i - from);
        struct put put = puts_[i - 1];
        puts_[i - 1] = puts_[other];
        puts_[other] = put;
    }
}

/* Rows of one kind, lane and boot. */
static void write_group(uint32_t from, uint32_t end)
{
    const struct put *first = &puts_[from];
    struct stave__appender appender;
    stave__appender_init(&appender, &rows_now->blocks, first->kind, first->lane, first->boot);
    appender.mask = stave__kind_may_have[first->kind];
    for (uint32_t i = from; i < end; i++)
        rows_check(stave__append_row(&appender, &puts_[i].row, NULL));
    if (first->kind == STAVE_SPANS && first->lane == open_lane && first->boot == open_boot)
        appender.stack = open_stack;
    rows_check(stave__appender_seal(&appender, NULL));
}

static void write_groups(void)
{
    uint32_t end;
    for (uint32_t from = 0; from < puts_used; from = end) {
        end = from + 1;
        while (end < puts_used && go_together(&puts_[from], &puts_[end]))
            end++;
        write_group(from, end);
    }
}

/* The last one first, each shuffled. */
static void write_groups_back(void)
{
    uint32_t from;
    for (uint32_t end = puts_used; end > 0; end = from) {
        from = end - 1;
        while (from > 0 && go_together(&puts_[from - 1], &puts_[from]))
            from--;
        shuffle(from, end);
        write_group(from, end);
    }
}

static void write_places(bool back)
{
    for (uint32_t i = 0; i < places_used; i++)
        rows_check(stave__trace_place(rows_now, &places[back ? places_used - 1 - i : i], NULL));
}

stave_trace *rows_finish(bool shuffled)
{
    write_places(shuffled);
    if (puts_used > 0)
        qsort(puts_, puts_used, sizeof *puts_, compare_puts);
    if (shuffled)
        write_groups_back();
    else
        write_groups();
    free(puts_);
    puts_ = NULL;
    puts_room = 0;
    return rows_now;
}

void rows_write(bool shuffled, stave_sink sink)
{
    stave_trace *trace = rows_finish(shuffled);
    rows_check(stave_trace_save(trace, sink, NULL, NULL));
    stave_trace_free(trace);
}

/* Places in the code that are met while recording: which of them are in dumps and in files, with what. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace/packing.h"
#include "unit/recording.h"
#include "unit/recording_file.h"

/* ---- what is asked --------------------------------------------------------------------------- */

static const char *text_of(const stave_trace *trace, uint32_t id)
{
    return stave_trace_string(trace, id, NULL);
}

static uint32_t places_of(const stave_trace *trace, const char *name)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stave_trace_places(trace); i++)
        count += strcmp(text_of(trace, stave_trace_place(trace, i)->name), name) == 0;
    return count;
}

/* The one place of the only row of a kind and name. */
static const stave_place *place_of(const struct recorded *from, uint32_t kind, const char *name)
{
    const struct traces_row *row = recorded_find(from, kind, name);
    assert_non_null(row);
    return stave_trace_place_of(from->trace, row->columns.name);
}

static void expect_place(const struct recorded *from, uint32_t kind, const char *name,
                         const char *function, uint32_t line)
{
    const stave_place *place = place_of(from, kind, name);
    assert_non_null(place);
    assert_string_equal(text_of(from->trace, place->name), name);
    assert_string_equal(text_of(from->trace, place->file), __FILE__);
    assert_string_equal(text_of(from->trace, place->function), function);
    assert_int_equal(place->line, line);
    assert_int_equal(places_of(from->trace, name), 1);
}

static void record_at(stave_site *site)
{
    stave_span span = stave__begin_slowly(site);
    recorded_pass(1);
    stave_end(span);
}

static stave_site site_of(const char *name, const char *file, const char *function, uint32_t line)
{
    return (stave_site){
        .name = name, .file = file, .function = function, .line = line, .abi = STAVE_ABI};
}

/* ---- dumps ----------------------------------------------------------------------------------- */

static void test_every_probe(void **state)
{
    uint32_t line = __LINE__;
    {
        STAVE_TRACE("a root");
        STAVE_SPAN(span, "a span", STAVE_KV("a key", 1));
        STAVE_MARK("a mark", STAVE_KV("another key", 1));
        STAVE_COUNTER("a counter", 5);
        STAVE_CUMULATIVE("a sum");
        STAVE_FUNCTION();
        STAVE_SET(span, "a third key", 7);
    }
    look();
    expect_place(&seen, STAVE_SPANS, "a root", __func__, line + 2);
    expect_place(&seen, STAVE_SPANS, "a span", __func__, line + 3);
    expect_place(&seen, STAVE_MARKS, "a mark", __func__, line + 4);
    expect_place(&seen, STAVE_COUNTERS, "a counter", __func__, line + 5);
    expect_place(&seen, STAVE_CUMULATIVES, "a sum", __func__, line + 6);
    expect_place(&seen, STAVE_CUMULATIVES, __func__, __func__, line + 7);
    assert_int_equal(places_of(seen.trace, "a key"), 0);
    assert_int_equal(places_of(seen.trace, "another key"), 0);
    assert_int_equal(places_of(seen.trace, "a third key"), 0);
    assert_int_equal(stave_trace_places(seen.trace), 6);
}

static void test_names_made_at_run_time(void **state)
{
    stave_end(stave_begin(stave_name_intern("made")));
    look();
    assert_null(place_of(&seen, STAVE_SPANS, "made"));
    assert_int_equal(stave_trace_places(seen.trace), 0);
}

/* The row of a kind and name that was written as the n-th, from 0. */
static const struct traces_row *recorded_row(uint32_t kind, const char *name, size_t n)
{
    for (size_t i = 0; i < seen.rows.count; i++) {
        const struct traces_row *row = &seen.rows.at[i];
        if (row->kind == kind && strcmp(row->name, name) == 0 && n-- == 0)
            return row;
    }
    fail_msg("no row of %s", name);
    return NULL;
}

static const stave_place *place_of_row(const struct traces_row *row)
{
    return stave_trace_place_of(seen.trace, row->columns.name);
}

/* Two rows of a name, and each tells its place. */
static void expect_two(const char *name, uint32_t kind, uint32_t first, uint32_t second)
{
    assert_int_equal(places_of(seen.trace, name), 2);
    assert_int_equal(place_of_row(recorded_row(kind, name, 0))->line, first);
    assert_int_equal(place_of_row(recorded_row(kind, name, 1))->line, second);
}

static void test_two_of_a_name(void **state)
{
    uint32_t line = __LINE__;
    {
        STAVE_SCOPE("twice");
    }
    {
        STAVE_SCOPE("twice");
    }
    look();
    expect_two("twice", STAVE_SPANS, line + 2, line + 5);
}

/* So have marks; a counter, a sum and a name made at run time are one, wherever they stand. */
static void test_two_of_others(void **state)
{
    uint32_t line = __LINE__;
    STAVE_SCOPE("around");
    STAVE_MARK("mark");
    STAVE_MARK("mark");
    STAVE_COUNTER("counter", 1);
    STAVE_COUNTER("counter", 2);
    for (int i = 0; i < 2; i++) {
        STAVE_CUMULATIVE("sum");
    }
    for (int i = 0; i < 3; i++) {
        STAVE_CUMULATIVE("sum");
    }
    stave_end(stave_begin(stave_name_intern("span")));
    {
        STAVE_SCOPE("span");
    }
    stave_end(stave_current_span());
    look();
    expect_two("mark", STAVE_MARKS, line + 2, line + 3);
    assert_null(place_of_row(recorded_row(STAVE_COUNTERS, "counter", 0)));
    assert_int_equal(recorded_row(STAVE_COUNTERS, "counter", 0)->columns.name,
                     recorded_row(STAVE_COUNTERS, "counter", 1)->columns.name);
    assert_null(place_of(&seen, STAVE_CUMULATIVES, "sum"));
    assert_int_equal(recorded_find(&seen, STAVE_CUMULATIVES, "sum")->columns.value, 5);
    assert_null(place_of_row(recorded_row(STAVE_SPANS, "span", 0)));
    assert_int_equal(place_of_row(recorded_row(STAVE_SPANS, "span", 1))->line, line + 14);
}

/* An inline function is in a program as often as there are files that have it. */
static void test_copies(void **state)
{
    stave_site copies[5];
    char file[] = "inline.h", function[] = "copied";
    for (uint32_t i = 0; i < 5; i++) {
        copies[i] = site_of("copied span", i % 2 == 0 ? "inline.h" : file,
                            i % 2 == 0 ? "copied" : function, 12);
        record_at(&copies[i]);
    }
    look();
    assert_int_equal(places_of(seen.trace, "copied span"), 1);
    assert_int_equal(recorded_count(&seen, STAVE_SPANS), 5);
    const stave_place *place = stave_trace_place_of(seen.trace, seen.rows.at[4].columns.name);
    assert_int_equal(place->line, 12);
    assert_string_equal(text_of(seen.trace, place->file), "inline.h");
}

static void test_what_is_not_told(void **state)
{
    static char longest[STAVE_TEXT_MAX + 2];
    memset(longest, 'x', STAVE_TEXT_MAX + 1);
    stave_site no_file = site_of("no file", NULL, "f", 1),
               no_function = site_of("no function", "a.c", NULL, 2),
               no_line = site_of("no line", "a.c", "", 0),
               too_long = site_of("too long", longest, "f", 3),
               no_name = site_of(NULL, "a.c", "its function", 4);
    record_at(&no_file);
    record_at(&no_function);
    record_at(&no_line);
    record_at(&too_long);
    record_at(&no_name);
    look();
    assert_null(place_of(&seen, STAVE_SPANS, "no file"));
    assert_null(place_of(&seen, STAVE_SPANS, "too long"));
    assert_int_equal(place_of(&seen, STAVE_SPANS, "no function")->line, 2);
    assert_int_equal(place_of(&seen, STAVE_SPANS, "no function")->function, 0);
    assert_int_equal(place_of(&seen, STAVE_SPANS, "no line")->line, 0);
    assert_int_equal(place_of(&seen, STAVE_SPANS, "its function")->line, 4);
    assert_int_equal(COUNTED(truncated), 0);
}

static void meet(void)
{
    STAVE_SCOPE("met once");
    recorded_pass(1);
}

/* A place keeps its number over starts; what has no name in a dump is not in it. */
static void test_a_new_start(void **state)
{
    meet();
    look();
    assert_int_equal(places_of(seen.trace, "met once"), 1);
    recorded_start(&(stave_config){0});
    look();
    assert_int_equal(stave_trace_places(seen.trace), 0);
    meet();
    look();
    assert_int_equal(stave_trace_places(seen.trace), 1);
    assert_string_equal(text_of(seen.trace, place_of(&seen, STAVE_SPANS, "met once")->function),
                        "meet");
}

/* More than a block of them, in an order in which functions are names, too. */
static void test_many(void **state)
{
    enum { MANY = 1000 };
    static char names[MANY][16];
    static stave_site sites[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        snprintf(names[i], sizeof names[i], "many %u", (unsigned)i);
    for (uint32_t i = 0; i < MANY; i++) {
        sites[i] = site_of(names[i], "many.c", names[(i * 7 + 1) % MANY], i + 1);
        record_at(&sites[i]);
    }
    look();
    assert_int_equal(stave_trace_places(seen.trace), MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        const stave_place *place = stave_trace_place_of(seen.trace, seen.rows.at[i].columns.name);
        assert_int_equal(place->line, i + 1);
        assert_string_equal(text_of(seen.trace, place->name), names[i]);
        assert_string_equal(text_of(seen.trace, place->file), "many.c");
        assert_string_equal(text_of(seen.trace, place->function), names[(i * 7 + 1) % MANY]);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { THREADS = 8, SHARED = 300 };

static char shared_names[SHARED][16];
static stave_site shared_sites[SHARED];
static pthread_barrier_t barrier;

static void *meet_shared(void *given)
{
    pthread_barrier_wait(&barrier);
    for (uint32_t i = 0; i < SHARED; i++)
        stave_end(stave__begin_slowly(&shared_sites[i]));
    return NULL;
}

/* A place that is met at once by several may be there more than once: each has it. */
static void test_threads(void **state)
{
    pthread_t threads[THREADS];
    for (uint32_t i = 0; i < SHARED; i++) {
        snprintf(shared_names[i], sizeof shared_names[i], "shared %u", (unsigned)i);
        shared_sites[i] = site_of(shared_names[i], "shared.c", "meet_shared", i + 1);
    }
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, meet_shared, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    pthread_barrier_destroy(&barrier);
    look();
    assert_int_equal(seen.rows.count, THREADS * SHARED);
    for (size_t i = 0; i < seen.rows.count; i++) {
        const struct traces_row *row = &seen.rows.at[i];
        const stave_place *place = stave_trace_place_of(seen.trace, row->columns.name);
        assert_non_null(place);
        assert_string_equal(row->name, shared_names[place->line - 1]);
    }
}

/* ---- files that are written as it goes on ---------------------------------------------------- */

static bool is_in_file(const char *name)
{
    stave_trace *trace = NULL;
    bool found = false;
    assert_int_equal(stave_trace_open(path, NULL, &trace, NULL), STAVE_OK);
    for (uint32_t i = 0; i < stave_trace_places(trace); i++)
        found = found || strcmp(text_of(trace, stave_trace_place(trace, i)->name), name) == 0;
    stave_trace_free(trace);
    return found;
}

static void wait_until_in_file(const char *name)
{
    for (int i = 0; i < 2000 && !is_in_file(name); i++)
        wait_ms(5);
    assert_true(is_in_file(name));
}

/* A place may come long after its name's text, and so after the name's other place. */
static void record_early_and_late(void)
{
    stave_site early = site_of("early", "a.c", "f", 1), again = site_of("early", "a.c", "f", 2),
               late = site_of("late", "a.c", "f", 3), other = site_of("other", "b.c", "early", 4);
    begin_file();
    stave_end(stave_begin(stave_name_intern("late")));
    record_at(&early);
    wait_until_in_file("early");
    assert_false(is_in_file("late"));
    record_at(&late);
    wait_until_in_file("late");
    record_at(&again);
    record_at(&other);
    wait_until_in_file("other");
    end_file();
}

static void expect_early_and_late(const stave_trace *trace)
{
    assert_int_equal(stave_trace_damages(trace), 0);
    assert_int_equal(stave_trace_places(trace), 4);
    assert_int_equal(places_of(trace, "early"), 2);
    for (uint32_t i = 0; i < 4; i++) {
        const stave_place *place = stave_trace_place(trace, i),
                          *one = stave_trace_place_of(trace, place->name);
        assert_ptr_equal(one, place);
        bool is_other = place->line == 4;
        assert_string_equal(text_of(trace, place->file), is_other ? "b.c" : "a.c");
        assert_string_equal(text_of(trace, place->function), is_other ? "early" : "f");
    }
}

static stave_trace *save_and_open(stave_trace *trace, uint32_t zstd_level)
{
    stave_trace *saved = NULL;
    struct traces_bytes bytes = traces_save(trace, zstd_level);
    traces_put_file(path, bytes.at, bytes.size);
    free(bytes.at);
    assert_int_equal(stave_trace_open(path, NULL, &saved, NULL), STAVE_OK);
    return saved;
}

static void cut_file(size_t bytes)
{
    stave_trace_file about;
    stave_trace *trace = NULL;
    assert_int_equal(stave_trace_open(path, NULL, &trace, NULL), STAVE_OK);
    stave_trace_file_of(trace, &about);
    assert_true(about.indexed);
    stave_trace_free(trace);
    assert_int_equal(truncate(path, (off_t)(about.size - bytes)), 0);
}

/* As it is; without its index; what is left then, as a whole file, and packed. */
static void test_a_file(void **state)
{
    stave_trace *trace = NULL;
    record_early_and_late();
    struct recorded whole = recorded_file(path);
    assert_int_equal(whole.rows.count, 5);
    expect_early_and_late(whole.trace);
    recorded_free(&whole);
    cut_file(30);
    assert_int_equal(stave_trace_open(path, NULL, &trace, NULL), STAVE_OK);
    expect_early_and_late(trace);
    stave_trace *recovered = save_and_open(trace, 0);
    expect_early_and_late(recovered);
    stave_trace *packed = save_and_open(recovered, stave__pack_bound(1) > 0 ? 9 : 0);
    expect_early_and_late(packed);
    stave_trace_free(packed);
    stave_trace_free(recovered);
    stave_trace_free(trace);
}

static void record_until_full(void)
{
    char behind[80];
    snprintf(behind, sizeof behind, "%s.1", path);
    for (int i = 0; i < 5000 && access(behind, F_OK) != 0; i++) {
        for (unsigned n = 0; n < 500; n++)
            meet();
        wait_ms(5);
    }
    assert_int_equal(access(behind, F_OK), 0);
    meet();
}

/* Each of several files opens alone. */
static void test_each_file(void **state)
{
    char behind[80];
    snprintf(behind, sizeof behind, "%s.1", path);
    stave_file_config limits = {.max_bytes = 64 * 1024, .files = 2};
    assert_int_equal(stave_file_limits(&limits, NULL), STAVE_OK);
    begin_file();
    record_until_full();
    end_file();
    assert_int_equal(stave_file_limits(NULL, NULL), STAVE_OK);
    for (unsigned i = 0; i < 2; i++) {
        struct recorded one = recorded_file(i == 0 ? path : behind);
        assert_true(one.rows.count > 0);
        assert_int_equal(stave_trace_places(one.trace), 1);
        assert_non_null(stave_trace_place_of(one.trace, one.rows.at[0].columns.name));
        recorded_free(&one);
    }
    unlink(behind);
}

/* ---- more than there is room for: in processes of their own ---------------------------------- */

/* All names that there is room for come after more texts of places than there is room for. */
static void fill_with_places(void **state)
{
    enum { PLACES = 70000, NAMES = 262000 };
    static char files[PLACES][16], functions[PLACES][16];
    stave_site *sites = calloc(PLACES, sizeof *sites);
    char name[32];
    assert_non_null(sites);
    recorded_start(&(stave_config){0});
    for (uint32_t i = 0; i < PLACES; i++) {
        snprintf(files[i], sizeof files[i], "%u.c", (unsigned)i);
        snprintf(functions[i], sizeof functions[i], "function %u", (unsigned)i);
        sites[i] = site_of("everywhere", files[i], functions[i], i);
        record_at(&sites[i]);
    }
    for (uint32_t i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "name %u", (unsigned)i);
        assert_int_not_equal(stave_name_intern(name), 0);
    }
    assert_int_equal(recorded_counts().dropped_site, 0);
    struct recorded all = recorded_now();
    assert_int_equal(recorded_count(&all, STAVE_SPANS), PLACES);
    assert_in_range(stave_trace_places(all.trace), 30000, 65535);
    assert_int_equal(places_of(all.trace, "everywhere"), stave_trace_places(all.trace));
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(stave_trace_place_of(all.trace, all.rows.at[i].columns.name)->line, i);
    assert_null(stave_trace_place_of(all.trace, all.rows.at[PLACES - 1].columns.name));
    recorded_free(&all);
    free(sites);
}

static void test_places_take_no_room_of_names(void **state)
{
    in_a_child(fill_with_places, NULL);
}

/* Many places, few texts. */
static void fill_places(void **state)
{
    enum { PLACES = 66000 };
    stave_site *sites = calloc(PLACES, sizeof *sites);
    assert_non_null(sites);
    recorded_start(&(stave_config){0});
    for (uint32_t i = 0; i < PLACES; i++) {
        sites[i] = site_of("a long file", "long.c", "f", i + 1);
        record_at(&sites[i]);
    }
    struct recorded all = recorded_now();
    assert_int_equal(recorded_count(&all, STAVE_SPANS), PLACES);
    assert_int_equal(stave_trace_places(all.trace), 65536);
    assert_int_equal(stave_trace_place(all.trace, 65535)->line, 65536);
    recorded_free(&all);
    free(sites);
}

static void test_more_places_than_there_is_room_for(void **state)
{
    in_a_child(fill_places, NULL);
}

/* ---- */

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_take_no_room_of_names),
        cmocka_unit_test(test_more_places_than_there_is_room_for),
        TEST(test_every_probe),
        TEST(test_names_made_at_run_time),
        TEST(test_two_of_a_name),
        TEST(test_two_of_others),
        TEST(test_copies),
        TEST(test_what_is_not_told),
        TEST(test_a_new_start),
        TEST(test_many),
        TEST(test_threads),
        TEST(test_a_file),
        TEST(test_each_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

/* test_export_sorter.c - export/sorter.h and export/series.h against qsort: in memory, and beyond budgets of any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/series.h"

#define ROUNDS 60u

struct record {
    uint64_t key;
    uint64_t second;
    uint64_t number; /* so that each is told from all others */
};

static uint64_t seed = 1;

static uint64_t random_below(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static int compare_behind_key(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->second != y->second)
        return x->second < y->second ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int compare(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return compare_behind_key(a, b);
}

/* Few different keys, many, and the limits. */
static struct record random_record(uint64_t keys, uint64_t number)
{
    struct record record = {random_below(keys), random_below(3), number};
    if (random_below(10) == 0)
        record.key = random_below(2) == 0 ? 0 : UINT64_MAX;
    return record;
}

static struct record *fill(struct stave__sorter *sorter, size_t count)
{
    struct record *wanted = malloc((count + 1) * sizeof *wanted);
    uint64_t keys = random_below(2) == 0 ? 5 : UINT64_C(1) << 30;
    assert_non_null(wanted);
    for (size_t i = 0; i < count; i++) {
        wanted[i] = random_record(keys, i);
        struct record *added = stave__sorter_add(sorter, NULL);
        assert_non_null(added);
        *added = wanted[i];
    }
    qsort(wanted, count, sizeof *wanted, compare);
    return wanted;
}

static struct stave__sorter new_sorter(size_t budget)
{
    return (struct stave__sorter){
        .record_size = sizeof(struct record), .compare = compare_behind_key, .budget = budget};
}

/* So that one round needs many runs, another none. */
static size_t random_budget(void)
{
    static const size_t budgets[] = {0, 1, 4096, 100000};
    return budgets[random_below(sizeof budgets / sizeof budgets[0])];
}

static void check_sorted(struct stave__sorter *sorter, size_t count)
{
    struct record *wanted = fill(sorter, count);
    assert_int_equal(stave__sorter_finish(sorter, NULL), STAVE_OK);
    for (size_t i = 0; i < count; i++) {
        const struct record *record = stave__sorter_next(sorter, NULL);
        assert_non_null(record);
        assert_memory_equal(record, &wanted[i], sizeof *record);
    }
    assert_null(stave__sorter_next(sorter, NULL));
    assert_int_equal(sorter->status, STAVE_OK);
    free(wanted);
}

static void test_sorter(void **state)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct stave__sorter sorter = new_sorter(random_budget());
        for (unsigned again = 0; again < 3; again++) {
            check_sorted(&sorter, random_below(again == 1 ? 5 : 6000));
            stave__sorter_clear(&sorter);
        }
        stave__sorter_free(&sorter);
    }
}

static void test_beyond_the_budget(void **state)
{
    struct stave__sorter sorter = new_sorter(8192);
    struct record *wanted = fill(&sorter, 20000);
    assert_true(sorter.fd_plus_1 != 0 && sorter.runs_count > 10);
    free(wanted);
    stave__sorter_free(&sorter);
}

static size_t first_from(const struct record *records, size_t count, uint64_t key)
{
    size_t i = 0;
    while (i < count && records[i].key < key)
        i++;
    return i;
}

static void check_series(struct stave__series *series, size_t count)
{
    struct record *wanted = fill(&series->sorter, count);
    assert_int_equal(stave__series_settle(series, NULL), STAVE_OK);
    assert_int_equal(series->count, count);
    for (unsigned i = 0; i < 300; i++) {
        size_t at = (size_t)random_below(count + 2);
        const struct record *record = stave__series_at(series, at, NULL);
        assert_true((record != NULL) == (at < count));
        if (record != NULL)
            assert_memory_equal(record, &wanted[at], sizeof *record);
        uint64_t key = at < count ? wanted[at].key + random_below(2) : UINT64_MAX;
        assert_int_equal(stave__series_find(series, key, NULL), first_from(wanted, count, key));
    }
    uint64_t key = 0;
    for (unsigned i = 0; i < 20; i++, key += random_below(3)) /* in ascending order, as spans ask */
        assert_int_equal(stave__series_find(series, key, NULL), first_from(wanted, count, key));
    assert_int_equal(series->sorter.status, STAVE_OK);
    free(wanted);
}

static void test_series(void **state)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct stave__series series = {.sorter = new_sorter(random_budget())};
        for (unsigned again = 0; again < 3; again++) {
            check_series(&series, random_below(again == 1 ? 3 : 4000));
            stave__series_clear(&series);
        }
        stave__series_free(&series);
    }
}

static void test_no_folder(void **state)
{
    struct stave__sorter sorter = new_sorter(4096);
    stave_error error = {0};
    sorter.temporary_dir = "/nonexistent/folder";
    unsigned added = 0;
    while (added < 100000 && stave__sorter_add(&sorter, &error) != NULL)
        added++;
    assert_int_equal(sorter.status, STAVE_E_IO);
    assert_int_equal(error.status, STAVE_E_IO);
    stave__sorter_free(&sorter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorter),
        cmocka_unit_test(test_beyond_the_budget),
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

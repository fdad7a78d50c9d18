#include "export/series.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os.h"

#define PAGE_BYTES ((size_t)64 * 1024)

static uint64_t page_records(const struct stave__series *series)
{
    return PAGE_BYTES / series->sorter.record_size;
}

static int write_page(struct stave__series *series, uint64_t first, uint64_t count,
                      stave_error *error)
{
    size_t size = series->sorter.record_size;
    return stave__os_write_at(series->fd_plus_1 - 1, series->page, (size_t)count * size,
                              first * size, error);
}

/* Merges the sorter's runs into one file. */
static int merge(struct stave__series *series, stave_error *error)
{
    size_t size = series->sorter.record_size;
    uint64_t filled = 0, first = 0;
    const void *record;
    int fd, status = STAVE_OK;
    if (series->page == NULL && (series->page = malloc(PAGE_BYTES)) == NULL)
        return stave__fail_memory(error);
    if (series->fd_plus_1 == 0) {
        status = stave__os_temporary(series->sorter.temporary_dir, &fd, error);
        series->fd_plus_1 = status >= 0 ? fd + 1 : 0;
    }
    while (status >= 0 && (record = stave__sorter_next(&series->sorter, error)) != NULL) {
        memcpy(series->page + filled * size, record, size);
        if (++filled < page_records(series))
            continue;
        status = write_page(series, first, filled, error);
        first += filled;
        filled = 0;
    }
    if (status >= 0 && filled > 0)
        status = write_page(series, first, filled, error);
    return status < 0 ? status : series->sorter.status;
}

int stave__series_settle(struct stave__series *series, stave_error *error)
{
    int status = stave__sorter_finish(&series->sorter, error);
    series->count = series->sorter.count;
    series->place = 0;
    series->page_count = 0;
    if (status >= 0 && series->sorter.runs_count > 0)
        status = merge(series, error);
    series->sorter.status = status;
    return status;
}

static const void *page_at(struct stave__series *series, uint64_t index, stave_error *error)
{
    struct stave__sorter *sorter = &series->sorter;
    if (index < series->page_first || index - series->page_first >= series->page_count) {
        uint64_t records = page_records(series);
        series->page_first = index - index % records;
        uint64_t left = series->count - series->page_first;
        series->page_count = left < records ? left : records;
        sorter->status = stave__os_read_at(series->fd_plus_1 - 1, series->page,
                                           (size_t)series->page_count * sorter->record_size,
                                           series->page_first * sorter->record_size, error);
        if (sorter->status < 0) {
            series->page_count = 0;
            return NULL;
        }
    }
    return series->page + (index - series->page_first) * sorter->record_size;
}

const void *stave__series_at(struct stave__series *series, uint64_t index, stave_error *error)
{
    const struct stave__sorter *sorter = &series->sorter;
    if (index >= series->count || sorter->status < 0)
        return NULL;
    if (sorter->runs_count > 0)
        return page_at(series, index, error);
    return sorter->records + sorter->order[index].at * sorter->record_size;
}

/* Whether the record at an index, which is there, has a lower number. */
static bool is_below(struct stave__series *series, uint64_t index, uint64_t number,
                     stave_error *error)
{
    const void *record = stave__series_at(series, index, error);
    uint64_t key = number;
    if (record != NULL)
        memcpy(&key, record, sizeof key);
    return key < number;
}

/* From the last place on in steps that double, then by halves. */
uint64_t stave__series_find(struct stave__series *series, uint64_t number, stave_error *error)
{
    uint64_t low = series->place, high = low, step = 1;
    if (low > 0 && !is_below(series, low - 1, number, error))
        low = high = 0;
    while (high < series->count && is_below(series, high, number, error)) {
        low = high + 1;
        high = series->count - high > step ? high + step : series->count;
        step *= 2;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (is_below(series, middle, number, error))
            low = middle + 1;
        else
            high = middle;
    }
    series->place = low;
    return low;
}

void stave__series_clear(struct stave__series *series)
{
    stave__sorter_clear(&series->sorter);
    series->count = 0;
    series->place = 0;
    series->page_count = 0;
}

void stave__series_free(struct stave__series *series)
{
    if (series->fd_plus_1 != 0)
        stave__os_close(series->fd_plus_1 - 1);
    free(series->page);
    stave__sorter_free(&series->sorter);
    *series = (struct stave__series){.sorter = series->sorter};
}

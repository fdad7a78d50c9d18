/* bench/drain.c - how fast what is recorded comes into a .stave file, and how large that is.
 *
 * Memory is filled with the call tree of a server's requests, then a file is begun and ended: the drain writes all of
 * it. Beside it, in the same rounds, its limit: the same records copied, and as many bytes written. */
#define _DEFAULT_SOURCE /* mkstemp */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/bench.h"
#include "record/recorder.h"

enum { ROUNDS = 9, REQUESTS = 100000 };

static char path[] = "/tmp/stave-drain-XXXXXX";
static uint64_t spans, records;

static void check(int status, const stave_error *error)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench_drain: %s\n", error->message);
    exit(2);
}

/* ---- a server's requests --------------------------------------------------------------------- */

/* Some work, of a length that differs: from nothing to a microsecond. */
static void work(uint32_t seed)
{
    uint32_t times = (seed * 2654435761u >> 16) % 2048;
    for (uint32_t i = 0; i < times; i++)
        __asm__ volatile("" ::: "memory");
}

static void look_up(uint32_t i)
{
    STAVE_FUNCTION();
    work(i + 6);
    STAVE_SCOPE("compare");
    work(i + 6);
}

static void query(uint32_t i)
{
    STAVE_SPAN(query, "query");
    for (uint32_t j = 0; j < 3 + i % 5; j++) {
        STAVE_SCOPE("fetch");
        work(i + 61 * j);
        look_up(i + j);
    }
}

static void request(uint32_t i)
{
    STAVE_TRACE("request", STAVE_ID(i));
    {
        STAVE_SCOPE("parse");
        work(i + 6);
    }
    query(i);
    STAVE_SCOPE("render");
    for (uint32_t j = 0; j < 4; j++) {
        STAVE_SCOPE("row");
        work(i + 43 * j);
    }
}

static uint64_t recorded(void)
{
    stave_counts counts;
    stave_get_counts(&counts);
    return counts.recorded - counts.evicted;
}

/* A request is 8 spans and 3 for each fetch, and one attribute. */
static void fill(void)
{
    stave_error error = {0};
    stave_config config = {.max_bytes = (uint64_t)128 << 20, .mode = STAVE_STOP_WHEN_FULL};
    stave_stop();
    check(stave_start(&config, &error), &error);
    uint64_t before = recorded();
    for (uint32_t i = 0; i < REQUESTS; i++)
        request(i);
    records = recorded() - before;
    spans = records - REQUESTS;
}

/* ---- what is measured ------------------------------------------------------------------------ */

static double drain(void)
{
    stave_error error = {0};
    double before = bench_wall_seconds();
    check(stave_record_to(path, &error), &error);
    check(stave_record_to(NULL, &error), &error);
    return bench_wall_seconds() - before;
}

/* Each chunk copied, and its share of the file's bytes written. */
static double copy(uint64_t bytes)
{
    static uint8_t block[STAVE__CHUNK_SIZE];
    const struct stave__pool *pool = &stave__recorder.pool;
    uint64_t chunks = records / STAVE__CHUNK_RECORDS + 1;
    double before = bench_wall_seconds();
    int fd = open(path, O_WRONLY | O_TRUNC);
    for (uint32_t i = 0; i < chunks && i < pool->count; i++) {
        memcpy(block, stave__pool_at(pool, i), sizeof block);
        if (write(fd, block, bytes / chunks) < 0)
            exit(2);
    }
    close(fd);
    return bench_wall_seconds() - before;
}

int main(void)
{
    double drained[ROUNDS], copied[ROUNDS];
    struct stat status = {0};
    close(mkstemp(path));
    for (int i = 0; i < ROUNDS; i++) {
        fill();
        drained[i] = drain();
        stat(path, &status);
        copied[i] = copy((uint64_t)status.st_size);
    }
    double seconds = bench_median(drained, ROUNDS), limit = bench_median(copied, ROUNDS);
    printf("%.1f million spans and %.1f million attributes\n", (double)spans / 1e6,
           (double)REQUESTS / 1e6);
    printf("drained                         %6.1f million spans/s, best %.1f\n",
           (double)spans / seconds / 1e6, (double)spans / drained[0] / 1e6);
    printf(
        "copied, as many bytes written  %6.1f million spans/s; draining takes %.2f times as long\n",
        (double)spans / limit / 1e6, seconds / limit);
    printf("in the file                     %6.2f bytes a span\n",
           (double)status.st_size / (double)spans);
    unlink(path);
    return 0;
}

/* reference_main.c - usage: reference FILE.bin. The CSV on stdout, counters on stderr. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "reference.h"

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    uint8_t *bytes = NULL;
    size_t room = 0;
    *size = 0;
    do {
        room = room == 0 ? 65536 : room * 2;
        uint8_t *larger = realloc(bytes, room);
        if (larger == NULL)
            abort();
        bytes = larger;
        *size += fread(bytes + *size, 1, room - *size, file);
    } while (*size == room);
    fclose(file);
    return bytes;
}

static void print_counters(const struct reference_counters *c)
{
    fprintf(stderr,
            "frames=%" PRIu64 " spans=%" PRIu64 " markers=%" PRIu64 " gaps=%" PRIu64
            " frames_lost=%" PRIu64 " resets=%" PRIu64 " unresolved=%" PRIu64 " duplicates=%" PRIu64
            " duplicate_starts=%" PRIu64 " orphan_ends=%" PRIu64 " bytes_skipped=%" PRIu64
            " cut_tail_bytes=%" PRIu64 " time_uncertain_us=%.17g unbounded_doubts=%" PRIu64
            " times_saturated=%" PRIu64 " rates_assumed=%" PRIu64 " wire_version=%d\n",
            c->frames, c->spans, c->markers, c->gaps, c->frames_lost, c->resets, c->unresolved,
            c->duplicates, c->duplicate_starts, c->orphan_ends, c->bytes_skipped, c->cut_tail_bytes,
            c->time_uncertain_us, c->unbounded_doubts, c->times_saturated, c->rates_assumed,
            c->wire_version);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: reference FILE.bin\n");
        return 2;
    }
    size_t size;
    uint8_t *bytes = read_file(argv[1], &size);
    if (bytes == NULL) {
        perror(argv[1]);
        return 2;
    }
    struct reference_counters counters;
    char *csv = reference_decode(bytes, size, &counters);
    fwrite(csv, 1, counters.csv_size, stdout);
    print_counters(&counters);
    free(csv);
    free(bytes);
    return 0;
}

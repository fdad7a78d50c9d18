/* bench/protobuf.c - the decoder beside Google's protobuf for Python, the usual way to read such frames
 * on a host: what a script needs to parse them, without pairing, order, loss and times.
 *
 * Needs Debian's python3-protobuf and protobuf-compiler.  */
#define _DEFAULT_SOURCE /* mkstemp */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/bench.h"
#include "stave/decode.h"

enum { ROUNDS = 7, RECORDING_BYTES = 2 * 1000 * 1000 };

static uint8_t *recording;
static size_t recording_size;

static double decode(void)
{
    stave_trace *trace;
    stave_decoder *decoder;
    double begin = bench_cpu_seconds();
    if (stave_trace_new(NULL, &trace, NULL) < 0 ||
        stave_decoder_new(NULL, trace, &decoder, NULL) < 0 ||
        stave_decoder_feed(decoder, recording, recording_size, NULL) < 0 ||
        stave_decoder_finish(decoder, NULL) < 0)
        exit(2);
    double seconds = bench_cpu_seconds() - begin;
    stave_decoder_free(decoder);
    stave_trace_free(trace);
    return seconds;
}

/* ---- the other process ----------------------------------------------------------------------- */

struct peer {
    FILE *to, *from;
    char path[32]; /* of the recording */
};

static void make_file(struct peer *peer)
{
    snprintf(peer->path, sizeof peer->path, "/tmp/stave-XXXXXX");
    int fd = mkstemp(peer->path);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file == NULL || fwrite(recording, 1, recording_size, file) != recording_size ||
        fclose(file) != 0) {
        perror("bench_protobuf");
        exit(2);
    }
}

static void become_peer(const struct peer *peer, int in, int out)
{
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    execl("/usr/bin/python3", "python3", STAVE_BENCH_DIR "/protobuf_parse.py", STAVE_PROTO_DIR,
          peer->path, (char *)NULL);
    _exit(127);
}

static bool start_peer(struct peer *peer)
{
    int to[2], from[2];
    char version[80];
    make_file(peer);
    if (pipe(to) != 0 || pipe(from) != 0)
        return false;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(to[1]);
        become_peer(peer, to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    peer->to = fdopen(to[1], "w");
    peer->from = fdopen(from[0], "r");
    if (child < 0 || fgets(version, sizeof version, peer->from) == NULL)
        return false;
    printf("python3-protobuf, version and implementation: %s", version);
    return true;
}

static double parse(const struct peer *peer, uint64_t *frames)
{
    double seconds;
    fputs("\n", peer->to);
    fflush(peer->to);
    if (fscanf(peer->from, "%" SCNu64 "%lf", frames, &seconds) != 2)
        exit(2);
    return seconds;
}

/* ---- both ------------------------------------------------------------------------------------ */

int main(void)
{
    struct peer peer = {0};
    double ours[ROUNDS], theirs[ROUNDS];
    uint64_t frames = 0;
    recording = bench_recording(RECORDING_BYTES, &recording_size);
    bool there = start_peer(&peer);
    for (int i = 0; there && i < ROUNDS; i++) {
        theirs[i] = parse(&peer, &frames);
        ours[i] = decode();
    }
    unlink(peer.path);
    free(recording);
    if (!there) {
        printf("python3-protobuf or protoc is not there: nothing to compare with\n");
        return 0;
    }
    double megabytes = (double)recording_size / 1e6, mine = bench_median(ours, ROUNDS),
           other = bench_median(theirs, ROUNDS);
    printf("%" PRIu64 " frames, %.1f MB, CPU time, medians of %d\n", frames, megabytes, ROUNDS);
    printf("  python3-protobuf parses them    %8.1f MB/s  %7.0f ns a frame\n", megabytes / other,
           other / (double)frames * 1e9);
    printf("  stave decodes them to a trace   %8.1f MB/s  %7.0f ns a frame, %.0f times as fast\n",
           megabytes / mine, mine / (double)frames * 1e9, other / mine);
    return 0;
}

#include "lib/bench.h"
#include "record/peer.h"

void peer_serve(void (*loop)(void))
{
    while (getchar() != EOF) {
        double begin = bench_thread_seconds();
        loop();
        printf("%.9f\n", bench_thread_seconds() - begin);
        fflush(stdout);
    }
}

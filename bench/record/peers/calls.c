/* A function's calls, for uftrace to record. */
#include "record/loops.h"
#include "record/peer.h"

int main(void)
{
    peer_serve(loop_instrumented);
    return 0;
}

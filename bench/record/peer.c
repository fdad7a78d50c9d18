#include "record/peer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(const char *command, int in, int out)
{
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* Our ends must not be open in the peers that follow: they would keep this one alive. */
static FILE *own_end(int fd, const char *mode)
{
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fdopen(fd, mode);
}

static bool connect(struct peer *peer, const char *command)
{
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0)
        return false;
    fflush(stdout);
    peer->child = fork();
    if (peer->child == 0) {
        close(to[1]);
        close(from[0]);
        become(command, to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    peer->to = own_end(to[1], "w");
    peer->from = own_end(from[0], "r");
    return peer->child > 0;
}

static bool ask(struct peer *peer, double *seconds)
{
    char line[64];
    fputs("\n", peer->to);
    if (fflush(peer->to) != 0 || fgets(line, sizeof line, peer->from) == NULL)
        return false;
    *seconds = strtod(line, NULL);
    return true;
}

bool peer_start(struct peer *peer, const char *command)
{
    double seconds;
    return connect(peer, command) && ask(peer, &seconds);
}

double peer_ask(struct peer *peer)
{
    double seconds;
    if (!ask(peer, &seconds))
        exit(2);
    return seconds;
}

void peer_stop(struct peer *peer)
{
    fclose(peer->to);
    fclose(peer->from);
    waitpid(peer->child, NULL, 0);
}

#include "serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stave/stave.h>

#include "commands.h"

/* ---- one client ------------------------------------------------------------------------------ */

static void greet(FILE *to, const char *client)
{
    struct answer answer = {0};
    commands_list(&answer);
    fprintf(to, "%.*sok %s\n", (int)answer.size, answer.text, client);
    fflush(to);
}

/* Longer lines are as many. */
static void answer_lines(struct session *session, FILE *from, FILE *to)
{
    char line[256];
    while (fgets(line, sizeof line, from) != NULL) {
        session_run(session, line);
        fwrite(session->answer.text, 1, session->answer.size, to);
        fflush(to);
    }
}

bool serve_stream(const struct table *table, bool has_index, const char *client, FILE *from,
                  FILE *to)
{
    struct session session;
    if (!session_begin(&session, table, has_index, client))
        return false;
    greet(to, client);
    answer_lines(&session, from, to);
    session_end(&session);
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

struct server;

struct connection {
    struct server *server;
    int fd; /* -1: free; of its thread, until it is set to -1 under the lock */
    char client[16];
};

struct server {
    const struct table *table;
    bool has_index;
    int listener;
    unsigned clients; /* so far */
    pthread_mutex_t lock;
    pthread_cond_t one_left;
    struct connection connections[SERVE_CLIENTS_MAX];
};

static void leave(struct connection *connection)
{
    struct server *server = connection->server;
    pthread_mutex_lock(&server->lock);
    close(connection->fd);
    connection->fd = -1;
    pthread_cond_signal(&server->one_left);
    pthread_mutex_unlock(&server->lock);
}

static void *attend(void *context)
{
    struct connection *connection = context;
    const struct server *server = connection->server;
    int from_fd = dup(connection->fd), to_fd = dup(connection->fd);
    FILE *from = from_fd >= 0 ? fdopen(from_fd, "r") : NULL;
    FILE *to = to_fd >= 0 ? fdopen(to_fd, "w") : NULL;
    stave_thread_name(connection->client);
    if (from != NULL && to != NULL)
        serve_stream(server->table, server->has_index, connection->client, from, to);
    if (from != NULL)
        fclose(from);
    else if (from_fd >= 0)
        close(from_fd);
    if (to != NULL)
        fclose(to);
    else if (to_fd >= 0)
        close(to_fd);
    leave(connection);
    return NULL;
}

/* NULL: all are taken. */
static struct connection *take(struct server *server, int fd)
{
    struct connection *taken = NULL;
    pthread_mutex_lock(&server->lock);
    for (int i = 0; i < SERVE_CLIENTS_MAX && taken == NULL; i++)
        if (server->connections[i].fd < 0)
            taken = &server->connections[i];
    if (taken != NULL) {
        taken->fd = fd;
        snprintf(taken->client, sizeof taken->client, "c%u", ++server->clients);
    }
    pthread_mutex_unlock(&server->lock);
    return taken;
}

static void admit(struct server *server, int fd)
{
    static const char busy[] = "error all connections are taken\n";
    struct connection *connection = take(server, fd);
    pthread_t thread;
    if (connection == NULL) {
        send(fd, busy, sizeof busy - 1, MSG_NOSIGNAL);
        close(fd);
    } else if (pthread_create(&thread, NULL, attend, connection) != 0) {
        leave(connection);
    } else {
        pthread_detach(thread);
    }
}

static unsigned hang_up(struct server *server)
{
    unsigned open = 0;
    for (int i = 0; i < SERVE_CLIENTS_MAX; i++)
        if (server->connections[i].fd >= 0) {
            shutdown(server->connections[i].fd, SHUT_RDWR);
            open++;
        }
    return open;
}

static void wait_for_all(struct server *server)
{
    pthread_mutex_lock(&server->lock);
    while (hang_up(server) > 0)
        pthread_cond_wait(&server->one_left, &server->lock);
    pthread_mutex_unlock(&server->lock);
}

/* ---- the port -------------------------------------------------------------------------------- */

/* Threads begun from here on leave them to sigwait(). */
static void hold_signals(sigset_t *ends)
{
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(ends);
    sigaddset(ends, SIGINT);
    sigaddset(ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, ends, NULL);
}

static int listen_on(uint16_t port)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 16) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Until the port is shut. */
static void *accept_clients(void *context)
{
    struct server *server = context;
    int fd;
    while ((fd = accept(server->listener, NULL, NULL)) >= 0 || errno != EINVAL)
        if (fd >= 0)
            admit(server, fd);
    return NULL;
}

static bool accept_until_signal(struct server *server)
{
    sigset_t ends;
    pthread_t thread;
    int signal_number;
    hold_signals(&ends);
    errno = pthread_create(&thread, NULL, accept_clients, server);
    if (errno != 0)
        return false;
    sigwait(&ends, &signal_number);
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(thread, NULL);
    wait_for_all(server);
    return true;
}

bool serve_port(const struct table *table, bool has_index, uint16_t port)
{
    struct server server = {.table = table,
                            .has_index = has_index,
                            .listener = listen_on(port),
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .one_left = PTHREAD_COND_INITIALIZER};
    if (server.listener < 0)
        return false;
    for (int i = 0; i < SERVE_CLIENTS_MAX; i++)
        server.connections[i] = (struct connection){.server = &server, .fd = -1};
    bool is_done = accept_until_signal(&server);
    close(server.listener);
    return is_done;
}

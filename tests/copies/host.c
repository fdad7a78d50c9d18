/* A program that does what its arguments say, with plugins that may have a libstave of their own:
 *
 *     host STEP...
 *
 * "open NAME FILE local|global"   loads a plugin, which is then called NAME
 * "close NAME"                    unloads it; says whether it is gone
 * "thread NAME"                   another thread works, and waits
 * "join"                          the threads end
 * "fork"                          a child that does nothing but end, by its own threads' end and exit()
 * "NAME STEP [ARGUMENT]"          see actor.h; the program itself, with HOST_ACTS, is `host`  */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actor.h"

enum { ACTORS_MAX = 8, THREADS_MAX = 8, WORD_SIZE = 512 };

struct actor {
    char name[WORD_SIZE];
    void *handle;
    actor_step *act;
};

static struct actor actors[ACTORS_MAX];
static int actors_count;

static struct actor *find(const char *name)
{
    for (int i = 0; i < actors_count; i++)
        if (strcmp(actors[i].name, name) == 0)
            return &actors[i];
    fprintf(stderr, "host: nobody is called %s\n", name);
    exit(2);
}

static void add(const char *name, void *handle, actor_step *act)
{
    struct actor *actor = &actors[actors_count++];
    snprintf(actor->name, sizeof actor->name, "%s", name);
    actor->handle = handle;
    actor->act = act;
}

/* ---- plugins --------------------------------------------------------------------------------- */

static void open_plugin(const char *name, const char *file, const char *scope)
{
    char function[WORD_SIZE + 8];
    actor_step *act;
    void *handle =
        dlopen(file, RTLD_NOW | (strcmp(scope, "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
    snprintf(function, sizeof function, "actor_%s", name);
    void *found = handle != NULL ? dlsym(handle, function) : NULL;
    if (found == NULL) {
        fprintf(stderr, "host: %s\n", dlerror());
        exit(2);
    }
    memcpy(&act, &found, sizeof act);
    add(name, handle, act);
}

static void close_plugin(const char *name)
{
    struct actor *actor = find(name);
    Dl_info info;
    void *place;
    memcpy(&place, &actor->act, sizeof place);
    dlclose(actor->handle);
    printf("host close %s\n", dladdr(place, &info) == 0 ? "gone" : "stays");
    actor->name[0] = '\0';
}

/* ---- threads --------------------------------------------------------------------------------- */

static pthread_t threads[THREADS_MAX];
static int threads_count, threads_ready;
static bool threads_may_end;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *work_and_wait(void *given)
{
    const struct actor *actor = given;
    actor->act("work", "");
    pthread_mutex_lock(&lock);
    threads_ready++;
    pthread_cond_broadcast(&changed);
    while (!threads_may_end)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void start_thread(const char *name)
{
    if (pthread_create(&threads[threads_count++], NULL, work_and_wait, find(name)) != 0)
        exit(2);
    pthread_mutex_lock(&lock);
    while (threads_ready < threads_count)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void join(void)
{
    pthread_mutex_lock(&lock);
    threads_may_end = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    while (threads_count > 0)
        pthread_join(threads[--threads_count], NULL);
}

static void fork_child(void)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(0);
    waitpid(child, &status, 0);
    printf("host fork %d\n", status);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void act(const char *name, const char *step, const char *argument)
{
    if (find(name)->act(step, argument) == 0)
        return;
    fprintf(stderr, "host: nobody can %s\n", step);
    exit(2);
}

static void take_step(const char *step)
{
    char words[4][WORD_SIZE] = {"", "", "", ""};
    sscanf(step, "%511s %511s %511s %511s", words[0], words[1], words[2], words[3]);
    if (strcmp(words[0], "open") == 0)
        open_plugin(words[1], words[2], words[3]);
    else if (strcmp(words[0], "close") == 0)
        close_plugin(words[1]);
    else if (strcmp(words[0], "thread") == 0)
        start_thread(words[1]);
    else if (strcmp(words[0], "join") == 0)
        join();
    else if (strcmp(words[0], "fork") == 0)
        fork_child();
    else
        act(words[0], words[1], words[2]);
}

int main(int count, char **arguments)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
#ifdef HOST_ACTS
    add("host", NULL, ACTOR_FUNCTION);
#endif
#ifdef HOST_BESIDE
    extern actor_step HOST_BESIDE;
    add("beside", NULL, HOST_BESIDE);
#endif
    for (int i = 1; i < count; i++)
        take_step(arguments[i]);
    return 0;
}

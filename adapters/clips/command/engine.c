#include "engine.h"

#include "options.h"
#include "stave_clips.h"

#include <clips/clips.h>

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* There is one, which a signal must find, and (exit). */
static void *running;
static volatile sig_atomic_t is_stopped;
static jmp_buf exited;
static bool is_loading;
static unsigned long errors_told;

/* ---- what CLIPS says ------------------------------------------------------------------------- */

static int is_error(void *clips, const char *name)
{
    (void)clips;
    return strcmp(name, WERROR) == 0 || strcmp(name, WWARNING) == 0;
}

/* While a file is loaded, tell() has the same text, and its place; of what is built in a rule this alone. */
static int print_error(void *clips, const char *name, const char *text)
{
    (void)clips;
    (void)name;
    if (!is_loading)
        fputs(text, stderr);
    return TRUE;
}

/* The first line behind the place, the others, which show the construct, below it. */
static void print_lines(const char *text)
{
    bool is_first = true;
    while (*text != '\0') {
        size_t size = strcspn(text, "\n");
        if (size != 0)
            fprintf(stderr, "%s%.*s\n", is_first ? "" : "    ", (int)size, text);
        is_first = is_first && size == 0;
        text += size + (text[size] == '\n');
    }
}

static void print_place(const char *file, long line, const char *kind)
{
    fprintf(stderr, "stave-clips: %s:%ld: %s", file != NULL ? file : "?", line, kind);
}

static void tell(void *clips, const char *file, const char *warning, const char *error, long line)
{
    (void)clips;
    if (!is_loading)
        return;
    print_place(file, line, warning != NULL ? "warning: " : "");
    print_lines(warning != NULL ? warning : error);
    errors_told += error != NULL;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* CLIPS does not say why it cannot read a file, and takes a folder for an empty one. */
static bool is_readable(const char *path)
{
    struct stat status;
    int wrong = 0;
    if (stat(path, &status) != 0 || access(path, R_OK) != 0)
        wrong = errno;
    else if (S_ISDIR(status.st_mode))
        wrong = EISDIR;
    if (wrong != 0)
        message("%s: %s", path, strerror(wrong));
    return wrong == 0;
}

bool engine_load(void *clips, const char *path)
{
    if (!is_readable(path))
        return false;
    is_loading = true;
    errors_told = 0;
    int loaded = EnvLoad(clips, path);
    is_loading = false;
    if (loaded == 1)
        return true;
    if (errors_told == 0)
        message("%s: CLIPS does not take it: a file has constructs, such as (defrule ...)", path);
    return false;
}

struct engine_count engine_count(void *clips)
{
    struct engine_count count = {0};
    for (void *module = EnvGetNextDefmodule(clips, NULL); module != NULL;
         module = EnvGetNextDefmodule(clips, module)) {
        EnvSetCurrentModule(clips, module);
        for (void *rule = EnvGetNextDefrule(clips, NULL); rule != NULL;
             rule = EnvGetNextDefrule(clips, rule))
            count.rules++;
        for (void *activation = EnvGetNextActivation(clips, NULL); activation != NULL;
             activation = EnvGetNextActivation(clips, activation))
            count.activations++;
    }
    return count;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* As (halt): the firing that goes on ends as it would. */
static void stop(int signal_number)
{
    (void)signal_number;
    is_stopped = 1;
    EnvHalt(running);
}

static void take_signals(void *clips)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    running = clips;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void leave_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static enum engine_end reset_and_run(void *clips, int64_t firings_max)
{
    SetHaltExecution(clips, FALSE);
    EnvReset(clips);
    if (GetHaltExecution(clips))
        return ENGINE_NO_RESET;
    if (!is_stopped)
        EnvRun(clips, firings_max);
    if (GetHaltExecution(clips))
        return ENGINE_ERROR;
    return is_stopped ? ENGINE_STOPPED : ENGINE_DONE;
}

static enum engine_end run_or_exit(void *clips, int64_t firings_max)
{
    if (setjmp(exited) != 0)
        return ENGINE_EXIT;
    SetJmpBuffer(clips, &exited);
    return reset_and_run(clips, firings_max);
}

enum engine_end engine_run(void *clips, int64_t firings_max)
{
    stave_run run = stave_run_begin("run");
    take_signals(clips);
    enum engine_end end = run_or_exit(clips, firings_max);
    leave_signals();
    stave_clips_detach(clips);
    stave_run_end(run);
    fflush(stdout);
    return end;
}

/* ---- its life -------------------------------------------------------------------------------- */

void *engine_new(bool details)
{
    stave_error error = {0};
    void *clips = CreateEnvironment();
    if (clips == NULL) {
        message("no memory for an environment of CLIPS");
        return NULL;
    }
    EnvAddRouter(clips, "stave-clips", 20, is_error, print_error, NULL, NULL, NULL);
    EnvSetParserErrorCallback(clips, tell);
    if (stave_clips_attach(clips, &(stave_clips_config){.details = details}, &error) < 0) {
        message("%s", error.message);
        DestroyEnvironment(clips);
        return NULL;
    }
    return clips;
}

/* After (exit) CLIPS' frame of garbage is one of the stack that was left: it must not be touched any more. */
void engine_free(void *clips, enum engine_end end)
{
    if (end != ENGINE_EXIT)
        DestroyEnvironment(clips);
}

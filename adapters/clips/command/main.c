/* stave-clips: runs a CLIPS rule base, and shows which firing caused which. */
#include "engine.h"
#include "options.h"
#include "show.h"

#include <stdio.h>
#include <string.h>

static bool load_files(void *clips, char *const *files)
{
    bool is_loaded = true;
    for (; *files != NULL; files++)
        is_loaded = engine_load(clips, *files) && is_loaded;
    return is_loaded;
}

/* ---- what is shown --------------------------------------------------------------------------- */

/* Most errors name the file, some do not. */
static bool is_written(int status, const char *path, const stave_error *error)
{
    if (status < 0 && strstr(error->message, path) != NULL)
        message("%s", error->message);
    else if (status < 0)
        message("%s: %s", path, error->message);
    return status >= 0;
}

static bool write_files(const struct options *options, stave_session *session,
                        const stave_report *report)
{
    stave_error error = {0};
    if (options->stave != NULL &&
        !is_written(stave_session_dump(session, options->stave, &error), options->stave, &error))
        return false;
    return options->speedscope == NULL ||
           is_written(stave_report_write_speedscope(report, options->speedscope, &error),
                      options->speedscope, &error);
}

static bool show(const struct options *options, const stave_report *report)
{
    show_summary(report);
    if (options->report)
        show_report(report);
    if (options->tree)
        show_tree(report, options->limit);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    message("the output cannot be written");
    return false;
}

/* ---- what it comes to ------------------------------------------------------------------------ */

static const char *failed_rule(const stave_report *report)
{
    for (size_t i = 0; i < stave_report_rule_count(report); i++)
        if (stave_report_rule_at(report, i)->failed != 0)
            return stave_report_rule_at(report, i)->description;
    return NULL;
}

static void say_what_is_there(void *clips)
{
    struct engine_count count = engine_count(clips);
    if (count.activations == 1)
        message("nothing fired: 1 activation is on the agenda of a module without the focus");
    else if (count.activations != 0)
        message("nothing fired: %lu activations are on the agendas of modules without the focus",
                count.activations);
    else if (count.rules == 0)
        message("nothing fired: there is no rule");
    else if (count.rules == 1)
        message("nothing fired: the one rule was not activated");
    else
        message("nothing fired: none of %lu rules was activated", count.rules);
}

static int nothing_fired(void *clips, enum engine_end end)
{
    if (end == ENGINE_NO_RESET)
        message("an error ended the reset: nothing fired");
    else if (end == ENGINE_STOPPED)
        message("stopped: nothing fired");
    else if (end == ENGINE_EXIT)
        message("nothing fired: (exit) was called before");
    else
        say_what_is_there(clips);
    return EXIT_NO;
}

static int say_how_it_ended(enum engine_end end, const stave_report *report)
{
    const char *rule = failed_rule(report);
    if (end == ENGINE_STOPPED)
        message("stopped: what is shown is what was until then");
    if (end != ENGINE_ERROR)
        return EXIT_DONE;
    message("an error in the actions of %s ended the run", rule != NULL ? rule : "a rule");
    return EXIT_NO;
}

static int answer(const struct options *options, void *clips, enum engine_end end,
                  stave_session *session)
{
    stave_error error = {0};
    stave_report *report = stave_session_report(session, &error);
    if (report == NULL) {
        message("%s", error.message);
        return EXIT_MISUSE;
    }
    int status = EXIT_MISUSE;
    if (show_firings(report) == 0)
        status = nothing_fired(clips, end);
    else if (show(options, report) && write_files(options, session, report))
        status = say_how_it_ended(end, report);
    stave_report_free(report);
    return status;
}

/* ---- in order -------------------------------------------------------------------------------- */

static int run(const struct options *options, void *clips)
{
    stave_error error = {0};
    stave_session *session = stave_session_start(
        &(stave_session_config){.max_bytes = options->memory_mib << 20}, &error);
    if (session == NULL) {
        message("%s", error.message);
        return EXIT_MISUSE;
    }
    enum engine_end end = engine_run(clips, options->firings);
    stave_session_stop(session);
    int status = answer(options, clips, end, session);
    stave_session_free(session);
    engine_free(clips, end);
    return status;
}

int main(int argc, char **argv)
{
    struct options options;
    int status;
    if (!options_read(&options, argc, argv, &status))
        return status;
    void *clips = engine_new(options.details);
    if (clips == NULL)
        return EXIT_MISUSE;
    if (load_files(clips, options.files))
        return run(&options, clips);
    engine_free(clips, ENGINE_DONE);
    return EXIT_MISUSE;
}

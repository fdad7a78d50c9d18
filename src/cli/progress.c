#include "cli/progress.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os_command.h"
#include "cli/text.h"

#define FIRST_AFTER_MS 1000
#define AGAIN_AFTER_MS 100
#define NUMBER_WIDTH 24 /* columns for what stands behind the name */

static struct {
    const char *what;
    char *name; /* as a terminal may be shown it */
    int64_t next_ms;
    size_t shown; /* columns of the line that is there */
} work;

void cli_progress_begin(const char *what, const char *name)
{
    cli_progress_end();
    if (stave__os_terminal_width(fileno(stderr)) == 0)
        return;
    work.name = cli_printable(name, strlen(name));
    work.what = work.name != NULL ? what : NULL;
    work.next_ms = stave__os_now_ms() + FIRST_AFTER_MS;
}

/* Blanks over it: not every terminal knows a sequence for that. */
void cli_progress_hide(void)
{
    if (work.shown > 0)
        fprintf(stderr, "\r%*s\r", (int)work.shown, "");
    work.shown = 0;
}

static void show(uint64_t done, uint64_t total)
{
    char number[NUMBER_WIDTH];
    if (total > 0)
        snprintf(number, sizeof number, "%3.0f %%",
                 done < total ? 100.0 * (double)done / (double)total : 100.0);
    else
        snprintf(number, sizeof number, "%.1f MB", (double)done / 1e6);
    size_t terminal = (size_t)stave__os_terminal_width(fileno(stderr));
    size_t others = strlen(work.what) + strlen(number) + 3, columns;
    size_t room = terminal > others ? terminal - others : 0;
    cli_progress_hide();
    fprintf(stderr, "\r%s ", work.what);
    size_t fits = cli_text_fit(work.name, room, &columns);
    fprintf(stderr, "%.*s %s", (int)fits, work.name, number);
    fflush(stderr);
    work.shown = others - 1 + columns;
}

void cli_progress_at(uint64_t done, uint64_t total)
{
    if (work.what == NULL || stave__os_now_ms() < work.next_ms)
        return;
    show(done, total);
    work.next_ms = stave__os_now_ms() + AGAIN_AFTER_MS;
}

void cli_progress_end(void)
{
    cli_progress_hide();
    free(work.name);
    work.name = NULL;
    work.what = NULL;
}

static void report(void *context, uint64_t done, uint64_t total)
{
    (void)context;
    cli_progress_at(done, total);
}

stave_progress cli_progress_report(void)
{
    return (stave_progress){.report = report};
}

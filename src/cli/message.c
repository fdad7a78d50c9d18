#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/text.h"

#define MESSAGE_MAX 8192 /* two paths at their longest */

static const char *program = "stave";

void cli_set_program(const char *name)
{
    program = name;
}

const char *cli_program(void)
{
    return program;
}

void cli_message(const char *format, ...)
{
    char text[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *printable = cli_printable(text, strlen(text));
    cli_progress_hide();
    fflush(stdout); /* so that a message stands behind what came before it */
    fprintf(stderr, "%s: %s\n", program, printable != NULL ? printable : "out of memory");
    free(printable);
}

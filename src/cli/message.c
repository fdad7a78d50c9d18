#include <stdarg.h>
#include <stdio.h>

#include "cli/cli.h"

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
    va_list arguments;
    fflush(stdout); /* so that a message stands behind what came before it */
    fprintf(stderr, "%s: ", program);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

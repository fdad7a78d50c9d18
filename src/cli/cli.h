/* cli/cli.h - the frame that every subcommand stands in: the table of them, options, messages.
 *
 *     static const char *csv;
 *     static const struct cli_option options[] = {
 *         {"--csv", "FILE", &csv, NULL, "write the CSV to FILE, - for standard output"}, {0}};
 *     const struct cli_command cli_decode = {.name = "decode", .options = options, .run = run, ...};
 *
 * Results go to standard output, messages to standard error, each with the name of the program in
 * front. A terminal is never sent control characters that came from a file.  */
#ifndef STAVE_CLI_CLI_H
#define STAVE_CLI_CLI_H

#include <stdbool.h>

/* What the command exits with. */
enum cli_exit {
    CLI_DONE = 0,
    CLI_NO = 1,     /* the answer is no: lost frames with --strict, nothing to write */
    CLI_MISUSE = 2, /* wrong use, unreadable or empty input, output that cannot be written */
};

/* Exactly one of text and flag is set. */
struct cli_option {
    const char *name;     /* with its dashes; two as in "-o, --output" */
    const char *argument; /* what it takes, in capitals; NULL for a flag. FILE, DIR: not empty */
    const char **text;
    bool *flag;
    const char *help;
};

#define CLI_LIST_MAX 16

/* What an option was given that may stand several times. */
struct cli_list {
    const char *texts[CLI_LIST_MAX];
    unsigned count;
};

struct cli_command {
    const char *name;
    const char *operands;             /* as usage shows them */
    const char *summary;              /* one line, no full stop */
    const char *details;              /* lines of --help below it; NULL: none */
    const struct cli_option *options; /* ends with a row without a name */
    struct cli_list
        *list; /* of the option whose text is its first; NULL: none may stand several times */
    int operands_min, operands_max; /* all are names of files */
    int (*run)(int operands_count, char **operands);
};

/* One file each, in the table of main.c. */
extern const struct cli_command cli_decode;
extern const struct cli_command cli_diagram;
extern const struct cli_command cli_etrace_decode;
extern const struct cli_command cli_etrace_diagram;
extern const struct cli_command cli_export;
extern const struct cli_command cli_ls;
extern const struct cli_command cli_pack;
extern const struct cli_command cli_recover;
extern const struct cli_command cli_report;
extern const struct cli_command cli_roots;
extern const struct cli_command cli_tree;
extern const struct cli_command cli_verify;

/* The name of the program as it was called: stave, or one of its other names (static text). */
void cli_set_program(const char *name);
const char *cli_program(void);

/* A line on standard error: "PROGRAM: ...". */
void cli_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fills in what the options point to and moves the operands to the front of argv. Returns their
 * number, or -1 when the program is to end with *exit_status: after --help, or a message. */
int cli_parse(const struct cli_command *command, int argc, char **argv, int *exit_status);

#endif

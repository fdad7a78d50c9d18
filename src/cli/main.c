/* stave: the table of subcommands, and the other names it goes by. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/os_command.h"
#include "cli/cli.h"
#include "cli/text.h"
#include "stave/status.h"

static const struct cli_command *const subcommands[] = {
    &cli_decode, &cli_diagram, &cli_export, &cli_ls,      &cli_report,
    &cli_roots,  &cli_tree,    &cli_verify, &cli_recover, &cli_pack,
};

/* Commands that are told apart by the program's own name. */
static const struct cli_command *const other_names[] = {&cli_etrace_decode, &cli_etrace_diagram};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static int finish(int exit_status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return exit_status;
    cli_message("cannot write standard output: %s", strerror(errno));
    return CLI_MISUSE;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    int exit_status;
    int operands = cli_parse(command, argc, argv, &exit_status);
    return finish(operands < 0 ? exit_status : command->run(operands, argv));
}

static void print_overview(FILE *to)
{
    fprintf(to, "usage: stave SUBCOMMAND [options] ...\n\n");
    for (size_t i = 0; i < COUNT(subcommands); i++)
        fprintf(to, "  %-10s %s\n", subcommands[i]->name, subcommands[i]->summary);
    fprintf(to, "\n`stave SUBCOMMAND --help` tells more. `stave --version` prints the version.\n");
}

static int run_subcommand(int argc, char **argv)
{
    if (argc < 2) {
        cli_message("no subcommand");
        print_overview(stderr);
        return CLI_MISUSE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("stave %s\n", stave_version());
        return finish(CLI_DONE);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_overview(stdout);
        return finish(CLI_DONE);
    }
    for (size_t i = 0; i < COUNT(subcommands); i++)
        if (strcmp(argv[1], subcommands[i]->name) == 0)
            return run(subcommands[i], argc - 1, argv + 1);
    cli_message("unknown subcommand %s; stave --help lists them", argv[1]);
    return CLI_MISUSE;
}

int main(int argc, char **argv)
{
    stave__os_refuse_by_error();
    cli_text_begin();
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : argc > 0 ? argv[0] : "";
    for (size_t i = 0; i < COUNT(other_names); i++) {
        if (strcmp(name, other_names[i]->name) != 0)
            continue;
        cli_set_program(other_names[i]->name);
        return run(other_names[i], argc, argv);
    }
    return run_subcommand(argc, argv);
}

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "stave/status.h"

static void print_usage(FILE *to, const struct cli_command *command)
{
    bool own_name = strcmp(cli_program(), command->name) == 0;
    fprintf(to, "usage: %s%s%s [options] %s\n", cli_program(), own_name ? "" : " ",
            own_name ? "" : command->name, command->operands);
}

static void print_help(const struct cli_command *command)
{
    print_usage(stdout, command);
    printf("\n%s.\n\noptions:\n", command->summary);
    for (const struct cli_option *o = command->options; o->name != NULL; o++) {
        char left[40];
        snprintf(left, sizeof left, "%s%s%s", o->name, o->argument != NULL ? " " : "",
                 o->argument != NULL ? o->argument : "");
        printf("  %-18s %s\n", left, o->help);
    }
    printf("  %-18s %s\n", "--help", "this text");
    printf("  %-18s %s\n", "--version", "the version");
    printf("\nexit status: 0 done; 1 the answer is no; 2 wrong use, unreadable or empty input, "
           "output that cannot be written.\n");
}

/* The option that `word` names, up to an equals sign. */
static const struct cli_option *find_option(const struct cli_command *command, const char *word)
{
    size_t size = strcspn(word, "=");
    for (const struct cli_option *o = command->options; o->name != NULL; o++)
        if (strlen(o->name) == size && memcmp(o->name, word, size) == 0)
            return o;
    return NULL;
}

/* Takes one option; *at moves over its argument. False after a message. */
static bool take_option(const struct cli_command *command, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    const char *equals = strchr(word, '=');
    const struct cli_option *option = find_option(command, word);
    if (option == NULL) {
        cli_message("unknown option %s; --help lists them", word);
        return false;
    }
    if (option->flag != NULL) {
        if (equals != NULL) {
            cli_message("%s takes no argument", option->name);
            return false;
        }
        *option->flag = true;
        return true;
    }
    if (equals != NULL) {
        *option->text = equals + 1;
    } else if (*at + 1 < argc && find_option(command, argv[*at + 1]) != NULL) {
        cli_message("%s needs %s, and %s is an option; %s=%s means it nevertheless", option->name,
                    option->argument, argv[*at + 1], option->name, argv[*at + 1]);
        return false;
    } else if (*at + 1 < argc) {
        *option->text = argv[++*at];
    } else {
        cli_message("%s needs %s", option->name, option->argument);
        return false;
    }
    return true;
}

static bool count_is_right(const struct cli_command *command, int count)
{
    if (count >= command->operands_min && count <= command->operands_max)
        return true;
    cli_message("%s; --help shows the usage",
                count < command->operands_min ? "no input file" : "too many operands");
    print_usage(stderr, command);
    return false;
}

int cli_parse(const struct cli_command *command, int argc, char **argv, int *exit_status)
{
    int count = 0;
    bool options_end = false;
    *exit_status = CLI_MISUSE;
    for (int i = 1; i < argc; i++) {
        bool is_option = !options_end && argv[i][0] == '-' && argv[i][1] != '\0';
        if (!is_option) {
            argv[count++] = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            options_end = true;
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(command);
            *exit_status = CLI_DONE;
            return -1;
        } else if (strcmp(argv[i], "--version") == 0) {
            printf("%s %s\n", cli_program(), stave_version());
            *exit_status = CLI_DONE;
            return -1;
        } else if (!take_option(command, argc, argv, &i)) {
            return -1;
        }
    }
    return count_is_right(command, count) ? count : -1;
}

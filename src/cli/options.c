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
    printf("\n%s.\n%s\noptions:\n", command->summary,
           command->details != NULL ? command->details : "");
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

/* Bytes of the option's name at the beginning of `word`: up to an equals sign. */
static int name_size(const char *word)
{
    return (int)strcspn(word, "=");
}

/* Whether one of `names`, as in "-o, --output", is these bytes. */
static bool is_named(const char *names, const char *word, size_t size)
{
    for (; names[0] != '\0'; names += strspn(names, ", ")) {
        size_t name = strcspn(names, ",");
        if (name == size && memcmp(names, word, size) == 0)
            return true;
        names += name;
    }
    return false;
}

static const struct cli_option *find_option(const struct cli_command *command, const char *word)
{
    for (const struct cli_option *o = command->options; o->name != NULL; o++)
        if (is_named(o->name, word, (size_t)name_size(word)))
            return o;
    return NULL;
}

/* What an option takes, behind its equals sign or as the next word, over which *at moves. NULL after a
 * message. */
static const char *take_argument(const struct cli_command *command, const struct cli_option *option,
                                 int argc, char **argv, int *at)
{
    const char *word = argv[*at], *equals = strchr(word, '=');
    if (equals != NULL)
        return equals + 1;
    if (*at + 1 >= argc) {
        cli_message("%s needs %s", word, option->argument);
        return NULL;
    }
    const char *next = argv[*at + 1];
    if (find_option(command, next) != NULL) {
        cli_message("%s needs %s, and %s is an option; %s=%s means it nevertheless", word,
                    option->argument, next, word, next);
        return NULL;
    }
    ++*at;
    return next;
}

static bool takes_a_name(const struct cli_option *option)
{
    return strcmp(option->argument, "FILE") == 0 || strcmp(option->argument, "DIR") == 0;
}

/* Into its text, or behind those that it was given before. False after a message. */
static bool keep(const struct cli_command *command, const struct cli_option *option,
                 const char *argument)
{
    struct cli_list *list = command->list;
    if (list == NULL || option->text != list->texts) {
        *option->text = argument;
        return true;
    }
    if (list->count == CLI_LIST_MAX) {
        cli_message("%s stands more than %d times", option->name, CLI_LIST_MAX);
        return false;
    }
    list->texts[list->count++] = argument;
    return true;
}

/* Takes one option; *at moves over its argument. False after a message. */
static bool take_option(const struct cli_command *command, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    const struct cli_option *option = find_option(command, word);
    if (option == NULL) {
        cli_message("unknown option %s; --help lists them", word);
        return false;
    }
    if (option->flag != NULL) {
        *option->flag = true;
        if (strchr(word, '=') != NULL)
            cli_message("%.*s takes no argument", name_size(word), word);
        return strchr(word, '=') == NULL;
    }
    const char *argument = take_argument(command, option, argc, argv, at);
    if (argument == NULL)
        return false;
    if (argument[0] == '\0' && takes_a_name(option)) {
        cli_message("%.*s needs %s, and the name given is empty", name_size(word), word,
                    option->argument);
        return false;
    }
    return keep(command, option, argument);
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

static bool are_named(int count, char **operands)
{
    for (int i = 0; i < count; i++)
        if (operands[i][0] == '\0') {
            cli_message("the name of input %d of %d is empty", i + 1, count);
            return false;
        }
    return true;
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
    return count_is_right(command, count) && are_named(count, argv) ? count : -1;
}

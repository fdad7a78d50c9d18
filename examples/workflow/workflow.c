#include "workflow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrange.h"
#include "expression.h"
#include "native.h"

enum { EXPRESSION_MAX = 2000 };

struct reader {
    struct workflow *workflow;
    unsigned line;
    const char *start; /* of the line */
    const char *at;
    struct text when; /* the expression so far: each line of it keeps its columns */
    bool is_in_when;  /* a line may go on with it */
    struct complaint *complaint;
};

/* ---- words ----------------------------------------------------------------------------------- */

static unsigned column_of(const struct reader *reader)
{
    return (unsigned)(reader->at - reader->start) + 1;
}

static void skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t");
}

static const char id_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

static bool read_id(struct reader *reader, char id[ID_MAX + 1])
{
    skip_blanks(reader);
    size_t size = strspn(reader->at, id_letters);
    if (size == 0)
        return complain(reader->complaint, reader->line, column_of(reader),
                        "a name is expected, of letters, digits, _ and -");
    if (size > ID_MAX)
        return complain(reader->complaint, reader->line, column_of(reader),
                        "this name is too long: %d letters at most", ID_MAX);
    memcpy(id, reader->at, size);
    id[size] = '\0';
    reader->at += size;
    return true;
}

static bool read_end(struct reader *reader, const char *what)
{
    skip_blanks(reader);
    return *reader->at == '\0' || complain(reader->complaint, reader->line, column_of(reader),
                                           "'%.40s' is too much: %s", reader->at, what);
}

static struct rule *last_rule(const struct reader *reader)
{
    return &reader->workflow->rules[reader->workflow->count - 1];
}

/* -1: there is none above the last one. */
static int find_rule(const struct reader *reader, const char *id)
{
    for (int i = 0; i + 1 < reader->workflow->count; i++)
        if (strcmp(reader->workflow->rules[i].id, id) == 0)
            return i;
    return -1;
}

static int read_rule_id(struct reader *reader)
{
    char id[ID_MAX + 1];
    skip_blanks(reader);
    unsigned column = column_of(reader);
    if (!read_id(reader, id))
        return -1;
    int found = find_rule(reader, id);
    if (found < 0)
        complain(reader->complaint, reader->line, column,
                 "there is no rule '%s' above '%s': write it, or move it up", id,
                 last_rule(reader)->id);
    return found;
}

/* ---- what is said of a rule ------------------------------------------------------------------ */

static bool read_after(struct reader *reader)
{
    do {
        int rule = read_rule_id(reader);
        if (rule < 0)
            return false;
        last_rule(reader)->after |= 1ull << rule;
        skip_blanks(reader);
    } while (*reader->at == ',' && reader->at++);
    return read_end(reader, "names stand here, with commas between them");
}

static bool read_in(struct reader *reader)
{
    if (last_rule(reader)->parent >= 0)
        return complain(reader->complaint, reader->line, column_of(reader),
                        "'%s' is in a rule already: leave one of them out", last_rule(reader)->id);
    last_rule(reader)->parent = read_rule_id(reader);
    return last_rule(reader)->parent >= 0 && read_end(reader, "it can be in one rule only");
}

static bool read_priority(struct reader *reader)
{
    skip_blanks(reader);
    char *end;
    errno = 0;
    long priority = strtol(reader->at, &end, 10);
    if (end == reader->at || errno != 0 || priority < -1000 || priority > 1000)
        return complain(reader->complaint, reader->line, column_of(reader),
                        "a priority is a number from -1000 to 1000");
    last_rule(reader)->priority = (int)priority;
    reader->at = end;
    return read_end(reader, "a priority is one number");
}

static void add_to_when(struct reader *reader, const char *text)
{
    text_add(&reader->when, "%s", text);
}

/* Blanks in place of the word keep the columns. */
static bool read_when(struct reader *reader)
{
    if (last_rule(reader)->when_line != 0)
        return complain(reader->complaint, reader->line, 0,
                        "'%s' has a condition already: put 'and' between them",
                        last_rule(reader)->id);
    last_rule(reader)->when_line = reader->line;
    reader->is_in_when = true;
    text_add(&reader->when, "%*s", (int)(column_of(reader) - 1), "");
    add_to_when(reader, reader->at);
    return true;
}

static const struct key {
    const char *name;
    bool (*read)(struct reader *reader);
} keys[] = {
    {"after", read_after}, {"in", read_in}, {"priority", read_priority}, {"when", read_when}};

static const struct key *take_key(struct reader *reader)
{
    size_t size = strspn(reader->at, id_letters);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i].name) == size && memcmp(keys[i].name, reader->at, size) == 0) {
            reader->at += size;
            return &keys[i];
        }
    return NULL;
}

static bool read_of_rule(struct reader *reader)
{
    skip_blanks(reader);
    if (reader->workflow->count == 0)
        return complain(reader->complaint, reader->line, column_of(reader),
                        "it belongs to no rule: begin with 'rule NAME \"what it says\"'");
    const struct key *key = take_key(reader);
    if (key != NULL) {
        reader->is_in_when = false;
        return key->read(reader);
    }
    if (!reader->is_in_when)
        return complain(reader->complaint, reader->line, column_of(reader),
                        "'%.*s' is not known here: a rule has after, in, priority, when",
                        (int)strcspn(reader->at, " \t"), reader->at);
    add_to_when(reader, reader->start);
    return true;
}

/* ---- the end of a rule ----------------------------------------------------------------------- */

/* The expression's complaint has a place in the expression; here it gets that in the file. */
static void place_complaint(struct reader *reader, const struct complaint *found)
{
    const char *text = reader->when.at;
    unsigned line = last_rule(reader)->when_line, column = 1;
    for (unsigned i = 1; i < found->column && text[i - 1] != '\0'; i++, column++)
        if (text[i - 1] == '\n') {
            line++;
            column = 0;
        }
    complain(reader->complaint, line, column, "%s", found->text);
}

/* On one line, for who reads why it failed. */
static char *squeeze(const char *text)
{
    char *squeezed = malloc(strlen(text) + 1), *end = squeezed;
    if (squeezed == NULL)
        return NULL;
    for (text += strspn(text, " \t\n"); *text != '\0';) {
        size_t size = strcspn(text, " \t\n");
        memcpy(end, text, size);
        end += size;
        text += size + strspn(text + size, " \t\n");
        *end = ' ';
        end += *text != '\0';
    }
    *end = '\0';
    return squeezed;
}

static bool are_beside(const struct reader *reader, const struct rule *rule)
{
    for (int i = 0; i < reader->workflow->count; i++)
        if ((rule->after >> i & 1) != 0 && reader->workflow->rules[i].parent != rule->parent)
            return complain(reader->complaint, rule->line, 0,
                            "'%s' and '%s', which it comes after, have to be in the same rule",
                            rule->id, reader->workflow->rules[i].id);
    return true;
}

/* So that what is missing at its end is missing on its last line. */
static void trim(struct text *text)
{
    while (text->size > 0 && strchr(" \t\n", text->at[text->size - 1]) != NULL)
        text_cut(text, text->size - 1);
}

/* Its code goes to the end of `code`. */
static bool end_rule(struct reader *reader, struct text *code)
{
    if (reader->workflow->count == 0)
        return true;
    struct rule *rule = last_rule(reader);
    if (rule->when_line == 0)
        return complain(reader->complaint, rule->line, 0,
                        "'%s' has no condition: add a line 'when order.net > 0', say", rule->id);
    if (reader->when.is_cut || reader->when.size > EXPRESSION_MAX)
        return complain(reader->complaint, rule->when_line, 0,
                        "the condition is too long: make two rules of it");
    struct complaint found = {0};
    trim(&reader->when);
    if (!expression_to_c(reader->when.at, reader->workflow->count - 1, code, &found)) {
        place_complaint(reader, &found);
        return false;
    }
    rule->expression = squeeze(reader->when.at);
    text_cut(&reader->when, 0);
    reader->is_in_when = false;
    return are_beside(reader, rule);
}

/* ---- lines that begin something -------------------------------------------------------------- */

static bool read_description(struct reader *reader, struct rule *rule)
{
    skip_blanks(reader);
    size_t size = *reader->at == '"' ? strcspn(reader->at + 1, "\"") : 0;
    if (size == 0 || reader->at[size + 1] != '"')
        return complain(reader->complaint, reader->line, column_of(reader),
                        "what the rule says is expected, between \"quotes\"");
    if (size > DESCRIPTION_MAX)
        return complain(reader->complaint, reader->line, column_of(reader),
                        "this is too long: %d bytes at most", DESCRIPTION_MAX);
    memcpy(rule->description, reader->at + 1, size);
    reader->at += size + 2;
    return read_end(reader, "the rest stands on lines of its own, which begin with a blank");
}

static bool read_rule(struct reader *reader, struct text *code)
{
    if (!end_rule(reader, code))
        return false;
    if (reader->workflow->count == RULES_MAX)
        return complain(reader->complaint, reader->line, 0,
                        "a workflow has at most %d rules: make two of it", RULES_MAX);
    char id[ID_MAX + 1] = "";
    if (!read_id(reader, id))
        return false;
    struct rule *rule = &reader->workflow->rules[reader->workflow->count++];
    rule->line = reader->line;
    rule->parent = -1;
    memcpy(rule->id, id, sizeof id);
    snprintf(rule->blame, sizeof rule->blame, "%s did not pass", id);
    if (find_rule(reader, id) >= 0)
        return complain(reader->complaint, reader->line, 0,
                        "there is a rule '%s' already: call it something else", id);
    return read_description(reader, rule);
}

static bool is_word(struct reader *reader, const char *word)
{
    size_t size = strlen(word);
    if (strspn(reader->at, id_letters) != size || memcmp(reader->at, word, size) != 0)
        return false;
    reader->at += size;
    return true;
}

static bool read_line(struct reader *reader, struct text *code)
{
    if (reader->start[strspn(reader->start, " \t")] == '\0' ||
        reader->start[strspn(reader->start, " \t")] == '#')
        return true;
    if (*reader->start == ' ' || *reader->start == '\t')
        return read_of_rule(reader);
    if (is_word(reader, "rule"))
        return read_rule(reader, code);
    if (is_word(reader, "workflow"))
        return read_id(reader, reader->workflow->name) && read_end(reader, "it has one name");
    return complain(
        reader->complaint, reader->line, 1,
        "'%.40s' is not known here: 'workflow' or 'rule' is expected, or a blank in front",
        reader->start);
}

static bool read_lines(struct reader *reader, char *text, struct text *code)
{
    while (text != NULL && *text != '\0') {
        char *end = strchr(text, '\n');
        if (end != NULL)
            *end = '\0';
        if (end != NULL && end > text && end[-1] == '\r')
            end[-1] = '\0';
        reader->line++;
        reader->start = reader->at = text;
        if (!read_line(reader, code))
            return false;
        if (reader->is_in_when)
            add_to_when(reader, "\n");
        text = end != NULL ? end + 1 : NULL;
    }
    if (reader->workflow->count == 0)
        return complain(reader->complaint, reader->line, 0,
                        "there is no rule in it: 'rule NAME \"what it says\"' begins one");
    return end_rule(reader, code);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool compile(struct workflow *workflow, const struct text *code, struct complaint *complaint)
{
    if (code->is_cut)
        return complain(complaint, 0, 0, "no memory");
    workflow->native = native_compile(code->at, complaint);
    if (workflow->native == NULL)
        return false;
    return workflow_arrange(workflow) || complain(complaint, 0, 0, "no memory");
}

static bool read_all(struct workflow *workflow, const char *text, struct complaint *complaint)
{
    struct reader reader = {.workflow = workflow, .complaint = complaint};
    struct text lines = {0}, code = {0};
    text_add(&lines, "%s", text);
    expression_prelude(&code);
    bool is_read =
        lines.is_cut ? complain(complaint, 0, 0, "no memory")
                     : read_lines(&reader, lines.at, &code) && compile(workflow, &code, complaint);
    text_free(&reader.when);
    text_free(&lines);
    text_free(&code);
    return is_read;
}

struct workflow *workflow_read(const char *text, struct complaint *complaint)
{
    *complaint = (struct complaint){0};
    struct workflow *workflow = calloc(1, sizeof *workflow);
    if (workflow == NULL)
        complain(complaint, 0, 0, "no memory");
    else if (read_all(workflow, text, complaint))
        return workflow;
    workflow_free(workflow);
    return NULL;
}

static char *read_file(const char *path, struct complaint *complaint)
{
    FILE *file = fopen(path, "r");
    char *text = file != NULL ? calloc(1, WORKFLOW_BYTES_MAX + 2) : NULL;
    size_t size = text != NULL ? fread(text, 1, WORKFLOW_BYTES_MAX + 1, file) : 0;
    if (text == NULL || ferror(file))
        complain(complaint, 0, 0, "it cannot be read: %s", strerror(errno));
    else if (size > WORKFLOW_BYTES_MAX)
        complain(complaint, 0, 0, "it is too large: %d bytes at most", WORKFLOW_BYTES_MAX);
    else if (memchr(text, '\0', size) != NULL)
        complain(complaint, 0, 0, "it has bytes of 0 in it, and is no text");
    if (file != NULL)
        fclose(file);
    return text;
}

struct workflow *workflow_load(const char *path, struct complaint *complaint)
{
    *complaint = (struct complaint){0};
    char *text = read_file(path, complaint);
    struct workflow *workflow = complaint->text[0] == '\0' ? workflow_read(text, complaint) : NULL;
    free(text);
    return workflow;
}

void workflow_free(struct workflow *workflow)
{
    if (workflow == NULL)
        return;
    native_free(workflow->native);
    for (int i = 0; i < workflow->count; i++)
        free(workflow->rules[i].expression);
    free(workflow->probes);
    free(workflow);
}

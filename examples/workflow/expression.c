/* By recursive descent with a limit to its depth. A condition or number that has been read is C code at the end of `body`;
 * what turns out to be its left operand gets its parenthesis by insertion. */
#include "expression.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "order.h"

enum kind { WRONG, NUMBER, CONDITION };

enum token { END, DIGITS, NAME, SIGN };

enum { DIGITS_MAX = 18, LIST_SIZE = 200 };

struct parser {
    const char *text;
    const char *at; /* the token that is next */
    size_t size;
    enum token token;
    struct text body;  /* of the rule's function */
    struct text *code; /* functions that are complete */
    int number;        /* of the rule */
    int loops;
    int depth;
    bool is_in_loop;
    struct complaint *complaint;
};

static enum kind read_operation(struct parser *parser, int level);

/* ---- tokens ---------------------------------------------------------------------------------- */

static const char name_letters[] =
    "abcdefghijklmnopqrstuvwxyz_.ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

static void next_token(struct parser *parser)
{
    parser->at += parser->size;
    parser->at += strspn(parser->at, " \t\n");
    size_t digits = strspn(parser->at, "0123456789"), letters = strspn(parser->at, name_letters);
    if (*parser->at == '\0') {
        parser->token = END;
        parser->size = 0;
    } else if (letters > 0) {
        parser->token = digits > 0 ? DIGITS : NAME;
        parser->size = letters;
    } else {
        parser->token = SIGN;
        parser->size = strchr("=!<>", *parser->at) != NULL && parser->at[1] == '=' ? 2 : 1;
    }
}

static bool is_next(const struct parser *parser, const char *word)
{
    return strlen(word) == parser->size && memcmp(word, parser->at, parser->size) == 0;
}

static bool take(struct parser *parser, const char *word)
{
    if (!is_next(parser, word))
        return false;
    next_token(parser);
    return true;
}

static unsigned column_of(const struct parser *parser)
{
    return (unsigned)(parser->at - parser->text) + 1;
}

/* "'wrd' is not known; ...", or that the expression ends. */
static enum kind refuse(struct parser *parser, const char *what)
{
    if (parser->token == END)
        complain(parser->complaint, 0, column_of(parser), "the expression ends; %s", what);
    else
        complain(parser->complaint, 0, column_of(parser), "'%.*s' cannot stand here; %s",
                 (int)(parser->size < 40 ? parser->size : 40), parser->at, what);
    return WRONG;
}

/* What has just been read is a number where a condition belongs, or the other way round. */
static enum kind refuse_kind(struct parser *parser, const char *what)
{
    complain(parser->complaint, 0, column_of(parser), "%s", what);
    return WRONG;
}

static bool expect(struct parser *parser, const char *sign)
{
    char what[40];
    snprintf(what, sizeof what, "'%s' is expected", sign);
    return take(parser, sign) || refuse(parser, what) != WRONG;
}

/* ---- fields ---------------------------------------------------------------------------------- */

struct field {
    const char *name;
    size_t offset;
};

#define ORDER_FIELD(name) {"order." #name, offsetof(struct order, name)},
static const struct field order_fields[] = {ORDER_FIELDS(ORDER_FIELD){NULL, 0}};
#define LINE_FIELD(name) {"line." #name, offsetof(struct order_line, name)},
static const struct field line_fields[] = {LINE_FIELDS(LINE_FIELD){NULL, 0}};

static enum kind refuse_field(struct parser *parser, const struct field *fields)
{
    char list[LIST_SIZE] = "";
    size_t size = 0;
    for (; fields->name != NULL && size < sizeof list; fields++)
        size += (size_t)snprintf(list + size, sizeof list - size, "%s%s", size > 0 ? ", " : "",
                                 strchr(fields->name, '.') + 1);
    complain(parser->complaint, 0, column_of(parser), "there is no '%.*s'; there are %s",
             (int)(parser->size < 40 ? parser->size : 40), parser->at, list);
    return WRONG;
}

static enum kind read_field(struct parser *parser, const struct field *fields, const char *owner)
{
    const struct field *field = fields;
    while (field->name != NULL && !is_next(parser, field->name))
        field++;
    if (field->name == NULL)
        return refuse_field(parser, fields);
    text_add(&parser->body, "F(%s, %zu)", owner, field->offset);
    next_token(parser);
    return NUMBER;
}

/* ---- over the lines -------------------------------------------------------------------------- */

/* result = `start`; for each line: `before` number `after`. */
static const struct loop {
    const char *name;
    enum kind of, result;
    int start;
    bool needs_a_line;
    const char *before, *after;
} loops[] = {
    {"sum", NUMBER, NUMBER, 0, false, "r += ", ";"},
    {"min", NUMBER, NUMBER, 0, true, "L v = ", "; if (i == 0 || v < r) r = v;"},
    {"max", NUMBER, NUMBER, 0, true, "L v = ", "; if (i == 0 || v > r) r = v;"},
    {"count", CONDITION, NUMBER, 0, false, "r += ", ";"},
    {"all", CONDITION, CONDITION, 1, false, "if (!", ") return 0;"},
    {"any", CONDITION, CONDITION, 0, false, "if (", ") return 1;"},
};

static const struct loop *next_loop(const struct parser *parser)
{
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (is_next(parser, loops[i].name))
            return &loops[i];
    return NULL;
}

/* What is asked of a line; by default its amount, or that it is there. */
static enum kind read_of_line(struct parser *parser, const struct loop *loop)
{
    if (!take(parser, ",")) {
        if (loop->result == CONDITION)
            return refuse(parser, "it takes a condition, as in all(order.lines, line.price > 0)");
        text_add(&parser->body, loop->of == CONDITION ? "1" : "F(l, %zu)",
                 offsetof(struct order_line, amount));
        return loop->of;
    }
    parser->is_in_loop = true;
    enum kind kind = read_operation(parser, 0);
    parser->is_in_loop = false;
    if (kind != WRONG && kind != loop->of)
        return refuse_kind(parser, loop->of == NUMBER
                                       ? "a condition stands here, and no number"
                                       : "a number stands here, and no condition: compare it");
    return kind;
}

/* Makes the code behind `from` a function with a loop, and calls that. */
static void move_to_loop(struct parser *parser, const struct loop *loop, size_t from)
{
    struct text *code = parser->code;
    text_add(code, "static L loop_%d_%d(E *e, O *o)\n{\n    L r = %d, i, n = F(o, %zu);\n",
             parser->number, parser->loops, loop->start, offsetof(struct order, line_count));
    text_add(code, "    O *l = *(O *const *)(o + %zu);\n", offsetof(struct order, lines));
    if (loop->needs_a_line)
        text_add(code, "    if (n == 0) throw_text(e, \"an order without lines has no %s\");\n",
                 loop->name);
    text_add(code, "    for (i = 0; i < n; i++, l += %zu) { %s%s%s }\n    return r;\n}\n",
             sizeof(struct order_line), loop->before,
             parser->body.at != NULL ? parser->body.at + from : "", loop->after);
    text_cut(&parser->body, from);
    text_add(&parser->body, "loop_%d_%d(e, o)", parser->number, parser->loops++);
}

static enum kind read_loop(struct parser *parser, const struct loop *loop)
{
    size_t from = parser->body.size;
    if (parser->is_in_loop)
        return refuse(parser, "it cannot be asked for each line");
    next_token(parser);
    if (!expect(parser, "(") || !expect(parser, "order.lines") ||
        read_of_line(parser, loop) == WRONG || !expect(parser, ")"))
        return WRONG;
    move_to_loop(parser, loop, from);
    return loop->result;
}

/* ---- functions ------------------------------------------------------------------------------- */

struct function {
    const char *name;
    int takes;
    const char *use;
};

#define FUNCTION(name, takes, use) {#name, takes, use},
static const struct function functions[] = {WORKFLOW_FUNCTIONS(FUNCTION){NULL, 0, NULL}};

static bool read_number(struct parser *parser)
{
    enum kind kind = read_operation(parser, 0);
    if (kind == CONDITION)
        refuse_kind(parser, "a condition stands here, and no number");
    return kind == NUMBER;
}

static enum kind read_call(struct parser *parser, const struct function *function)
{
    next_token(parser);
    if (!expect(parser, "("))
        return WRONG;
    text_add(&parser->body, "function_%s(e", function->name);
    for (int i = 0; i < function->takes; i++) {
        if (i > 0 && !take(parser, ","))
            return refuse(parser, function->use);
        text_add(&parser->body, ", ");
        if (!read_number(parser))
            return WRONG;
    }
    if (!is_next(parser, ")"))
        return refuse(parser, function->use);
    next_token(parser);
    text_add(&parser->body, ")");
    return NUMBER;
}

static enum kind read_function(struct parser *parser)
{
    for (const struct function *function = functions; function->name != NULL; function++)
        if (is_next(parser, function->name))
            return read_call(parser, function);
    return refuse(parser, "there are order.FIELD, sum, min, max, count, all, any, tax, credit, "
                          "repeats, products");
}

/* ---- operands -------------------------------------------------------------------------------- */

static enum kind read_digits(struct parser *parser)
{
    if (strspn(parser->at, "0123456789") != parser->size)
        return refuse(parser, "a number is whole, an amount one of cents");
    if (parser->size > DIGITS_MAX)
        return refuse(parser, "a number has at most 18 digits");
    text_add(&parser->body, "%lldLL", strtoll(parser->at, NULL, 10));
    next_token(parser);
    return NUMBER;
}

static enum kind read_name(struct parser *parser)
{
    const struct loop *loop = next_loop(parser);
    if (loop != NULL)
        return read_loop(parser, loop);
    if (is_next(parser, "order.lines"))
        return refuse(parser, "all lines together are no number: sum(order.lines), say");
    if (strncmp(parser->at, "order.", 6) == 0)
        return read_field(parser, order_fields, "o");
    if (strncmp(parser->at, "line.", 5) == 0 && !parser->is_in_loop)
        return refuse(parser, "which line? sum(order.lines, line.price) takes each");
    if (strncmp(parser->at, "line.", 5) == 0)
        return read_field(parser, line_fields, "l");
    return read_function(parser);
}

static enum kind read_nested(struct parser *parser)
{
    text_add(&parser->body, "(");
    next_token(parser);
    enum kind kind = read_operation(parser, 0);
    if (kind == WRONG || !expect(parser, ")"))
        return WRONG;
    text_add(&parser->body, ")");
    return kind;
}

/* `-x` of a number, `not x` of a condition; C binds both more tightly than any operator with two sides. */
static enum kind read_prefixed(struct parser *parser, const char *code, int level, enum kind of)
{
    text_add(&parser->body, "%s", code);
    next_token(parser);
    enum kind kind = read_operation(parser, level);
    if (kind != WRONG && kind != of)
        return refuse_kind(parser, of == NUMBER
                                       ? "only numbers have a sign"
                                       : "'not' stands before a condition: compare the number");
    text_add(&parser->body, ")");
    return kind;
}

/* ---- operations ------------------------------------------------------------------------------ */

enum { LEVEL_COMPARE = 2, LEVEL_SIGN = 5 };

/* By level, the loosest first: `before` left `between` right `)`. */
static const struct operation {
    const char *sign;
    int level;
    enum kind of, result;
    const char *before, *between;
} operations[] = {
    {"or", 0, CONDITION, CONDITION, "(", " || "},
    {"and", 1, CONDITION, CONDITION, "(", " && "},
    {"==", 2, NUMBER, CONDITION, "(", " == "},
    {"!=", 2, NUMBER, CONDITION, "(", " != "},
    {"<", 2, NUMBER, CONDITION, "(", " < "},
    {"<=", 2, NUMBER, CONDITION, "(", " <= "},
    {">", 2, NUMBER, CONDITION, "(", " > "},
    {">=", 2, NUMBER, CONDITION, "(", " >= "},
    {"+", 3, NUMBER, NUMBER, "(", " + "},
    {"-", 3, NUMBER, NUMBER, "(", " - "},
    {"*", 4, NUMBER, NUMBER, "(", " * "},
    {"/", 4, NUMBER, NUMBER, "function_divide(e, ", ", "},
    {"%", 4, NUMBER, NUMBER, "function_modulo(e, ", ", "},
};

static const struct operation *next_operation(const struct parser *parser, int level)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].level >= level && is_next(parser, operations[i].sign))
            return &operations[i];
    return NULL;
}

static enum kind read_operand(struct parser *parser)
{
    if (is_next(parser, "not"))
        return read_prefixed(parser, "!(", LEVEL_COMPARE, CONDITION);
    if (is_next(parser, "-"))
        return read_prefixed(parser, "-(", LEVEL_SIGN, NUMBER);
    if (is_next(parser, "("))
        return read_nested(parser);
    if (parser->token == DIGITS)
        return read_digits(parser);
    if (parser->token == NAME && next_operation(parser, 0) == NULL)
        return read_name(parser);
    return refuse(parser, "a number, a field, a function or '(' is expected");
}

static bool is_of(struct parser *parser, enum kind kind, const struct operation *operation)
{
    if (kind == operation->of || kind == WRONG)
        return kind != WRONG;
    char what[80];
    snprintf(what, sizeof what, "'%s' stands between %s", operation->sign,
             operation->of == NUMBER ? "numbers" : "conditions");
    return refuse_kind(parser, what) != WRONG;
}

/* An operand and what follows of this level or tighter ones. */
static enum kind read_operations(struct parser *parser, int level)
{
    const struct operation *operation;
    size_t from = parser->body.size;
    enum kind kind = read_operand(parser);
    while (kind != WRONG && (operation = next_operation(parser, level)) != NULL) {
        if (!is_of(parser, kind, operation))
            return WRONG;
        text_insert(&parser->body, from, operation->before);
        text_add(&parser->body, "%s", operation->between);
        next_token(parser);
        if (!is_of(parser, read_operation(parser, operation->level + 1), operation))
            return WRONG;
        text_add(&parser->body, ")");
        kind = operation->result;
    }
    return kind;
}

static enum kind read_operation(struct parser *parser, int level)
{
    if (parser->depth == EXPRESSION_DEPTH_MAX)
        return refuse(parser, "the expression is nested too deeply: make two rules of it");
    parser->depth++;
    enum kind kind = read_operations(parser, level);
    parser->depth--;
    return kind;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static const char *const arguments_of[] = {"E *", "E *, L", "E *, L, L", "E *, L, L, L"};

void expression_prelude(struct text *code)
{
    text_add(code, "typedef long long L;\ntypedef void E;\ntypedef const char O;\n"
                   "#define F(at, offset) (*(const L *)((at) + (offset)))\n"
                   "void throw_text(E *, const char *);\n"
                   "L function_divide(E *, L, L);\nL function_modulo(E *, L, L);\n");
    for (const struct function *function = functions; function->name != NULL; function++)
        text_add(code, "L function_%s(%s);\n", function->name, arguments_of[function->takes]);
}

bool expression_to_c(const char *text, int number, struct text *code, struct complaint *complaint)
{
    struct parser parser = {
        .text = text, .at = text, .code = code, .number = number, .complaint = complaint};
    next_token(&parser);
    enum kind kind = read_operation(&parser, 0);
    if (kind != WRONG && parser.token != END)
        refuse(&parser, "'and', 'or' or the end is expected");
    else if (kind == NUMBER)
        refuse_kind(&parser, "it is a number, and has to be a condition: compare it");
    else if (kind != WRONG && parser.body.is_cut)
        complain(complaint, 0, 0, "no memory");
    if (complaint->text[0] == '\0')
        text_add(code, "L rule_%d(E *e, O *o)\n{\n    return %s;\n}\n", number, parser.body.at);
    text_free(&parser.body);
    return complaint->text[0] == '\0';
}

#include "commands.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stave/stave.h>

#include "kept.h"

enum { WORDS = 5, LINE_SIZE = 256 };

/* A line in words; those that are not there are empty. */
struct request {
    struct grid *grid;
    struct answer *answer;
    char id[64];
    char line[LINE_SIZE];
    const char *words[WORDS];
    bool is_refused;
};

static void refuse(struct request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The root of the request fails: this is called directly in it. */
static void refuse(struct request *request, const char *format, ...)
{
    char reason[LINE_SIZE + 64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    stave_fail(stave_current_span(), reason);
    request->is_refused = true;
    request->answer->size = 0;
    answer_add(request->answer, "error %s %s\n", request->id, reason);
}

static bool find_column(struct request *request, const char *name, int *column)
{
    *column = table_find_column(name);
    if (*column < 0)
        refuse(request, "there is no column '%s'", name);
    return *column >= 0;
}

/* A column and a value of it, or two: words[at] and those behind it. */
static bool read_range(struct request *request, int at, struct range *range)
{
    const char *from = request->words[at + 1], *to = at + 2 < WORDS ? request->words[at + 2] : "";
    int column;
    if (!find_column(request, request->words[at], &column))
        return false;
    if (!table_parse_range(column, from, to, range)) {
        refuse(request, "'%s' is no value of %s", from, table_columns[column].name);
        return false;
    }
    return true;
}

static const char *sorted_by(const struct grid *grid)
{
    return grid->view.order < 0 ? "" : table_columns[grid->view.order].name;
}

/* ---- the commands ---------------------------------------------------------------------------- */

static void navigate(struct request *request)
{
    struct grid *grid = request->grid;
    STAVE_TRACE("Navigate", STAVE_ID(request->id), STAVE_KV("to", request->words[1]),
                STAVE_KV("sorted_by", sorted_by(grid)), STAVE_KV("shown", grid->view.count));
    if (grid_go(grid, request->words[1]))
        grid_draw(grid, request->answer);
    else
        refuse(request, "row '%s' is not shown", request->words[1]);
}

static void select_places(struct request *request, const char *from, const char *to)
{
    char *from_end, *to_end;
    unsigned long first = strtoul(from, &from_end, 10), last = strtoul(to, &to_end, 10);
    if (*from == '\0' || *from_end != '\0' || *to_end != '\0' || last >= request->grid->view.count)
        refuse(request, "'%s' to '%s' are no places of what is shown", from, to);
    else
        grid_select_places(request->grid, (uint32_t)first, (uint32_t)last);
}

static void select_rows(struct request *request)
{
    struct grid *grid = request->grid;
    const char *what = request->words[1];
    struct range range;
    STAVE_TRACE("Select", STAVE_ID(request->id), STAVE_KV("what", what));
    if (strcmp(what, "none") == 0)
        grid_select_none(grid);
    else if (strcmp(what, "cursor") == 0)
        grid_select_places(grid, grid->cursor, grid->cursor);
    else if (strcmp(what, "where") != 0)
        select_places(request, what, request->words[2]);
    else if (read_range(request, 2, &range))
        grid_select_where(grid, &range);
    STAVE_SET(stave_current_span(), "selected", grid->selected);
    if (!request->is_refused)
        answer_add(request->answer, "  %u rows are selected\n", grid->selected);
}

static void sort_rows(struct request *request)
{
    const char *by = request->words[1], *direction = request->words[2];
    int column = -1;
    STAVE_TRACE("Sort", STAVE_ID(request->id), STAVE_KV("by", by),
                STAVE_KV("direction", direction));
    if (strcmp(by, "none") != 0 && !find_column(request, by, &column))
        return;
    grid_sort(request->grid, column, strcmp(direction, "down") == 0);
}

static void filter_rows(struct request *request)
{
    struct range range = {.column = -1};
    STAVE_TRACE("Filter", STAVE_ID(request->id), STAVE_KV("column", request->words[1]),
                STAVE_KV("from", request->words[2]), STAVE_KV("to", request->words[3]));
    if (strcmp(request->words[1], "none") != 0 && !read_range(request, 1, &range))
        return;
    grid_filter(request->grid, &range);
    STAVE_SET(stave_current_span(), "shown", request->grid->view.count);
    answer_add(request->answer, "  %u rows are shown\n", request->grid->view.count);
}

static void find(struct request *request)
{
    struct grid *grid = request->grid;
    struct range range;
    STAVE_TRACE("Find", STAVE_ID(request->id), STAVE_KV("column", request->words[1]),
                STAVE_KV("value", request->words[2]));
    if (!read_range(request, 1, &range))
        return;
    uint32_t place = view_search(&grid->view, grid->cursor + 1, &range);
    STAVE_SET(stave_current_span(), "found", place != VIEW_NOWHERE);
    if (place == VIEW_NOWHERE) {
        answer_add(request->answer, "  none below the cursor\n");
        return;
    }
    grid->cursor = place;
    grid_draw(grid, request->answer);
}

static void sum(struct request *request)
{
    uint32_t rows;
    int column;
    STAVE_TRACE("Sum", STAVE_ID(request->id), STAVE_KV("column", request->words[1]));
    if (!find_column(request, request->words[1], &column))
        return;
    if (table_columns[column].type == COLUMN_TEXT || table_columns[column].type == COLUMN_DATE) {
        refuse(request, "%s has no sum", request->words[1]);
        return;
    }
    int64_t sum_of_cells = grid_sum(request->grid, column, &rows);
    STAVE_SET(stave_current_span(), "rows", rows);
    answer_add(request->answer, "  %lld in %u rows\n", (long long)sum_of_cells, rows);
}

/* What the recorder keeps of the others. No roots: who looks is not to be seen. */
static void list_kept(struct request *request)
{
    const char *wrong = kept_list(request->answer, request->words[1]);
    if (wrong != NULL)
        refuse(request, "%s", wrong);
}

static void show_kept(struct request *request)
{
    const char *wrong = kept_show(request->answer, request->words[1]);
    if (wrong != NULL)
        refuse(request, "%s", wrong);
}

static const struct {
    const char *name, *arguments;
    void (*run)(struct request *request);
} commands[] = {
    {"Navigate", "ROW | first | last | up | down | page-up | page-down", navigate},
    {"Select", "FROM TO | cursor | where COLUMN VALUE [TO] | none", select_rows},
    {"Sort", "COLUMN [down] | none", sort_rows},
    {"Filter", "COLUMN VALUE [TO] | none", filter_rows},
    {"Find", "COLUMN VALUE [TO]", find},
    {"Sum", "COLUMN", sum},
    {"Kept", "[COMMAND]", list_kept},
    {"Show", "ID", show_kept},
};

static void unknown(struct request *request)
{
    STAVE_TRACE("Unknown", STAVE_ID(request->id), STAVE_KV("command", request->words[0]));
    refuse(request, "there is no command '%s'", request->words[0]);
}

void commands_list(struct answer *answer)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        answer_add(answer, "  %-8s  %s\n", commands[i].name, commands[i].arguments);
}

/* ---- a line ---------------------------------------------------------------------------------- */

/* Words beyond the last are left out. */
static void split(struct request *request, const char *line)
{
    char *rest = NULL;
    snprintf(request->line, sizeof request->line, "%s", line);
    char *word = strtok_r(request->line, " \t\r\n", &rest);
    for (int i = 0; i < WORDS; i++) {
        request->words[i] = word != NULL ? word : "";
        word = word != NULL ? strtok_r(NULL, " \t\r\n", &rest) : NULL;
    }
}

static void (*find_command(const char *name))(struct request *)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].run;
    return unknown;
}

void session_run(struct session *session, const char *line)
{
    struct request request = {.grid = session->grid, .answer = &session->answer};
    split(&request, line);
    snprintf(request.id, sizeof request.id, "%s-%u", session->client, ++session->requests);
    session->answer.size = 0;
    find_command(request.words[0])(&request);
    session->refused += request.is_refused;
    if (!request.is_refused)
        answer_add(&session->answer, "ok %s\n", request.id);
}

bool session_begin(struct session *session, const struct table *table, bool has_index,
                   const char *client)
{
    STAVE_TRACE("Open", STAVE_ID(client));
    *session = (struct session){.client = client, .grid = grid_new(table, has_index)};
    return session->grid != NULL;
}

void session_end(struct session *session)
{
    grid_free(session->grid);
}

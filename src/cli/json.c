#include "cli/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/shortest.h"
#include "base/utf8.h"
#include "cli/text.h"

static void put_text(struct cli_json *json, const char *text, size_t size)
{
    fputc('"', json->to);
    for (size_t at = 0; at < size;) {
        uint32_t point;
        size_t step = stave__utf8_decode(text + at, size - at, &point);
        if (step == 0)
            fputs("\\ufffd", json->to);
        else if (point == '"' || point == '\\')
            fprintf(json->to, "\\%c", (int)point);
        else if (cli_is_control(point)) /* all of them below 0x10000 */
            fprintf(json->to, "\\u%04x", (unsigned)point);
        else
            fwrite(text + at, 1, step, json->to);
        at += step != 0 ? step : 1;
    }
    fputc('"', json->to);
}

/* What stands before a value: a comma, a line, the key. */
static void begin(struct cli_json *json, const char *key)
{
    if (json->depth > 0) {
        fputs(json->used[json->depth] ? ",\n" : "\n", json->to);
        fprintf(json->to, "%*s", 2 * json->depth, "");
    }
    json->used[json->depth] = true;
    if (key == NULL)
        return;
    put_text(json, key, strlen(key));
    fputs(": ", json->to);
}

void cli_json_open(struct cli_json *json, const char *key, char bracket)
{
    assert(json->depth + 1 < CLI_JSON_DEPTH_MAX);
    begin(json, key);
    fputc(bracket, json->to);
    json->depth++;
    json->used[json->depth] = false;
    json->closing[json->depth] = bracket == '{' ? '}' : ']';
}

void cli_json_close(struct cli_json *json)
{
    assert(json->depth > 0);
    char bracket = json->closing[json->depth];
    bool used = json->used[json->depth];
    json->depth--;
    if (used)
        fprintf(json->to, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->to);
    if (json->depth == 0)
        fputc('\n', json->to);
}

void cli_json_u64(struct cli_json *json, const char *key, uint64_t value)
{
    begin(json, key);
    fprintf(json->to, "%" PRIu64, value);
}

void cli_json_i64(struct cli_json *json, const char *key, int64_t value)
{
    begin(json, key);
    fprintf(json->to, "%" PRId64, value);
}

void cli_json_bool(struct cli_json *json, const char *key, bool value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->to);
}

void cli_json_whole(struct cli_json *json, const char *key, double value)
{
    begin(json, key);
    if (isfinite(value))
        fprintf(json->to, "%.0f", value);
    else
        fputs("null", json->to);
}

void cli_json_double(struct cli_json *json, const char *key, double value)
{
    char text[STAVE__SHORTEST_MAX];
    begin(json, key);
    if (isfinite(value))
        fwrite(text, 1, stave__shortest(value, text), json->to);
    else
        fputs("null", json->to);
}

void cli_json_double_if(struct cli_json *json, const char *key, bool any, double value)
{
    cli_json_double(json, key, any ? value : (double)NAN);
}

void cli_json_text(struct cli_json *json, const char *key, const char *text, size_t size)
{
    begin(json, key);
    put_text(json, text, size);
}

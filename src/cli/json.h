/* cli/json.h - the one JSON writer: RFC 8259, two spaces a level, keys in the order given.
 *
 *     struct cli_json json = {.to = stdout};
 *     cli_json_open(&json, NULL, '{');
 *     cli_json_u64(&json, "frames", 7);
 *     cli_json_close(&json);                        // and a newline behind the outermost
 *
 * A key is NULL inside an array and for the outermost value. Texts are UTF-8; bytes that are not
 * become U+FFFD, so that the output is always valid; control characters are escaped.  */
#ifndef STAVE_CLI_JSON_H
#define STAVE_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CLI_JSON_DEPTH_MAX 16

struct cli_json {
    FILE *to;
    int depth;
    bool used[CLI_JSON_DEPTH_MAX]; /* something stands before the next value of the level */
    char closing[CLI_JSON_DEPTH_MAX];
};

void cli_json_open(struct cli_json *json, const char *key, char bracket); /* '{' or '[' */
void cli_json_close(struct cli_json *json);
void cli_json_u64(struct cli_json *json, const char *key, uint64_t value);
void cli_json_i64(struct cli_json *json, const char *key, int64_t value);
void cli_json_bool(struct cli_json *json, const char *key, bool value);
/* Rounded to a whole number; not finite: null. */
void cli_json_whole(struct cli_json *json, const char *key, double value);
/* Not finite: null. */
void cli_json_double(struct cli_json *json, const char *key, double value);
/* Null unless `any`. */
void cli_json_double_if(struct cli_json *json, const char *key, bool any, double value);
void cli_json_text(struct cli_json *json, const char *key, const char *text, size_t size);

#endif

#include "export/keys.h"

#include <stdlib.h>
#include <string.h>

#include "export/json_text.h"

#define FIRST_ROOM 64u

/* Where a key was met last. */
struct stave__last_key {
    uint64_t span;
    uint32_t index; /* of its details; STAVE_NONE: it is the exporter's own */
};

bool stave__keys_begin(struct stave__keys *keys, const stave_trace *trace)
{
    *keys = (struct stave__keys){.trace = trace};
    keys->numbers = calloc((size_t)stave_trace_strings(trace) + 1, sizeof *keys->numbers);
    return stave__strings_init(&keys->texts) >= 0 && keys->numbers != NULL;
}

void stave__keys_free(struct stave__keys *keys)
{
    stave__strings_free(&keys->texts);
    free(keys->numbers);
    free(keys->last);
}

static bool meet(struct stave__keys *keys, uint32_t number, uint32_t index)
{
    if (number >= keys->last_room) {
        uint32_t room = number < FIRST_ROOM ? FIRST_ROOM : 2 * number;
        struct stave__last_key *larger = realloc(keys->last, room * sizeof *larger);
        if (larger == NULL)
            return false;
        memset(larger + keys->last_room, 0, (room - keys->last_room) * sizeof *larger);
        keys->last = larger;
        keys->last_room = room;
    }
    keys->last[number] = (struct stave__last_key){keys->span, index};
    return true;
}

/* The number of a key that is met first. */
static bool find_number(struct stave__keys *keys, uint32_t name)
{
    size_t size;
    uint32_t number;
    const char *text = stave_trace_string(keys->trace, name, &size);
    char *clean = malloc(3 * size + 1);
    bool found =
        clean != NULL &&
        stave__strings_add(&keys->texts, clean, stave__utf8_clean(text, size, clean), &number) >= 0;
    free(clean);
    if (found)
        keys->numbers[name] = number + 1;
    return found;
}

bool stave__keys_read(struct stave__keys *keys, const struct stave__shown *span)
{
    keys->span++;
    keys->any = false;
    for (uint32_t i = 0; i < span->details_count; i++) {
        uint32_t name = span->details[i].name;
        if (span->details[i].kind != STAVE_ATTRIBUTES)
            continue;
        keys->any = true;
        if (keys->numbers[name] == 0 && !find_number(keys, name))
            return false;
        if (!meet(keys, keys->numbers[name] - 1, i))
            return false;
    }
    return true;
}

void stave__keys_take(struct stave__keys *keys, const char *key)
{
    uint32_t number;
    if (keys->any && stave__strings_find(&keys->texts, key, strlen(key), &number) &&
        number < keys->last_room)
        keys->last[number] = (struct stave__last_key){keys->span, STAVE_NONE};
}

bool stave__keys_shows(const struct stave__keys *keys, const struct stave__shown *span,
                       uint32_t index)
{
    if (span->details[index].kind != STAVE_ATTRIBUTES)
        return false;
    const struct stave__last_key *last = &keys->last[keys->numbers[span->details[index].name] - 1];
    return last->span == keys->span && last->index == index;
}

#include "export/speedscope_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/json_text.h"

#define TEXT_MAX ((size_t)1 << 20) /* bytes of a name, of a file: more of them nobody reads */
#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

int stave__speedscope_begin(struct stave__speedscope *file, struct stave__out *out,
                            const char *name, size_t size)
{
    *file = (struct stave__speedscope){.out = out};
    int status = stave__strings_init(&file->frames);
    stave__out_text(out, "{\"$schema\":\"" SCHEMA "\",\"exporter\":\"stave " STAVE_VERSION
                         "\",\n\"name\":");
    stave__json_string(out, name, size);
    stave__out_text(out, ",\n\"profiles\":[");
    return status;
}

void stave__speedscope_free(struct stave__speedscope *file)
{
    stave__strings_free(&file->frames);
    free(file->key);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* A frame's string: line, size of the name, then name and file. */
struct place {
    uint32_t line, name_size;
};

int stave__speedscope_frame(struct stave__speedscope *file, const struct stave__speedscope_key *key,
                            uint32_t *frame)
{
    size_t name_size = key->name_size < TEXT_MAX ? key->name_size : TEXT_MAX;
    size_t file_size = key->file_size < TEXT_MAX ? key->file_size : TEXT_MAX;
    size_t size = sizeof(struct place) + 3 * (name_size + file_size);
    if (size > file->key_room) {
        char *larger = realloc(file->key, 2 * size);
        if (larger == NULL)
            return STAVE_E_MEMORY;
        file->key = larger;
        file->key_room = 2 * size;
    }
    char *at = file->key + sizeof(struct place); /* clean: what reads the same is one frame */
    struct place place = {key->line, (uint32_t)stave__utf8_clean(key->name, name_size, at)};
    memcpy(file->key, &place, sizeof place);
    at += place.name_size;
    at += stave__utf8_clean(key->file, file_size, at);
    uint32_t id;
    int status = stave__strings_add(&file->frames, file->key, (size_t)(at - file->key), &id);
    if (status >= 0)
        *frame = id - 1; /* no key is empty, so none is string 0 */
    return status;
}

int stave__speedscope_deeper(struct stave__speedscope *file, uint64_t count, uint32_t *frame)
{
    char text[40];
    struct stave__speedscope_key key = {.name = text};
    key.name_size = (size_t)snprintf(text, sizeof text, "(%" PRIu64 " deeper)", count);
    return stave__speedscope_frame(file, &key, frame);
}

static void put_frame(struct stave__out *out, const char *bytes, size_t size)
{
    struct place place;
    memcpy(&place, bytes, sizeof place);
    const char *name = bytes + sizeof place;
    size_t file_size = size - sizeof place - place.name_size;
    stave__out_text(out, "{\"name\":");
    stave__json_string(out, name, place.name_size);
    if (file_size > 0) {
        stave__out_text(out, ",\"file\":");
        stave__json_string(out, name + place.name_size, file_size);
    }
    if (place.line != 0) {
        stave__out_text(out, ",\"line\":");
        stave__json_u64(out, place.line);
    }
    stave__out_text(out, "}");
}

/* ---- profiles -------------------------------------------------------------------------------- */

void stave__speedscope_profile(struct stave__speedscope *file)
{
    stave__out_text(file->out, file->profiles++ > 0 ? ",\n" : "\n");
    stave__out_text(file->out, "{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"events\":[");
    file->first = true;
    file->last = 0;
}

static void put_event(struct stave__speedscope *file, char type, uint32_t frame, uint64_t at)
{
    static const char before[] = ",\n{\"type\":\"",
                      middle[] = "\",\"frame\":", behind[] = ",\"at\":";
    char *room = stave__out_room(file->out, sizeof before + sizeof middle + sizeof behind +
                                                2 * STAVE__U64_TEXT_MAX);
    size_t used = sizeof before - 1 - (file->first ? 1 : 0);
    memcpy(room, before + (file->first ? 1 : 0), used);
    room[used++] = type;
    memcpy(room + used, middle, sizeof middle - 1);
    used += sizeof middle - 1;
    used += stave__u64_text(frame, room + used);
    memcpy(room + used, behind, sizeof behind - 1);
    used += sizeof behind - 1;
    used += stave__u64_text(at, room + used);
    room[used++] = '}';
    stave__out_wrote(file->out, used);
    file->first = false;
    file->last = at;
}

void stave__speedscope_open(struct stave__speedscope *file, uint32_t frame, uint64_t at)
{
    put_event(file, 'O', frame, at);
}

void stave__speedscope_close(struct stave__speedscope *file, uint32_t frame, uint64_t at)
{
    put_event(file, 'C', frame, at);
}

void stave__speedscope_profile_end(struct stave__speedscope *file, const char *name, size_t size,
                                   uint64_t start)
{
    struct stave__out *out = file->out;
    stave__out_text(out, "],\n\"name\":");
    stave__json_string(out, name, size);
    stave__out_text(out, ",\"startValue\":");
    stave__json_u64(out, start);
    stave__out_text(out, ",\"endValue\":");
    stave__json_u64(out, file->last > start ? file->last : start + 1); /* else nothing is drawn */
    stave__out_text(out, "}");
}

void stave__speedscope_end(struct stave__speedscope *file, uint32_t active)
{
    static const char none[] = "(no spans)";
    if (file->profiles == 0) { /* a file without any is refused */
        stave__speedscope_profile(file);
        stave__speedscope_profile_end(file, none, sizeof none - 1, 0);
    }
    stave__out_text(file->out,
                    "],\n\"activeProfileIndex\":"); /* beyond the last one, nothing is shown */
    stave__json_u64(file->out, active < file->profiles ? active : 0);
    stave__out_text(file->out, ",\n\"shared\":{\"frames\":[");
    for (uint32_t i = 1; i < file->frames.texts.rows; i++) {
        size_t size;
        const char *bytes = stave__strings_text(&file->frames, i, &size);
        stave__out_text(file->out, i > 1 ? ",\n" : "\n");
        put_frame(file->out, bytes, size);
    }
    stave__out_text(file->out, "]}}\n");
}

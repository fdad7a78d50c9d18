/* test_protoc.c - frames against Google's own implementation of protobuf: protoc reads what we
 * write, and we read what protoc writes, down to the bytes.
 *
 * One process handles all frames of a test: they are fields of a message whose schema is written
 * here and imports tracing.proto (in STAVE_PROTO_DIR). A frame's prefix is its length, so that a
 * frame behind the tag 0x0a is such a field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/frames.h"
#include "wire/varint.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define FRAMES 4000
#define FRAME_TAG 0x0a

extern char **environ;

static char folder[256];

/* ---- files ----------------------------------------------------------------------------------- */

static const char *path_of(const char *name, char path[512])
{
    snprintf(path, 512, "%s/%s", folder, name);
    return path;
}

static FILE *open_file(const char *name, const char *mode)
{
    char path[512];
    FILE *file = fopen(path_of(name, path), mode);
    assert_non_null(file);
    return file;
}

/* All of a file, with a NUL behind it. */
static char *read_file(const char *name, size_t *size)
{
    FILE *file = open_file(name, "rb");
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long end = ftell(file);
    assert_true(end >= 0);
    rewind(file);
    char *bytes = malloc((size_t)end + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)end, file);
    assert_int_equal(*size, end);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

/* ---- protoc ---------------------------------------------------------------------------------- */

/* Runs it with files as standard input and output; its exit status. */
static int run_protoc(const char *const arguments[], const char *in, const char *out)
{
    posix_spawn_file_actions_t files;
    pid_t child;
    int status = 0;
    char in_path[512], out_path[512];
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, path_of(in, in_path), O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, path_of(out, out_path),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int failed = posix_spawnp(&child, "protoc", &files, NULL, (char **)arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) {
        print_error("protoc cannot be run (%s); it is in the package protobuf-compiler\n",
                    strerror(failed));
        return -1;
    }
    while (waitpid(child, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* `what` is --encode or --decode. */
static void convert(const char *what, enum wire_version version, const char *in, const char *out)
{
    char message[64], own[300];
    snprintf(message, sizeof message, "%s=Frames%d", what, (int)version);
    snprintf(own, sizeof own, "-I%s", folder);
    const char *arguments[] = {"protoc",          own, "-I" STAVE_PROTO_DIR, message,
                               "container.proto", NULL};
    assert_int_equal(run_protoc(arguments, in, out), 0);
}

static const char container[] = "syntax = \"proto3\";\n"
                                "import \"tracing.proto\";\n"
                                "message Frames2 { repeated tracing.TraceFrame frame = 1; }\n"
                                "message Frames1 { repeated tracing.TraceEventV1 frame = 1; }\n";

static int set_up(void **state)
{
    const char *dir = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/stave-test-XXXXXX", dir != NULL ? dir : "/tmp");
    assert_non_null(mkdtemp(folder));
    FILE *file = open_file("container.proto", "w");
    fputs(container, file);
    assert_int_equal(fclose(file), 0);
    const char *arguments[] = {"protoc", "--version", NULL};
    return run_protoc(arguments, "container.proto", "version");
}

static int tear_down(void **state)
{
    static const char *const names[] = {"container.proto", "version", "in", "out"};
    char path[512];
    for (size_t i = 0; i < COUNT(names); i++)
        unlink(path_of(names[i], path));
    return rmdir(folder);
}

/* ---- frames that text can say ---------------------------------------------------------------- */

struct lot {
    enum wire_version version;
    struct wire_frame frames[FRAMES];
    char names[FRAMES][WIRE_NAME_MAX];
};

/* Text knows one NaN. Names are what is theirs, or absent. */
static struct lot *new_lot(enum wire_version version, uint64_t seed)
{
    struct lot *lot = malloc(sizeof *lot);
    struct dice dice = {seed};
    assert_non_null(lot);
    lot->version = version;
    for (size_t i = 0; i < FRAMES; i++) {
        struct wire_frame *frame = &lot->frames[i];
        frame_random(&dice, version, frame, lot->names[i]);
        if (frame->has_deadline && isnan(frame->deadline_ms))
            frame->deadline_ms = NAN;
    }
    return lot;
}

static uint32_t *number_field(struct wire_frame *frame, const char *name)
{
    struct {
        const char *name;
        uint32_t *field;
    } fields[] = {
        {"name_id", &frame->name_id},         {"event_type", &frame->kind},
        {"sequence", &frame->sequence},       {"marker_value", &frame->value},
        {"source_type", &frame->source},      {"priority", &frame->priority},
        {"timebase", &frame->timebase},       {"core_frequency_hz", &frame->hz},
        {"source_mask", &frame->source_mask},
    };
    for (size_t i = 0; i < COUNT(fields); i++)
        if (strcmp(fields[i].name, name) == 0)
            return fields[i].field;
    print_error("protoc's text has a field %s\n", name);
    fail();
    return NULL;
}

static const struct {
    const char *name;
    uint32_t number;
} enum_names[] = {
    {"ISR", 1},         {"TASK", 2},   {"SPAN_START", 1},
    {"SPAN_END", 2},    {"MARKER", 3}, {"NAME_REGISTERED", 4},
    {"TRACE_START", 5}, {"CYCLES", 1},
};

/* A number, or the name of one. Enums are signed in text. */
static uint32_t number_of(const char *text)
{
    for (size_t i = 0; i < COUNT(enum_names); i++)
        if (strcmp(enum_names[i].name, text) == 0)
            return enum_names[i].number;
    char *end;
    long long number = strtoll(text, &end, 10);
    assert_true(end != text && *end == '\0');
    assert_in_range(number + 2147483648, 0, 2147483648 + (long long)UINT32_MAX);
    return (uint32_t)number;
}

/* ---- our bytes, protoc's text ---------------------------------------------------------------- */

static void write_frames(const struct lot *lot)
{
    FILE *file = open_file("in", "wb");
    for (size_t i = 0; i < FRAMES; i++) {
        uint8_t bytes[1 + WIRE_FRAME_MAX] = {FRAME_TAG};
        size_t size = stave__wire_frame_encode(lot->version, &lot->frames[i], bytes + 1);
        assert_int_equal(fwrite(bytes, 1, size + 1, file), size + 1);
    }
    assert_int_equal(fclose(file), 0);
}

/* What stands between quotes, in place: \n, \", \303. */
static uint32_t unescape(char *text)
{
    static const char letters[] = "n\nr\rt\t\"\"''\\\\";
    size_t length = strlen(text), size = 0;
    assert_true(length >= 2 && text[0] == '"' && text[length - 1] == '"');
    for (size_t at = 1; at < length - 1;) {
        if (text[at] != '\\') {
            text[size++] = text[at++];
        } else if (text[at + 1] >= '0' && text[at + 1] <= '7') {
            char digits[4] = {text[at + 1], text[at + 2], text[at + 3]};
            text[size++] = (char)strtoul(digits, NULL, 8);
            at += 4;
        } else {
            const char *letter = strchr(letters, text[at + 1]);
            assert_non_null(letter);
            text[size++] = letter[1];
            at += 2;
        }
    }
    return (uint32_t)size;
}

static void parse_field(struct wire_frame *frame, const char *name, char *value)
{
    if (strcmp(name, "timestamp_ticks") == 0) {
        frame->ticks = strtoll(value, NULL, 10);
    } else if (strcmp(name, "timestamp_ns") == 0) {
        frame->ticks = (int64_t)strtoull(value, NULL, 10);
    } else if (strcmp(name, "name") == 0) {
        frame->name_size = unescape(value);
        frame->name = value;
    } else if (strcmp(name, "relative_deadline_ms") == 0) {
        frame->deadline_ms = strcmp(value, "nan") == 0 ? NAN : strtof(value, NULL);
        frame->has_deadline = true;
    } else {
        *number_field(frame, name) = number_of(value);
        frame->has_value |= strcmp(name, "marker_value") == 0;
    }
}

/* Text that is taken apart line by line. */
struct lines {
    char *at;
    char *end;
};

/* The next line, without the spaces before it. */
static char *next_line(struct lines *lines)
{
    char *line = lines->at;
    char *line_end = memchr(line, '\n', (size_t)(lines->end - line));
    assert_non_null(line_end);
    *line_end = '\0';
    lines->at = line_end + 1;
    return line + strspn(line, " ");
}

static void parse_frame(struct lines *lines, struct wire_frame *frame)
{
    *frame = (struct wire_frame){0};
    assert_string_equal(next_line(lines), "frame {");
    for (char *line = next_line(lines); strcmp(line, "}") != 0; line = next_line(lines)) {
        char *colon = strchr(line, ':');
        assert_non_null(colon);
        *colon = '\0';
        parse_field(frame, line, colon + 2);
    }
}

static void check_frame(size_t index, const struct wire_frame *got,
                        const struct wire_frame *expected)
{
    if (frame_same(got, expected))
        return;
    print_error("frame %zu\n", index);
    fail();
}

static void check_protoc_reads_us(enum wire_version version)
{
    struct lot *lot = new_lot(version, 10 + (uint64_t)version);
    size_t size;
    write_frames(lot);
    convert("--decode", version, "in", "out");
    char *text = read_file("out", &size);
    struct lines lines = {text, text + size};
    for (size_t i = 0; i < FRAMES; i++) {
        struct wire_frame frame;
        parse_frame(&lines, &frame);
        check_frame(i, &frame, &lot->frames[i]);
    }
    assert_ptr_equal(lines.at, lines.end);
    free(text);
    free(lot);
}

static void test_protoc_reads_version_2(void **state)
{
    check_protoc_reads_us(WIRE_VERSION_2);
}

static void test_protoc_reads_version_1(void **state)
{
    check_protoc_reads_us(WIRE_VERSION_1);
}

/* ---- our text, protoc's bytes ---------------------------------------------------------------- */

static void put_name(FILE *file, const struct wire_frame *frame)
{
    fputs("  name: \"", file);
    for (uint32_t i = 0; i < frame->name_size; i++) {
        unsigned char byte = (unsigned char)frame->name[i];
        if (byte < 0x20 || byte == '"' || byte == '\\')
            fprintf(file, "\\%03o", byte);
        else
            fputc(byte, file);
    }
    fputs("\"\n", file);
}

static void put_ticks(FILE *file, enum wire_version version, int64_t ticks)
{
    if (version == WIRE_VERSION_2)
        fprintf(file, "  timestamp_ticks: %lld\n", (long long)ticks);
    else
        fprintf(file, "  timestamp_ns: %llu\n", (unsigned long long)ticks);
}

/* A field at its default is left out, or not: protoc then leaves it out. */
static void put_number(FILE *file, struct dice *dice, const char *name, uint32_t number)
{
    if (number != 0 || dice_chance(dice, 300))
        fprintf(file, "  %s: %lu\n", name, (unsigned long)number);
}

static void put_enum(FILE *file, struct dice *dice, const char *name, uint32_t number)
{
    if (number != 0 || dice_chance(dice, 300))
        fprintf(file, "  %s: %ld\n", name, (long)(int32_t)number);
}

static void put_kind(FILE *file, struct dice *dice, uint32_t kind)
{
    if (kind <= WIRE_TRACE_START && dice_chance(dice, 500))
        fprintf(file, "  event_type: %s\n", enum_names[1 + kind].name); /* behind ISR and TASK */
    else
        put_enum(file, dice, "event_type", kind);
}

/* Not in the order of the numbers: protoc puts them in order. */
static void put_frame(FILE *file, struct dice *dice, enum wire_version version,
                      const struct wire_frame *frame)
{
    fputs("frame {\n", file);
    if (version == WIRE_VERSION_2) {
        put_number(file, dice, "source_mask", frame->source_mask);
        put_number(file, dice, "core_frequency_hz", frame->hz);
        put_enum(file, dice, "timebase", frame->timebase);
        put_number(file, dice, "name_id", frame->name_id);
    }
    if (frame->has_deadline)
        fprintf(file, "  relative_deadline_ms: %.9g\n", (double)frame->deadline_ms);
    if (frame->has_value)
        fprintf(file, "  marker_value: %lu\n", (unsigned long)frame->value);
    put_number(file, dice, "priority", frame->priority);
    put_enum(file, dice, "source_type", frame->source);
    put_number(file, dice, "sequence", frame->sequence);
    put_kind(file, dice, frame->kind);
    if (frame->name_size > 0 || dice_chance(dice, 300))
        put_name(file, frame);
    if (frame->ticks != 0 || dice_chance(dice, 300))
        put_ticks(file, version, frame->ticks);
    fputs("}\n", file);
}

/* protoc writes a negative enum with ten bytes; we know no negative numbers. */
static bool has_negative_enum(const struct wire_frame *frame)
{
    return ((frame->kind | frame->source | frame->timebase) & 0x80000000u) != 0;
}

static void check_bytes(size_t index, enum wire_version version, const struct wire_frame *frame,
                        const uint8_t *payload, size_t size)
{
    uint8_t bytes[WIRE_FRAME_MAX];
    if (has_negative_enum(frame))
        return;
    size_t own_size = stave__wire_frame_encode(version, frame, bytes) - 1;
    if (own_size == size && memcmp(bytes + 1, payload, size) == 0)
        return;
    print_error("frame %zu: %zu bytes of ours, %zu bytes of protoc's\n", index, own_size, size);
    fail();
}

/* One frame of protoc's bytes; what is behind it. */
static const uint8_t *check_payload(const struct lot *lot, size_t index, const uint8_t *at,
                                    const uint8_t *end)
{
    struct wire_frame frame;
    struct wire_frame expected = lot->frames[index];
    uint64_t size = 0;
    assert_true(at < end && *at == FRAME_TAG);
    int prefix = wire_varint_read(at + 1, end, &size);
    assert_true(prefix > 0);
    at += 1 + prefix;
    assert_in_range(size, 1, end - at);
    assert_int_equal(stave__wire_frame_decode(lot->version, at, (size_t)size, &frame), WIRE_SOUND);
    expected.has_name_id = expected.name_id != 0;
    check_frame(index, &frame, &expected);
    check_bytes(index, lot->version, &expected, at, (size_t)size);
    return at + size;
}

static void check_we_read_protoc(enum wire_version version)
{
    struct lot *lot = new_lot(version, 20 + (uint64_t)version);
    struct dice dice = {1};
    size_t size;
    FILE *file = open_file("in", "w");
    for (size_t i = 0; i < FRAMES; i++)
        put_frame(file, &dice, version, &lot->frames[i]);
    assert_int_equal(fclose(file), 0);
    convert("--encode", version, "in", "out");

    uint8_t *bytes = (uint8_t *)read_file("out", &size);
    const uint8_t *at = bytes;
    for (size_t i = 0; i < FRAMES; i++)
        at = check_payload(lot, i, at, bytes + size);
    assert_ptr_equal(at, bytes + size);
    free(bytes);
    free(lot);
}

static void test_we_read_version_2(void **state)
{
    check_we_read_protoc(WIRE_VERSION_2);
}

static void test_we_read_version_1(void **state)
{
    check_we_read_protoc(WIRE_VERSION_1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_protoc_reads_version_2),
        cmocka_unit_test(test_protoc_reads_version_1),
        cmocka_unit_test(test_we_read_version_2),
        cmocka_unit_test(test_we_read_version_1),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

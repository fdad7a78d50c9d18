/* test_wire.c - frames to bytes and back: bytes worked out by hand from docs/etrace.md and
 * protobuf's encoding, what is damage and what is not, and random frames there and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/frames.h"
#include "wire/varint.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- bytes as hexadecimal text --------------------------------------------------------------- */

static unsigned digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

/* "08 ac02" to bytes in memory that ends where they do; the caller frees it. */
static uint8_t *bytes_of(const char *hex, size_t *size)
{
    uint8_t *bytes = malloc(strlen(hex) / 2 + 1);
    assert_non_null(bytes);
    *size = 0;
    for (; *hex != '\0'; hex++) {
        if (*hex == ' ')
            continue;
        bytes[(*size)++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
        hex++;
    }
    uint8_t *exact = realloc(bytes, *size > 0 ? *size : 1);
    assert_non_null(exact);
    return exact;
}

static enum wire_damage decode_hex(enum wire_version version, const char *hex,
                                   struct wire_frame *frame, uint8_t **payload)
{
    size_t size;
    *payload = bytes_of(hex, &size);
    return stave__wire_frame_decode(version, *payload, size, frame);
}

static void check_decodes(enum wire_version version, const char *hex,
                          const struct wire_frame *expected)
{
    struct wire_frame frame;
    uint8_t *payload;
    enum wire_damage damage = decode_hex(version, hex, &frame, &payload);
    if (damage != WIRE_SOUND || !frame_same(&frame, expected)) {
        print_error("version %d, %s: %s\n", (int)version, hex, stave__wire_damage_text(damage));
        fail();
    }
    free(payload);
}

/* ---- exact bytes ----------------------------------------------------------------------------- */

struct sample {
    const char *hex; /* payload */
    struct wire_frame frame;
};

#define NAME(text) .name = (text), .name_size = sizeof(text) - 1
#define VALUE(number) .value = (number), .has_value = true
#define DEADLINE(ms) .deadline_ms = (ms), .has_deadline = true
#define ID(number) .name_id = (number), .has_name_id = true

static const struct sample samples_v2[] = {
    {"1801", {.kind = WIRE_SPAN_START}},
    {"1802", {.kind = WIRE_SPAN_END}},
    {"1803", {.kind = WIRE_MARKER}},
    {"1804", {.kind = WIRE_NAME_REGISTERED}},
    {"1805", {.kind = WIRE_TRACE_START}},
    {"18 ffffffff0f", {.kind = UINT32_MAX}},
    {"0802 1801", {.kind = 1, .ticks = 1}}, /* zigzag: 1 is 2, -1 is 1 */
    {"0801 1801", {.kind = 1, .ticks = -1}},
    {"08d804 1801", {.kind = 1, .ticks = 300}},
    {"08feffffffffffffffff01 1801", {.kind = 1, .ticks = INT64_MAX}},
    {"08ffffffffffffffffff01 1801", {.kind = 1, .ticks = INT64_MIN}},
    {"1001 1801", {.kind = 1, ID(1)}},
    {"10ac02 1801", {.kind = 1, ID(300)}},
    {"10ffffffff0f 1801", {.kind = 1, ID(UINT32_MAX)}},
    {"1801 2001", {.kind = 1, .sequence = 1}},
    {"1801 20ff7f", {.kind = 1, .sequence = 16383}},
    {"1803 2800", {.kind = 3, VALUE(0)}},
    {"1803 282a", {.kind = 3, VALUE(42)}},
    {"1803 28ffffffff0f", {.kind = 3, VALUE(UINT32_MAX)}},
    {"1804 320161", {.kind = 4, NAME("a")}},
    {"1804 3206 41c3a4e282ac", {.kind = 4, NAME("A\xc3\xa4\xe2\x82\xac")}}, /* A, ae, euro */
    {"1804 3203 610062", {.kind = 4, NAME("a\0b")}},
    {"1804 3801", {.kind = 4, .source = WIRE_SOURCE_ISR}},
    {"1804 3802", {.kind = 4, .source = WIRE_SOURCE_TASK}},
    {"1804 4007", {.kind = 4, .priority = 7}},
    {"1804 4d00000000", {.kind = 4, DEADLINE(0.0f)}},
    {"1804 4d00000080", {.kind = 4, DEADLINE(-0.0f)}},
    {"1804 4d0000c03f", {.kind = 4, DEADLINE(1.5f)}},
    {"1805 5001", {.kind = 5, .timebase = WIRE_CYCLES}},
    {"1805 5880f48d50", {.kind = 5, .hz = 168000000}},
    {"1805 6003", {.kind = 5, .source_mask = 3}},
    {"0805 10ac02 1803 20ff7f 2800 3203616263 3801 4007 4d0000c03f 5001 5880f48d50 6003",
     {.kind = 3,
      .ticks = -3,
      ID(300),
      .sequence = 16383,
      VALUE(0),
      NAME("abc"),
      .source = 1,
      .priority = 7,
      DEADLINE(1.5f),
      .timebase = 1,
      .hz = 168000000,
      .source_mask = 3}},
};

static const struct sample samples_v1[] = {
    {"2001", {.kind = WIRE_SPAN_START}},
    {"2002", {.kind = WIRE_SPAN_END}},
    {"2003", {.kind = WIRE_MARKER}},
    {"20ffffffff0f", {.kind = UINT32_MAX}},
    {"0801 2001", {.kind = 1, .ticks = 1}}, /* no zigzag */
    {"08ac02 2001", {.kind = 1, .ticks = 300}},
    {"08ffffffffffffffff7f 2001", {.kind = 1, .ticks = INT64_MAX}},
    {"0880808080808080808001 2001", {.kind = 1, .ticks = INT64_MIN}}, /* 2^63 ns */
    {"08ffffffffffffffffff01 2001", {.kind = 1, .ticks = -1}},        /* 2^64 - 1 ns */
    {"120161 2001", {.kind = 1, NAME("a")}},
    {"1801 2001", {.kind = 1, .source = WIRE_SOURCE_ISR}},
    {"1802 2001", {.kind = 1, .source = WIRE_SOURCE_TASK}},
    {"2001 2801", {.kind = 1, .sequence = 1}},
    {"2001 28ffffffff0f", {.kind = 1, .sequence = UINT32_MAX}},
    {"2001 3007", {.kind = 1, .priority = 7}},
    {"2001 3d00000000", {.kind = 1, DEADLINE(0.0f)}},
    {"2001 3d0000c03f", {.kind = 1, DEADLINE(1.5f)}},
    {"2003 4000", {.kind = 3, VALUE(0)}},
    {"2003 40ffffffff0f", {.kind = 3, VALUE(UINT32_MAX)}},
    {"08ac02 1203616263 1801 2003 2880808004 3007 3d0000c03f 4000",
     {.kind = 3,
      .ticks = 300,
      NAME("abc"),
      .source = 1,
      .sequence = 8388608,
      .priority = 7,
      DEADLINE(1.5f),
      VALUE(0)}},
};

static void check_encodes(enum wire_version version, const struct sample *sample)
{
    size_t payload_size;
    uint8_t *payload = bytes_of(sample->hex, &payload_size);
    uint8_t bytes[WIRE_FRAME_MAX];
    size_t size = stave__wire_frame_encode(version, &sample->frame, bytes);
    if (size != payload_size + 1 || bytes[0] != payload_size ||
        memcmp(bytes + 1, payload, payload_size) != 0) {
        print_error("version %d: not encoded as %s\n", (int)version, sample->hex);
        fail();
    }
    free(payload);
}

static void check_samples(enum wire_version version, const struct sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_encodes(version, &samples[i]);
        check_decodes(version, samples[i].hex, &samples[i].frame);
    }
}

static void test_bytes_of_version_2(void **state)
{
    check_samples(WIRE_VERSION_2, samples_v2, COUNT(samples_v2));
}

static void test_bytes_of_version_1(void **state)
{
    check_samples(WIRE_VERSION_1, samples_v1, COUNT(samples_v1));
}

/* A frame of version 1 has no room for what only version 2 knows. */
static void test_version_1_leaves_out_what_it_lacks(void **state)
{
    const struct sample sample = {
        "2003", {.kind = 3, .name_id = 9, .timebase = 1, .hz = 5, .source_mask = 3}};
    check_encodes(WIRE_VERSION_1, &sample);
}

/* A value without its bit is none. */
static void test_absent_values_are_not_written(void **state)
{
    const struct sample v1 = {"2003", {.kind = 3, .value = 5, .deadline_ms = 5}};
    const struct sample v2 = {"1803", {.kind = 3, .value = 5, .deadline_ms = 5}};
    check_encodes(WIRE_VERSION_1, &v1);
    check_encodes(WIRE_VERSION_2, &v2);
}

static void test_present_zeros(void **state)
{
    check_decodes(WIRE_VERSION_2, "1803 2800 4d00000000",
                  &(struct wire_frame){.kind = 3, VALUE(0), DEADLINE(0.0f)});
    check_decodes(WIRE_VERSION_1, "2003 3d00000000 4000",
                  &(struct wire_frame){.kind = 3, VALUE(0), DEADLINE(0.0f)});
    /* Other fields at their default may stand there too: that is the same as absent, but for the
     * name_id, which tells the version. */
    check_decodes(WIRE_VERSION_2, "0800 1000 1803 2000 3200 3800 4000 5000 5800 6000",
                  &(struct wire_frame){.kind = 3, ID(0)});
    check_decodes(WIRE_VERSION_1, "0800 1200 1800 2003 2800 3000", &(struct wire_frame){.kind = 3});
}

/* ---- damage ---------------------------------------------------------------------------------- */

struct damaged {
    enum wire_damage damage;
    const char *hex;
};

static const struct damaged damaged_v2[] = {
    {WIRE_NO_KIND, ""},
    {WIRE_NO_KIND, "0802"},
    {WIRE_NO_KIND, "1800"},
    {WIRE_NO_KIND, "1801 1800"},      /* the last one wins */
    {WIRE_NO_KIND, "188080808010"},   /* 2^32, cut to 32 bits */
    {WIRE_BAD_FIELD, "00 00"},        /* field 0 */
    {WIRE_BAD_FIELD, "1801 07"},      /* field 0 of a wire type that is none */
    {WIRE_BAD_FIELD, "8000 1801"},    /* the same, overlong */
    {WIRE_BAD_FIELD, "800100 1801"},  /* field 16 */
    {WIRE_BAD_FIELD, "ff7f"},         /* field 2047 */
    {WIRE_BAD_FIELD, "988080801001"}, /* field 2^29 + 3 */
    {WIRE_BAD_FIELD, "98808080800101"},
    {WIRE_BAD_TYPE, "1d01000000"},  /* event_type as a fixed 32 */
    {WIRE_BAD_TYPE, "1801 0901"},   /* ticks as a fixed 64 */
    {WIRE_BAD_TYPE, "1801 0a00"},   /* ticks as bytes */
    {WIRE_BAD_TYPE, "1801 120161"}, /* name_id as bytes: version 1's name */
    {WIRE_BAD_TYPE, "1801 2a00"},   /* value as bytes */
    {WIRE_BAD_TYPE, "1801 3001"},   /* name as a number */
    {WIRE_BAD_TYPE, "1801 4801"},   /* deadline as a varint */
    {WIRE_BAD_TYPE, "1801 490000000000000000"},
    {WIRE_BAD_TYPE, "1801 52026161"}, /* timebase as bytes */
    {WIRE_BAD_TYPE, "1801 6500000000"},
    {WIRE_BAD_TYPE, "1801 0b"}, /* wire types 3, 4, 6, 7 */
    {WIRE_BAD_TYPE, "1801 0c"},
    {WIRE_BAD_TYPE, "1801 0e"},
    {WIRE_BAD_TYPE, "1801 0f"},
    {WIRE_BAD_TYPE, "1801 6b"}, /* also of fields that are skipped */
    {WIRE_BAD_TYPE, "1801 6c"},
    {WIRE_BAD_TYPE, "1801 76"},
    {WIRE_BAD_TYPE, "1801 7f"},
    {WIRE_BAD_VARINT, "08 8080808080808080808000 1801"},
    {WIRE_BAD_VARINT, "8880808080808080808000"},            /* the tag */
    {WIRE_BAD_VARINT, "32 8180808080808080808000 61 1804"}, /* the length */
    {WIRE_BAD_VARINT, "1801 68 ffffffffffffffffffff01"},    /* a field that is skipped */
    {WIRE_PAST_END, "1801 08"},
    {WIRE_PAST_END, "1801 0880"},
    {WIRE_PAST_END, "1801 88"},                       /* in the tag */
    {WIRE_PAST_END, "1801 08808080808080808080"},     /* nine bytes, the tenth is missing */
    {WIRE_PAST_END, "1804 32"},                       /* no length */
    {WIRE_PAST_END, "1804 320261"},                   /* one byte of two */
    {WIRE_PAST_END, "1804 32ffffffffffffffffff0161"}, /* 2^64 - 1 bytes */
    {WIRE_PAST_END, "1804 328080808010"},             /* lengths are not cut to 32 bits */
    {WIRE_PAST_END, "1804 4d0000c0"},                 /* three bytes of four */
    {WIRE_PAST_END, "1801 6900000000000000"},         /* seven bytes of eight */
    {WIRE_PAST_END, "1801 6d000000"},
    {WIRE_PAST_END, "1801 6a0100 7a"},
    {WIRE_BAD_NAME, "1804 3201ff"},
    {WIRE_BAD_NAME, "1804 320161 3202c3a4 320180"},
    {WIRE_BAD_NAME, "1804 3202c3 61"},
    {WIRE_BAD_NAME, "1804 3201c3"},        /* a sequence that the name's end cuts */
    {WIRE_BAD_NAME, "1804 3202c080"},      /* overlong */
    {WIRE_BAD_NAME, "1804 3203eda080"},    /* a surrogate */
    {WIRE_BAD_NAME, "1804 3204f4908080"},  /* U+110000 */
    {WIRE_BAD_NAME, "1804 3201ff 320161"}, /* also when a good one follows */
};

static const struct damaged damaged_v1[] = {
    {WIRE_NO_KIND, ""},
    {WIRE_NO_KIND, "0801 120161"},
    {WIRE_NO_KIND, "1801"}, /* version 2's event_type is version 1's source */
    {WIRE_BAD_FIELD, "0000"},
    {WIRE_BAD_FIELD, "800100 2001"},
    {WIRE_BAD_TYPE, "1001 2001"}, /* name as a number: version 2's name_id */
    {WIRE_BAD_TYPE, "2001 0900000000"},
    {WIRE_BAD_TYPE, "2001 1a00"},
    {WIRE_BAD_TYPE, "2001 2d00000000"},
    {WIRE_BAD_TYPE, "2001 3201"},
    {WIRE_BAD_TYPE, "2001 3801"},
    {WIRE_BAD_TYPE, "2001 4500000000"},
    {WIRE_BAD_TYPE, "2001 4b"}, /* field 9, which is skipped, as a group */
    {WIRE_BAD_TYPE, "2001 4c"},
    {WIRE_BAD_TYPE, "2001 4e"},
    {WIRE_BAD_TYPE, "2001 4f"},
    {WIRE_BAD_VARINT, "2001 08 ffffffffffffffffffff01"},
    {WIRE_PAST_END, "2001 120261"},
    {WIRE_PAST_END, "2001 3d000000"},
    {WIRE_BAD_NAME, "2001 1201ff"},
};

static void check_damaged(enum wire_version version, const struct damaged *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct wire_frame frame;
        uint8_t *payload;
        enum wire_damage damage = decode_hex(version, rows[i].hex, &frame, &payload);
        if (damage != rows[i].damage) {
            print_error("version %d, %s: %s; expected: %s\n", (int)version, rows[i].hex,
                        stave__wire_damage_text(damage), stave__wire_damage_text(rows[i].damage));
            fail();
        }
        free(payload);
    }
}

static void test_damage(void **state)
{
    check_damaged(WIRE_VERSION_2, damaged_v2, COUNT(damaged_v2));
    check_damaged(WIRE_VERSION_1, damaged_v1, COUNT(damaged_v1));
}

static void test_damage_texts(void **state)
{
    static const char *const texts[] = {
#define TEXT(name, text) [name] = text,
        WIRE_DAMAGE_TABLE(TEXT)
#undef TEXT
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_string_equal(stave__wire_damage_text((enum wire_damage)i), texts[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(texts[i], texts[j]);
    }
    assert_string_equal(stave__wire_damage_text((enum wire_damage)COUNT(texts)), "unknown damage");
}

/* ---- what is odd, but sound ------------------------------------------------------------------ */

static void check_skipped(enum wire_version version, const char *kind, uint32_t number)
{
    static const char *const types[] = {"8001", "0102030405060708", "03ffffff", NULL,
                                        NULL,   "01020304"};
    for (uint32_t type = 0; type < COUNT(types); type++) {
        char hex[64];
        if (types[type] == NULL)
            continue;
        snprintf(hex, sizeof hex, "%02x %s %s", number << 3 | type, types[type], kind);
        check_decodes(version, hex, &(struct wire_frame){.kind = 1});
    }
}

static void test_skipped_fields(void **state)
{
    for (uint32_t number = 13; number <= 15; number++)
        check_skipped(WIRE_VERSION_2, "1801", number);
    for (uint32_t number = 9; number <= 15; number++)
        check_skipped(WIRE_VERSION_1, "2001", number);
}

static void test_last_of_repeated_fields_wins(void **state)
{
    const struct wire_frame v2 = {.kind = 2,
                                  .ticks = 2,
                                  ID(5),
                                  .sequence = 6,
                                  VALUE(7),
                                  NAME("z"),
                                  .source = 1,
                                  .priority = 3,
                                  DEADLINE(1.5f),
                                  .timebase = 0,
                                  .hz = 4,
                                  .source_mask = 5};
    check_decodes(WIRE_VERSION_2,
                  "0801 1009 1801 2001 2800 32026161 3802 4009 4d00000000 5001 5809 6009"
                  "0804 1005 1802 2006 2807 32017a 3801 4003 4d0000c03f 5000 5804 6005",
                  &v2);
    const struct wire_frame v1 = {.kind = 2,
                                  .ticks = 4,
                                  .sequence = 6,
                                  VALUE(7),
                                  NAME("z"),
                                  .source = 1,
                                  .priority = 3,
                                  DEADLINE(1.5f)};
    check_decodes(WIRE_VERSION_1,
                  "0801 12026161 1802 2001 2809 3009 3d00000000 4000"
                  "0804 12017a 1801 2002 2806 3003 3d0000c03f 4007",
                  &v1);
    /* An empty name is a name: it takes the place of the one before. */
    check_decodes(WIRE_VERSION_2, "1804 320161 3200", &(struct wire_frame){.kind = 4});
}

static void test_any_order(void **state)
{
    check_decodes(WIRE_VERSION_2, "2802 2003 1803 1004 0806",
                  &(struct wire_frame){.kind = 3, .ticks = 3, ID(4), .sequence = 3, VALUE(2)});
}

static void test_overlong_varints(void **state)
{
    /* A tag, a value, a length; two bytes and ten. */
    check_decodes(WIRE_VERSION_2, "9800 01", &(struct wire_frame){.kind = 1});
    check_decodes(WIRE_VERSION_2, "98808080808080808000 8100", &(struct wire_frame){.kind = 1});
    check_decodes(WIRE_VERSION_2, "18 81808080808080808000", &(struct wire_frame){.kind = 1});
    check_decodes(WIRE_VERSION_2, "1804 b200 8100 61", &(struct wire_frame){.kind = 4, NAME("a")});
    check_decodes(WIRE_VERSION_2, "1804 32 81808080808080808000 61",
                  &(struct wire_frame){.kind = 4, NAME("a")});
    check_decodes(WIRE_VERSION_2, "1801 08 8280808080808000",
                  &(struct wire_frame){.kind = 1, .ticks = 1});
    check_decodes(WIRE_VERSION_1, "a000 8100 9200 818000 61",
                  &(struct wire_frame){.kind = 1, NAME("a")});
    /* Bits beyond the 64th are dropped. */
    check_decodes(WIRE_VERSION_2, "18 8180808080808080807e", &(struct wire_frame){.kind = 1});
    check_decodes(WIRE_VERSION_2, "1801 08 ffffffffffffffffff7f",
                  &(struct wire_frame){.kind = 1, .ticks = INT64_MIN});
}

static void test_values_are_cut_to_32_bits(void **state)
{
    /* 2^32 + n for each field; a negative enum is written with ten bytes. */
    check_decodes(WIRE_VERSION_2,
                  "10818080 8010 1883808080 10 208480808010 288580808010 388180808010"
                  "408780808010 508180808010 588980808010 608a80808010",
                  &(struct wire_frame){.kind = 3,
                                       ID(1),
                                       .sequence = 4,
                                       VALUE(5),
                                       .source = 1,
                                       .priority = 7,
                                       .timebase = 1,
                                       .hz = 9,
                                       .source_mask = 10});
    check_decodes(
        WIRE_VERSION_1, "188180808010 208380808010 288480808010 308780808010 408580808010",
        &(struct wire_frame){.kind = 3, .sequence = 4, VALUE(5), .source = 1, .priority = 7});
    check_decodes(WIRE_VERSION_2, "18ffffffffffffffffff01",
                  &(struct wire_frame){.kind = UINT32_MAX});
}

/* ---- names ----------------------------------------------------------------------------------- */

static void check_name_cut(const char *name, uint32_t expected_size)
{
    struct wire_frame frame = {.kind = 4, .name = name, .name_size = (uint32_t)strlen(name)};
    struct wire_frame expected = {.kind = 4, .name = name, .name_size = expected_size};
    for (int version = WIRE_VERSION_1; version <= WIRE_VERSION_2; version++) {
        uint8_t bytes[WIRE_FRAME_MAX];
        struct wire_frame decoded;
        size_t size = stave__wire_frame_encode((enum wire_version)version, &frame, bytes);
        assert_int_equal(
            stave__wire_frame_decode((enum wire_version)version, bytes + 1, size - 1, &decoded),
            WIRE_SOUND);
        assert_true(frame_same(&decoded, &expected));
    }
}

#define TEN "0123456789"
#define EURO "\xe2\x82\xac"
#define CLEF "\xf0\x9d\x84\x9e"

static void test_names_are_cut_at_32_bytes(void **state)
{
    check_name_cut(TEN TEN TEN "ab", 32);
    check_name_cut(TEN TEN TEN "abc", 32);
    check_name_cut(TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN, 32);
    check_name_cut(TEN TEN TEN "a\xc3\xa4", 31);
    check_name_cut(TEN TEN TEN "\xc3\xa4" EURO, 32);
    check_name_cut(TEN TEN TEN EURO, 30);
    check_name_cut(TEN TEN "012345678" EURO, 32);
    check_name_cut(TEN TEN TEN "a" CLEF, 31);
    check_name_cut(TEN TEN "012345678" CLEF, 29);
    check_name_cut(TEN TEN "01234567" CLEF, 32);
    check_name_cut(EURO EURO EURO EURO EURO EURO EURO EURO EURO EURO EURO, 30);
}

/* A host takes any name that fits the payload. */
static void test_long_names_are_decoded(void **state)
{
    uint8_t payload[WIRE_PAYLOAD_MAX] = {0x18, 4, 0x32, WIRE_PAYLOAD_MAX - 4};
    struct wire_frame frame;
    memset(payload + 4, 'n', sizeof payload - 4);
    assert_int_equal(stave__wire_frame_decode(WIRE_VERSION_2, payload, sizeof payload, &frame),
                     WIRE_SOUND);
    assert_ptr_equal(frame.name, payload + 4);
    assert_int_equal(frame.name_size, WIRE_PAYLOAD_MAX - 4);
}

/* ---- sizes and random frames ----------------------------------------------------------------- */

static const struct wire_frame largest = {.kind = UINT32_MAX,
                                          .ticks = INT64_MIN,
                                          .name_id = UINT32_MAX,
                                          .sequence = UINT32_MAX,
                                          VALUE(UINT32_MAX),
                                          NAME("0123456789012345678901234567890123456789"),
                                          .source = UINT32_MAX,
                                          .priority = UINT32_MAX,
                                          DEADLINE(1.5f),
                                          .timebase = UINT32_MAX,
                                          .hz = UINT32_MAX,
                                          .source_mask = UINT32_MAX};

static void test_largest_frame(void **state)
{
    uint8_t bytes[WIRE_FRAME_MAX];
    /* Prefix 1, ticks 11, name 34, deadline 5, six bytes for each of the numbers. */
    assert_int_equal(stave__wire_frame_encode(WIRE_VERSION_2, &largest, bytes),
                     1 + 11 + 34 + 5 + 9 * 6);
    assert_int_equal(stave__wire_frame_encode(WIRE_VERSION_1, &largest, bytes),
                     1 + 11 + 34 + 5 + 5 * 6);
}

static void check_there_and_back(struct dice *dice, enum wire_version version)
{
    struct wire_frame frame, decoded;
    char name[WIRE_NAME_MAX];
    uint8_t bytes[WIRE_FRAME_MAX + 1];
    frame_random(dice, version, &frame, name);
    bytes[WIRE_FRAME_MAX] = 0xa5;
    size_t size = stave__wire_frame_encode(version, &frame, bytes);
    assert_in_range(size, 3, WIRE_FRAME_MAX);
    assert_int_equal(bytes[0], size - 1);
    assert_int_equal(bytes[WIRE_FRAME_MAX], 0xa5);
    assert_int_equal(stave__wire_frame_decode(version, bytes + 1, size - 1, &decoded), WIRE_SOUND);
    frame.has_name_id = frame.name_id != 0;
    assert_true(frame_same(&decoded, &frame));
}

static void test_there_and_back(void **state)
{
    struct dice dice = {1};
    for (int i = 0; i < 200000; i++) {
        check_there_and_back(&dice, WIRE_VERSION_1);
        check_there_and_back(&dice, WIRE_VERSION_2);
    }
}

/* Bytes that are not there are not read: every prefix of a payload in memory of its own. */
static void test_cut_payloads(void **state)
{
    uint8_t bytes[WIRE_FRAME_MAX];
    size_t size = stave__wire_frame_encode(WIRE_VERSION_2, &largest, bytes);
    for (size_t part = 0; part < size - 1; part++) {
        struct wire_frame frame;
        uint8_t *payload = malloc(part + 1);
        assert_non_null(payload);
        memcpy(payload + 1, bytes + 1, part);
        enum wire_damage damage =
            stave__wire_frame_decode(WIRE_VERSION_2, payload + 1, part, &frame);
        /* Sound where the cut is between fields and the kind (17 to 23) has been. */
        assert_true(damage == WIRE_SOUND || damage == WIRE_PAST_END || damage == WIRE_NO_KIND);
        if (part < 11 + 6 + 6)
            assert_int_not_equal(damage, WIRE_SOUND);
        free(payload);
    }
}

/* ---- varints --------------------------------------------------------------------------------- */

static void test_varint_sizes(void **state)
{
    uint8_t bytes[WIRE_VARINT_MAX];
    for (unsigned bits = 0; bits < 64; bits++) {
        uint64_t value = UINT64_C(1) << bits, read = 0;
        size_t size = wire_varint_write(bytes, value);
        assert_int_equal(size, bits / 7 + 1);
        assert_int_equal(wire_varint_read(bytes, bytes + size, &read), (int)size);
        assert_int_equal(read, value);
        assert_int_equal(wire_varint_read(bytes, bytes + size - 1, &read), WIRE_VARINT_SHORT);
    }
    assert_int_equal(wire_varint_write(bytes, 0), 1);
    assert_int_equal(bytes[0], 0);
}

static void test_zigzag(void **state)
{
    static const struct {
        int64_t value;
        uint64_t zigzag;
    } rows[] = {{0, 0},
                {-1, 1},
                {1, 2},
                {-2, 3},
                {2147483647, 4294967294},
                {-2147483648, 4294967295},
                {INT64_MAX, UINT64_MAX - 1},
                {INT64_MIN, UINT64_MAX}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(wire_zigzag(rows[i].value) == rows[i].zigzag);
        assert_true(wire_unzigzag(rows[i].zigzag) == rows[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_of_version_2),
        cmocka_unit_test(test_bytes_of_version_1),
        cmocka_unit_test(test_version_1_leaves_out_what_it_lacks),
        cmocka_unit_test(test_absent_values_are_not_written),
        cmocka_unit_test(test_present_zeros),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_damage_texts),
        cmocka_unit_test(test_skipped_fields),
        cmocka_unit_test(test_last_of_repeated_fields_wins),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_overlong_varints),
        cmocka_unit_test(test_values_are_cut_to_32_bits),
        cmocka_unit_test(test_names_are_cut_at_32_bytes),
        cmocka_unit_test(test_long_names_are_decoded),
        cmocka_unit_test(test_largest_frame),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_cut_payloads),
        cmocka_unit_test(test_varint_sizes),
        cmocka_unit_test(test_zigzag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

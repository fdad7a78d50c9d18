/* test_utf8.c - the two UTF-8 readers, that of the wire and that of the command, against the table
 * of well-formed sequences in RFC 3629, section 4, and against one another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "unit/frames.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- both readers ---------------------------------------------------------------------------- */

static bool valid_by_steps(const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t point;
        size_t step = stave__utf8_decode(text + at, size - at, &point);
        if (step == 0)
            return false;
        at += step;
    }
    return true;
}

static void check(const unsigned char *text, size_t size, bool expected)
{
    bool wire = stave__wire_utf8_valid(text, size);
    bool base = valid_by_steps((const char *)text, size);
    if (wire == expected && base == expected)
        return;
    print_error("bytes");
    for (size_t i = 0; i < size; i++)
        print_error(" %02x", text[i]);
    print_error(": wire %d, base %d, expected %d\n", wire, base, expected);
    fail();
}

/* In memory that ends where the text does. */
static void check_exact(const char *text, size_t size, bool expected)
{
    unsigned char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy + 1, text, size);
    check(copy + 1, size, expected);
    free(copy);
}

/* ---- the table of RFC 3629 ------------------------------------------------------------------- */

struct form {
    unsigned char size;
    unsigned char low[4], high[4];
};

static const struct form forms[] = {
    {1, {0x00}, {0x7f}},
    {2, {0xc2, 0x80}, {0xdf, 0xbf}},
    {3, {0xe0, 0xa0, 0x80}, {0xe0, 0xbf, 0xbf}},
    {3, {0xe1, 0x80, 0x80}, {0xec, 0xbf, 0xbf}},
    {3, {0xed, 0x80, 0x80}, {0xed, 0x9f, 0xbf}},
    {3, {0xee, 0x80, 0x80}, {0xef, 0xbf, 0xbf}},
    {4, {0xf0, 0x90, 0x80, 0x80}, {0xf0, 0xbf, 0xbf, 0xbf}},
    {4, {0xf1, 0x80, 0x80, 0x80}, {0xf3, 0xbf, 0xbf, 0xbf}},
    {4, {0xf4, 0x80, 0x80, 0x80}, {0xf4, 0x8f, 0xbf, 0xbf}},
};

static bool has_form(const struct form *form, const unsigned char *text, size_t size)
{
    if (size < form->size)
        return false;
    for (size_t i = 0; i < form->size; i++)
        if (text[i] < form->low[i] || text[i] > form->high[i])
            return false;
    return true;
}

static bool well_formed(const unsigned char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t step = 0;
        for (size_t i = 0; i < COUNT(forms); i++)
            if (has_form(&forms[i], text + at, size - at))
                step = forms[i].size;
        if (step == 0)
            return false;
        at += step;
    }
    return true;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_one_byte(void **state)
{
    for (unsigned a = 0; a < 256; a++)
        check((unsigned char[]){(unsigned char)a}, 1, a < 0x80);
}

static void test_two_bytes(void **state)
{
    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = 0; b < 256; b++) {
            bool ascii = a < 0x80 && b < 0x80;
            bool pair = a >= 0xc2 && a <= 0xdf && b >= 0x80 && b <= 0xbf;
            check((unsigned char[]){(unsigned char)a, (unsigned char)b}, 2, ascii || pair);
        }
    }
}

/* Every lead and second byte; the others at the edges of what may follow. */
static void test_edges_of_long_sequences(void **state)
{
    static const unsigned char edges[] = {0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff};
    unsigned char text[4];
    for (unsigned lead = 0; lead < 0x10000; lead++) {
        text[0] = (unsigned char)(lead >> 8);
        text[1] = (unsigned char)lead;
        for (size_t i = 0; i < COUNT(edges) * COUNT(edges); i++) {
            text[2] = edges[i / COUNT(edges)];
            text[3] = edges[i % COUNT(edges)];
            check(text, 3, well_formed(text, 3));
            check(text, 4, well_formed(text, 4));
        }
    }
}

static void test_boundaries(void **state)
{
    static const struct {
        const char *text;
        bool valid;
    } rows[] = {
        {"\x7f", true},
        {"\x80", false},
        {"\xbf", false},
        {"\xc0\x80", false}, /* U+0000, overlong */
        {"\xc1\xbf", false}, /* U+007F, overlong */
        {"\xc2\x80", true},
        {"\xdf\xbf", true},
        {"\xe0\x80\x80", false},
        {"\xe0\x9f\xbf", false}, /* U+07FF, overlong */
        {"\xe0\xa0\x80", true},
        {"\xed\x9f\xbf", true},
        {"\xed\xa0\x80", false}, /* U+D800 to U+DFFF, the surrogates */
        {"\xed\xaf\xbf", false},
        {"\xed\xb0\x80", false},
        {"\xed\xbf\xbf", false},
        {"\xee\x80\x80", true},
        {"\xef\xbf\xbd", true},
        {"\xef\xbf\xbf", true},
        {"\xf0\x80\x80\x80", false},
        {"\xf0\x8f\xbf\xbf", false}, /* U+FFFF, overlong */
        {"\xf0\x90\x80\x80", true},
        {"\xf4\x8f\xbf\xbf", true},  /* U+10FFFF */
        {"\xf4\x90\x80\x80", false}, /* U+110000 */
        {"\xf5\x80\x80\x80", false},
        {"\xf7\xbf\xbf\xbf", false},
        {"\xf8\x88\x80\x80\x80", false}, /* five and six bytes */
        {"\xfc\x84\x80\x80\x80\x80", false},
        {"\xfe", false},
        {"\xff", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        check_exact(rows[i].text, strlen(rows[i].text), rows[i].valid);
    check_exact("", 0, true);
    check_exact("a\0b", 3, true);
}

static bool is_surrogate(uint32_t point)
{
    return point >= 0xd800 && point <= 0xdfff;
}

static void test_every_code_point(void **state)
{
    for (uint32_t point = 0; point <= 0x110000; point++) {
        char text[4];
        uint32_t decoded = 0;
        size_t size = utf8_write(point, text);
        bool valid = point <= 0x10ffff && !is_surrogate(point);
        check((const unsigned char *)text, size, valid);
        assert_int_equal(stave__utf8_decode(text, size, &decoded), valid ? size : 0);
        assert_int_equal(decoded, valid ? point : 0);
    }
}

/* A sequence that the end cuts; bytes behind the end are not looked at. */
static void test_truncated(void **state)
{
    static const char *const texts[] = {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9d\x84\x9e"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        size_t size = strlen(texts[i]);
        for (size_t part = 1; part < size; part++) {
            uint32_t point = 0xabcd;
            check((const unsigned char *)texts[i], part, false);
            check_exact(texts[i], part, false);
            assert_int_equal(stave__utf8_decode(texts[i], part, &point), 0);
            assert_int_equal(point, 0xabcd);
        }
        check_exact(texts[i], size, true);
    }
}

/* Mostly whole sequences, now and then a byte that is anything. */
static size_t random_text(struct dice *dice, unsigned char *text, size_t limit)
{
    size_t size = 0;
    while (size + 4 <= limit) {
        if (dice_chance(dice, 60))
            text[size++] = (unsigned char)dice_next(dice);
        else
            size += utf8_write((uint32_t)dice_spread(dice, 21), (char *)text + size);
    }
    return dice_chance(dice, 100) ? dice_below(dice, size) : size;
}

static void test_random_texts(void **state)
{
    struct dice dice = {1};
    unsigned valid = 0;
    for (int i = 0; i < 1000000; i++) {
        unsigned char text[24];
        size_t size = random_text(&dice, text, 4 + dice_below(&dice, 21));
        bool expected = well_formed(text, size);
        check(text, size, expected);
        valid += expected;
    }
    assert_in_range(valid, 200000, 800000); /* else the texts say little */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_byte),
        cmocka_unit_test(test_two_bytes),
        cmocka_unit_test(test_edges_of_long_sequences),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_every_code_point),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_random_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "cli/magic.h"

#include <string.h>

#include "base/utf8.h"
#include "cli/head.h"

#define MAGIC_MAX 8 /* bytes of the longest */
#define UTF16_LOOK                                                                                 \
    32 /* bytes that tell it: too many for noise, fewer than the names of our columns */

static const unsigned char stave_magic[MAGIC_MAX] = "\x89STV\r\n\x1a\n";

/* The first block of a .stave file: there it begins, with these bytes and its version. */
static const char block_magic[] = "STVB\x01";
#define BLOCK_AT 16

struct magic {
    const char *bytes;
    size_t size;
    const char *what;
};

/* None of these begins a sound etrace frame. */
static const struct magic others[] = {
    {"\x1f\x8b\x08", 3, "is gzip data; unpack it first (gzip -dc FILE | stave decode -)"},
    {"\x28\xb5\x2f\xfd", 4, "is zstd data; unpack it first (zstd -dc FILE | stave decode -)"},
    {"\xfd\x37zXZ\x00", 6, "is xz data; unpack it first (xz -dc FILE | stave decode -)"},
    {"\x7f\x45LF", 4, "is an ELF file, a program, not what it recorded"},
};

/* Text in UTF-16, of either byte order: every second byte is NUL. Neither a NUL nor what stands before one
 * begins a sound etrace frame. */
static bool is_utf16(const unsigned char *head, size_t size)
{
    if (size < UTF16_LOOK)
        return false;
    size_t at = (head[0] ^ head[1]) == 1 && head[0] >= 0xfe ? 2 : 0; /* a byte order mark */
    size_t nul = head[at] == 0 ? 0 : 1;                              /* which byte of two */
    for (; at < UTF16_LOOK; at += 2)
        if (head[at + nul] != 0 || !cli_magic_is_text(head + at + 1 - nul, 1))
            return false;
    return true;
}

const char *cli_magic_of_others(const unsigned char *head, size_t size)
{
    if (is_utf16(head, size))
        return "is text in UTF-16; save it as UTF-8 (Excel: CSV UTF-8; PowerShell: -Encoding utf8)";
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (size >= others[i].size && memcmp(head, others[i].bytes, others[i].size) == 0)
            return others[i].what;
    return NULL;
}

bool cli_magic_is_text(const unsigned char *bytes, size_t size)
{
    uint32_t point;
    size_t step;
    for (size_t at = 0; at < size; at += step) {
        step = stave__utf8_decode((const char *)bytes + at, size - at, &point);
        if (step == 0)
            return at > 0 && size - at < 4; /* a sequence that the chunk cut */
        bool space = point == '\t' || point == '\n' || point == '\r' || point == '\f';
        if ((point < 0x20 && !space) || point == 0x7f)
            return false;
    }
    return true;
}

/* Of a text, the whole first row is needed. */
bool cli_magic_is_enough(const unsigned char *head, size_t size)
{
    return size >= MAGIC_MAX &&
           (cli_head_is_whole((const char *)head, size) || !cli_magic_is_text(head, size));
}

/* Also one whose first bytes are damaged. */
static bool is_stave(const unsigned char *head, size_t size)
{
    size_t block_size = sizeof block_magic - 1;
    return (size >= MAGIC_MAX && memcmp(head, stave_magic, MAGIC_MAX) == 0) ||
           (size >= BLOCK_AT + block_size && memcmp(head + BLOCK_AT, block_magic, block_size) == 0);
}

enum cli_input_kind cli_magic_kind(const unsigned char *head, size_t size)
{
    if (is_stave(head, size))
        return CLI_STAVE;
    return cli_head_is_ours((const char *)head, size) ? CLI_CSV : CLI_ETRACE;
}

/* store/crc32c.h - CRC-32C, the checksum of files (Castagnoli's polynomial, as in RFC 3720).
 *
 *     crc = stave__crc32c(0, bytes, size);              // of one piece
 *     crc = stave__crc32c(crc, more, more_size);        // and what follows it
 */
#ifndef STAVE_STORE_CRC32C_H
#define STAVE_STORE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t stave__crc32c(uint32_t crc, const void *bytes, size_t size);

#endif

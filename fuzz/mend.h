/* mend.h - changes to a .stave file that get past its checksums.
 *
 *     size = LLVMFuzzerMutate(data, size, max_size);
 *     mend(data, size);
 */
#ifndef MEND_H
#define MEND_H

#include <stddef.h>
#include <stdint.h>

/* Makes what stands there a file: its head, and the checksums of every block and of the foot. */
void mend(uint8_t *data, size_t size);

/* One thing is done to a block that `random` chooses: a field of its header set, the block doubled,
 * removed, or moved to the end. The new size. */
size_t mend_change_block(uint8_t *data, size_t size, size_t max_size, uint32_t random);

/* Puts an index that fits behind the blocks, in place of what stands there; as it was when there is no
 * room. The new size. */
size_t mend_index(uint8_t *data, size_t size, size_t max_size);

#endif

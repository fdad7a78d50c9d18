/* Frames go to the file virt.bin in the host's current directory. */
#include "out.h"

#include "stave_target.h"

static int32_t file;

void out_start(void)
{
    file = stave_target_semihosting_open("virt.bin");
}

size_t out_write(void *context, const uint8_t *bytes, size_t size)
{
    (void)context;
    return stave_target_semihosting_write(&file, bytes, size);
}

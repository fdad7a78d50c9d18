/* cli/magic.h - what an input is, told by its first bytes. */
#ifndef STAVE_CLI_MAGIC_H
#define STAVE_CLI_MAGIC_H

#include "cli/input.h"

/* Whether no more bytes are needed to tell. */
bool cli_magic_is_enough(const unsigned char *head, size_t size);

/* What is not one of the others is taken for a device's recording. */
enum cli_input_kind cli_magic_kind(const unsigned char *head, size_t size);

/* What it is, and what to do, if it is surely no recording; else NULL. */
const char *cli_magic_of_others(const unsigned char *head, size_t size);

/* UTF-8 without control characters; a sequence at the end may be cut. */
bool cli_magic_is_text(const unsigned char *bytes, size_t size);

#endif

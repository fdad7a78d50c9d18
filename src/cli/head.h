/* cli/head.h - the first row of a CSV: whether it names the columns of a trace, and if not, why.
 *
 * Empty rows before it, and a byte order mark, are passed over, as the reader does.  */
#ifndef STAVE_CLI_HEAD_H
#define STAVE_CLI_HEAD_H

#include <stdbool.h>
#include <stddef.h>

/* Whether no more bytes are needed to tell. */
bool cli_head_is_whole(const char *bytes, size_t size);

/* Whether the columns that a CSV of ours must have are named. */
bool cli_head_is_ours(const char *bytes, size_t size);

/* Why a text is no CSV of ours, and what to do. */
#define CLI_HEAD_REASON_MAX 256 /* bytes, the NUL included */
void cli_head_explain(const char *bytes, size_t size, char *reason);

#endif

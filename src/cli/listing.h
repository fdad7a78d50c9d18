/* cli/listing.h - what `stave ls` shows, as tables and as JSON. */
#ifndef STAVE_CLI_LISTING_H
#define STAVE_CLI_LISTING_H

#include "cli/contents.h"
#include "cli/input.h"

struct cli_listing {
    const struct cli_trace *trace;
    struct cli_contents contents;
    struct cli_lane_contents *lanes; /* of all */
    stave_trace_file file;
};

void cli_listing_print(const struct cli_listing *listing);
void cli_listing_json(const struct cli_listing *listing);

/* The name of a kind of lanes, and of inputs. */
const char *cli_lane_kind_text(uint32_t kind);
const char *cli_input_kind_text(const struct cli_trace *trace);

uint64_t cli_all_rows(const uint64_t rows[STAVE_ROW_KINDS]);

#endif

/* The diagram where it was not built in. */
#include "base/error.h"
#include "stave/export.h"

int stave_export_diagram_sized(const stave_diagram_source *sources, size_t source_size,
                               uint32_t count, const stave_diagram_config *config,
                               size_t config_size, stave_sink sink, stave_diagram_counts *counts,
                               size_t counts_size, stave_error *error)
{
    (void)sources, (void)source_size, (void)count, (void)config, (void)config_size;
    (void)sink, (void)counts, (void)counts_size;
    return stave__fail(error, STAVE_E_STATE, 0,
                       "timing diagrams were not built in: that takes zlib, Node.js and npm");
}

/* record/image_tables.h - the tables of a .stave file that is made of the recorder's memory: texts as they are met,
 * the process, the lanes, the clock.
 *
 *     uint32_t name = stave__image_name(image, id);         // the file's number of a recorder's name
 *     status = stave__image_texts(image);                   // writes those that are new: before the rows
 */
#ifndef STAVE_RECORD_IMAGE_TABLES_H
#define STAVE_RECORD_IMAGE_TABLES_H

#include "record/recorder.h"
#include "store/column.h"
#include "store/writer.h"

#define STAVE__IMAGE_BLOCK_SIZE ((size_t)8 * 1024 * 1024) /* room for any block that is written */

/* A column of rows, of lanes, of texts, or of open spans, which are the most. */
#define STAVE__IMAGE_VALUES ((size_t)STAVE_DEPTH_MAX)

struct stave__image_file {
    struct stave__writer writer;
    struct stave__moment now;
    uint8_t *block;       /* STAVE__IMAGE_BLOCK_SIZE */
    uint64_t *values;     /* STAVE__IMAGE_VALUES */
    uint32_t *strings;    /* by name: the file's number, 0: it is not in it yet */
    uint32_t strings_put; /* in the file */
    uint32_t strings_new; /* that wait */
    uint32_t lanes_put;
    bool process_put;
    char *texts;     /* of these, one behind another, */
    uint64_t *sizes; /* and how long each is */
    size_t texts_used;
    stave_error *error;
    int status; /* the first failure sticks */
};

int stave__image_file_open(struct stave__image_file *file, stave_sink sink, stave_error *error);
int stave__image_file_close(struct stave__image_file *file);

/* The file's number of a name, and of a text that is no name. */
uint32_t stave__image_name(struct stave__image_file *file, uint32_t name);
uint32_t stave__image_text(struct stave__image_file *file, const char *text, size_t size);
/* STAVE_FLAG_TRUNCATED for a name that was cut. */
uint16_t stave__image_doubt(uint32_t name);
void stave__image_texts(struct stave__image_file *file);

/* What is new: the process, the first `lanes` lanes, and as they are now the clock and what was counted. */
void stave__image_tables(struct stave__image_file *file, uint32_t lanes);

#endif

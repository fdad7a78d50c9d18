/* record/image_tables.h - the tables of a .stave file that is made of the recorder's memory: texts as they are met,
 * places, the process, the lanes, the clock.
 *
 *     uint32_t name = stave__image_name(image, id);         // the file's number of a recorder's name
 *     stave__image_texts(image);                            // writes those that are new: before the rows
 */
#ifndef STAVE_RECORD_IMAGE_TABLES_H
#define STAVE_RECORD_IMAGE_TABLES_H

#include "record/recorder.h"
#include "store/column.h"
#include "store/header.h"
#include "store/writer.h"

#define STAVE__IMAGE_BLOCK_SIZE ((size_t)8 * 1024 * 1024) /* room for any block that is written */

/* A column of rows, of lanes, of texts, or of open spans, which are the most. */
#define STAVE__IMAGE_VALUES ((size_t)STAVE_DEPTH_MAX)

/* A lane, as the file knows it: one for each life. */
struct stave__image_lane {
    uint32_t number;
    uint32_t name; /* the recorder's number */
    uint32_t life;
    bool put;
};

/* What a file has of rules: record/image_rules.h. */
struct stave__image_rules {
    uint32_t *ids;  /* by the number of an id: its text, 0: it is not in it yet; */
    uint32_t *rows; /* its rule's row plus 1 */
    uint32_t rows_put, dependencies_put, sessions_put, summaries_put;
    uint64_t news_put, words_put; /* of the recorder's lists */
    uint64_t session;             /* the only one that it tells of; 0: all */
};

struct stave__image_file {
    struct stave__writer writer;
    struct stave__moment now;
    uint8_t *block;       /* STAVE__IMAGE_BLOCK_SIZE */
    uint64_t *values;     /* STAVE__IMAGE_VALUES */
    uint32_t *strings;    /* by name: the file's number, 0: it is not in it yet */
    uint32_t *asides;     /* likewise of texts that are in it as a place's alone */
    uint32_t strings_put; /* in the file */
    uint32_t strings_new; /* that wait */
    bool *sites;          /* by the recorder's number: its place is in it */
    uint32_t sites_seen;  /* of the recorder, when they were last looked through */
    uint32_t places_put;
    bool has_new_names;              /* since then */
    struct stave__image_lane *lanes; /* by the recorder's number */
    uint32_t lanes_put;
    uint64_t *gone; /* lanes that are named alone: stave__image_lane_of() */
    struct stave__image_rules rules;
    bool process_put, boot_put;
    struct stave__moment anchor; /* the last that is in it, and its number */
    uint32_t anchor_index;
    double rate; /* from it on, as measured after so many ns: */
    int64_t rate_ns;
    char *texts;     /* of these, one behind another, */
    uint64_t *sizes; /* and how long each is */
    size_t texts_used;
    uint32_t number; /* of one recording's files, from 1; 0: it is no such file */
    bool is_full;    /* it ends before the recording does */
    bool is_finished;
    stave_error *error;
    int status; /* the first failure sticks */
};

int stave__image_file_open(struct stave__image_file *file, stave_sink sink, stave_error *error);
int stave__image_file_close(struct stave__image_file *file); /* and finishes it */

/* The index and the foot. */
int stave__image_file_finish(struct stave__image_file *file);
/* Another file to the same sink, of which nothing is told yet; what failed with the one before is over. */
int stave__image_file_next(struct stave__image_file *file);

/* The file's number of a name, and of a text that is no name. */
uint32_t stave__image_name(struct stave__image_file *file, uint32_t name);
uint32_t stave__image_text(struct stave__image_file *file, const char *text, size_t size);
/* STAVE_FLAG_TRUNCATED for a name that was cut. */
uint16_t stave__image_doubt(uint32_t name);
/* Writes what is new of them, and with the names the places that they are used at, as far as these are known. */
void stave__image_texts(struct stave__image_file *file);

/* What is new of the process and the first `lanes` lanes: those that are not in it, or have another name. */
void stave__image_lanes(struct stave__image_file *file, uint32_t lanes);

/* One that is in it, if it has another name by now. In front of its rows, once these have been looked for: a thread that
 * was named before it recorded them has the name in the file with them, wherever that ends. */
void stave__image_lane_name(struct stave__image_file *file, uint32_t lane);

/* The file's number of a lane by the owner of its chunks; one that is not in it is put there. */
uint32_t stave__image_lane_of(struct stave__image_file *file, uint32_t owner);

/* A block of a table, column by column: the values of each stand in file->values. */
struct stave__image_table {
    struct stave__image_file *file;
    struct stave__header header;
    uint8_t *at;
};

struct stave__image_table stave__image_table_begin(struct stave__image_file *file,
                                                   enum stave__table_kind kind, uint32_t first,
                                                   uint32_t rows);
void stave__image_table_column(struct stave__image_table *table, uint32_t number);
void stave__image_table_end(struct stave__image_table *table);

/* Takes this moment as `now`; what it tells of the clock: the first anchor when a file begins, its rate as it is known
 * better, and a further one every second. `last`: the rate so far, whatever time has passed. */
void stave__image_clock(struct stave__image_file *file, bool last);

/* As properties record.NAME; what was counted before is taken off. With them what a span costs, if that is known; of one
 * recording's files the number, and when it was full. Of a session's own file `rules.session`, its number. */
void stave__image_counts(struct stave__image_file *file, const stave_counts *counts,
                         const stave_counts *before);

#endif

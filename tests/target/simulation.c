#include "simulation.h"

#include <stdio.h>
#include <string.h>

struct link link_a, link_b;

static struct {
    bool made;
    char text[NAMES_MAX][12];
    uint8_t numbers[NAMES_MAX];
    struct stave_target_name all[NAMES_MAX];
} names;

static void make_names(void)
{
    for (uint32_t i = 0; i < NAMES_MAX; i++) {
        int size = snprintf(names.text[i], sizeof names.text[i], "name %u", (unsigned)i);
        names.all[i] = (struct stave_target_name){
            .text = names.text[i],
            .number = &names.numbers[i],
            .deadline_ms = (float)i / 4,
            .size = (uint8_t)size,
            .source = (uint8_t)(i % 3),
            .priority = (uint8_t)i,
            .has_deadline = i % 6 == 2,
        };
    }
    names.made = true;
}

const struct stave_target_name *name_of(uint32_t index)
{
    CHECK(names.made && index < NAMES_MAX);
    return &names.all[index];
}

void simulation_on(void)
{
    if (!names.made)
        make_names();
    memset(names.numbers, 0, sizeof names.numbers);
    board_reset();
    recorder_reset();
    model_reset();
    link_reset(&link_a);
    link_reset(&link_b);
}

int simulation_free(void **state)
{
    (void)state;
    link_free(&link_a);
    link_free(&link_b);
    model_free();
    host_forget();
    return 0;
}

void simulation_start(struct link *link, uint32_t hz, bool drop)
{
    const struct stave_target_config config = {
        .hz = hz, .write = link_write, .context = link, .drop = drop};
    do_start(&config);
}

bool simulation_end(struct link *link)
{
    link->room = LINK_ANY;
    link->at_a_time = LINK_ANY;
    for (uint32_t polls = 0; !do_poll(1); polls++)
        CHECK(polls < 1000);
    CHECK(!link_is_half(link));
    struct stave_target_counts counts = do_counts();
    CHECK_SAME(counts.waiting, 0);
    return host_check(link);
}

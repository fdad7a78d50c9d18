#include "unit/recording.h"

struct recorded seen;
stave_counts before;

int set_up(void **state)
{
    recorded_start(&(stave_config){0});
    before = recorded_counts();
    return 0;
}

int tear_down(void **state)
{
    recorded_free(&seen);
    seen = (struct recorded){0};
    return stave_current_span().slot == NULL ? 0 : -1;
}

void look(void)
{
    recorded_free(&seen);
    seen = recorded_now();
}

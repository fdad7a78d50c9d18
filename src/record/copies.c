#include "record/copies.h"

#include <string.h>

#include "base/error.h"
#include "base/os_objects.h"
#include "record/recorder.h"
#include "stave/rules.h"
#include "stave/traces.h"

#define OWNER "Stave"
#define TYPE 1

/* What copies, also of other versions, know of one another: where this is, and what it means. */
struct stave__copy {
    uint32_t records; /* it is the one; 0: not */
};

struct stave__copy stave__copy __attribute__((used));

/* An ELF note is found in every object, whatever it exports and whether it is stripped. It says how far
 * behind itself this object's stave__copy is. */
__asm__(".pushsection .note.stave, \"a\", %note\n"
        ".balign 4\n"
        ".long 6, 4, 1\n" /* bytes of OWNER, of the distance; TYPE */
        ".asciz \"Stave\"\n"
        ".balign 4\n"
        ".long stave__copy - .\n"
        ".popsection\n");

/* Of an archive a program has only the members that it needs, and a plugin that joins it would call its own
 * copy's for the rest, which do nothing by C2. So whoever has this has all: these stand for values.c, traces_list.c and
 * rules_probe.c, which no other file needs. */
static void (*const all[])(void) __attribute__((used)) = {
    (void (*)(void))stave_name_intern,
    (void (*)(void))stave_traces_close,
    (void (*)(void))stave_rule_here,
};

static bool refused;

struct search {
    bool all; /* also such as do not record */
    int status;
    stave_error *error;
};

static void look(void *context, const void *description, size_t size, const char *path)
{
    struct search *search = context;
    int32_t distance;
    if (size != sizeof distance)
        return;
    memcpy(&distance, description, sizeof distance);
    const void *place = (const char *)description + distance;
    const struct stave__copy *copy = place;
    if (copy == &stave__copy)
        return;
    if (search->all || __atomic_load_n(&copy->records, __ATOMIC_SEQ_CST) != 0)
        search->status = stave__fail(search->error, STAVE_E_STATE, 0,
                                     "another copy of libstave is in this process: link the "
                                     "program and all plugins with the shared one; it is in %s",
                                     path);
}

/* Whether probes beside this copy have its variables, and so, but for the most peculiar lists of symbols,
 * its functions. Compilers take it for granted: volatile. */
static bool is_whole(void)
{
    const void *volatile exported = &stave__self;
    const void *volatile own = &stave__own;
    return exported == own;
}

/* First told, then looked: of two that do so at the same moment at least one finds the other. */
int stave__copies_claim(stave_error *error)
{
    struct search search = {.all = !is_whole(), .error = error};
    if (stave__copy.records)
        return STAVE_OK;
    __atomic_store_n(&stave__copy.records, 1, __ATOMIC_SEQ_CST);
    stave__os_visit_notes(OWNER, TYPE, look, &search);
    if (search.status < 0) {
        stave__copies_give_up();
        __atomic_store_n(&refused, true, __ATOMIC_RELAXED);
    }
    return search.status;
}

void stave__copies_give_up(void)
{
    __atomic_store_n(&stave__copy.records, 0, __ATOMIC_SEQ_CST);
}

bool stave__copies_refused(void)
{
    return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}

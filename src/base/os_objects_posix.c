#define _GNU_SOURCE /* dl_iterate_phdr, RTLD_NOLOAD, RTLD_NODELETE, program_invocation_name */
#include "base/os_objects.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

/* ---- notes ----------------------------------------------------------------------------------- */

struct wanted {
    const char *owner;
    uint32_t type;
    stave__os_note_visit *visit;
    void *context;
};

static size_t round_up(size_t size, size_t align)
{
    return (size + align - 1) & ~(align - 1);
}

/* Those of a segment: each a head, the owner with its NUL, the description. */
static void visit_segment(const struct wanted *wanted, const char *at, size_t left, size_t align,
                          const char *path)
{
    ElfW(Nhdr) head;
    while (left >= sizeof head) {
        memcpy(&head, at, sizeof head);
        size_t description = round_up(sizeof head + head.n_namesz, align);
        size_t size = round_up(description + head.n_descsz, align);
        if (description + head.n_descsz > left)
            return;
        if (head.n_type == wanted->type && head.n_namesz == strlen(wanted->owner) + 1 &&
            memcmp(at + sizeof head, wanted->owner, head.n_namesz) == 0)
            wanted->visit(wanted->context, at + description, head.n_descsz, path);
        if (size >= left)
            return;
        at += size;
        left -= size;
    }
}

static int visit_object(struct dl_phdr_info *object, size_t size, void *context)
{
    const char *path = object->dlpi_name;
    (void)size;
    if (path == NULL || path[0] == '\0')
        path = program_invocation_name;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const ElfW(Addr) address = object->dlpi_addr + segment->p_vaddr;
        const char *at;
        memcpy(&at, &address, sizeof at);
        if (segment->p_type == PT_NOTE)
            visit_segment(context, at, segment->p_memsz, segment->p_align == 8 ? 8 : 4, path);
    }
    return 0;
}

void stave__os_visit_notes(const char *owner, uint32_t type, stave__os_note_visit *visit,
                           void *context)
{
    struct wanted wanted = {owner, type, visit, context};
    dl_iterate_phdr(visit_object, &wanted);
}

/* ---- staying --------------------------------------------------------------------------------- */

struct place {
    uintptr_t at;
    const char *path; /* of the object that it is in; NULL: not found */
};

static int find_object(struct dl_phdr_info *object, size_t size, void *context)
{
    struct place *place = context;
    (void)size;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD &&
            place->at - (object->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
            place->path = object->dlpi_name;
    }
    return place->path != NULL;
}

/* A name that is loaded is found by its text, whatever that file is now. The program has none. */
void stave__os_stay_loaded(const void *place)
{
    struct place wanted = {.at = (uintptr_t)place};
    dl_iterate_phdr(find_object, &wanted);
    if (wanted.path != NULL && wanted.path[0] != '\0')
        dlopen(wanted.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

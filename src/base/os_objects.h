/* base/os_objects.h - what a process consists of: the program and the shared objects in it. With os.h, all that
 * differs between systems. */
#ifndef STAVE_BASE_OS_OBJECTS_H
#define STAVE_BASE_OS_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

/* Looks at the description of a note; `path` is that of the object that the note is in. */
typedef void stave__os_note_visit(void *context, const void *description, size_t size,
                                  const char *path);

/* Visits the ELF notes of this owner and type in all objects of the process. Nothing is loaded or unloaded
 * meanwhile. */
void stave__os_visit_notes(const char *owner, uint32_t type, stave__os_note_visit *visit,
                           void *context);

/* The object that a place of the caller's is in stays in memory, whatever dlclose() says. Not under a lock that
 * a constructor may wait for: dlopen() holds the dynamic linker's own while it runs these. */
void stave__os_stay_loaded(const void *place);

#endif

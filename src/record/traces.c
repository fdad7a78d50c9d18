#include "record/traces.h"

#include <string.h>

#include "base/error.h"
#include "base/os_process.h"
#include "record/record.h"
#include "record/stack.h"

struct stave__traces stave__traces;

#define ENTRIES_MAX                                                                                \
    ((uint32_t)STAVE__KEPT_LISTS * STAVE_KEEP_MAX + STAVE__COMMANDS * STAVE_SLOWEST_MAX + 4096)
#define ENTRY_BITS 20
#define ENTRY_MASK (((uint64_t)1 << ENTRY_BITS) - 1)

_Static_assert(ENTRIES_MAX < ENTRY_MASK, "a word has room for the number of an entry, plus 1");

/* ---- memory: address space until it is used -------------------------------------------------- */

void stave__traces_close(void)
{
    struct stave__traces *traces = &stave__traces;
    stave__os_unmap(traces->entries, ENTRIES_MAX * sizeof *traces->entries);
    stave__os_unmap(traces->commands, STAVE__COMMANDS * sizeof *traces->commands);
    for (uint32_t i = 0; i < STAVE__KEPT_LISTS; i++)
        stave__os_unmap(traces->lists[i].words, STAVE_KEEP_MAX * sizeof(uint64_t));
    *traces = (struct stave__traces){0};
}

int stave__traces_open(stave_error *error)
{
    struct stave__traces *traces = &stave__traces;
    bool all = true;
    *traces = (struct stave__traces){
        .entries = stave__os_reserve(ENTRIES_MAX * sizeof *traces->entries),
        .commands = stave__os_reserve(STAVE__COMMANDS * sizeof *traces->commands),
    };
    for (uint32_t i = 0; i < STAVE__KEPT_LISTS; i++) {
        traces->lists[i].words = stave__os_reserve(STAVE_KEEP_MAX * sizeof(uint64_t));
        all = all && traces->lists[i].words != NULL;
    }
    if (all && traces->entries != NULL && traces->commands != NULL)
        return STAVE_OK;
    stave__traces_close();
    return stave__fail_memory(error);
}

/* ---- entries --------------------------------------------------------------------------------- */

/* One that nobody has. NULL: there is no room. */
static struct stave__kept *take_entry(void)
{
    struct stave__traces *traces = &stave__traces;
    uint64_t seen;
    while ((seen = stave__stack_top(&traces->entries_free)) != 0) {
        struct stave__kept *kept = &traces->entries[stave__stack_number(seen)];
        if (stave__stack_pop(&traces->entries_free, seen, &kept->next_free))
            return kept;
    }
    uint32_t number = __atomic_fetch_add(&traces->entries_used, 1, __ATOMIC_RELAXED);
    if (number < ENTRIES_MAX)
        return &traces->entries[number];
    __atomic_fetch_sub(&traces->entries_used, 1, __ATOMIC_RELAXED);
    return NULL;
}

struct stave__position stave__position_before(struct stave__position at)
{
    const struct stave__chunk *chunk = stave__pool_at(&stave__recorder.pool, at.chunk);
    return (struct stave__position){
        .taken = __atomic_load_n(&chunk->before_taken, __ATOMIC_RELAXED),
        .chunk = __atomic_load_n(&chunk->before, __ATOMIC_RELAXED),
    };
}

/* From its last chunk back to what stands before `end`, which is not. */
static void unpin(const struct stave__kept *kept, uint64_t end_taken)
{
    struct stave__position at = kept->root.to;
    while (at.taken > end_taken) {
        struct stave__position next = stave__position_before(at);
        stave__pool_unpin(&stave__recorder.pool, at.chunk);
        at = next;
    }
}

/* T4. All of its chunks, or none: also where the chain of them breaks before the first one. */
static bool pin(struct stave__kept *kept)
{
    uint64_t first = kept->root.from.taken;
    struct stave__position at = kept->root.to;
    while (at.taken >= first && stave__pool_pin(&stave__recorder.pool, at.chunk, at.taken)) {
        if (at.taken == first)
            return true;
        at = stave__position_before(at);
    }
    unpin(kept, at.taken);
    return false;
}

/* Once: by the thread that makes the entry, or by a trigger. */
static bool hold(struct stave__kept *kept)
{
    uint32_t expected = STAVE__NOT_HELD;
    if (!__atomic_compare_exchange_n(&kept->held, &expected, STAVE__BEING_HELD, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return expected == STAVE__HELD;
    bool pinned = pin(kept);
    if (!pinned)
        __atomic_fetch_add(&stave__traces.unheld, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&kept->held, pinned ? STAVE__HELD : STAVE__NOT_HELD, __ATOMIC_RELEASE);
    return pinned;
}

/* T1 */
void stave__kept_release(struct stave__kept *kept)
{
    if (__atomic_sub_fetch(&kept->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    if (kept->held == STAVE__HELD)
        unpin(kept, kept->root.from.taken - 1);
    stave__stack_push(&stave__traces.entries_free, &kept->next_free,
                      (uint32_t)(kept - stave__traces.entries));
}

static struct stave__kept *entry_of(uint64_t word)
{
    return &stave__traces.entries[(word & ENTRY_MASK) - 1];
}

static uint64_t word_of(const struct stave__kept *kept, uint64_t above)
{
    return above << ENTRY_BITS | (uint64_t)(kept - stave__traces.entries + 1);
}

static bool refer(struct stave__kept *kept)
{
    uint64_t refs = __atomic_load_n(&kept->refs, __ATOMIC_RELAXED);
    while (refs != 0)
        if (__atomic_compare_exchange_n(&kept->refs, &refs, refs + 1, true, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return true;
    return false;
}

struct stave__kept *stave__kept_get(const uint64_t *place, uint64_t word)
{
    struct stave__kept *kept = word != 0 ? entry_of(word) : NULL;
    if (kept == NULL || !refer(kept))
        return NULL;
    if (__atomic_load_n(place, __ATOMIC_ACQUIRE) == word)
        return kept;
    stave__kept_release(kept);
    return NULL;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static uint64_t above(uint64_t word)
{
    return word >> ENTRY_BITS;
}

/* What is in each list is kept for that. */
static const uint32_t reasons[STAVE__KEPT_LISTS] = {
    [STAVE__NEWEST] = STAVE_KEPT_NEWEST,
    [STAVE__FAILED] = STAVE_KEPT_FAILED,
    [STAVE__TRIGGERED] = STAVE_KEPT_TRIGGERED,
};

/* The word is in a list no more, which had a reference. */
static void take_out(uint64_t word, uint32_t reason)
{
    if (word == 0)
        return;
    struct stave__kept *kept = entry_of(word);
    __atomic_fetch_and(&kept->why, ~reason, __ATOMIC_RELAXED);
    stave__kept_release(kept);
}

/* Whether its records had not been given up before. */
static bool is_there(uint64_t word)
{
    return word != 0 &&
           stave__pool_drop_root(&stave__recorder.pool, entry_of(word)->root.from.chunk,
                                 entry_of(word)->root.from.taken);
}

/* Of two that come to the same place at once the newer one stays. */
static void put(uint32_t list, struct stave__kept *kept)
{
    struct stave__kept_list *to = &stave__traces.lists[list];
    uint64_t ticket = __atomic_fetch_add(&to->head, 1, __ATOMIC_ACQ_REL);
    uint64_t *place = &to->words[ticket % stave__traces.keep];
    uint64_t own = word_of(kept, kept->root.number), old = __atomic_load_n(place, __ATOMIC_RELAXED);
    __atomic_fetch_add(&kept->refs, 1, __ATOMIC_RELAXED);
    while (above(old) < kept->root.number &&
           !__atomic_compare_exchange_n(place, &old, own, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        ;
    uint64_t out = above(old) < kept->root.number ? old : own;
    if (list == STAVE__NEWEST && is_there(out))
        __atomic_fetch_add(&stave__traces.out, 1, __ATOMIC_RELAXED);
    take_out(out, reasons[list]);
}

/* Where among the slowest of a command one of this length would stand; NULL: nowhere. */
static uint64_t *slower_than(struct stave__command *command, uint64_t length, uint64_t *word)
{
    uint64_t *least = NULL;
    for (uint32_t i = 0; i < stave__traces.slowest; i++) {
        uint64_t now = __atomic_load_n(&command->slowest[i], __ATOMIC_RELAXED);
        if (least == NULL || above(now) < above(*word)) {
            least = &command->slowest[i];
            *word = now;
        }
    }
    return least != NULL && (*word == 0 || above(*word) < length) ? least : NULL;
}

static uint64_t length_of(const struct stave__ended_root *root)
{
    uint64_t length = root->end - root->start;
    return length < UINT64_MAX >> ENTRY_BITS ? length : UINT64_MAX >> ENTRY_BITS;
}

/* If it is not slower than all by now it is not kept for that. */
static void put_slowest(struct stave__command *command, struct stave__kept *kept)
{
    uint64_t length = length_of(&kept->root), word = 0, *place;
    __atomic_fetch_add(&kept->refs, 1, __ATOMIC_RELAXED);
    while ((place = slower_than(command, length, &word)) != NULL)
        if (__atomic_compare_exchange_n(place, &word, word_of(kept, length), false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            take_out(word, STAVE_KEPT_SLOWEST);
            return;
        }
    take_out(word_of(kept, 0), STAVE_KEPT_SLOWEST);
}

static void clear_words(uint64_t *words, uint64_t count, uint32_t reason)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t word = __atomic_exchange_n(&words[i], 0, __ATOMIC_ACQ_REL);
        if (reason == STAVE_KEPT_NEWEST)
            is_there(word); /* so that it is not counted when its records are given up */
        take_out(word, reason);
    }
}

void stave__traces_clear(void)
{
    struct stave__traces *traces = &stave__traces;
    for (uint32_t i = 0; i < STAVE__KEPT_LISTS; i++)
        clear_words(traces->lists[i].words, traces->keep, reasons[i]);
    for (uint32_t i = 0; i < STAVE__COMMANDS; i++)
        clear_words(traces->commands[i].slowest, STAVE_SLOWEST_MAX, STAVE_KEPT_SLOWEST);
}

/* ---- commands -------------------------------------------------------------------------------- */

/* By its text: a name has a number for each place in the code. */
struct stave__command *stave__command_of(uint32_t name)
{
    struct stave__traces *traces = &stave__traces;
    const struct stave__dictionary *names = &stave__recorder.names;
    uint32_t hash = stave__dictionary_hash(names, name);
    for (uint32_t i = 0; i < STAVE__COMMANDS; i++) {
        struct stave__command *command = &traces->commands[(hash + i) % STAVE__COMMANDS];
        uint32_t found = __atomic_load_n(&command->name, __ATOMIC_RELAXED);
        if (found == 0) {
            if (__atomic_load_n(&traces->commands_used, __ATOMIC_RELAXED) >= STAVE_COMMANDS_MAX)
                return NULL;
            if (__atomic_compare_exchange_n(&command->name, &found, name, false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED)) {
                __atomic_fetch_add(&traces->commands_used, 1, __ATOMIC_RELAXED);
                return command;
            }
        }
        if (stave__dictionary_alike(names, found, name))
            return command;
    }
    return NULL;
}

bool stave__trace_is_wanted(uint32_t name)
{
    uint32_t one_in = __atomic_load_n(&stave__traces.one_in, __ATOMIC_RELAXED);
    if (one_in <= 1 && __atomic_load_n(&stave__traces.commands_limited, __ATOMIC_RELAXED) == 0)
        return true;
    struct stave__command *command = stave__command_of(name);
    if (command == NULL)
        return true;
    uint32_t own = __atomic_load_n(&command->one_in, __ATOMIC_RELAXED);
    one_in = own != 0 ? own : one_in;
    return one_in <= 1 || __atomic_fetch_add(&command->roots, 1, __ATOMIC_RELAXED) % one_in == 0;
}

/* ---- roots ----------------------------------------------------------------------------------- */

static struct stave__position position(const struct stave__lane *lane)
{
    if (lane->chunk == STAVE__NO_CHUNK)
        return (struct stave__position){0};
    const struct stave__chunk *chunk = stave__pool_at(&stave__recorder.pool, lane->chunk);
    return (struct stave__position){.taken = chunk->taken,
                                    .chunk = lane->chunk,
                                    .at = (uint32_t)(lane->thread.next - chunk->records)};
}

/* It begins where its first record will stand. */
void stave__trace_begin(struct stave__lane *lane, struct stave__open *slot)
{
    stave__lane_room(lane, 1);
    lane->root = (struct stave__root){
        .slot = slot, .from = position(lane), .dropped = lane->counts.dropped_full};
}

static uint32_t reasons_of(const struct stave__ended_root *root, struct stave__command *command,
                           uint64_t what)
{
    const struct stave__traces *traces = &stave__traces;
    uint64_t word = 0;
    uint32_t why = 0;
    if (root->end - root->start >= __atomic_load_n(&traces->longer_than, __ATOMIC_RELAXED))
        why |= STAVE_KEPT_NEWEST;
    if ((stave__what_flags(what) & STAVE_FLAG_FAILED) != 0)
        why |= STAVE_KEPT_FAILED;
    if (root->end < __atomic_load_n(&traces->trigger_until, __ATOMIC_RELAXED))
        why |= STAVE_KEPT_TRIGGERED;
    if (command != NULL && slower_than(command, length_of(root), &word) != NULL)
        why |= STAVE_KEPT_SLOWEST;
    return why;
}

/* T4. What cannot be held is among the newest alone. */
static void put_in_lists(struct stave__kept *kept, uint32_t why, struct stave__command *command)
{
    bool filtered = __atomic_load_n(&stave__traces.longer_than, __ATOMIC_RELAXED) != 0;
    if (((why & ~(uint32_t)STAVE_KEPT_NEWEST) != 0 || filtered) && !hold(kept))
        why &= STAVE_KEPT_NEWEST;
    STAVE__STORE(kept->why, why);
    if ((why & STAVE_KEPT_NEWEST) != 0) {
        stave__pool_add_root(&stave__recorder.pool, kept->root.from.chunk, kept->root.from.taken);
        put(STAVE__NEWEST, kept);
    }
    if ((why & STAVE_KEPT_FAILED) != 0)
        put(STAVE__FAILED, kept);
    if ((why & STAVE_KEPT_TRIGGERED) != 0)
        put(STAVE__TRIGGERED, kept);
    if ((why & STAVE_KEPT_SLOWEST) != 0)
        put_slowest(command, kept);
}

static void keep(const struct stave__ended_root *root, uint32_t why, struct stave__command *command)
{
    struct stave__kept *kept = take_entry();
    if (kept == NULL) {
        __atomic_fetch_add(&stave__traces.unheld, 1, __ATOMIC_RELAXED);
        return;
    }
    kept->root = *root;
    kept->root.number = __atomic_add_fetch(&stave__traces.numbers, 1, __ATOMIC_RELAXED);
    STAVE__STORE(kept->held, STAVE__NOT_HELD);
    STAVE__PUBLISH(kept->refs, 1);
    put_in_lists(kept, why, command);
    stave__kept_release(kept);
}

void stave__trace_end(struct stave__lane *lane, const struct stave__record *record)
{
    struct stave__ended_root root = {
        .serial = record->serial,
        .start = record->start,
        .end = record->end,
        .from = lane->root.from,
        .to = position(lane),
        .name = stave__what_name(record->what),
        .thread = lane->name,
        .is_cut = lane->counts.dropped_full != lane->root.dropped,
    };
    stave__count(&lane->counts.roots, 1);
    if (root.from.taken == 0 || root.serial <= lane->before)
        return;
    struct stave__command *command = stave__command_of(root.name);
    uint32_t why = reasons_of(&root, command, record->what);
    if (why != 0)
        keep(&root, why, command);
}

/* ---- a change of what is kept ---------------------------------------------------------------- */

void stave__traces_trim(uint32_t slowest)
{
    for (uint32_t i = 0; i < STAVE__COMMANDS; i++)
        clear_words(stave__traces.commands[i].slowest + slowest, STAVE_SLOWEST_MAX - slowest,
                    STAVE_KEPT_SLOWEST);
}

static void keep_if_recent(const uint64_t *place, uint64_t since)
{
    struct stave__kept *kept = stave__kept_get(place, __atomic_load_n(place, __ATOMIC_ACQUIRE));
    if (kept == NULL)
        return;
    uint32_t why = __atomic_load_n(&kept->why, __ATOMIC_RELAXED);
    if (kept->root.end >= since && (why & STAVE_KEPT_TRIGGERED) == 0 && hold(kept)) {
        __atomic_fetch_or(&kept->why, STAVE_KEPT_TRIGGERED, __ATOMIC_RELAXED);
        put(STAVE__TRIGGERED, kept);
    }
    stave__kept_release(kept);
}

void stave__traces_hold_since(uint64_t tick)
{
    for (uint32_t i = 0; i < stave__traces.keep; i++)
        keep_if_recent(&stave__traces.lists[STAVE__NEWEST].words[i], tick);
}

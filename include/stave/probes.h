/* stave/probes.h - the probes of stave/stave.h, which includes this file; include that one.
 *
 *     STAVE_TRACE("name", kv...);             a root; inside another root its child
 *     STAVE_TRACE_SPAN(variable, "name", kv...);   a root with a name in the code
 *     STAVE_SCOPE("name", kv...);             a span
 *     STAVE_SPAN(variable, "name", kv...);    a span with a name in the code: a const stave_span
 *     STAVE_SCOPE_NAMED(id, kv...);           a span with a name of stave_name_intern()
 *     STAVE_FUNCTION(argument...);            a span called __func__; up to 16 arguments, by name and value
 *     STAVE_CUMULATIVE("name");               one entry for many short spans
 *     STAVE_CUMULATIVE_FUNCTION();            the same, called __func__
 *
 *     STAVE_MARK("name", kv...);              a moment
 *     STAVE_COUNTER("name", number);          from here on this value
 *     STAVE_SET(span, "key", value);          an attribute of a span that is open
 *
 * kv...      any number of STAVE_KV("key", value), in a root also STAVE_ID(value), its attribute "id".
 * Values     Numbers of up to 64 bits, bool, enums, bit-fields, pointers, and text (char *), also volatile
 *            ones. docs/recording.md says what is refused, and why.
 * Cost       Off: one load, one branch that is predicted. On: no call, but for text, for the first time at
 *            each place and, of cumulative ones, in each span, for cumulative ones in each other, for
 *            STAVE_TRACE, STAVE_MARK and STAVE_COUNTER.  */
#ifndef STAVE_PROBES_H
#define STAVE_PROBES_H

#ifndef STAVE_STAVE_H
#error "include stave/stave.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what the recorder has for probes -------------------------------------------------------- */

/* How the bits of a value are to be read. */
enum { STAVE__U64, STAVE__I64, STAVE__F64, STAVE__BOOL, STAVE__TEXT };

struct stave__value {
    uint64_t bits; /* of an integer, a double, or a pointer to text */
    uint32_t type;
};

STAVE_API stave_span stave__begin_trace(stave_site *site);
STAVE_API stave_span stave__begin_cumulative_slowly(stave_site *site);
STAVE_API void stave__counter(stave_site *site, struct stave__value value);

/* What it returns takes attributes until stave__mark_end(): its slot is none of the stack's, so that
 * stave__set() leaves them to stave__set_slowly(). */
STAVE_API stave_span stave__mark(stave_site *site);
STAVE_API void stave__mark_end(stave_span mark);

/* All that stave__set() does not do itself: text, a key that is new, no room, a span that is not open. */
STAVE_API void stave__set_slowly(stave_span span, stave_site *key, struct stave__value value);

static inline stave_span stave__none(void)
{
    stave_span none;
    none.slot = NULL;
    none.serial = 0;
    return none;
}

/* What the cleanup attribute calls, also when an exception leaves the block. Asked before anything is loaded:
 * off, compilers make of a small block a copy that ends without a question. */
STAVE__INLINE void stave__close(const stave_span *span)
{
    if (span->slot != NULL)
        stave__end(*span);
}

/* A root's: by a call, as it is kept or not. */
STAVE__INLINE void stave__close_trace(const stave_span *span)
{
    if (span->slot != NULL)
        stave__end_slowly(*span, stave__now());
}

/* Directly in a span that has met the name already. In another cumulative span there is no room by R4 of
 * record/recorder.h, and none for others in this one. */
STAVE__INLINE stave_span stave__begin_cumulative(stave_site *site)
{
    struct stave__thread *self = stave__self;
    struct stave__open *slot = self->top;
    struct stave__sums *sums = slot[-1].sums;
    uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
    stave_span span;
    while (sums != NULL && sums->name != id)
        sums = sums->next;
    if (STAVE__UNLIKELY(slot == self->limit || sums == NULL))
        return stave__begin_cumulative_slowly(site);
    span.slot = slot;
    span.serial = self->serial + 1;
    STAVE__STORE(slot->serial, span.serial);
    stave__order_stores();
    STAVE__STORE(self->serial, span.serial);
    STAVE__STORE(slot->what, id | (uint64_t)(slot - self->base) << STAVE__DEPTH_SHIFT |
                                 STAVE__IS_SUM | STAVE__IS_QUICK_SUM);
    slot->sums = sums;
    self->limit = slot + 1;
    STAVE__STORE(slot->start, stave__now());
    STAVE__PUBLISH(self->top, slot + 1);
    return span;
}

STAVE__INLINE void stave__sums_add(struct stave__sums *sums, uint64_t start, uint64_t end)
{
    uint64_t length = end - start;
    if (sums->count++ == 0)
        sums->first = start;
    sums->last = end;
    sums->total += length;
    sums->least = length < sums->least ? length : sums->least;
    sums->most = length > sums->most ? length : sums->most;
}

STAVE__INLINE void stave__close_cumulative(const stave_span *span)
{
    struct stave__thread *self = stave__self;
    struct stave__open *slot = span->slot;
    uint64_t end;
    if (slot == NULL)
        return;
    end = stave__now();
    if (STAVE__UNLIKELY(slot + 1 != self->top || slot->serial != span->serial ||
                        (slot->what & STAVE__IS_QUICK_SUM) == 0 || end < slot->start)) {
        stave__end_slowly(*span, end);
        return;
    }
    stave__sums_add(slot->sums, slot->start, end);
    slot->sums = NULL; /* as a free slot has it */
    self->limit = self->base + STAVE_DEPTH_MAX;
    STAVE__PUBLISH(self->top, slot);
}

/* An attribute's record: start: the bits; serial: the span's; what: the key, the type as flags. */
STAVE__INLINE void stave__set(stave_span span, stave_site *key, struct stave__value value)
{
    struct stave__thread *self = stave__self;
    struct stave__record *record;
    uint64_t flags = value.type == STAVE__I64    ? STAVE__IS_SIGNED
                     : value.type == STAVE__F64  ? STAVE__IS_REAL
                     : value.type == STAVE__BOOL ? STAVE__IS_BOOL
                                                 : 0;
    uint32_t id;
    if (span.slot == NULL)
        return;
    record = self->next;
    id = __atomic_load_n(&key->id, __ATOMIC_RELAXED);
    /* A slot of another thread must not be looked into. */
    if (value.type == STAVE__TEXT ||
        STAVE__UNLIKELY(span.slot < self->base || span.slot >= self->top ||
                        span.slot->serial != span.serial ||
                        (span.slot->what & STAVE__IS_SUM) != 0 || record == self->end ||
                        id - 1 >= STAVE__NO_ID - 1)) {
        stave__set_slowly(span, key, value);
        return;
    }
    STAVE__STORE(record->start, value.bits);
    STAVE__STORE(record->end, 0);
    STAVE__STORE(record->serial, span.serial);
    STAVE__STORE(record->what,
                 id | (uint64_t)STAVE__ATTRIBUTE << STAVE__DEPTH_SHIFT | flags | STAVE__NOT_SPAN);
    STAVE__PUBLISH(self->next, record + 1);
}

/* ---- values ---------------------------------------------------------------------------------- */

STAVE__INLINE struct stave__value stave__bits(uint32_t type, uint64_t bits)
{
    struct stave__value value;
    value.bits = bits;
    value.type = type;
    return value;
}

static inline struct stave__value stave__i64(int64_t number)
{
    return stave__bits(STAVE__I64, (uint64_t)number);
}

static inline struct stave__value stave__u64(uint64_t number)
{
    return stave__bits(STAVE__U64, number);
}

static inline struct stave__value stave__f64(double number)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    return stave__bits(STAVE__F64, bits);
}

/* Not left to the caller's conversion, of which -Wdouble-promotion would warn. */
static inline struct stave__value stave__f32(float number)
{
    return stave__f64((double)number);
}

static inline struct stave__value stave__bool(bool value)
{
    return stave__bits(STAVE__BOOL, value);
}

static inline struct stave__value stave__text(const char *text)
{
    return stave__bits(STAVE__TEXT, (uint64_t)(uintptr_t)text);
}

static inline struct stave__value stave__pointer(const volatile void *pointer)
{
    return stave__bits(STAVE__U64, (uint64_t)(uintptr_t)pointer);
}

#ifdef __cplusplus
}

#include <type_traits>
#endif

#define STAVE__REFUSAL "a probe takes numbers of up to 64 bits, bool, enums, pointers and text"

/* STAVE__VALUE(x, said): the struct stave__value of any x that a probe takes, which stands there as the text `said`;
 * x is evaluated once.
 *
 * In C, `1 ? (x) : 0LL` makes arrays and functions pointers and drops qualifiers; it turns every integer,
 * bit-field and enum into a long long or an unsigned long long (gcc gives wide bit-fields types of their
 * own), and is an error for structs. A bool is one no longer then, so x itself is asked for that; the comma
 * makes of a bit-field something that __typeof__ takes. `true` and `false` are ints before C23: they are told by
 * their text. */
#ifndef __cplusplus
/* clang-format off */
#define STAVE__VALUE(x, said)                                                                      \
    __extension__({                                                                                \
        __auto_type stave__x = 1 ? (x) : 0LL;                                                      \
        _Static_assert(sizeof(__typeof__(stave__x)) <= sizeof(uint64_t), STAVE__REFUSAL);          \
        __builtin_choose_expr(                                                                     \
            __builtin_types_compatible_p(__typeof__((void)0, (x)), bool) ||                        \
                __builtin_strcmp(said, "true") == 0 || __builtin_strcmp(said, "false") == 0,       \
            stave__bool,                                                                           \
            _Generic(stave__x,                                                                     \
                     long long: stave__i64,                                                        \
                     unsigned long long: stave__u64,                                               \
                     float: stave__f32,                                                            \
                     double: stave__f64,                                                           \
                     char *: stave__text,                                                          \
                     const char *: stave__text,                                                    \
                     default: stave__pointer))(stave__x);                                          \
    })
/* clang-format on */
#else
#define STAVE__VALUE(x, said) stave__value_as_is(x)

#define STAVE__VALUES_OF(type, make)                                                               \
    static inline stave__value stave__value_of(type x)                                             \
    {                                                                                              \
        return make(x);                                                                            \
    }
STAVE__VALUES_OF(bool, stave__bool)
STAVE__VALUES_OF(int, stave__i64)
STAVE__VALUES_OF(long, stave__i64)
STAVE__VALUES_OF(long long, stave__i64)
STAVE__VALUES_OF(unsigned, stave__u64)
STAVE__VALUES_OF(unsigned long, stave__u64)
STAVE__VALUES_OF(unsigned long long, stave__u64)
STAVE__VALUES_OF(float, stave__f32)
STAVE__VALUES_OF(double, stave__f64)
STAVE__VALUES_OF(char *, stave__text)
STAVE__VALUES_OF(const char *, stave__text)
STAVE__VALUES_OF(decltype(nullptr), stave__pointer)
#undef STAVE__VALUES_OF

/* Pointers, also to functions and to what is volatile. */
template <typename T> static inline stave__value stave__value_of(T *x)
{
    return stave__u64(reinterpret_cast<uintptr_t>(x));
}

template <typename T>
static inline typename std::enable_if<std::is_enum<T>::value, stave__value>::type
stave__value_of(T x)
{
    return stave__value_of(static_cast<typename std::underlying_type<T>::type>(x));
}

/* Without it, what can be made a bool in some way would be one. */
template <typename T>
static inline
    typename std::enable_if<!std::is_scalar<T>::value || std::is_member_pointer<T>::value ||
                                std::is_same<T, long double>::value,
                            stave__value>::type
    stave__value_of(const T &)
{
    static_assert(sizeof(T) == 0, STAVE__REFUSAL);
    return stave__bits(STAVE__U64, 0);
}

/* Of a NULL that is passed for a number g++ warns; for a T it does not. */
template <typename T> static inline stave__value stave__value_as_is(T x)
{
    return stave__value_of(x);
}
#endif

/* ---- lists of arguments ---------------------------------------------------------------------- */

#define STAVE__JOIN(a, b) STAVE__JOIN_(a, b)
#define STAVE__JOIN_(a, b) a##b
#define STAVE__UNIQUE(what) STAVE__JOIN(stave__##what##_, __COUNTER__)

/* A name, keys and values come in one `...`, since ISO C wants an argument for each `...`. The first of them,
 * and an expression of all others. */
#define STAVE__FIRST(...) STAVE__FIRST_(__VA_ARGS__, )
#define STAVE__FIRST_(first, ...) first
#define STAVE__REST(...) STAVE__REST_(__VA_ARGS__, (void)0)
#define STAVE__REST_(first, ...) __VA_ARGS__

/* Joined to "", which nothing but a literal can be. */
#define STAVE__LITERAL(...) "" STAVE__FIRST(__VA_ARGS__)

/* STAVE__ARGUMENTS(a, b): STAVE_KV("a", a), STAVE_KV("b", b). */
#define STAVE__ARGUMENTS(...) STAVE__JOIN(STAVE__ARGUMENTS_, STAVE__COUNT(__VA_ARGS__))(__VA_ARGS__)
#define STAVE__COUNT(...)                                                                          \
    STAVE__COUNT_(__VA_ARGS__, more_than_16, more_than_16, more_than_16, more_than_16, 16, 15, 14, \
                  13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, )
#define STAVE__COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, count, ...) count

#define STAVE__ARGUMENTS_1(a) STAVE__JOIN(STAVE__ARGUMENT_, STAVE__IS(a))(a)
#define STAVE__ARGUMENTS_2(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_1(__VA_ARGS__)
#define STAVE__ARGUMENTS_3(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_2(__VA_ARGS__)
#define STAVE__ARGUMENTS_4(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_3(__VA_ARGS__)
#define STAVE__ARGUMENTS_5(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_4(__VA_ARGS__)
#define STAVE__ARGUMENTS_6(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_5(__VA_ARGS__)
#define STAVE__ARGUMENTS_7(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_6(__VA_ARGS__)
#define STAVE__ARGUMENTS_8(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_7(__VA_ARGS__)
#define STAVE__ARGUMENTS_9(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_8(__VA_ARGS__)
#define STAVE__ARGUMENTS_10(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_9(__VA_ARGS__)
#define STAVE__ARGUMENTS_11(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_10(__VA_ARGS__)
#define STAVE__ARGUMENTS_12(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_11(__VA_ARGS__)
#define STAVE__ARGUMENTS_13(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_12(__VA_ARGS__)
#define STAVE__ARGUMENTS_14(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_13(__VA_ARGS__)
#define STAVE__ARGUMENTS_15(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_14(__VA_ARGS__)
#define STAVE__ARGUMENTS_16(a, ...) STAVE_KV(#a, a), STAVE__ARGUMENTS_15(__VA_ARGS__)

/* A single argument may be none at all: of `comma a` and `comma a ()` only the second has a comma then. It
 * has one too where `a` begins with a parenthesis, but so has the first. */
#define STAVE__IS(a) STAVE__JOIN(STAVE__COUNT(STAVE__COMMA a), STAVE__COUNT(STAVE__COMMA a()))
#define STAVE__COMMA(...) ,
#define STAVE__ARGUMENT_12(nothing) (void)0
#define STAVE__ARGUMENT_11(a) STAVE_KV(#a, a)
#define STAVE__ARGUMENT_22(a) STAVE_KV(#a, a)

/* ---- probes ---------------------------------------------------------------------------------- */

#define STAVE_ID(value) STAVE_KV("id", value)

#ifndef STAVE_DISABLED

#define STAVE__IS_ON STAVE__UNLIKELY(__atomic_load_n(&stave__on, __ATOMIC_RELAXED))

#define STAVE__SITE(variable, name)                                                                \
    static stave_site variable = {name, __FILE__, __func__, __LINE__, STAVE_ABI, 0, 0, 0}

/* The declaration of a span that ends with its block. What follows `begin` is an expression that sets
 * attributes: STAVE_KV() takes them to stave__target. */
#define STAVE__OPEN(variable, close, begin, ...)                                                   \
    const stave_span variable __attribute__((cleanup(close), unused)) =                            \
        STAVE__IS_ON ? __extension__({                                                             \
            const stave_span stave__target = begin;                                                \
            __VA_ARGS__;                                                                           \
            stave__target;                                                                         \
        })                                                                                         \
                     : stave__none()

/* The site stands outside: of two declarations none can be the body of an `if`, in C++ either. */
#define STAVE__SPAN(variable, site, begin, name, ...)                                              \
    STAVE__SITE(site, name);                                                                       \
    STAVE__OPEN(variable, stave__close, begin(&site), __VA_ARGS__)

#define STAVE__TRACE(variable, site, name, ...)                                                    \
    STAVE__SITE(site, name);                                                                       \
    STAVE__OPEN(variable, stave__close_trace, stave__begin_trace(&site), __VA_ARGS__)

#define STAVE__CUMULATIVE(variable, site, name)                                                    \
    STAVE__SITE(site, name);                                                                       \
    STAVE__OPEN(variable, stave__close_cumulative, stave__begin_cumulative(&site), (void)0)

#define STAVE__WHEN_ON(...) (STAVE__IS_ON ? __extension__({ __VA_ARGS__; }) : (void)0)

#define STAVE__SET(span, name, value, said)                                                        \
    __extension__({                                                                                \
        STAVE__SITE(stave__key, STAVE__LITERAL(name));                                             \
        stave__set(span, &stave__key, STAVE__VALUE(value, said));                                  \
    })

#define STAVE_KV(key, value) STAVE__SET(stave__target, key, value, #value)

#define STAVE_TRACE(...) STAVE_TRACE_SPAN(STAVE__UNIQUE(scope), __VA_ARGS__)
#define STAVE_TRACE_SPAN(variable, ...)                                                            \
    STAVE__TRACE(variable, STAVE__UNIQUE(site), STAVE__LITERAL(__VA_ARGS__),                       \
                 STAVE__REST(__VA_ARGS__))
#define STAVE_SCOPE(...) STAVE_SPAN(STAVE__UNIQUE(scope), __VA_ARGS__)
#define STAVE_SPAN(variable, ...)                                                                  \
    STAVE__SPAN(variable, STAVE__UNIQUE(site), stave__begin, STAVE__LITERAL(__VA_ARGS__),          \
                STAVE__REST(__VA_ARGS__))
#define STAVE_SCOPE_NAMED(...)                                                                     \
    STAVE__OPEN(STAVE__UNIQUE(scope), stave__close, stave_begin(STAVE__FIRST(__VA_ARGS__)),        \
                STAVE__REST(__VA_ARGS__))
#define STAVE_FUNCTION(...)                                                                        \
    STAVE__SPAN(STAVE__UNIQUE(scope), STAVE__UNIQUE(site), stave__begin, __func__,                 \
                STAVE__ARGUMENTS(__VA_ARGS__))
#define STAVE_CUMULATIVE(name)                                                                     \
    STAVE__CUMULATIVE(STAVE__UNIQUE(scope), STAVE__UNIQUE(site), STAVE__LITERAL(name))
#define STAVE_CUMULATIVE_FUNCTION()                                                                \
    STAVE__CUMULATIVE(STAVE__UNIQUE(scope), STAVE__UNIQUE(site), __func__)

#define STAVE_MARK(...)                                                                            \
    STAVE__WHEN_ON(STAVE__SITE(stave__site, STAVE__LITERAL(__VA_ARGS__));                          \
                   const stave_span stave__target = stave__mark(&stave__site);                     \
                   STAVE__REST(__VA_ARGS__); stave__mark_end(stave__target))
/* Times 1: text and pointers are no numbers. */
#define STAVE_COUNTER(name, value)                                                                 \
    STAVE__WHEN_ON(STAVE__SITE(stave__site, STAVE__LITERAL(name));                                 \
                   stave__counter(&stave__site, STAVE__VALUE((value)*1, "")))
#define STAVE_SET(span, key, value) STAVE__WHEN_ON(STAVE__SET(span, key, value, #value))

#else

/* Not evaluated, but compiled: what only probes use is used, and what they refuse is refused. */
#define STAVE__UNUSED(...) ((void)(0 ? (__VA_ARGS__) : (void)0))

#define STAVE_KV(key, value) (void)STAVE__VALUE(value, #value)

#define STAVE_TRACE(...) STAVE__UNUSED(STAVE__REST(__VA_ARGS__))
#define STAVE_SCOPE(...) STAVE__UNUSED(STAVE__REST(__VA_ARGS__))
#define STAVE_TRACE_SPAN(variable, ...) STAVE_SPAN(variable, __VA_ARGS__)
#define STAVE_SPAN(variable, ...)                                                                  \
    const stave_span variable __attribute__((unused)) =                                            \
        0 ? (STAVE__REST(__VA_ARGS__), stave__none()) : stave__none()
#define STAVE_SCOPE_NAMED(...)                                                                     \
    STAVE__UNUSED((void)(STAVE__FIRST(__VA_ARGS__)), STAVE__REST(__VA_ARGS__))
#define STAVE_FUNCTION(...) STAVE__UNUSED(STAVE__ARGUMENTS(__VA_ARGS__))
#define STAVE_CUMULATIVE(name) ((void)0)
#define STAVE_CUMULATIVE_FUNCTION() ((void)0)
#define STAVE_MARK(...) STAVE__UNUSED(STAVE__REST(__VA_ARGS__))
#define STAVE_COUNTER(name, value) STAVE__UNUSED((void)STAVE__VALUE((value)*1, ""))
#define STAVE_SET(span, key, value) STAVE__UNUSED((void)(span), (void)STAVE__VALUE(value, #value))

#endif
#endif

/* Variables and functions that nothing but a probe uses: no warning, with STAVE_DISABLED neither. */
#include <stave/stave.h>

int answer(void);
void variables(int parameter);
void spans(const char *reason);

static int computed(int i)
{
    return i + 1;
}

void variables(int parameter)
{
    int set = answer();
    int counted;
    const char *text = "text";
    size_t size = sizeof(int);
    uint32_t name = 7;
    double number = 0.5;
    counted = answer();
    STAVE_FUNCTION(parameter);
    STAVE_TRACE("trace", STAVE_ID(size));
    STAVE_SCOPE("scope", STAVE_KV("set", set), STAVE_KV("text", text));
    STAVE_SCOPE_NAMED(name, STAVE_KV("computed", computed(1)));
    STAVE_COUNTER("counted", counted);
    STAVE_MARK("number", STAVE_KV("number", number));
}

void spans(const char *reason)
{
    int set = answer();
    STAVE_SPAN(unused, "unused");
    STAVE_SPAN(span, "span", STAVE_KV("set", set));
    STAVE_SET(span, "reason", reason);
    STAVE_SPAN(failed, "failed");
    stave_fail(failed, reason);
}

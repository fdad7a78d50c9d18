// What C++ has beyond C: member functions, templates, lambdas, enum class, exceptions.
#include <stave/stave.h>

#include <cstddef>
#include <string>

void work(int i);

enum class Colour { red, green };
enum class Small : unsigned char { none };
enum class Truth : bool { no, yes };
enum Old { old_one };

struct Base {
    virtual ~Base() {}
    virtual int run(int i) = 0;
};

class Job : public Base {
  public:
    Job() : count(0), colour(Colour::red) {
        STAVE_FUNCTION();
    }
    ~Job() {
        STAVE_FUNCTION(this, count);
    }
    int run(int i) {
        STAVE_FUNCTION(this, i, colour);
        STAVE_SPAN(span, "run", STAVE_KV("count", count++), STAVE_KV("text", text.c_str()));
        STAVE_SET(span, "size", text.size());
        return count;
    }
    static void reset() {
        STAVE_CUMULATIVE_FUNCTION();
    }

  private:
    int count;
    Colour colour;
    std::string text;
};

template <typename T, int N> T sum(const T (&values)[N])
{
    STAVE_FUNCTION(N);
    T total = T();
    for (const T &value : values) {
        STAVE_CUMULATIVE("one");
        STAVE_COUNTER("value", value);
        STAVE_MARK("added", STAVE_KV("value", value));
        total += value;
    }
    STAVE_SET(stave_current_span(), "total", total);
    return total;
}

template <typename T> struct Holder {
    T held;
    template <typename U> void take(U other)
    {
        STAVE_SCOPE("take", STAVE_KV("held", held), STAVE_KV("other", other));
    }
};

inline int in_a_header(int i)
{
    STAVE_TRACE("root", STAVE_ID(i));
    return i;
}

void values(volatile int &reference, const std::string &text);
void lambdas(int i);
void thrown(int i);
void instances();

void values(volatile int &reference, const std::string &text)
{
    Small small = Small::none;
    const volatile Colour colour = Colour::green;
    STAVE_SCOPE("values", STAVE_KV("a", reference), STAVE_KV("b", text.c_str()),
                STAVE_KV("c", colour), STAVE_KV("d", small), STAVE_KV("e", Truth::yes),
                STAVE_KV("f", old_one), STAVE_KV("g", nullptr), STAVE_KV("h", std::string().size()),
                STAVE_KV("i", (text + "x").c_str()), STAVE_KV("j", L'w'), STAVE_KV("k", u'w'));
    STAVE_SCOPE("commas", STAVE_KV("a", (Holder<int>{1}.held)));
}

void lambdas(int i)
{
    STAVE_SPAN(outer, "outer");
    auto by_value = [=](int j) {
        STAVE_FUNCTION(i, j);
        STAVE_SET(outer, "j", j);
        return i + j;
    };
    auto by_reference = [&] {
        STAVE_SCOPE("inside", STAVE_KV("i", ++i));
        STAVE_SET(outer, "i", i);
    };
    by_reference();
    STAVE_SCOPE("called", STAVE_KV("result", by_value(1)),
                STAVE_KV("at once", [&] { return i; }()));
}

void thrown(int i)
{
    try {
        STAVE_SCOPE("left by an exception", STAVE_KV("i", i));
        if (i > 0)
            throw i;
        work(i);
    } catch (int caught) {
        STAVE_MARK("caught", STAVE_KV("value", caught));
    }
}

void instances()
{
    const int numbers[] = {1, 2, 3};
    const double reals[] = {0.5};
    Holder<const char *> holder = {"held"};
    STAVE_SCOPE("instances", STAVE_KV("a", sum(numbers)), STAVE_KV("b", sum(reals)));
    holder.take(1);
    holder.take('c');
    holder.take(Colour::red);
    Job job;
    in_a_header(job.run(1));
    Job::reset();
}

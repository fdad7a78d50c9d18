/* STAVE_FUNCTION() with each number of arguments, and attributes in plenty. */
#include <stave/stave.h>

void none(void);
void one(int a);
void odd(int a, const int *b);
void some(int a, const char *b, double c, void *d, unsigned char e, bool f, void (*g)(void));
void many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m,
          int n, int o, int p);
void attributes(int i);

void none(void)
{
    STAVE_FUNCTION();
}

void one(int a)
{
    STAVE_FUNCTION(a);
}

/* No names, but they do. */
void odd(int a, const int *b)
{
    STAVE_FUNCTION((a));
    STAVE_FUNCTION((a) + 1);
    STAVE_FUNCTION(-a, *b);
    STAVE_FUNCTION(b[0]);
    STAVE_FUNCTION((int)sizeof(a), (long)a);
}

void some(int a, const char *b, double c, void *d, unsigned char e, bool f, void (*g)(void))
{
    STAVE_FUNCTION(a, b);
    STAVE_FUNCTION(a, b, c);
    STAVE_FUNCTION(a, b, c, d);
    STAVE_FUNCTION(a, b, c, d, e);
    STAVE_FUNCTION(a, b, c, d, e, f);
    STAVE_FUNCTION(a, b, c, d, e, f, g);
}

void many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m,
          int n, int o, int p)
{
    STAVE_FUNCTION(a, b, c, d, e, f, g, h);
    STAVE_FUNCTION(a, b, c, d, e, f, g, h, i);
    STAVE_FUNCTION(a, b, c, d, e, f, g, h, i, j);
    STAVE_FUNCTION(a, b, c, d, e, f, g, h, i, j, k);
    STAVE_FUNCTION(a, b, c, d, e, f, g, h, i, j, k, l);
    STAVE_FUNCTION(a, b, c, d, e, f, g, h, i, j, k, l, m);
    STAVE_FUNCTION(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
    STAVE_FUNCTION(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
    STAVE_FUNCTION(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
}

void attributes(int i)
{
    STAVE_SCOPE("one", STAVE_KV("a", i));
    STAVE_SCOPE("four", STAVE_KV("a", i), STAVE_KV("b", "b"), STAVE_KV("c", 1.0),
                STAVE_KV("d", true));
    STAVE_SCOPE("as many as one likes", STAVE_KV("a", i), STAVE_KV("b", i), STAVE_KV("c", i),
                STAVE_KV("d", i), STAVE_KV("e", i), STAVE_KV("f", i), STAVE_KV("g", i),
                STAVE_KV("h", i), STAVE_KV("i", i), STAVE_KV("j", i), STAVE_KV("k", i),
                STAVE_KV("l", i), STAVE_KV("m", i), STAVE_KV("n", i), STAVE_KV("o", i),
                STAVE_KV("p", i), STAVE_KV("q", i), STAVE_KV("r", i), STAVE_KV("s", i));
}

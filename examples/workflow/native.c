#include "native.h"

#include <stdio.h>
#include <string.h>

#include <libtcc.h>

/* ISO C has no conversion between pointers to functions and to data; POSIX promises that this works. */
union code {
    const void *data;
    void (*any)(void);
    condition_function *condition;
};

static void hear(void *complaint, const char *message)
{
    complain(complaint, 0, 0, "%s", message);
}

static void add(TCCState *state, const char *name, union code code)
{
    tcc_add_symbol(state, name, code.data);
}

static void add_functions(TCCState *state)
{
#define ADD(function) add(state, #function, (union code){.any = (void (*)(void))(function)})
#define ADD_FUNCTION(name, takes, use) ADD(function_##name);
    ADD(throw_text);
    ADD(function_divide);
    ADD(function_modulo);
    WORKFLOW_FUNCTIONS(ADD_FUNCTION)
#undef ADD_FUNCTION
#undef ADD
}

void *native_compile(const char *code, struct complaint *complaint)
{
    TCCState *state = tcc_new();
    if (state == NULL) {
        complain(complaint, 0, 0, "no memory");
        return NULL;
    }
    /* What is compiled includes nothing and calls only what is added here: no file of tcc's own is needed. */
    tcc_set_options(state, "-nostdlib -nostdinc");
    tcc_set_error_func(state, complaint, hear);
    tcc_set_output_type(state, TCC_OUTPUT_MEMORY);
    add_functions(state);
    if (tcc_compile_string(state, code) >= 0 && tcc_relocate(state, TCC_RELOCATE_AUTO) >= 0)
        return state;
    complain(complaint, 0, 0, "the rules' code does not compile");
    tcc_delete(state);
    return NULL;
}

condition_function *native_find(void *native, int number)
{
    char name[16];
    snprintf(name, sizeof name, "rule_%d", number);
    return (union code){.data = tcc_get_symbol(native, name)}.condition;
}

void native_free(void *native)
{
    if (native != NULL)
        tcc_delete(native);
}

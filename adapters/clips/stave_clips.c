/* The hooks in an environment: what an activation is to Stave, and where that is kept. */
#include "stave_clips.h"

#include "causes.h"

#include <clips/clips.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "stave" /* of the functions in CLIPS' lists */

enum { FIRINGS_MAX = 1 << 20, BASIS_MAX = 1024 };

/* What a defrule has of Stave's, in its list of user data, which CLIPS frees with the defrule. It does not where the defrule
 * came from a binary file, so all are in a list of the adapter's, too. */
struct rule_data {
    struct userData head; /* first: CLIPS sees this alone */
    struct rule_data *next, **link;
    stave_rule rule;
    char id[];
};

/* The environment's data at the position that was chosen. It stays there until the environment is destroyed, attached or
 * not, since CLIPS has the address of `record`. */
struct adapter {
    struct userDataRecord record;
    unsigned char rule_data_id;
    bool is_attached, details;
    bool is_open; /* a rule is firing: the run function is also called when none has fired */
    stave_evaluation firing; /* if it is open and captured */
    uint64_t first_timetag;  /* of what comes onto the agenda in it */
    struct stave__clips_causes causes;
    stave_clips_counts counts;
    struct rule_data *rules;
};

/* ---- where it is ----------------------------------------------------------------------------- */

static void destroy(void *environment);

static struct adapter *adapter_at(void *environment, uint32_t position)
{
    return GetEnvironmentData(environment, position);
}

static bool is_adapter(void *environment, uint32_t position)
{
    return ((struct environmentData *)environment)->cleanupFunctions[position] == destroy;
}

/* From the top, where it is unless it was told otherwise. */
static struct adapter *adapter_of(void *environment)
{
    for (uint32_t at = MAXIMUM_ENVIRONMENT_POSITIONS; at > USER_ENVIRONMENT_DATA; at--)
        if (is_adapter(environment, at - 1))
            return adapter_at(environment, at - 1);
    return NULL;
}

static struct adapter *attached(void *environment)
{
    struct adapter *adapter = adapter_of(environment);
    return adapter != NULL && adapter->is_attached ? adapter : NULL;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void forget_rule(struct rule_data *data)
{
    *data->link = data->next;
    if (data->next != NULL)
        data->next->link = data->link;
    free(data);
}

static void delete_rule_data(void *environment, void *data)
{
    (void)environment;
    forget_rule(data);
}

static struct rule_data *new_rule_data(struct adapter *adapter, struct defrule *defrule)
{
    const char *module = ValueToString(defrule->header.whichModule->theModule->name);
    const char *name = ValueToString(defrule->header.name);
    size_t size = strlen(module) + strlen("::") + strlen(name) + 1;
    struct rule_data *data = calloc(1, sizeof *data + size);
    if (data == NULL)
        return NULL;
    snprintf(data->id, size, "%s::%s", module, name);
    data->rule = (stave_rule){.id = data->id, .description = data->id};
    data->next = adapter->rules;
    data->link = &adapter->rules;
    if (data->next != NULL)
        data->next->link = &data->next;
    adapter->rules = data;
    data->head.dataID = adapter->rule_data_id;
    data->head.next = defrule->header.usrData;
    defrule->header.usrData = &data->head;
    return data;
}

/* Not by FetchUserData(), which ends the program when there is no memory. */
static stave_rule *rule_of(struct adapter *adapter, struct defrule *defrule)
{
    struct userData *head = TestUserData(adapter->rule_data_id, defrule->header.usrData);
    struct rule_data *data =
        head != NULL ? (struct rule_data *)head : new_rule_data(adapter, defrule);
    return data != NULL ? &data->rule : NULL;
}

/* ---- causes ---------------------------------------------------------------------------------- */

static void need_agenda(void *environment, struct stave__clips_causes *causes, void *module)
{
    struct defruleModule *rules =
        GetModuleItem(environment, module, DefruleData(environment)->DefruleModuleIndex);
    for (struct activation *at = rules->agenda; at != NULL; at = at->next)
        stave__clips_causes_need(causes, at->timetag);
}

static void sweep(void *environment, struct stave__clips_causes *causes)
{
    for (void *module = EnvGetNextDefmodule(environment, NULL); module != NULL;
         module = EnvGetNextDefmodule(environment, module))
        need_agenda(environment, causes, module);
    stave__clips_causes_sweep(causes);
}

/* A walk over the agenda is followed by at least as many firings without one as an eighth of what was walked over: where the
 * agenda is long, or most is still needed, there are more ranges instead. So a firing's share of the walks has a bound. */
static void make_room(void *environment, struct stave__clips_causes *causes)
{
    if (causes->capacity <= AgendaData(environment)->NumberOfActivations / 4 &&
        stave__clips_causes_grow(causes))
        return;
    sweep(environment, causes);
    if (causes->count >= causes->capacity / 2 && stave__clips_causes_grow(causes))
        return;
    if (causes->count > causes->capacity / 8 * 7)
        stave__clips_causes_forget_half(causes);
}

static void remember(void *environment, struct adapter *adapter, stave_run firing)
{
    struct stave__clips_causes *causes = &adapter->causes;
    uint64_t end = AgendaData(environment)->CurrentTimetag;
    if (firing.serial == 0 || end <= adapter->first_timetag)
        return;
    if (causes->count == causes->capacity)
        make_room(environment, causes);
    if (causes->count == causes->capacity) { /* there is no memory at all */
        causes->forgotten = end;
        return;
    }
    stave__clips_causes_add(
        causes,
        (struct clips_range){.first = adapter->first_timetag, .end = end, .firing = firing});
}

/* ---- firings --------------------------------------------------------------------------------- */

static void set_details(void *environment, struct activation *activation, stave_span span)
{
    char basis[BASIS_MAX];
    EnvGetActivationBasisPPForm(environment, basis, sizeof basis, activation);
    stave_set_i64(span, "salience", activation->salience);
    stave_set_str(span, "basis", basis);
}

static stave_run cause_of(struct adapter *adapter, const struct activation *activation)
{
    stave_run cause = stave__clips_causes_find(&adapter->causes, activation->timetag);
    adapter->counts.caused += cause.serial != 0;
    adapter->counts.unknown += cause.serial == 0 && activation->timetag < adapter->causes.forgotten;
    return cause;
}

static void begin_firing(void *environment, struct adapter *adapter, struct activation *activation)
{
    stave_rule *rule = rule_of(adapter, activation->theRule);
    stave_run cause = cause_of(adapter, activation);
    adapter->counts.firings++;
    adapter->counts.uncaptured += rule == NULL;
    adapter->is_open = true;
    adapter->first_timetag = AgendaData(environment)->CurrentTimetag;
    if (rule == NULL)
        return;
    adapter->firing = stave_rule_begin(rule, cause);
    if (adapter->details && adapter->firing.here.serial != 0)
        set_details(environment, activation, adapter->firing.span);
}

static void end_firing(void *environment, struct adapter *adapter, stave_outcome outcome,
                       const char *reason)
{
    stave_evaluation firing = adapter->firing;
    adapter->firing = (stave_evaluation){0};
    adapter->is_open = false;
    adapter->counts.failed += outcome == STAVE_FAILED;
    if (firing.here.serial == 0)
        return;
    stave_rule_end(firing, outcome, reason);
    remember(environment, adapter, firing.here);
}

/* One that is open was left by longjmp(3): (exit) does so where a program has asked for it. */
static void end_left_firing(void *environment, struct adapter *adapter)
{
    if (adapter->is_open)
        end_firing(environment, adapter, STAVE_CANCELLED, "it was left before its end");
}

static void before_firing(void *environment, void *activation)
{
    struct adapter *adapter = GetEnvironmentCallbackContext(environment);
    end_left_firing(environment, adapter);
    begin_firing(environment, adapter, activation);
}

/* The callback context is not ours when nothing has fired. */
static void after_firing(void *environment)
{
    struct adapter *adapter = attached(environment);
    if (adapter == NULL || !adapter->is_open)
        return;
    bool is_halted = EvaluationData(environment)->HaltExecution != FALSE;
    end_firing(environment, adapter, is_halted ? STAVE_FAILED : STAVE_DONE,
               is_halted ? "execution was halted in its actions" : NULL);
}

/* Timetags begin at 0 again. */
static void cleared(void *environment)
{
    struct adapter *adapter = attached(environment);
    if (adapter != NULL)
        stave__clips_causes_clear(&adapter->causes);
}

/* ---- attaching ------------------------------------------------------------------------------- */

static int fail(stave_error *error, int status, const char *message)
{
    if (error != NULL && error->status == STAVE_OK) {
        error->status = status;
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

/* After the environment's rules, in whose place among the data nothing of the environment's own is. */
static void destroy(void *environment)
{
    struct adapter *adapter = adapter_of(environment);
    if (adapter->is_open && adapter->firing.here.serial != 0)
        stave_rule_end(adapter->firing, STAVE_CANCELLED, "its environment was destroyed");
    for (struct rule_data *data = adapter->rules, *next; data != NULL; data = next) {
        next = data->next;
        free(data);
    }
    stave__clips_causes_free(&adapter->causes);
}

static bool is_free(void *environment, uint32_t position)
{
    return adapter_at(environment, position) == NULL;
}

/* 0: none is. */
static uint32_t highest_free(void *environment)
{
    for (uint32_t at = MAXIMUM_ENVIRONMENT_POSITIONS - 1; at >= USER_ENVIRONMENT_DATA; at--)
        if (is_free(environment, at))
            return at;
    return 0;
}

static int choose_position(void *environment, uint32_t wanted, uint32_t *position,
                           stave_error *error)
{
    *position = wanted != 0 ? wanted : highest_free(environment);
    if (*position == 0)
        return fail(error, STAVE_E_LIMIT, "all positions of environment data are taken");
    if (*position < USER_ENVIRONMENT_DATA || *position >= MAXIMUM_ENVIRONMENT_POSITIONS)
        return fail(error, STAVE_E_ARGUMENT, "no position for a user's environment data");
    if (!is_free(environment, *position))
        return fail(error, STAVE_E_ARGUMENT, "the position of environment data is taken");
    return STAVE_OK;
}

static int make_adapter(void *environment, uint32_t wanted, struct adapter **made,
                        stave_error *error)
{
    uint32_t position;
    int status = choose_position(environment, wanted, &position, error);
    if (status < 0)
        return status;
    if (UserDataData(environment)->UserDataRecordCount >= MAXIMUM_USER_DATA_RECORDS)
        return fail(error, STAVE_E_LIMIT, "all user data records of the environment are taken");
    if (!AllocateEnvironmentData(environment, position, sizeof(struct adapter), destroy))
        return fail(error, STAVE_E_MEMORY, "no memory for the adapter");
    *made = adapter_at(environment, position);
    (*made)->record.deleteUserData = delete_rule_data;
    (*made)->rule_data_id = InstallUserDataRecord(environment, &(*made)->record);
    return STAVE_OK;
}

/* A firing is what is between the two, so that what other such functions do is not in it. */
static void add_hooks(void *environment, struct adapter *adapter)
{
    EnvAddBeforeRunFunctionWithContext(environment, NAME, before_firing, INT_MIN, adapter);
    EnvAddRunFunctionWithContext(environment, NAME, after_firing, INT_MAX, adapter);
    EnvAddClearFunction(environment, NAME, cleared, 0);
}

int stave_clips_attach(void *environment, const stave_clips_config *config, stave_error *error)
{
    static const stave_clips_config defaults;
    struct adapter *adapter = adapter_of(environment);
    if (config == NULL)
        config = &defaults;
    if (adapter != NULL && adapter->is_attached)
        return fail(error, STAVE_E_STATE, "the environment is attached already");
    if (adapter == NULL) {
        int status = make_adapter(environment, config->position, &adapter, error);
        if (status < 0)
            return status;
    }
    adapter->is_attached = true;
    adapter->details = config->details;
    adapter->counts = (stave_clips_counts){0};
    adapter->causes.max = config->max_firings != 0 ? (size_t)config->max_firings : FIRINGS_MAX;
    add_hooks(environment, adapter);
    return STAVE_OK;
}

void stave_clips_detach(void *environment)
{
    struct adapter *adapter = attached(environment);
    if (adapter == NULL)
        return;
    end_left_firing(environment, adapter);
    EnvRemoveBeforeRunFunction(environment, NAME);
    EnvRemoveRunFunction(environment, NAME);
    EnvRemoveClearFunction(environment, NAME);
    stave__clips_causes_free(&adapter->causes);
    adapter->is_attached = false;
}

stave_clips_counts stave_clips_counts_of(void *environment)
{
    const struct adapter *adapter = attached(environment);
    return adapter != NULL ? adapter->counts : (stave_clips_counts){0};
}

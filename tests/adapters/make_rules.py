"""A CLIPS rule base of some size, the same at each call: 12 modules with 27 rules each.

    make_rules.py > rules.clp

Each firing counts itself (?*n*) and leaves a fact (firing (n N) (rule MODULE::NAME) (cause C)): C is the number of the firing
that caused it, 0 if none did. How a rule knows its cause has nothing to do with timetags of the agenda:

- Each fact has a slot `by`, the number of the firing that asserted it. An activation is there since its newest fact is.
- Where a rule waits until a fact is gone, who retracted it wrote its number into ?*freed*.
- Where a rule was refreshed or built in a firing, that one wrote its number into ?*refreshed* or ?*built*.

The newest of these is the cause. What a rule with (logical) asserts goes with what it stands on: there the next firing leaves
the fact. Items go through stages 0 to 8 in the module of their kind, and meet: moved by (modify),
joined, locked and set free, supported by logical facts; as parcels they go on to another module, which takes the focus.
"""

MODULES = 12
KEYS = 40


class Random:
    """A linear congruential generator: what Python's own gives may change."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n


HEAD = f"""\
(defmodule MAIN (export ?ALL))
(deftemplate MAIN::item (slot kind) (slot key) (slot stage) (slot by))
(deftemplate MAIN::lock (slot kind) (slot key) (slot by))
(deftemplate MAIN::locked-again (slot kind) (slot key) (slot by))
(deftemplate MAIN::joined (slot kind) (slot key) (slot pair) (slot by))
(deftemplate MAIN::support (slot kind) (slot key) (slot by))
(deftemplate MAIN::opened (slot kind) (slot by))
(deftemplate MAIN::parcel (slot kind) (slot key) (slot hops) (slot by))
(deftemplate MAIN::phase (slot number) (slot by))
(deftemplate MAIN::token (slot key) (slot by))
(deftemplate MAIN::firing (slot n) (slot rule) (slot cause))
(defglobal MAIN ?*n* = 0 ?*refreshed* = 0 ?*built* = 0 ?*base* = 1 ?*pauses* = FALSE ?*later* = (create$)
    ?*freed* = (create$ {" ".join(["0"] * (MODULES * KEYS))}))
(deffunction MAIN::fired-logically (?rule ?cause)
    (bind ?*n* (+ ?*n* 1))
    (bind ?*later* (create$ ?*n* ?rule ?cause ?*later*))
    ?*n*)
(deffunction MAIN::fired (?rule ?cause)
    (fired-logically ?rule ?cause)
    (while (> (length$ ?*later*) 0)
        (assert (firing (n (nth$ 1 ?*later*)) (rule (nth$ 2 ?*later*)) (cause (nth$ 3 ?*later*))))
        (bind ?*later* (delete$ ?*later* 1 3)))
    ?*n*)
(deffunction MAIN::place (?kind ?key) (+ (* ?kind {KEYS}) ?key))
(deffunction MAIN::free (?kind ?key ?by)
    (bind ?place (place ?kind ?key))
    (bind ?*freed* (replace$ ?*freed* ?place ?place ?by)))
(deffunction MAIN::freed (?kind ?key) (nth$ (place ?kind ?key) ?*freed*))
"""


def rule(module, name, declared, conditions, cause, actions):
    fired = "fired-logically" if "(logical" in conditions else "fired"
    print(f"(defrule {module}::{name} (declare {declared})\n    {conditions}\n    =>\n"
          f"    (bind ?n ({fired} {module}::{name} {cause}))\n    {actions})")


def salience(value):
    return f"(salience {value})"


def moves(module, kind, random):
    for stage in (0, 1, 2, 3, 4, 6, 7):
        gate, cause = ("(opened (kind %d) (by ?g))" % kind, "(max ?b ?g)") if stage == 2 else ("", "?b")
        for rest in (0, 1):
            rule(module, f"move-{stage}-{rest}", salience(random.below(41) - 20),
                 f"?f <- (item (kind {kind}) (key ?k&:(= (mod ?k 2) {rest})) (stage {stage}) (by ?b)) {gate}",
                 cause, f"(modify ?f (stage {stage + 1}) (by ?n))")


def joins(module, kind, random):
    for pair in range(4):
        other = (kind + 1 + random.below(MODULES - 1)) % MODULES
        rule(module, f"join-{pair}", salience(f"(+ ?*base* {12 + random.below(20)})"),
             f"(item (kind {kind}) (key ?k) (stage {2 * pair + 1}) (by ?b1))\n"
             f"    (item (kind {other}) (key ?k) (stage {0 if pair == 0 else 2}) (by ?b2))\n"
             f"    (not (joined (kind {kind}) (key ?k) (pair {pair})))",
             "(max ?b1 ?b2)", f"(assert (joined (kind {kind}) (key ?k) (pair {pair}) (by ?n)))")


def locks(module, kind, random):
    for stage in (3, 5):
        rule(module, f"unlock-{stage}", salience(random.below(41) - 10),
             f"?l <- (lock (kind {kind}) (key ?k) (by ?b1)) (item (kind {kind}) (key ?k) (stage {stage}) (by ?b2))",
             "(max ?b1 ?b2)", f"(retract ?l) (free {kind} ?k ?n)")
    rule(module, "lock-again", salience(25),
         f"(item (kind {kind}) (key ?k&:(= (mod ?k 3) 0)) (stage 4) (by ?b))\n"
         f"    (not (locked-again (kind {kind}) (key ?k)))",
         "?b", f"(assert (locked-again (kind {kind}) (key ?k) (by ?n)) (lock (kind {kind}) (key ?k) (by ?n)))")
    rule(module, "wait", salience(random.below(41) - 20),
         f"?f <- (item (kind {kind}) (key ?k) (stage 5) (by ?b)) (not (lock (kind {kind}) (key ?k)))",
         f"(max ?b (freed {kind} ?k))", "(modify ?f (stage 6) (by ?n))")


def supports(module, kind):
    rule(module, "support", salience(30),
         f"(logical (item (kind {kind}) (key ?k) (stage 6) (by ?b)))",
         "?b", f"(assert (support (kind {kind}) (key ?k) (by ?n)))")
    rule(module, "unsupported", salience(31),
         f"(item (kind {kind}) (key ?k) (stage 7) (by ?b)) (not (support (kind {kind}) (key ?k)))",
         "?b", f"(assert (joined (kind {kind}) (key ?k) (pair unsupported) (by ?n)))")


def others(module, kind, random):
    rule(module, "open", salience(35), f"(item (kind {kind}) (key 1) (stage 2) (by ?b))",
         "?b", f"(assert (opened (kind {(kind + MODULES - 1) % MODULES}) (by ?n)))")
    rule(module, "either", salience(36),
         f"(or (item (kind {kind}) (key ?k&:(< ?k 6)) (stage 7) (by ?b))\n"
         f"        (item (kind {(kind + 3) % MODULES}) (key ?k&:(< ?k 4)) (stage 2) (by ?b)))",
         "?b", "(bind ?*base* (mod ?n 7))")
    rule(module, "send", salience(-30), f"?f <- (item (kind {kind}) (key ?k) (stage 8) (by ?b))",
         "?b", f"(retract ?f) (assert (parcel (kind {(kind + 5) % MODULES}) (key ?k) (hops 0) (by ?n)))")
    rule(module, "pass-on", salience(5) + " (auto-focus TRUE)",
         f"?p <- (parcel (kind {kind}) (key ?k) (hops ?h&:(< ?h 3)) (by ?b))",
         "?b", f"(modify ?p (kind {(kind + 7) % MODULES}) (hops (+ ?h 1)) (by ?n))")
    rule(module, "arrived", salience(-40), f"?p <- (parcel (kind {kind}) (hops 3) (by ?b))",
         "?b", "(retract ?p) (return)")


def main_rules():
    rule("MAIN", "next", salience(0),
         f"?p <- (phase (number ?i&:(< ?i {4 * MODULES})) (by ?b))", "?b",
         "(modify ?p (number (+ ?i 1)) (by ?n)) (focus "
         f"(sym-cat (if (< (mod ?i {MODULES}) 10) then M0 else M) (mod ?i {MODULES})))")
    rule("MAIN", "pause", salience(100), "(phase (number ?i&:(= (mod ?i 9) 8)) (by ?b))", "?b", "(if ?*pauses* then (halt))")
    rule("MAIN", "token", salience(-100), "(token (key ?k) (by ?b))", "(max ?b ?*refreshed*)",
         "(bind ?*base* ?k)")
    rule("MAIN", "refresh-tokens", salience(-200), "(initial-fact)", "0",
         "(bind ?*refreshed* ?n) (refresh token) (build \"(defrule MAIN::built (declare (salience -300)) "
         "(token (key ?k) (by ?b)) => (bind ?n (fired MAIN::built (max ?b ?*built*))) "
         "(if (= ?k 1) then (assert (token (key 9) (by ?n)))))\") (bind ?*built* ?n)")


def facts():
    print("(deffacts MAIN::start (phase (number 0) (by 0))")
    for key in (1, 2, 3):
        print(f"    (token (key {key}) (by 0))")
    for kind in range(MODULES):
        for key in range(1, KEYS + 1):
            print(f"    (item (kind {kind}) (key {key}) (stage 0) (by 0))")
            if key % 4 == 0:
                print(f"    (lock (kind {kind}) (key {key}) (by 0))")
    print(")")


def main():
    random = Random(9)
    print(HEAD)
    for kind in range(MODULES):
        module = f"M{kind:02}"
        print(f"(defmodule {module} (import MAIN ?ALL))")
        moves(module, kind, random)
        joins(module, kind, random)
        locks(module, kind, random)
        supports(module, kind)
        others(module, kind, random)
    main_rules()
    facts()


main()

"""Spans as every reader here returns them, and what is counted of them."""

from collections import Counter, defaultdict


class Wrong(Exception):
    """A file breaks a rule of its format, or is not what the trace says."""


def sure(true, what):
    if not true:
        raise Wrong(what)


NO_SOURCE = None, 0


class Span:
    """`lane` is what the format tells a lane by; times in ns. `end`: None where the format leaves it open. `source`: the file and
    the line that made it, where they are known; `function`: what they are in."""

    def __init__(self, lane, name, start, end, parent=None, args=None):
        self.lane, self.name, self.start, self.end, self.parent = lane, name, start, end, parent
        self.args = args if args is not None else {}
        self.track = 0
        self.calls = 1  # more of a cumulative entry
        self.flows_out, self.flows_in = [], []
        self.source = NO_SOURCE
        self.function = ""

    def path(self):
        return tuple(span.name for span in self.chain())

    def frame(self):
        return self.name, *self.source

    def chain(self):
        """Itself and all that it is in, from the outermost on."""
        spans = []
        while self is not None:
            spans.append(self)
            self = self.parent
        return spans[::-1]

    def key(self):
        return self.name, self.start, self.end


def check_nesting(spans):
    """Children stand in their parents, and side by side: spans come by start, outer ones first."""
    last = {}
    for span in spans:
        sure(0 <= span.start <= span.end, "a span ends before it starts: %r" % (span.key(),))
        at = id(span.parent) if span.parent else (span.lane, span.track)
        sure(span.start >= last.get(at, span.start), "spans overlap: %r" % (span.key(),))
        last[at] = max(span.end, last.get(at, span.end))
        if span.parent:
            sure(span.parent.start <= span.start and span.end <= span.parent.end,
                 "%r is not in %r" % (span.key(), span.parent.key()))


def self_times(spans):
    """By id(): what no child covers."""
    selves = {id(span): span.end - span.start for span in spans}
    for span in spans:
        if span.parent:
            selves[id(span.parent)] -= span.end - span.start
    return selves


def sums(spans):
    """{name: (spans, total, self)}"""
    selves, result = self_times(spans), defaultdict(lambda: [0, 0, 0])
    for span in spans:
        row = result[span.name]
        row[0] += 1
        row[1] += span.end - span.start
        row[2] += selves[id(span)]
    return {name: tuple(row) for name, row in result.items()}


def paths(spans):
    """{names from the outermost on: self}, those without any left out."""
    selves, result = self_times(spans), Counter()
    for span in spans:
        if selves[id(span)]:
            result[span.path()] += selves[id(span)]
    return result


def same(what, found, wanted):
    """Both are counters or dicts."""
    if found == wanted:
        return
    keys = [key for key in set(found) | set(wanted) if found.get(key) != wanted.get(key)]
    keys.sort(key=repr)
    lines = ["%s: found %r, expected %r" % (repr(key)[:300], found.get(key), wanted.get(key)) for key in keys[:8]]
    raise Wrong("%s, %d differ:\n  %s" % (what, len(keys), "\n  ".join(lines)))

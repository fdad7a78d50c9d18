"""What each format says against the truth: one function a format. `slack`: ns by which a time may be off, where rates do not
come out even; then what is made of many times is not compared."""

import math
from collections import Counter, defaultdict

from read_binary import one
from spans import NO_SOURCE, check_nesting, paths, same, self_times, sums, sure
from truth import COUNTERS, DOUBTS, GAPS, KINDS, MARKS

EXACT = 1 << 53


def multiset(rows):
    return Counter(rows)


def same_spans(what, found, wanted, slack):
    """Rows (lane, name, start, end, ...): the rest, and with `slack` the lane and the name, exactly."""
    if not slack:
        same(what, multiset(found), multiset(wanted))
        return
    sure(len(found) == len(wanted), "%s: %d, expected %d" % (what, len(found), len(wanted)))
    for a, b in zip(sorted(found, key=repr_but_times), sorted(wanted, key=repr_but_times)):
        near = all(abs(x - y) <= slack for x, y in zip(a[2:4], b[2:4]))
        sure(near and a[:2] == b[:2] and a[4] == b[4], "%s: %r, expected %r" % (what, a, b))


def repr_but_times(row):
    return repr(row[:2]), row[2:4], repr(row[4:])


def same_sums(what, found, truth, slack):
    """Spans, totals and selves by name: the same in each format."""
    wanted = sums(truth.all())
    if slack:
        found, wanted = ({name: row[0] for name, row in table.items()} for table in (found, wanted))
    same(what + ": spans, total, self by name", found, wanted)


def parent_key(span, is_known=lambda span: True):
    return span.parent.name if span.parent and is_known(span) else None


def split_entries(truth, spans):
    """Spans, and slices of cumulative entries: whose names are theirs alone."""
    names = {entry.name for entry in truth.entries}
    return ([span for span in spans if span.name not in names], [span for span in spans if span.name in names])


def same_entries(what, found, truth, about=None, has_sources=True):
    """Each one slice of its total, in what it is in. `about`: what a format says of it."""
    def row(entry, says):
        return (entry.name, entry.end - entry.start, entry.path()[:-1], repr(sorted(says.items())) if about else "",
                entry.source if has_sources else None)

    same(what + ": entries", multiset(row(e, about(e) if about else {}) for e in found),
         multiset(row(e, e.about) for e in truth.entries))


def true_doubts(span):
    return tuple(sorted(span.doubts))


def words(text):
    return tuple(sorted(text.split(", "))) if text else ()


# ---- speedscope ----------------------------------------------------------------------------------

def label_of(lane, track):
    return lane.label + (", overlapping %d" % track if track else "")


def count_doubts(spans):
    counts = (sum("failed" in s.doubts for s in spans), sum("deadline missed" in s.doubts for s in spans),
              sum(bool(s.doubts - {"failed", "deadline missed", "cut at the start", "cut at the end"}) for s in spans))
    return "".join(", %d %s" % (n, what) for n, what in zip(counts, ("failed", "late", "in doubt")) if n)


def speedscope(truth, file, slack=0):
    tracks = defaultdict(list)
    for span in truth.spans:
        tracks[span.lane, span.track].append(span)
    placed = defaultdict(list)
    for entry in truth.entries:
        if entry.parent is not None:
            placed[entry.lane, 0].append(entry)
    wanted = {label_of(lane, track) + count_doubts(spans + placed[lane, track]): spans
              for (lane, track), spans in tracks.items()}
    spans, gaps = [], []
    for name, start, end, profile_spans in file.profiles:
        check_nesting(profile_spans)
        sure(start == truth.window[0], "a profile that starts elsewhere")
        is_gaps = profile_spans and all(s.name.startswith("gap: ") for s in profile_spans)
        (gaps if is_gaps else spans).extend(profile_spans)
        sure(end == max([s.end for s in profile_spans] + [start + 1]), "a profile that ends elsewhere")
    apart = {label_of(e.lane, 0) for e in truth.entries if e.parent is None}
    for name in {name for name, *_ in file.profiles} - set(wanted):
        sure(name == "(no spans)" or name.endswith(" lost") or
             any(name.startswith(label + ", overlapping") for label in apart), "a profile %r, not one of %r" % (name, sorted(wanted)))
    mine, entries = split_entries(truth, spans)
    same_spans("speedscope: spans", [(s.lane, s.name, s.start, s.end, parent_key(s), s.source) for s in mine],
               [(name, s.name, s.start, s.end, parent_key(s), s.source) for name, rows in wanted.items() for s in rows], slack)
    same("speedscope: frames", multiset(file.frames), multiset({s.frame() for s in truth.all() + gaps}))
    same_entries("speedscope", entries, truth)
    same_sums("speedscope", sums(spans), truth, slack)
    same("speedscope: gaps", multiset(g.name for g in gaps), multiset(m.label() for m in truth.moments if m.kind == GAPS))


# ---- Chrome --------------------------------------------------------------------------------------

def json_value(value):
    """As JSON has it: what a double would round, or is none, is a text."""
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"
    return str(value) if isinstance(value, int) and abs(value) > EXACT else value


def plain(args):
    return repr(sorted((key, float(v) if type(v) is not bool and not isinstance(v, (int, str)) else v)
                       for key, v in args.items()))


def chrome_place(chrome, where):
    return chrome.processes[where[0]], chrome.threads[where]


def true_place(truth, lane, name):
    process = name
    if lane.process is not None:
        process = lane.process + (" (%d)" % lane.process_number if lane.process_number else "")
    return process, lane.shown


def chrome_args(span, no_args):
    if no_args:
        return {}
    args = {key: json_value(value) for key, value in span.attributes.items()}
    if span.doubts:
        args["stave"] = words_text(span.doubts)
    return args


ORDER = ["failed", "interrupted", "unfinished", "unwound", "overlap", "uncertain", "truncated", "saturated",
         "deadline missed", "cut at the start", "cut at the end"]


def words_text(doubts):
    return ", ".join(sorted(doubts, key=ORDER.index))


def entry_args(args):
    ns = {key: int(args[key + "_us"] * 1000) for key in ("min", "max", "first", "last")}
    return dict(ns, calls=args["calls"])


def chrome(truth, file, name, slack=0, no_args=False):
    mine, entries = split_entries(truth, file.spans)
    check_nesting(sorted(file.spans, key=lambda s: s.start))

    def open_end(span):
        return None if span.open else span.end

    same_spans("chrome: spans",
               [(chrome_place(file, s.lane), s.name, s.start, None if s.open else s.end,
                 parent_key(s, lambda s: s.start < s.end), bool(s.track), plain(s.args)) for s in mine],
               [(true_place(truth, s.lane, name), s.name, s.start, open_end(s),
                 parent_key(s, lambda s: s.start < s.end), bool(s.track), plain(chrome_args(s, no_args)))
                for s in truth.spans], slack)
    same_entries("chrome", entries, truth, None if no_args else lambda entry: entry_args(entry.args), has_sources=False)
    same_sums("chrome", sums(file.spans), truth, slack)
    if slack:
        return
    chrome_moments(truth, file, name, no_args)
    chrome_flows(truth, file, name)
    epoch = truth.epoch()
    same("chrome: metadata", {"start": file.metadata.get("start_unix_ns"), "lost": file.metadata["lost"]},
         {"start": str(epoch) if epoch else None,
          "lost": sum(m.value for m in truth.moments if m.kind == GAPS)})


def chrome_moments(truth, file, name, no_args):
    found = multiset((chrome_place(file, (pid, tid)), time, text, plain(args), scope)
                     for pid, tid, time, text, args, scope in file.instants)
    wanted = Counter()
    for m in truth.moments:
        args = {}
        if m.kind == MARKS and m.value is not None:
            args = {"value": json_value(m.value)}
        elif m.kind in (GAPS, DOUBTS):
            args = dict({"lost": m.value} if m.kind == GAPS else {}, dur_us=(m.end - m.time) / 1000)
        if m.kind != COUNTERS:
            wanted[true_place(truth, m.lane, name), m.time, m.label(), plain(args), scope_of(m.lane)] += 1
    for s in truth.spans:
        if s.missed is not None:
            args = plain({"span": s.name, "late_us": (s.end - s.missed) / 1000})
            wanted[true_place(truth, s.lane, name), s.missed, "deadline missed", args, "t"] += 1
    same("chrome: instants", found, wanted)
    same("chrome: counters",
         multiset((chrome_place(file, (pid, tid)), time, text, plain(args)) for pid, tid, time, text, args in file.counters),
         multiset((true_place(truth, m.lane, name), m.time, m.name, plain({"value": int(m.value) if m.value in (True, False)
                                                                           else m.value}))
                  for m in truth.moments if m.kind == COUNTERS and not isinstance(m.value, str)))


def scope_of(lane):
    return "p" if KINDS[lane.kind] in ("device", "process") else "t"


def chrome_flows(truth, file, name):
    found = Counter()
    for starts, ends in file.flows.values():
        if truth.is_part and len(starts) + len(ends) == 1:
            continue
        sure(len(starts) == len(ends) == 1 and starts[0][3] == ends[0][3], "a flow with a lost end")
        (pid, tid, time, what), (to_pid, to_tid, to_time, _) = starts[0], ends[0]
        found[what, chrome_place(file, (pid, tid)), time, chrome_place(file, (to_pid, to_tid)), to_time] += 1
    same("chrome: flows", found,
         multiset((what, true_place(truth, a.lane, name), a.start, true_place(truth, b.lane, name), b.start)
                  for a, b, what in truth.links))


# ---- Perfetto ------------------------------------------------------------------------------------

def perfetto_lane(file, uuid):
    """(process, its number, what the track is called, thread's number, kind, overlapping) of a track."""
    track = file.tracks[uuid]
    over = one(track, "name", "").startswith("overlapping ") and one(file.tracks[one(track, "parent_uuid")], "child_ordering") is None
    if over:
        return perfetto_lane(file, one(track, "parent_uuid"))[:-1] + (True,)
    process = one(file.tracks[one(track, "parent_uuid")], "process")
    thread = one(track, "thread")
    who = (one(process, "process_name"), one(process, "pid")) if process else (None, None)
    if thread is not None:
        sure(one(thread, "pid") == who[1], "a thread of another process")
        return (*who, one(thread, "thread_name"), one(thread, "tid"), "thread", False)
    return (*who, one(track, "name"), None, one(track, "description").split(",")[0], False)


def true_perfetto_lane(lane, over):
    is_thread = KINDS[lane.kind] == "thread" and lane.process is not None and lane.number
    return (lane.process, lane.process_number, lane.shown, lane.number if is_thread else None, KINDS[lane.kind], over)


def typed(value):
    if isinstance(value, bool):
        return "bool_value", value
    if isinstance(value, float):
        return "double_value", repr(value)
    return ("string_value", value) if isinstance(value, str) else ("int", value)


def perfetto_args(annotations):
    """The last of equal keys."""
    return repr(sorted((key, typed(value)) for key, value in dict(annotations).items()))


def perfetto(truth, file, slack=0, no_args=False):
    mine, entries = split_entries(truth, file.spans)
    check_nesting(file.spans)
    same_spans("perfetto: spans",
               [(perfetto_lane(file, s.lane), s.name, s.start, None if s.open else s.end, parent_key(s),
                 perfetto_args(s.args), s.source, s.function) for s in mine],
               [(true_perfetto_lane(s.lane, bool(s.track)), s.name, s.start,
                 None if s.open else s.end, parent_key(s),
                 perfetto_args([] if no_args else [*s.attributes.items(),
                                                   *([("stave", words_text(s.doubts))] if s.doubts else [])]),
                 s.source, s.function)
                for s in truth.spans], slack)

    def about(entry):
        args = dict(entry.args)
        return dict({key: args[key + "_ns"] for key in ("min", "max", "first", "last")}, calls=args["calls"])

    same_entries("perfetto", entries, truth, None if no_args else about)
    same_sums("perfetto", sums(file.spans), truth, slack)
    if not slack:
        perfetto_moments(truth, file)
        perfetto_flows(truth, file)
        epoch = truth.epoch()
        same("perfetto: clocks", file.snapshot or {}, {3: 0, 6: 0, 1: epoch} if epoch else {})


def perfetto_moments(truth, file):
    found = multiset((perfetto_lane(file, uuid), time, name, perfetto_args(args)) for uuid, time, name, args in file.instants)
    wanted = Counter()
    for m in truth.moments:
        args = [("value", m.value)] if m.kind == MARKS and m.value is not None else []
        if m.kind in (GAPS, DOUBTS):
            args = ([("lost", m.value)] if m.kind == GAPS else []) + [("dur_ns", m.end - m.time)]
        if m.kind != COUNTERS:
            wanted[true_perfetto_lane(m.lane, False), m.time, m.label(), perfetto_args(args)] += 1
    for s in truth.spans:
        if s.missed is not None:
            args = [("span", s.name), ("late_ns", s.end - s.missed)]
            wanted[true_perfetto_lane(s.lane, bool(s.track)), s.missed, "deadline missed", perfetto_args(args)] += 1
    same("perfetto: instants", found, wanted)
    counters = Counter()
    for uuid, time, value in file.counters:
        process = one(file.tracks[one(file.tracks[uuid], "parent_uuid")], "process")
        counters[one(process, "process_name") if process else None, one(file.tracks[uuid], "name"), time, float(value)] += 1
    same("perfetto: counters", counters,
         multiset((m.lane.process, m.name, m.time, float(m.value)) for m in truth.moments
                  if m.kind == COUNTERS and not isinstance(m.value, str)))


def perfetto_flows(truth, file):
    ends = defaultdict(lambda: ([], []))
    for span in file.spans:
        for flow in span.flows_out:
            ends[flow][0].append(span)
        for flow in span.flows_in:
            ends[flow][1].append(span)
    found = Counter()
    for out, into in ends.values():
        if truth.is_part and len(out) + len(into) == 1:
            continue
        sure(len(out) == len(into) == 1, "a flow with a lost end")
        found[tuple((perfetto_lane(file, s.lane), s.name, s.start) for s in (out[0], into[0]))] += 1
    same("perfetto: flows", found,
         multiset(tuple((true_perfetto_lane(s.lane, bool(s.track)), s.name, s.start) for s in (a, b))
                  for a, b, _ in truth.links))


# ---- folded, pprof -------------------------------------------------------------------------------

def folded_name(name):
    name = "".join(":" if c == ";" else " " if c < " " else "   " if c in "\u2028\u2029" else c for c in name)
    return "_" + name[1:] if name.startswith("#") else name or "(no name)"


def folded(truth, found, slack=0):
    """A line for each path of texts, wherever they are from."""
    wanted = [(tuple(map(folded_name, path)), ns) for path, ns in paths(truth.all()).items()]
    if slack:
        found, wanted = ([path for path, _ in lines] for lines in (found, wanted))
    same("folded: lines", multiset(found), multiset(wanted))


def pprof(truth, file, slack=0, no_args=False):
    same("pprof: types", {"types": file.types, "default": file.default, "time": file.time},
         {"types": [("spans", "count"), ("wall", "nanoseconds")], "default": "wall", "time": truth.epoch() or 0})
    selves, found, wanted = self_times(truth.all()), Counter(), Counter()
    for path, values, labels in file.samples:
        sure(set(labels) <= {"thread", "stave"}, "a label")
        doubts = words(labels.get("stave", ""))
        found[path, labels["thread"], doubts, "spans"] += values["spans"]
        found[path, labels["thread"], doubts, "wall"] += 0 if slack else values["wall"]
    for span in truth.all():
        is_plain = no_args or span.deeper or not hasattr(span, "doubts")
        doubts = () if is_plain else tuple(sorted(d for d in span.doubts if d in ORDER[:8]))
        path = tuple(around.frame() for around in span.chain())
        wanted[path, span.lane.label, doubts, "spans"] += span.calls
        wanted[path, span.lane.label, doubts, "wall"] += 0 if slack else selves[id(span)]
    same("pprof: samples", found, wanted)


# ---- OTLP ----------------------------------------------------------------------------------------

def otlp_value(value):
    if isinstance(value, bool) or isinstance(value, str):
        return value
    if isinstance(value, float):
        return repr(value)
    return str(value) if value >= 1 << 63 else value


def otlp_args(args):
    return repr(sorted((key, repr(v) if isinstance(v, float) else v) for key, v in args.items()))


def otlp_lane(lane):
    return lane.process_number if lane.process is not None else None, lane.shown


def true_otlp_args(span, no_args):
    """What it says itself goes before an attribute that is called so."""
    args = {} if no_args else {key: otlp_value(value) for key, value in span.attributes.items()}
    if span.doubts and not no_args:
        args["stave.doubt"] = words_text(span.doubts)
    args.update({"thread.id": span.lane.number or span.lane.index + 1, "thread.name": span.lane.shown})
    return args


def otlp(truth, file, name, slack=0, no_args=False):
    epoch = truth.epoch() or 0
    mine, entries = split_entries(truth, file.spans)
    wanted = []
    for s in truth.spans:
        parent = truth.identity.get(s.attached) if s.attached else s.parent
        sure(truth.is_part or not s.attached or parent, "the truth knows no parent")
        error = s.attributes.get("error")
        message = {"message": error} if isinstance(error, str) and not no_args else {}
        status = dict({"code": 2}, **message) if "failed" in s.doubts else {}
        events = [(m.time, m.name, {"value": otlp_value(m.value)} if m.value is not None else {}) for m in s.marks]
        wanted.append((otlp_lane(s.lane), s.name, s.start, s.end, parent.name if parent else None,
                       otlp_args(true_otlp_args(s, no_args)), repr(sorted(status.items())),
                       repr(sorted((t, n, otlp_args(a)) for t, n, a in events)),
                       *((NO_SOURCE, "") if no_args else (s.source, s.function))))
    same_spans("otlp: spans",
               [(s.lane, s.name, s.start - epoch, s.end - epoch, parent_key(s), otlp_args(s.args),
                 repr(sorted(s.status.items())), repr(sorted((t - epoch, n, otlp_args(a)) for t, n, a in s.events)),
                 s.source, s.function) for s in mine], wanted, slack)
    otlp_entries(truth, entries, epoch, no_args)
    if not truth.is_part:
        same("otlp: processes", multiset((r.get("process.pid"), r["service.name"]) for r in file.resources),
             multiset(otlp_processes(truth, name)))
    if slack:
        return
    for span in file.spans:  # what is attached from another lane covers nothing there
        if span.parent and span.parent.lane != span.lane:
            span.parent = None
    same_sums("otlp", sums(file.spans), truth, slack)
    same("otlp: links", multiset((s.name, file.by_id[other].name, about["stave.link"]) for s in file.spans
                                 for _, other, about in s.links if other in file.by_id),
         multiset((a.name, b.name, what) for a, b, what in truth.links if what != "child"))


def otlp_entries(truth, entries, epoch, no_args):
    for entry in entries:
        sure(entry.parent is None or entry.parent.start <= entry.start and entry.end <= entry.parent.end,
             "an entry outside of its span")
    keys = [] if no_args else ["calls", "min_ns", "max_ns"]
    found = multiset((e.name, e.end - e.start, parent_key(e), *(e.args["stave." + key] for key in keys),
                      0 if no_args else e.args["stave.last_unix_ns"] - epoch, e.source) for e in entries)
    same("otlp: entries", found,
         multiset((e.name, e.end, parent_key(e), *(e.about[key.removesuffix("_ns")] for key in keys),
                   0 if no_args else e.about["last"], NO_SOURCE if no_args else e.source) for e in truth.entries))


def otlp_processes(truth, name):
    """Those next to each other in the order of their lanes are one resource."""
    lanes = {s.lane.index for s in truth.all()} | {m.lane.index for m in truth.moments}
    before = None
    for lane in truth.lanes:
        if lane.index in lanes and lane.process_index != before:
            before = lane.process_index
            yield (lane.process_number, lane.process) if before else (None, name)

import assert from "node:assert/strict";
import { test } from "node:test";
import { refName } from "../src/data/labels";
import { parse } from "../src/data/load";
import { Flag, LaneKind, MARK_ROW, type Ref, type Trace } from "../src/data/model";
import { Search, type Direction } from "../src/data/search";
import { laneLayer, timesOf, type Visible } from "../src/data/sequence";
import { inWindow, spansAt } from "../src/data/window";
import { payload, type LaneOf, type MarkRow, type SpanRow } from "./payload";
import { Random } from "./random";

const TEXTS = ["adc_isr", "Control", "telemetry", "ctl\n", "rare"];
const KINDS = [LaneKind.Isr, LaneKind.Task, LaneKind.Thread, LaneKind.Markers];
const all: Visible = () => true;

/** Lanes of small times, so that many are equal; the third lane is folded and overlaps. */
function randomTrace(seed: number): Trace {
    const random = new Random(seed);
    const name = () => (random.below(40) ? 1 + random.below(4) : 5);
    const lanes = KINDS.map((kind, l): LaneOf => {
        const marks: MarkRow[] = ascending(random, 20).map((start) => ({ start, name: name() }));
        if (kind === LaneKind.Markers) return { kind, marks: [{ rows: marks }] };
        const spans: SpanRow[] = ascending(random, 60).map((start) => {
            const flags = random.below(20) ? 0 : Flag.Missed;
            return { start, length: random.below(l === 2 ? 40 : 1), flags, row: random.below(2) };
        });
        const named =
            l === 0 ? spans : spans.map((span) => ({ ...span, name: random.below(3) && name() }));
        return { kind, name: 1 + l, rows: 2, spans: [{ rows: named }], marks: [{ rows: marks }] };
    });
    return parse(payload({ texts: TEXTS, sources: [{}], lanes }));
}

function ascending(random: Random, count: number): number[] {
    return Array.from({ length: count }, () => random.below(100)).sort((a, b) => a - b);
}

/** All that is visible, in the order of time, lane, row, index. */
function everything(trace: Trace, visible: Visible): Ref[] {
    const refs = trace.lanes.flatMap((lane) => {
        if (!visible(laneLayer(lane.kind))) return [];
        const of = (row: number, count: number) =>
            Array.from({ length: count }, (_, index) => ({ lane: lane.index, row, index }));
        const marks = visible("marker") ? of(MARK_ROW, lane.marks.count) : [];
        return [...marks, ...lane.rows.flatMap((track, row) => of(row, track.count))];
    });
    return refs.sort(
        (a, b) =>
            startOf(trace, a) - startOf(trace, b) ||
            a.lane - b.lane ||
            a.row - b.row ||
            a.index - b.index,
    );
}

const startOf = (trace: Trace, ref: Ref) => timesOf(trace, ref).start;

function matching(trace: Trace, text: string, visible: Visible): Ref[] {
    const sought = text.toLowerCase();
    return everything(trace, visible).filter((ref) =>
        refName(trace, ref).toLowerCase().includes(sought),
    );
}

function checkWalk(trace: Trace, text: string, direction: Direction, visible: Visible): void {
    const expected = matching(trace, text, visible);
    const search = new Search(trace, text);
    assert.equal(search.count(visible), expected.length);
    let ref: Ref | null = null;
    for (let n = 0; n <= expected.length; n++) {
        const place = { time: ref ? NaN : -direction * Infinity, ref };
        ref = search.next(place, direction, visible);
        const i = direction > 0 ? n % expected.length : expected.length - 1 - (n % expected.length);
        assert.deepEqual(ref, expected[i] ?? null);
    }
}

test("walks through all that match, in the order of time, and around", () => {
    const visibles: Visible[] = [all, (layer) => layer !== "marker", (layer) => layer !== "isr"];
    for (let seed = 0; seed < 20; seed++)
        for (const visible of visibles)
            for (const text of ["CTL", "con", "rare", "e", "nothing"])
                for (const direction of [1, -1] as const)
                    checkWalk(randomTrace(seed), text, direction, visible);
});

test("from a time, or from a ref that does not match itself", () => {
    const trace = randomTrace(3);
    const search = new Search(trace, "e");
    const found = matching(trace, "e", all);
    const order = everything(trace, all);
    for (let time = -1; time < 102; time++) {
        const after = found.find((ref) => startOf(trace, ref) >= time) ?? found[0];
        const before = found.filter((ref) => startOf(trace, ref) <= time).at(-1) ?? found.at(-1);
        assert.deepEqual(search.next({ time, ref: null }, 1, all), after);
        assert.deepEqual(search.next({ time, ref: null }, -1, all), before);
    }
    order.forEach((ref, i) => {
        const isFound = (other: Ref) => found.includes(other) || found.some((f) => same(f, other));
        const after = [...order.slice(i + 1), ...order].find(isFound);
        const before = [...order, ...order.slice(0, i)].filter(isFound).at(-1);
        assert.deepEqual(search.next({ time: 0, ref }, 1, all), after);
        assert.deepEqual(search.next({ time: 0, ref }, -1, all), before);
    });
});

const same = (a: Ref, b: Ref) => a.lane === b.lane && a.row === b.row && a.index === b.index;

test("an empty text finds nothing; a name is found as recorded and as shown", () => {
    const trace = randomTrace(1);
    assert.equal(new Search(trace, "").count(all), 0);
    assert.equal(new Search(trace, "").next({ time: 0, ref: null }, 1, all), null);
    assert.equal(new Search(trace, "l␊").count(all), new Search(trace, "l\n").count(all));
    assert.ok(new Search(trace, "l␊").count(all) > 0);
});

test("the rows of a window, in order and counted", () => {
    const random = new Random(5);
    for (let n = 0; n < 300; n++) {
        const trace = randomTrace(n % 10);
        const from = random.below(110) - 5;
        const to = from + random.below(30);
        const limit = random.below(2) ? 1000 : random.below(20);
        const visible: Visible = random.below(2) ? all : (layer) => layer !== "thread";
        const expected = everything(trace, visible).filter((ref) => {
            const { start, end } = timesOf(trace, ref);
            return start <= to && end >= from;
        });
        const { rows, total } = inWindow(trace, from, to, limit, visible);
        assert.equal(total, expected.length);
        assert.deepEqual(rows, expected.slice(0, limit));
    }
});

test("at one place: one that missed, else the longest", () => {
    const rows: SpanRow[] = [
        { start: 0, length: 5 },
        { start: 10, length: 9 },
        { start: 20, length: 1, flags: Flag.Missed },
    ];
    const trace = parse(payload({ texts: TEXTS, sources: [{}], lanes: [{ spans: [{ rows }] }] }));
    const [track] = trace.lanes[0].rows;
    assert.deepEqual(spansAt(track, 0, 15), { count: 2, best: 1 });
    assert.deepEqual(spansAt(track, 0, 30), { count: 3, best: 2 });
    assert.deepEqual(spansAt(track, 6, 9), { count: 0, best: -1 });
});

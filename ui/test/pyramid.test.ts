import assert from "node:assert/strict";
import { test } from "node:test";
import { Flag } from "../src/data/model";
import { buildPyramid } from "../src/data/pyramid";
import { Random } from "./random";

interface Row {
    start: Float64Array;
    end: Float64Array;
    flags: Uint32Array;
}

/** Spans with equal starts, of no length, and in folded rows overlapping ones, some very long. */
function randomRow(random: Random, count: number, folded: boolean): Row {
    const row = {
        start: new Float64Array(count),
        end: new Float64Array(count),
        flags: new Uint32Array(count),
    };
    for (let i = 0, at = 0; i < count; i++) {
        if (random.below(3)) at += random.below(20);
        row.start[i] = at;
        const length = random.below(4)
            ? random.below(10)
            : random.below(50)
              ? 0
              : random.below(500);
        row.end[i] = at + length;
        row.flags[i] = random.below(30) ? 1 << random.below(10) : Flag.Missed;
        if (!folded) at += length;
    }
    return row;
}

function touching({ start, end }: Row, from: number, to: number): number[] {
    return Array.from(start.keys()).filter((i) => start[i] <= to && end[i] >= from);
}

function best({ start, end, flags }: Row, among: number[]): number {
    const rank = (i: number) => [flags[i] & Flag.Missed, end[i] - start[i]];
    const order = (a: number, b: number) =>
        rank(b)[0] - rank(a)[0] || rank(b)[1] - rank(a)[1] || a - b;
    return [...among].sort(order)[0] ?? -1;
}

/** Checks a visit against the row itself; the indices that were handed out. */
function visited(row: Row, from: number, to: number, least: number): number[] {
    const { start, end, flags } = row;
    const out: number[] = [];
    buildOnce(row).visit(from, to, least, {
        span(i) {
            assert.ok(end[i] - start[i] >= least && start[i] <= to && end[i] >= from);
            out.push(i);
        },
        dense(s, e, busy, f, first, count) {
            const all = Array.from({ length: count }, (_, k) => first + k);
            assert.ok(e - s < least && s <= to && e >= from);
            assert.equal(s, start[first]);
            assert.equal(e, Math.max(...all.map((i) => end[i])));
            assert.equal(
                busy,
                all.reduce((sum, i) => sum + end[i] - start[i], 0),
            );
            assert.equal(
                f,
                all.reduce((bits, i) => bits | flags[i], 0),
            );
            out.push(...all);
        },
    });
    return out;
}

const built = new WeakMap<Row, ReturnType<typeof buildPyramid>>();
function buildOnce(row: Row) {
    if (!built.has(row)) built.set(row, buildPyramid(row.start, row.end, row.flags));
    return built.get(row)!;
}

function checkWindow(row: Row, from: number, to: number, least: number): void {
    const expected = touching(row, from, to);
    const seen = visited(row, from, to, least);
    for (let i = 1; i < seen.length; i++) assert.ok(seen[i] > seen[i - 1], "in order, each once");
    const set = new Set(seen);
    assert.ok(
        expected.every((i) => set.has(i)),
        "none is lost",
    );
    const first = row.end.findIndex((end) => end >= from);
    assert.equal(buildOnce(row).firstTouching(from), first < 0 ? row.start.length : first);
    assert.deepEqual(buildOnce(row).summary(from, to), {
        count: expected.length,
        best: best(row, expected),
    });
}

test("10 000 random windows: each span exactly once, none lost", () => {
    const random = new Random(7);
    const counts = [0, 1, 2, 15, 16, 17, 255, 256, 257, 700];
    const rows = counts.flatMap((count) => [
        randomRow(random, count, false),
        randomRow(random, count, true),
    ]);
    for (let n = 0; n < 10000; n++) {
        const row = rows[random.below(rows.length)];
        const last = (row.start.at(-1) ?? 0) + 20;
        const from = random.below(last) - 10;
        const to = from + random.below(random.below(2) ? 20 : last);
        checkWindow(row, from, to, [0, 0.5, 3, 25, 400, 1e6][random.below(6)]);
    }
});

test("what is handed out depends on the picture's width alone", () => {
    const count = 300_000;
    const start = Float64Array.from({ length: count }, (_, i) => i * 10);
    const end = start.map((time) => time + 5);
    const pyramid = buildPyramid(start, end, null);
    const width = 1000;
    let seen = 0;
    const any = { span: () => seen++, dense: () => seen++ };
    pyramid.visit(0, count * 10, (count * 10) / width, any);
    assert.ok(seen >= width && seen <= 2 * width, `${seen}`);
});

test("a marker is of no length, and found at its very time", () => {
    const time = Float64Array.of(1, 2, 2, 3);
    const pyramid = buildPyramid(time, time, null);
    assert.deepEqual(pyramid.summary(2, 2), { count: 2, best: 1 });
    assert.deepEqual(pyramid.summary(2.1, 2.9), { count: 0, best: -1 });
    assert.equal(pyramid.firstTouching(2), 1);
    assert.equal(pyramid.firstTouching(4), 4);
});

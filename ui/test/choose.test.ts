import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "../src/data/load";
import { Flag, LaneKind, MARK_ROW, type Ref } from "../src/data/model";
import { layoutOf } from "../src/draw/layout";
import { scaleOf, xOf } from "../src/draw/scale";
import { aboveOrBelow, beside, hitAt, missedFrom } from "../src/stage/choose";
import type { Layer } from "../src/view/state";
import { payload } from "./payload";

const MISSED = Flag.Missed;

// Microseconds are ticks. Lane 0 has an empty row in between; lane 2 has marks alone.
const trace = parse(
    payload({
        texts: ["isr", "task", "mark"],
        sources: [{}],
        lanes: [
            {
                kind: LaneKind.Thread,
                name: 1,
                rows: 3,
                spans: [
                    {
                        rows: [
                            { start: 0, length: 100 },
                            { start: 10, length: 20, row: 2 },
                            { start: 200, length: 100, flags: MISSED },
                        ],
                    },
                ],
                counts: [3, 3, 1],
            },
            {
                kind: LaneKind.Task,
                name: 2,
                spans: [
                    {
                        rows: [
                            { start: 50, length: 10, flags: MISSED },
                            { start: 400, length: 1 },
                            { start: 401, length: 1 },
                            { start: 700, length: 300, flags: MISSED },
                        ],
                    },
                ],
                counts: [4, 4, 2],
                marks: [{ rows: [{ start: 55, name: 3 }] }],
            },
            {
                kind: LaneKind.Markers,
                name: 3,
                marks: [{ rows: [{ start: 500 }, { start: 600, name: 3 }] }],
            },
        ],
    }),
);
const layout = layoutOf(trace, new Set());
const scale = scaleOf({ from: 0, to: 1000 }, 100, 500); // half a pixel for each microsecond
const ref = (lane: number, row: number, index: number): Ref => ({ lane, row, index });
const rowY = (lane: number, row: number): number => {
    const box = layout.boxes[lane]!;
    return box.barTop + row * box.rowStep + box.barHeight / 2;
};
const hit = (us: number, lane: number, row: number, hidden: Layer[] = []) =>
    hitAt(layout, scale, new Set(hidden), xOf(scale, us), rowY(lane, row));

// ---- under the pointer --------------------------------------------------------------------------

test("what stands under the pointer, in its row", () => {
    assert.deepEqual(hit(50, 0, 0), { ref: ref(0, 0, 0), more: 0 });
    assert.deepEqual(hit(20, 0, 2), { ref: ref(0, 2, 0), more: 0 });
    assert.equal(hit(50, 0, 1), null);
    assert.equal(hit(150, 0, 0), null);
    assert.deepEqual(hit(850, 1, 0), { ref: ref(1, 0, 3), more: 0 });
});

test("four pixels beside something are near enough", () => {
    assert.deepEqual(hit(1000 - 300 - 7, 1, 0)?.ref, ref(1, 0, 3));
    assert.equal(hit(1000 - 300 - 9, 1, 0), null);
});

test("what is too close together is counted", () => {
    assert.equal(hit(401, 1, 0)?.more, 1);
});

test("a mark is nearer than the span it stands on, unless marks are hidden", () => {
    assert.deepEqual(hit(55, 1, 0), { ref: ref(1, MARK_ROW, 0), more: 0 });
    assert.deepEqual(hit(55, 1, 0, ["marker"]), { ref: ref(1, 0, 0), more: 0 });
    assert.deepEqual(hit(602, 2, 0)?.ref, ref(2, MARK_ROW, 1));
});

test("above the lanes, below them, and on the names there is nothing", () => {
    assert.equal(hitAt(layout, scale, new Set(), 150, -1), null);
    assert.equal(hitAt(layout, scale, new Set(), 150, layout.height + 1), null);
    assert.equal(hitAt(layout, scale, new Set(), 99, rowY(0, 0)), null);
});

// ---- by keyboard --------------------------------------------------------------------------------

test("beside: the neighbour in the row, or the same at its ends", () => {
    assert.deepEqual(beside(trace, ref(1, 0, 1), 1), ref(1, 0, 2));
    assert.deepEqual(beside(trace, ref(1, 0, 3), 1), ref(1, 0, 3));
    assert.deepEqual(beside(trace, ref(1, 0, 0), -1), ref(1, 0, 0));
    assert.deepEqual(beside(trace, ref(2, MARK_ROW, 0), 1), ref(2, MARK_ROW, 1));
});

test("above and below: the nearest in time in the next row that has something", () => {
    const go = (from: Ref | null, us: number, direction: 1 | -1) =>
        aboveOrBelow(layout, new Set(), from, us, direction);
    assert.deepEqual(go(null, 180, 1), ref(0, 0, 1));
    assert.deepEqual(go(null, 560, -1), ref(2, MARK_ROW, 1));
    assert.deepEqual(go(ref(0, 0, 0), 0, 1), ref(0, 2, 0)); // over the empty row
    assert.deepEqual(go(ref(0, 2, 0), 10, 1), ref(1, 0, 0));
    assert.deepEqual(go(ref(1, 0, 2), 401, 1), ref(1, MARK_ROW, 0));
    assert.deepEqual(go(ref(1, MARK_ROW, 0), 55, 1), ref(2, MARK_ROW, 0));
    assert.deepEqual(go(ref(2, MARK_ROW, 0), 500, 1), ref(2, MARK_ROW, 0)); // the lowest
    assert.deepEqual(go(ref(1, 0, 3), 700, -1), ref(0, 2, 0));
});

test("hidden lanes are passed over", () => {
    const without = layoutOf(trace, new Set(["task"] as const));
    assert.deepEqual(aboveOrBelow(without, new Set(), ref(0, 2, 0), 10, 1), ref(2, MARK_ROW, 0));
});

test("the next missed deadline over all lanes, around the ends", () => {
    const order = [ref(1, 0, 0), ref(0, 0, 1), ref(1, 0, 3)];
    const times = [50, 200, 700];
    order.forEach((_, i) => {
        assert.deepEqual(missedFrom(trace, times[i]!, 1), order[(i + 1) % 3]);
        assert.deepEqual(missedFrom(trace, times[i]!, -1), order[(i + 2) % 3]);
    });
    assert.deepEqual(missedFrom(trace, 0, 1), order[0]);
    assert.deepEqual(missedFrom(trace, 0, -1), order[2]);
});

test("without a missed one there is none", () => {
    const none = parse(
        payload({ texts: ["a"], sources: [{}], lanes: [{ spans: [{ rows: [{ start: 1 }] }] }] }),
    );
    assert.equal(missedFrom(none, 0, 1), null);
});

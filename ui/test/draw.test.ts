import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "../src/data/load";
import { LaneKind } from "../src/data/model";
import { Density } from "../src/draw/density";
import { barTopOf, boxesWithin, firstBoxBelow, layoutOf } from "../src/draw/layout";
import { scaleOf, stretchOf, usAt, xOf } from "../src/draw/scale";
import { fitted, type Surface } from "../src/draw/surface";
import { SvgSurface } from "../src/draw/svg";
import { payload, type LaneOf } from "./payload";

// ---- scale --------------------------------------------------------------------------------------

test("times to pixels and back", () => {
    const scale = scaleOf({ from: 100, to: 300 }, 50, 400);
    assert.equal(scale.pixelsPerUs, 2);
    assert.equal(xOf(scale, 100), 50);
    assert.equal(xOf(scale, 225), 300);
    assert.equal(usAt(scale, 300), 225);
    assert.equal(usAt(scale, 0), 75);
});

test("stretches are cut 20 pixels outside the picture", () => {
    const scale = scaleOf({ from: 100, to: 300 }, 50, 400);
    assert.deepEqual(stretchOf(scale, 110, 120), [70, 90]);
    assert.deepEqual(stretchOf(scale, -1e12, 1e12), [30, 470]);
    assert.deepEqual(stretchOf(scale, -Infinity, 120), [30, 90]);
});

// ---- density ------------------------------------------------------------------------------------

const UNIT = scaleOf({ from: 0, to: 10 }, 0, 10); // a pixel for each microsecond

function runsOf(density: Density, left = 0): number[][] {
    const runs: number[][] = [];
    density.drawRuns(left, (x, width, alpha) => runs.push([x, width, Math.round(alpha * 100)]));
    return runs;
}

test("columns that look the same are one run, the fuller the darker", () => {
    const density = new Density(10);
    for (const [at, busy] of [
        [2.5, 0.01],
        [3.1, 0.1],
        [4.2, 0.5],
        [4.9, 0.45],
        [7, 1],
    ] as const)
        density.add(UNIT, at, at, busy, 0);
    assert.deepEqual(runsOf(density), [
        [2, 2, 50],
        [4, 1, 100],
        [7, 1, 100],
    ]);
    assert.deepEqual(runsOf(density, 100)[0], [102, 2, 50]);
});

test("what lasts no time at all is seen, in the first and the last column too", () => {
    const density = new Density(10);
    for (const at of [-5, 0, 9.99, 10]) density.add(UNIT, at, at, 0, 0);
    assert.deepEqual(runsOf(density), [
        [0, 1, 50],
        [9, 1, 50],
    ]);
});

test("what reaches into the next column is shared by both", () => {
    const density = new Density(10);
    density.add(UNIT, 2.25, 3.25, 1, 1);
    density.add(UNIT, 6, 7, 1, 0);
    assert.deepEqual(runsOf(density), [
        [2, 1, 88],
        [3, 1, 63],
        [6, 1, 100],
    ]);
    const flagged: number[] = [];
    density.drawFlagged(0, 1, (x) => flagged.push(x));
    assert.deepEqual(flagged, [2]);
});

test("flags are those of any span of a column", () => {
    const density = new Density(10);
    density.add(UNIT, 1, 1.1, 0.1, 1);
    density.add(UNIT, 1, 1.1, 0.1, 2);
    density.add(UNIT, 5, 5.1, 0.1, 4);
    const columns = (flags: number): number[] => {
        const found: number[] = [];
        density.drawFlagged(100, flags, (x) => found.push(x));
        return found;
    };
    assert.deepEqual([columns(1), columns(2), columns(4)], [[101], [101], [105]]);
    assert.deepEqual(columns(7), [101, 105]);
});

test("nothing is left after clear", () => {
    const density = new Density(10);
    density.add(UNIT, 3, 4, 1, 7);
    density.clear();
    assert.deepEqual(runsOf(density), []);
    density.add(UNIT, 8, 8, 0, 0);
    assert.deepEqual(runsOf(density), [[8, 1, 50]]);
    density.drawFlagged(0, 7, () => assert.fail());
});

// ---- layout -------------------------------------------------------------------------------------

const span = [{ rows: [{ start: 1, length: 1 }] }];

function layoutFor(lanes: LaneOf[], hidden: string[] = [], sources = 1) {
    const texts = ["first", "second", "process"];
    const source = Array.from({ length: sources }, (_, i) => ({ name: 1 + i }));
    const trace = parse(payload({ texts, sources: source, lanes }));
    return layoutOf(trace, new Set(hidden) as never);
}

test("lanes stand one below the other, 30 pixels each, every second on a band", () => {
    const layout = layoutFor([{ spans: span }, { spans: span }, { spans: span }]);
    assert.deepEqual(
        layout.boxes.map(({ top, height, barTop, striped }) => [top, height, barTop, striped]),
        [
            [0, 30, 6, true],
            [30, 30, 36, false],
            [60, 30, 66, true],
        ],
    );
    assert.equal(layout.height, 90);
    assert.deepEqual(layout.headings, []);
    assert.deepEqual(layout.extents.get(0), [0, 90]);
});

test("rows of a lane are 19 pixels apart; labels of marks have room above", () => {
    const marks = [{ rows: [{ start: 1 }] }];
    const lane = { rows: 3, spans: span, marks };
    const [box] = layoutFor([lane]).boxes;
    assert.deepEqual([box!.height, box!.labels], [3 * 19 + 11 + 15, 15]);
    assert.equal(barTopOf(box!, 2) - barTopOf(box!, 0), 38);
    for (const hidden of ["label", "marker"])
        assert.deepEqual(layoutFor([lane], [hidden]).boxes[0]!.height, 3 * 19 + 11);
});

test("sources, when there are several, and processes have headings", () => {
    const layout = layoutFor(
        [
            { source: 0, spans: span },
            { source: 1, process: 3, kind: LaneKind.Thread, spans: span },
            { source: 1, process: 3, kind: LaneKind.Thread, spans: span },
        ],
        [],
        2,
    );
    assert.deepEqual(
        layout.headings.map(({ text, level, top }) => [text, level, top]),
        [
            [1, "source", 0],
            [2, "source", 56],
            [3, "process", 82],
        ],
    );
    assert.deepEqual(
        layout.boxes.map(({ top }) => top),
        [26, 108, 138],
    );
    assert.deepEqual(
        [...layout.extents.values()],
        [
            [26, 56],
            [108, 168],
        ],
    );
});

test("hidden kinds have no box, and nor has a source whose lanes are hidden", () => {
    const layout = layoutFor(
        [
            { source: 0, kind: LaneKind.Isr, spans: span },
            { source: 1, kind: LaneKind.Task, spans: span },
        ],
        ["isr"],
        2,
    );
    assert.equal(layout.boxes.length, 1);
    assert.equal(layout.boxOf.get(0), undefined);
    assert.equal(layout.extents.get(0), undefined);
    assert.deepEqual(
        layout.headings.map(({ text }) => text),
        [2],
    );
});

test("which boxes a height is on", () => {
    const layout = layoutFor(Array.from({ length: 100 }, () => ({ spans: span })));
    assert.deepEqual(
        [-5, 0, 29.9, 30, 2999, 3000].map((y) => firstBoxBelow(layout, y)),
        [0, 0, 0, 1, 99, 100],
    );
    const within = boxesWithin(layout, 45, 90).map(({ lane }) => lane.index);
    assert.deepEqual(within, [1, 2]);
    assert.deepEqual(boxesWithin(layout, 3000, 4000), []);
});

// ---- texts --------------------------------------------------------------------------------------

/** A surface on which each letter is as wide as `pixels`. */
const ruler = (pixels: number) =>
    ({ measure: (text: string) => text.length * pixels }) as unknown as Surface;

test("a text that fits stays, another is cut with an ellipsis, or left out", () => {
    const font = { color: "#000", size: 10 };
    assert.equal(fitted(ruler(10), "abcdef", 60, font), "abcdef");
    assert.equal(fitted(ruler(10), "abcdef", 59, font), "abcd…");
    assert.equal(fitted(ruler(10), "abcdef", 20, font), "a…");
    assert.equal(fitted(ruler(10), "abcdef", 19, font), "");
    assert.equal(fitted(ruler(10), "abcdef", -5, font), "");
});

// ---- SVG ----------------------------------------------------------------------------------------

function svg(draw: (surface: SvgSurface) => void): string {
    const canvas = { getContext: () => ({ measureText: () => ({ width: 0 }) }) };
    Object.assign(globalThis, { document: { createElement: () => canvas } });
    const surface = new SvgSurface(200, 100);
    draw(surface);
    return surface.toString();
}

test("texts are escaped", () => {
    const file = svg((surface) =>
        surface.text(1, 2, `</text><script>"&amp;'`, { color: "#123", size: 10 }),
    );
    assert.match(file, />&lt;\/text&gt;&lt;script&gt;&quot;&amp;amp;'<\/text>/);
    assert.doesNotMatch(file, /<script/);
});

test("numbers are short, the file has its size", () => {
    const file = svg((surface) => surface.rect(1 / 3, 2, 10.005, 4, { color: "#abc" }));
    assert.match(file, /^<svg xmlns="[^"]*" width="200" height="100" viewBox="0 0 200 100">/);
    assert.match(file, /<rect x="0.33" y="2" width="10.01" height="4" fill="#abc"\/>/);
});

test("groups are closed; a hatch is defined once for each colour and distance", () => {
    const file = svg((surface) => {
        surface.clip(0, 0, 10, 10, () =>
            surface.moved(7, () => {
                surface.hatch(0, 0, 1, 1, { color: "#111", alpha: 0.5 }, 5);
                surface.hatch(2, 0, 1, 1, { color: "#111" }, 5);
                surface.hatch(4, 0, 1, 1, { color: "#111" }, 8);
            }),
        );
    });
    const count = (pattern: RegExp): number => file.match(pattern)?.length ?? 0;
    assert.deepEqual([count(/<g /g), count(/<\/g>/g)], [2, 2]);
    assert.deepEqual([count(/<pattern /g), count(/fill="url\(#hatch0\)"/g)], [2, 2]);
    assert.match(file, /<g transform="translate\(0 7\)">/);
    assert.match(file, /<clipPath id="clip0"><rect x="0" y="0" width="10" height="10"\/>/);
});

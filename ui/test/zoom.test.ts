import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trace } from "../src/data/model";
import type { Window } from "../src/view/state";
import { panned, showing, wholeOf, within, zoomed } from "../src/view/zoom";
import { Random } from "./random";

const BOUNDS: Window = { from: 0, to: 1000 };

function near(actual: Window, from: number, to: number): void {
    assert.ok(Math.abs(actual.from - from) < 1e-9, `from ${actual.from} is not ${from}`);
    assert.ok(Math.abs(actual.to - to) < 1e-9, `to ${actual.to} is not ${to}`);
}

test("the whole trace has a little room on both sides", () => {
    near(wholeOf({ from: 100, to: 300 } as Trace), 99, 301);
});

test("a window within the bounds stays; others are moved, or cut to the bounds", () => {
    near(within({ from: 10, to: 20 }, BOUNDS), 10, 20);
    near(within({ from: -30, to: 20 }, BOUNDS), 0, 50);
    near(within({ from: 990, to: 1090 }, BOUNDS), 900, 1000);
    near(within({ from: -500, to: 2500 }, BOUNDS), 0, 1000);
});

test("no window is shorter than 10 ns, or than what doubles tell apart", () => {
    near(within({ from: 500, to: 500 }, BOUNDS), 499.995, 500.005);
    const far = { from: 0, to: 1.75e15 }; // microseconds since 1970
    const { from, to } = within({ from: 1.75e15 - 100, to: 1.75e15 - 100 }, far);
    assert.equal(to - from, 17.5);
});

test("zooming keeps a time in its place", () => {
    near(zoomed({ from: 200, to: 600 }, 300, 0.5, BOUNDS), 250, 450);
    near(zoomed({ from: 200, to: 600 }, 300, 1.5, BOUNDS), 150, 750);
    near(zoomed({ from: 200, to: 600 }, 200, 10, BOUNDS), 0, 1000);
});

test("zooming by random factors keeps the time under the pointer, within the bounds", () => {
    const random = new Random(1);
    for (let i = 0; i < 1000; i++) {
        const from = random.next() * 900;
        const window = { from, to: from + 1 + random.next() * (999 - from) };
        const at = window.from + random.next() * (window.to - window.from);
        const next = zoomed(window, at, 0.1 + random.next() * 0.9, BOUNDS);
        const part = (at - window.from) / (window.to - window.from);
        assert.ok(Math.abs(next.from + part * (next.to - next.from) - at) < 1e-9);
        assert.ok(next.from >= 0 && next.to <= 1000);
    }
});

test("panning stops at the bounds and keeps the length", () => {
    near(panned({ from: 200, to: 600 }, 100, BOUNDS), 300, 700);
    near(panned({ from: 200, to: 600 }, -900, BOUNDS), 0, 400);
    near(panned({ from: 200, to: 600 }, 900, BOUNDS), 600, 1000);
});

test("what is seen well is shown as it is", () => {
    const window = { from: 200, to: 600 };
    assert.equal(showing(window, 300, 400, BOUNDS), window);
    assert.equal(showing(window, 300, 302, BOUNDS), window); // a 200th
    assert.equal(showing(window, 350, 350, BOUNDS), window); // a mark
});

test("what is elsewhere comes to the middle, what is too small or large is zoomed to", () => {
    near(showing({ from: 0, to: 100 }, 500, 520, BOUNDS), 460, 560);
    near(showing({ from: 0, to: 100 }, 500, 500, BOUNDS), 450, 550);
    near(showing({ from: 200, to: 600 }, 300, 301, BOUNDS), 297.5, 303.5);
    near(showing({ from: 0, to: 50 }, 500, 600, BOUNDS), 250, 850);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "../src/data/load";
import { MARK_ROW } from "../src/data/model";
import { hashOf, stateIn } from "../src/view/hash";
import type { State } from "../src/view/state";
import { payload } from "./payload";

const trace = parse(
    payload({
        texts: ["a", "b"],
        sources: [{}],
        lanes: [
            { name: 1, rows: 2, spans: [{ rows: [{ start: 0 }, { start: 5, row: 1 }] }] },
            { name: 2, spans: [{ rows: [{ start: 2 }] }], marks: [{ rows: [{ start: 3 }] }] },
        ],
    }),
);
const WHOLE = { from: 0, to: 1000 };
const PLAIN: State = {
    window: WHOLE,
    hidden: new Set(),
    theme: "system",
    find: "",
    hover: null,
    pinned: null,
    at: null,
    pinnedAt: null,
    more: 0,
    over: null,
    measure: null,
};
const NOTHING = stateIn("", trace, WHOLE);

test("what is as always is left out", () => {
    assert.equal(hashOf(PLAIN, WHOLE), "");
    assert.deepEqual(NOTHING, {
        window: WHOLE,
        hidden: new Set(),
        theme: "system",
        find: "",
        pinned: null,
    });
});

test("a state there and back", () => {
    const state: State = {
        ...PLAIN,
        window: { from: 1.25, to: 99.75 },
        hidden: new Set(["gap", "isr"] as const),
        theme: "dark",
        find: "a & b=c#%",
        pinned: { lane: 0, row: 1, index: 0 },
    };
    const hash = hashOf(state, WHOLE);
    assert.equal(
        hash,
        "from=1.25&to=99.75&hide=isr,gap&theme=dark&find=a+%26+b%3Dc%23%25&at=0.1.0",
    );
    const { window, hidden, theme, find, pinned } = state;
    assert.deepEqual(stateIn(`#${hash}`, trace, WHOLE), { window, hidden, theme, find, pinned });
});

test("a mark has no row", () => {
    const pinned = { lane: 1, row: MARK_ROW, index: 0 };
    assert.equal(hashOf({ ...PLAIN, pinned }, WHOLE), "at=1.m.0");
    assert.deepEqual(stateIn("#at=1.m.0", trace, WHOLE).pinned, pinned);
});

test("a long search is cut", () => {
    assert.equal(hashOf({ ...PLAIN, find: "x".repeat(999) }, WHOLE), `find=${"x".repeat(200)}`);
});

test("one end of a window is enough", () => {
    assert.deepEqual(stateIn("#from=400", trace, WHOLE).window, { from: 400, to: 1000 });
    assert.deepEqual(stateIn("#to=400", trace, WHOLE).window, { from: 0, to: 400 });
});

test("a window comes to stand within the trace", () => {
    assert.deepEqual(stateIn("#from=900&to=1100", trace, WHOLE).window, { from: 800, to: 1000 });
    assert.deepEqual(stateIn("#from=-1e9&to=1e9", trace, WHOLE).window, WHOLE);
});

test("nonsense is passed over", () => {
    for (const hash of [
        "#",
        "#from=x",
        "#from=5&to=5",
        "#from=6&to=5",
        "#from=NaN&to=1",
        "#to=Infinity",
        "#hide=all,,toString&theme=Dark",
        "#at=",
        "#at=0.0",
        "#at=2.0.0",
        "#at=0.2.0",
        "#at=0.0.1",
        "#at=0.m.0",
        "#at=-1.0.0",
        "#at=0.0.0.0",
        "#at=1e3.0.0",
        "#%%%&=&&from",
    ])
        assert.deepEqual(stateIn(hash, trace, WHOLE), NOTHING, hash);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { clipped, flagTexts, kindText, laneLabel, markName, shown } from "../src/data/labels";
import { parse } from "../src/data/load";
import { Flag, LaneKind } from "../src/data/model";
import { payload, type LaneOf } from "./payload";

test("what cannot be seen or disturbs gets a picture", () => {
    const rows: [string, string][] = [
        ["plain_name äß 名前 𝄞 👩‍🚀", "plain_name äß 名前 𝄞 👩‍🚀"],
        ["a\nb\tc\u0000", "a␊b␉c␀"],
        ["\u007f\u0085", "␡\ufffd"],
        ["safe\u202egpj.exe", "safe⟪RLO⟫gpj.exe"],
        ["\u2066x\u2069", "⟪LRI⟫x⟪PDI⟫"],
        ["\u200e\u200f\u061c", "⟪LRM⟫⟪RLM⟫⟪ALM⟫"],
        ["\u2028\u2029\ufeff", "⟪LS⟫⟪PS⟫⟪BOM⟫"],
        ["\ud800x\udc00", "\ufffdx\ufffd"],
        ["<b>&amp;", "<b>&amp;"],
    ];
    for (const [text, expected] of rows) assert.equal(shown(text), expected);
});

test("clipping counts code points", () => {
    const rows: [string, number, string][] = [
        ["abc", 3, "abc"],
        ["abcd", 3, "ab…"],
        ["𝄞𝄞𝄞", 3, "𝄞𝄞𝄞"],
        ["𝄞𝄞𝄞𝄞", 3, "𝄞𝄞…"],
        ["abc", 1, "…"],
        ["", 0, ""],
    ];
    for (const [text, max, expected] of rows) assert.equal(clipped(text, max), expected);
});

test("lanes", () => {
    const spans = [{ rows: [{ start: 0 }] }];
    const lanes: LaneOf[] = [
        { kind: LaneKind.Isr, priority: 12, name: 1, spans },
        { kind: LaneKind.Task, priority: 0, name: 2, number: 5, spans },
        { kind: LaneKind.Thread, name: 1, process: 2, number: 4711, spans },
        { kind: LaneKind.Process, spans },
        { kind: LaneKind.Markers, marks: [{ rows: [{ start: 0, name: 2 }] }] },
    ];
    const trace = parse(payload({ texts: ["adc\n", "main"], sources: [{}], lanes }));
    const labels = trace.lanes.map((lane) => Object.values(laneLabel(trace, lane)));
    assert.deepEqual(labels, [
        ["P12", "adc␊", ""],
        ["P0", "main", ""],
        ["4711", "adc␊", "main"],
        ["", "process", ""],
        ["", "markers", ""],
    ]);
    assert.equal(markName(trace, trace.lanes[4].marks, 0), "main");
    assert.equal(kindText(LaneKind.Isr), "ISR");
    assert.equal(kindText(99 as LaneKind), "lane");
});

test("flags in words, a lost end first", () => {
    assert.deepEqual(flagTexts(Flag.HasValue), []);
    assert.deepEqual(flagTexts(Flag.Failed | Flag.Interrupted), [
        "interrupted: its end was lost",
        "failed: its program calls it a failure",
    ]);
});

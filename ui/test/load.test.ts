import assert from "node:assert/strict";
import { test } from "node:test";
import { laneName, markValue, spanName } from "../src/data/labels";
import { inflate, loadPage, parse } from "../src/data/load";
import { Flag, LaneKind } from "../src/data/model";
import { payload, toBase64, type LaneOf, type PageOf, type SourceOf } from "./payload";
import { Random } from "./random";

const TEXTS = ["idle", "adc", "lost frames", "process"];
const MHZ: SourceOf = {}; // a boot whose ticks are microseconds

function oneLane(lane: LaneOf, source: SourceOf = MHZ) {
    return parse(payload({ texts: TEXTS, sources: [source], lanes: [lane] })).lanes[0];
}

test("an empty page", () => {
    const trace = parse(payload({ title: "nothing" }));
    assert.deepEqual(trace, {
        title: "nothing",
        texts: [""],
        sources: [],
        lanes: [],
        from: 0,
        to: 1,
    });
});

test("a lane's head and its spans", () => {
    const lane = oneLane({
        kind: LaneKind.Isr,
        priority: 12,
        name: 2,
        process: 4,
        number: 2n ** 64n - 1n,
        counts: [2, 1, 1],
        times: [1.5, 2.5, 3.5, 4.5],
        worst: 2,
        deadlines: [10, 20],
        spans: [
            {
                rows: [
                    { start: 100, length: 50, flags: 1, name: 2 },
                    { start: 150, length: 0, flags: Flag.Missed, name: 1, deadline: 2 },
                ],
            },
        ],
    });
    const { index, source, kind, priority, name, process, number, folded } = lane;
    assert.deepEqual(
        [index, source, kind, priority, name, process],
        [0, 0, LaneKind.Isr, 12, 2, 4],
    );
    assert.equal(number, "18446744073709551615");
    assert.equal(folded, false);
    assert.equal(lane.reach, 20);
    const counts = { spans: 2, whole: 2, checked: 1, missed: 1 };
    const times = { min: 1.5, mean: 2.5, p99: 3.5, max: 4.5 };
    assert.deepEqual(lane.stats, { ...counts, ...times, worst: { lane: 0, row: 0, index: 1 } });
    const [track] = lane.rows;
    assert.deepEqual([...track.start], [100, 150]);
    assert.deepEqual([...track.end], [150, 150]);
    assert.deepEqual([...track.flags], [1, Flag.Missed]);
    assert.deepEqual([...track.name!], [2, 1]);
    assert.deepEqual([...track.deadline!], [NaN, 150.0 + 20]);
});

test("spans with deadlines of their own", () => {
    const lane = oneLane({
        rows: 2,
        deadlines: [10],
        spans: [
            {
                rows: [
                    { start: 100, length: 50, deadline: 2, own: 70 },
                    { start: 110, length: 5, row: 1, deadline: 1 },
                    { start: 150, length: 1, deadline: 2, own: -3 },
                    { start: 160, length: 1 },
                ],
            },
        ],
    });
    assert.deepEqual([...lane.rows[0].deadline!], [170, 147, NaN]);
    assert.deepEqual([...lane.rows[1].deadline!], [120]);
    assert.equal(lane.reach, 70);
    const alone = oneLane({ spans: [{ rows: [{ start: 1, deadline: 1, own: 5 }] }] });
    assert.deepEqual([...alone.rows[0].deadline!], [6]);
});

test("columns that are not there are null", () => {
    const [track] = oneLane({ name: 1, spans: [{ rows: [{ start: 5 }] }] }).rows;
    assert.equal(track.name, null);
    assert.equal(track.deadline, null);
});

test("spans are dealt out to rows, and the worst is found again", () => {
    const lane = oneLane({
        rows: 3,
        folded: true,
        worst: 4,
        spans: [
            {
                rows: [
                    { start: 0, length: 100 },
                    { start: 10, length: 50, row: 1 },
                    { start: 20, length: 5, row: 2 },
                    { start: 70, length: 5, row: 1, flags: 8 },
                ],
            },
        ],
    });
    assert.deepEqual(
        lane.rows.map((track) => [...track.start]),
        [[0], [10, 70], [20]],
    );
    assert.deepEqual(
        lane.rows.map((track) => track.count),
        [1, 2, 1],
    );
    assert.deepEqual(lane.stats.worst, { lane: 0, row: 1, index: 1 });
    assert.equal(lane.folded, true);
});

test("several boots, anchors and bases of 64 bits", () => {
    const far = 2n ** 62n + 1n;
    const source: SourceOf = {
        boots: [
            { anchors: [{ hz: 1e6 }, { tick: 100, us: 100, hz: 2e6 }] },
            { offset: 1000, anchors: [{ tick: far, us: 5, hz: 0 }] },
            { offset: 5000, anchors: [{ tick: -(2n ** 63n), us: 0, hz: 1e6 }] },
        ],
        restarts: [
            { boot: 1, tick: far + 3000n },
            { boot: 0, tick: 200 },
        ],
    };
    const spans = [
        { boot: 0, rows: [{ start: 90, length: 20 }, { start: 120 }] },
        { boot: 1, rows: [{ start: far + 1000n, length: 500 }, { start: far + 2000n }] },
        { boot: 2, rows: [{ start: -(2n ** 63n) + 7n, length: 1 }] },
    ];
    const trace = parse(payload({ texts: TEXTS, sources: [source], lanes: [{ spans }] }));
    const [track] = trace.lanes[0].rows;
    assert.deepEqual([...track.start], [90, 110, 1006, 1007, 5007]);
    assert.deepEqual([...track.end], [105, 110, 1006.5, 1007, 5008]);
    assert.deepEqual([...trace.sources[0].restarts], [150, 1008]);
    assert.deepEqual([trace.from, trace.to], [90, 5008]);
});

test("rows out of order are put in order", () => {
    const source: SourceOf = { boots: [{ offset: 500 }, { offset: 0 }] };
    const lane = oneLane(
        {
            worst: 1,
            spans: [
                { boot: 0, rows: [{ start: 0, length: 7 }] },
                { boot: 1, rows: [{ start: 3, length: 2 }] },
            ],
            marks: [
                { boot: 0, rows: [{ start: 1, name: 1 }] },
                { boot: 1, rows: [{ start: 1, name: 2 }] },
            ],
        },
        source,
    );
    assert.deepEqual([...lane.rows[0].start], [3, 500]);
    assert.deepEqual([...lane.rows[0].end], [5, 507]);
    assert.deepEqual(lane.stats.worst, { lane: 0, row: 0, index: 1 });
    assert.deepEqual([...lane.marks.time], [1, 501]);
    assert.deepEqual([...lane.marks.name], [2, 1]);
});

test("marks and their values", () => {
    const bits = 0x3fb999999999999an; // 0.1
    const trace = parse(
        payload({
            texts: TEXTS,
            sources: [MHZ],
            lanes: [
                {
                    kind: LaneKind.Markers,
                    rows: 0,
                    marks: [
                        {
                            rows: [
                                { start: -5, name: 3 },
                                { start: 0, name: 3, form: 1, value: 2n ** 64n - 1n },
                                { start: 1, name: 3, form: 2, value: 2n ** 64n - 1n },
                                { start: 2, name: 3, form: 3, value: bits },
                                { start: 2, name: 3, form: 4, value: 2 },
                                { start: 2, name: 3, form: 5, value: 0 },
                                { start: 2, name: 3, form: 5, value: 1n << 40n },
                            ],
                        },
                    ],
                },
            ],
        }),
    );
    const { marks, rows } = trace.lanes[0];
    assert.deepEqual([...marks.time], [-5, 0, 1, 2, 2, 2, 2]);
    assert.deepEqual([...marks.form], [0, 1, 2, 3, 4, 5, 5]);
    const values = Array.from({ length: 7 }, (_, i) =>
        markValue(trace, marks, i).replaceAll("\u2009", " "),
    );
    assert.deepEqual(values, [
        "",
        "18 446 744 073 709 551 615",
        "\u22121", // its 64 bits, two's complement
        "0.1",
        "adc",
        "false",
        "true", // not 0
    ]);
    assert.equal(rows.length, 1, "a lane has a row at least");
    assert.equal(laneName(trace, trace.lanes[0]), "markers");
    assert.deepEqual([trace.from, trace.to], [-5, 2]);
});

test("gaps and doubts", () => {
    const source: SourceOf = {
        name: 2,
        lost: 217,
        frames: true,
        boots: [{ anchors: [{ hz: 2e6 }] }],
        gaps: [{ rows: [{ start: 10, length: 20, value: 217, why: 3, lane: 2 }] }],
        doubts: [
            {
                rows: [
                    { start: 40, length: 2, value: 5, flags: 2 },
                    { start: 60, length: 4 },
                ],
            },
        ],
    };
    const spans = [{ rows: [{ start: 20 }] }];
    const lanes = [{}, { name: 1, spans }];
    const trace = parse(payload({ texts: TEXTS, sources: [source], lanes }));
    const { lost, frames } = trace.sources[0];
    const [[gaps], [doubts]] = [trace.sources[0].gaps, trace.sources[0].doubts];
    assert.deepEqual([lost, frames], [217, true]);
    assert.deepEqual([[...gaps.start], [...gaps.end], [...gaps.value]], [[5], [15], [217]]);
    assert.deepEqual([[...gaps.why], gaps.lane], [[3], 1], "lanes are numbered anew");
    assert.deepEqual([...doubts.value], [2.5, NaN]);
    assert.deepEqual(
        [[...doubts.start], [...doubts.end]],
        [
            [20, 30],
            [21, 32],
        ],
    );
    assert.deepEqual([trace.from, trace.to], [5, 32]);
});

test("lanes without anything are dropped, and the others numbered anew", () => {
    const spans = [{ rows: [{ start: 1 }] }];
    const gaps = [{ rows: [{ start: 0, lane: 4 }] }];
    const lanes: LaneOf[] = [{ name: 1 }, { name: 2, spans, worst: 1 }, { kind: 255 }, { name: 3 }];
    const trace = parse(payload({ texts: TEXTS, sources: [{ gaps }], lanes }));
    assert.deepEqual(
        trace.lanes.map((lane) => [lane.index, lane.name]),
        [
            [0, 2],
            [1, 3],
        ],
    );
    assert.deepEqual(trace.lanes[0].stats.worst, { lane: 0, row: 0, index: 0 });
    assert.deepEqual(trace.sources[0].gaps[0].lane, 2, "its own gap keeps a lane");
});

test("a span's name is its own, its lane's, or what its lane is", () => {
    const rows = [{ start: 0, name: 2 }, { start: 1 }];
    const lanes: LaneOf[] = [
        { name: 1, spans: [{ rows }] },
        { kind: LaneKind.Thread, number: 77, spans: [{ rows: [{ start: 0 }] }] },
    ];
    const trace = parse(payload({ texts: TEXTS, sources: [MHZ], lanes }));
    assert.equal(spanName(trace, { lane: 0, row: 0, index: 0 }), "adc");
    assert.equal(spanName(trace, { lane: 0, row: 0, index: 1 }), "idle");
    assert.equal(spanName(trace, { lane: 1, row: 0, index: 0 }), "thread 77");
});

test("a single moment is widened", () => {
    const lane = (start: bigint): PageOf => ({
        sources: [MHZ],
        lanes: [{ spans: [{ rows: [{ start }] }] }],
    });
    for (const start of [0n, 5n, 2n ** 62n]) {
        const { from, to } = parse(payload(lane(start)));
        assert.ok(to > from && from === Number(start));
    }
});

test("numbers that point nowhere are errors", () => {
    const rows = [{ start: 0 }];
    const bad: [RegExp, PageOf][] = [
        [/version 2, not 1/, { version: 2 }],
        [/a text's number is 9/, { sources: [{ name: 9 }] }],
        [/a boot is 1/, { sources: [{ gaps: [{ boot: 1, rows }] }] }],
        [/a band is on a lane/, { sources: [{ gaps: [{ rows: [{ start: 0, lane: 1 }] }] }] }],
        [/no anchor/, { sources: [{ boots: [{ anchors: [] }] }] }],
        [/a lane's source is 1/, { sources: [{}], lanes: [{ source: 1 }] }],
        [/the worst span is 2/, { sources: [{}], lanes: [{ worst: 2, spans: [{ rows }] }] }],
        [
            /a span's row is 1/,
            { sources: [{}], lanes: [{ spans: [{ rows: [{ start: 0, row: 1 }] }] }] },
        ],
        [
            /a span's deadline/,
            { sources: [{}], lanes: [{ spans: [{ rows: [{ start: 0, deadline: 1 }] }] }] },
        ],
        [
            /a text that is not/,
            { sources: [{}], lanes: [{ marks: [{ rows: [{ start: 0, form: 4, value: 9 }] }] }] },
        ],
        [
            /a value's form is 6/,
            { sources: [{}], lanes: [{ marks: [{ rows: [{ start: 0, form: 6 }] }] }] },
        ],
    ];
    for (const [message, page] of bad) assert.throws(() => parse(payload(page)), message);
});

test("every cut is an error, never a trace", () => {
    const spans = [
        {
            rows: [
                { start: 1, length: 300 },
                { start: 500, length: 2 ** 40 },
            ],
        },
    ];
    const lanes = [{ name: 1, spans, marks: [{ rows: [{ start: 3, form: 1, value: 9 }] }] }];
    const whole = payload({ title: "cut", texts: TEXTS, sources: [MHZ], lanes });
    parse(whole);
    for (let size = 0; size < whole.length; size++)
        assert.throws(() => parse(whole.subarray(0, size)), /damaged|version/, `${size}`);
    assert.throws(() => parse(Uint8Array.of(...whole, 0)), /1 bytes follow/);
});

test("from the page", async () => {
    const page = (textContent: string | null) =>
        ({
            getElementById: (id: string) => (id === "stave-data" ? { textContent } : null),
        }) as Document;
    const base64 = toBase64(payload({ title: "from the page" }));
    assert.equal((await loadPage(page(`\n${base64}\n`))).title, "from the page");
    await assert.rejects(loadPage(page("")), /there is none/);
    await assert.rejects(loadPage(page("!!!")), /cannot be unpacked/);
    await assert.rejects(loadPage(page(base64.slice(0, -8))), /cannot be unpacked/);
});

test("data of several chunks", async () => {
    const bytes = Uint8Array.from({ length: 3_000_000 }, (_, i) => Math.imul(i, 2654435761) >>> 24);
    const base64 = Buffer.from(toBase64(bytes)).toString();
    assert.deepEqual(await inflate(base64.replace(/(.{76})/g, "$1\n")), bytes);
});

test("any damage gives a trace or an error that says so", () => {
    const rows = Array.from({ length: 20 }, (_, i) => ({
        start: i * 300,
        length: 200,
        row: i % 3,
        name: i % 4,
    }));
    const gaps = [{ rows: [{ start: 5, length: 9, lane: 1 }] }];
    const lanes: LaneOf[] = [
        { name: 1, rows: 3, worst: 7, spans: [{ rows }], marks: [{ rows: [{ start: 9 }] }] },
    ];
    const whole = payload({ texts: TEXTS, sources: [{ gaps }], lanes });
    const random = new Random(11);
    for (let n = 0; n < 5000; n++) {
        const bytes = whole.slice();
        for (let k = random.below(4); k >= 0; k--)
            bytes[random.below(bytes.length)] = random.below(256);
        try {
            parse(bytes);
        } catch (error) {
            assert.match(String(error), /^Error: The data of this page is (damaged|of version)/);
        }
    }
});

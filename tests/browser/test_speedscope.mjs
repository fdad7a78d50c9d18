// Exported files in the real speedscope app: what it made of them, from what it writes back, is what is in the trace.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { assertLoaded, load, sumsOf } from "./viewers/speedscope.mjs";

const { STAVE: stave, STAVE_MAKE_TRACES: make, STAVE_PYTHON: python, STAVE_WORK } = process.env;
assert.ok(stave && make && python, "STAVE, STAVE_MAKE_TRACES, STAVE_PYTHON name programs");
mkdirSync(STAVE_WORK ?? ".", { recursive: true });
const work = mkdtempSync(join(STAVE_WORK ?? ".", "speedscope-"));
after(() => rmSync(work, { recursive: true }));

// format: end of the file's name, levels it shows, what its times are to be multiplied by to be ns, what is compared; what
// speedscope calls a span whose name is empty; whether frames have file and line. In Chrome's format it takes spans without
// a length that begin with another for unbalanced ones, and one that begins as one of the same name ends for a part of it:
// what is compared there has none.
const FORMATS = {
    speedscope: {
        suffix: ".speedscope.json",
        depth: 1999,
        scale: 1,
        truth: [],
        unnamed: "",
        hasPlaces: true,
    },
    chrome: {
        suffix: ".json",
        depth: 511,
        scale: 1000,
        truth: ["--nested"],
        unnamed: "(unnamed)",
    },
    folded: { suffix: ".folded", depth: 1999, scale: 1, truth: ["--folded"], unnamed: "(no name)" },
    pprof: {
        suffix: ".pb.gz",
        depth: 1999,
        scale: 1,
        truth: [],
        unnamed: "(unknown)",
        hasPlaces: true,
    },
};

function recording(what) {
    const path = join(work, `${what}.stave`);
    execFileSync(make, [what], { stdio: ["ignore", openSync(path, "w"), "inherit"] });
    return path;
}

function exported(path, format, status = 0) {
    const out = path.replace(/\.stave$/, FORMATS[format].suffix);
    try {
        const options = ["--format", format, "--no-args", "-o", out];
        execFileSync(stave, ["export", path, ...options], { stdio: "pipe" });
    } catch (error) {
        assert.equal(error.status, status, String(error.stderr));
    }
    return out;
}

function truthOf(path, format) {
    const script = fileURLToPath(new URL("../export/sums.py", import.meta.url));
    const { depth, truth } = FORMATS[format];
    const options = ["-B", script, path, "--depth", String(depth), ...truth];
    const { sums, paths, frames } = JSON.parse(
        execFileSync(python, options, { maxBuffer: 1 << 28 }),
    );
    return {
        sums: new Map(Object.entries(sums)),
        paths: new Map(Object.entries(paths)),
        frames: frames.map((frame) => JSON.stringify(frame)).sort(),
    };
}

/** Stacks that were sampled tell no calls from each other, nor do calls of one name that Chrome's format has back to back. */
const withoutCalls = (sums) =>
    new Map([...sums].map(([name, [, total, self]]) => [name, [total, self]]));

/** Frames of gaps stand in profiles of their own, in speedscope's format alone. */
function takeGaps(found) {
    const gaps = {};
    for (const name of [...found.sums.keys()].filter((name) => /^gap: \d+ lost/.test(name))) {
        gaps[name] = found.sums.get(name)[1];
        found.sums.delete(name);
        found.paths.delete(name);
    }
    return gaps;
}

/** Each name, file and line once, as it writes frames anew in each profile; without those of gaps. */
function framesOf(exported) {
    const frames = exported.shared.frames.map(({ name, file, line }) =>
        JSON.stringify([name, file ?? null, line ?? 0]),
    );
    return [...new Set(frames)].filter((frame) => !frame.startsWith('["gap: ')).sort();
}

/** What it says of spans that are still open, which are in Chrome's format alone. */
const OPEN = ["wait", "serve"].map(
    (name) => `Frame "${name}" was still open at end of profile. Closing automatically.`,
);

async function compare(what, format, gaps = {}) {
    const path = recording(what);
    const loaded = await load(exported(path, format));
    assertLoaded(loaded, what === "solid" ? OPEN : []);
    const found = sumsOf(loaded.exported, FORMATS[format].scale);
    const wanted = truthOf(path, format);
    assert.deepEqual(takeGaps(found), format === "speedscope" ? gaps : {});
    const hasCalls = format === "speedscope";
    assert.deepEqual(found.paths, wanted.paths);
    if (hasCalls) assert.deepEqual(found.sums, wanted.sums);
    else assert.deepEqual(withoutCalls(found.sums), withoutCalls(wanted.sums));
    if (FORMATS[format].hasPlaces) assert.deepEqual(framesOf(loaded.exported), wanted.frames);
    return loaded;
}

// Loading is mostly waiting. Files are made by what runs at once, so that none is seen half made.
describe("speedscope", { concurrency: 3 }, () => {
    for (const format of Object.keys(FORMATS)) {
        test(`${format}: frames, nesting, total and self are the trace's`, async () => {
            const gaps = { "gap: 40 lost": 2_000_000, "gap: 7 lost (buffer full)": 3_000_000 };
            await compare(format === "chrome" ? "solid" : "everything", format, gaps);
        });

        test(`${format}: spans below the greatest depth`, async () => {
            await compare("deeper", format);
        });
    }

    // ---- what could go wrong ------------------------------------------------------------------------

    for (const format of Object.keys(FORMATS)) {
        test(`${format}: names of any bytes`, async () => {
            const path = recording("hostile");
            const loaded = await load(exported(path, format));
            assertLoaded(loaded);
            const { sums } = sumsOf(loaded.exported, FORMATS[format].scale);
            const found = withoutCalls(sums);
            const wanted = withoutCalls(truthOf(path, format).sums);
            const { unnamed } = FORMATS[format];
            const mangled = /^(_Z|__Z|_R)/; // shown otherwise
            for (const name of [...wanted.keys()].filter((name) => !mangled.test(name)))
                assert.deepEqual(found.get(name || unnamed), wanted.get(name), name);
        });
    }

    for (const format of Object.keys(FORMATS)) {
        test(`${format}: 5,000 lanes`, async () => {
            const loaded = await load(exported(recording("some-lanes"), format));
            assertLoaded(loaded);
            const { sums } = sumsOf(loaded.exported, FORMATS[format].scale);
            assert.equal(sums.get("work")[1], 514_995);
            const isByLane = format === "speedscope" || format === "chrome";
            assert.equal(loaded.profiles, isByLane ? 5000 : 1);
        });

        test(`${format}: 100,000 levels`, async () => {
            const loaded = await load(exported(recording("deep"), format));
            assertLoaded(loaded);
            const { sums } = sumsOf(loaded.exported, FORMATS[format].scale);
            const { depth } = FORMATS[format];
            assert.equal(sums.get("level")[2], 2 * depth);
            assert.equal(sums.get(`(${100_000 - depth} deeper)`)[2], 2 * (100_000 - depth));
        });
    }

    // What has no length, and gaps, are nothing to draw for it, and a file with nothing in it is refused.
    const UNKNOWN = ["alert: Unrecognized format! See documentation about supported formats."];
    const EMPTY = ["alert: Successfully imported profile, but it's empty!"];
    const NOTHING = {
        speedscope: { empty: [], zero: [], gaps: [] },
        chrome: { empty: UNKNOWN, zero: [], gaps: EMPTY },
        folded: { empty: UNKNOWN, zero: UNKNOWN, gaps: UNKNOWN },
        pprof: { empty: [], zero: [], gaps: [] },
    };

    for (const [format, cases] of Object.entries(NOTHING)) {
        for (const [what, errors] of Object.entries(cases)) {
            test(`${format}: ${what}`, async () => {
                const path = exported(recording(what), format, what === "empty" ? 1 : 0);
                const isToBeDrawn = format === "speedscope";
                const loaded = await load(path, {
                    isFirst: errors === UNKNOWN,
                    drawnMs: isToBeDrawn ? undefined : 0,
                });
                assert.deepEqual([loaded.errors, loaded.warnings], [errors, []]);
                assert.equal(loaded.state, errors.length > 0 ? "rejected" : "imported");
                if (isToBeDrawn) assert.ok(loaded.isDrawn);
            });
        }
    }

    for (const view of ["left-heavy", "sandwich"]) {
        test(`speedscope: ${view}`, async () => {
            for (const what of ["everything", "deep"])
                assertLoaded(await load(exported(recording(what), "speedscope"), { view }));
        });
    }
});

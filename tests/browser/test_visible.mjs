// Nothing that is in a trace is invisible: a pixel of its own, at its place, at any zoom.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileOf, follow, open, pixels, wholeOf } from "./harness.mjs";

const HEAD = "name,type,start_us,end_us,priority,deadline_us,value,interrupted\n";
const AXIS = 28;
const LANE = 30;
const EDGE = 14; // right of the time line
const SURFACES = [
    [0xff, 0xff, 0xff],
    [0xf2, 0xf2, 0xee], // card, band
    [0xe3, 0xe3, 0xdf], // grid
];

/** The canvas of the lanes, and where times stand on it. */
async function lookAt(page, window) {
    const canvas = await pixels(page, ".lanes-canvas");
    const left = Math.round(Math.min(190, Math.max(90, canvas.width * 0.17)));
    const width = canvas.width - left - EDGE;
    const xOf = (us) => left + ((us - window.from) / (window.to - window.from)) * width;
    return { canvas, left, right: left + width, xOf };
}

function isSurface(color) {
    return SURFACES.some((surface) => surface.every((part, i) => Math.abs(part - color[i]) <= 2));
}

/** Whether something stands on a lane's bars at a pixel or on the one beside it. */
function isDrawn({ canvas, left, right }, lane, x) {
    const y = AXIS + lane * LANE + LANE / 2;
    const columns = [Math.floor(x) - 1, Math.floor(x), Math.floor(x) + 1];
    return columns
        .filter((column) => column >= left && column < right)
        .some((column) => !isSurface(canvas.at(column, y)));
}

/** The same once the page is drawn as wide as it is, which it is some frames after it has become so. */
async function lookAtRest(page, window) {
    await page.waitForFunction(
        () =>
            document.querySelector(".lanes-canvas").width ===
            document.querySelector(".lanes").clientWidth,
    );
    return lookAt(page, window);
}

// ---- one among a million ------------------------------------------------------------------------

const MANY = 1_000_000;
const LONELY_US = 4_999_999.5;

/** A million spans of a task, and in their middle one of an ISR that lasts a nanosecond. */
function millionAndOne() {
    const lines = Array.from({ length: MANY }, (_, i) => `many,task,${10 * i},${10 * i + 4},1,,,0`);
    return `${HEAD}${lines.join("\n")}\nlonely,isr,${LONELY_US},${LONELY_US + 0.001},9,,,0\n`;
}

test("one span of a nanosecond beside a million others", async (t) => {
    const whole = wholeOf(0, 10 * MANY - 6);
    const inputs = [fileOf(millionAndOne())];
    const { page, line } = await open(t, { inputs });
    assert.match(line, /1,?000,?001 spans/);
    assert.match(
        await page.locator(".summary").innerText(),
        /^2 lanes · 1\u2009000\u2009001 spans/,
    );
    for (const width of [1280, 1917, 401]) {
        await page.setViewportSize({ width, height: 700 });
        for (const factor of [1, 0.37, 1e-2, 1e-4, 1e-6]) {
            const length = (whole.to - whole.from) * factor;
            const window =
                factor === 1
                    ? whole
                    : { from: LONELY_US - length * 0.3, to: LONELY_US + length * 0.7 };
            await follow(page, `#from=${window.from}&to=${window.to}`);
            const seen = await lookAtRest(page, window);
            assert.ok(isDrawn(seen, 0, seen.xOf(LONELY_US)), `${width} pixels, 1/${1 / factor}`);
            const columns = Array.from({ length: seen.right - seen.left - 2 }, (_, i) => i + 1);
            const drawnColumns = columns.filter((x) => {
                const y = AXIS + LANE / 2;
                return !isSurface(seen.canvas.at(seen.left + x, y));
            });
            assert.ok(drawnColumns.length <= 4, `${drawnColumns.length} columns, not one`);
        }
    }
});

// ---- any among some -----------------------------------------------------------------------------

/** Numbers that look random, the same in every run. */
function randomFrom(seed) {
    let state = seed;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}

const LANES = 5;
const TO = 100_000;

/** Spans from a nanosecond to a tenth of all, most of them short; some interrupted, some late. */
function randomSpans(random) {
    const spans = [];
    for (let lane = 0; lane < LANES; lane++) {
        let at = random() * 100;
        while (at < TO) {
            const length = 10 ** (random() * 6.5 - 3);
            const end = Math.min(TO, at + length);
            const interrupted = random() < 0.1;
            const [start_us, end_us] = [at, interrupted ? at : end].map((us) => us.toFixed(3));
            spans.push({ lane, start_us, end_us, interrupted });
            at = end + 0.001 + 10 ** (random() * 5 - 1);
        }
    }
    return spans;
}

function csvOf(spans) {
    const rows = spans.map(({ lane, start_us, end_us, interrupted }) => {
        const deadline = (Number(start_us) + 50).toFixed(3);
        return `lane${lane},task,${start_us},${end_us},${9 - lane},${deadline},,${Number(interrupted)}`;
    });
    return `${HEAD}${rows.join("\n")}\n`;
}

function randomWindow(random) {
    const length = TO * 10 ** (-random() * 5);
    const from = random() * (TO - length);
    return { from, to: from + length };
}

test("every span in a window is seen in it, for random ones", async (t) => {
    const random = randomFrom(20240607);
    const spans = randomSpans(random);
    const { page } = await open(t, { csv: csvOf(spans) });
    await page.getByRole("button", { name: "deadline", exact: true }).click(); // bars alone
    let looked = 0;
    for (let i = 0; i < 40; i++) {
        if (i % 10 === 0) await page.setViewportSize({ width: 420 + 317 * (i / 10), height: 600 });
        const window = randomWindow(random);
        await follow(page, `#from=${window.from}&to=${window.to}&hide=deadline`);
        const seen = await lookAtRest(page, window);
        for (const { lane, start_us, end_us } of spans) {
            const [start, end] = [Number(start_us), Number(end_us)];
            if (end < window.from || start > window.to) continue;
            const at = [Math.max(start, window.from), Math.min(end, window.to)];
            for (const us of [at[0], (at[0] + at[1]) / 2])
                assert.ok(
                    isDrawn(seen, lane, seen.xOf(us)),
                    `lane ${lane}, ${start_us} to ${end_us}, in ${window.from} to ${window.to}`,
                );
            looked++;
        }
    }
    assert.ok(looked > 1000, `${looked}`);
});

test("where there is nothing, nothing is drawn", async (t) => {
    const random = randomFrom(7);
    const spans = randomSpans(random);
    const { page } = await open(t, { csv: csvOf(spans), hash: "#hide=deadline" });
    let empty = 0;
    for (let i = 0; i < 15; i++) {
        const window = randomWindow(random);
        await follow(page, `#from=${window.from}&to=${window.to}&hide=deadline`);
        const { canvas, left, right, xOf } = await lookAtRest(page, window);
        for (let lane = 0; lane < LANES; lane++) {
            const covered = new Uint8Array(canvas.width + 8);
            for (const span of spans.filter((span) => span.lane === lane)) {
                const from = Math.max(left, Math.floor(xOf(Number(span.start_us))) - 2);
                const to = Math.min(right, Math.ceil(xOf(Number(span.end_us))) + 3);
                if (from <= to) covered.fill(1, from, to + 1);
            }
            for (let x = left + 2; x < right - 2; x++) {
                if (covered[x]) continue;
                empty++;
                const y = AXIS + lane * LANE + LANE / 2;
                assert.ok(
                    isSurface(canvas.at(x, y)),
                    `lane ${lane}, column ${x}: ${canvas.at(x, y)}`,
                );
            }
        }
    }
    assert.ok(empty > 1000, `${empty}`);
});

test("many missed ones still show one that is missed", async (t) => {
    const lines = Array.from({ length: 20000 }, (_, i) => {
        const late = i === 12345;
        return `s,task,${10 * i},${10 * i + (late ? 8 : 3)},1,${10 * i + 5},,0`;
    });
    const { page } = await open(t, { csv: `${HEAD}${lines.join("\n")}\n` });
    const whole = wholeOf(0, 199993);
    const seen = await lookAt(page, whole);
    const y = AXIS + 6; // the upper edge of the bars
    const isRed = ([red, green, blue]) => red > 180 && green < 120 && blue < 120;
    const red = [];
    for (let x = seen.left; x < seen.right; x++) if (isRed(seen.canvas.at(x, y))) red.push(x);
    assert.ok(red.length >= 1 && red.length <= 3, `${red}`);
    assert.ok(Math.abs(red[0] - seen.xOf(123450)) <= 2, `${red}`);
});

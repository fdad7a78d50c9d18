import assert from "node:assert/strict";
import { test } from "node:test";
import { axisTicks, duration, fixed, integer, real, time } from "../src/data/units";

/** With plain spaces and minus, to be read. */
function plain(text: string): string {
    return text.replaceAll("\u2009", " ").replaceAll("\u00a0", " ").replaceAll("\u2212", "-");
}

function table<T>(format: (value: T) => string, rows: [T, string][]): void {
    for (const [value, expected] of rows) assert.equal(plain(format(value)), expected);
}

test("the spaces and the minus are those of print", () => {
    assert.equal(integer(-1234567), "\u22121\u2009234\u2009567");
    assert.equal(duration(2), "2.0\u00a0µs");
});

test("integers", () =>
    table<number | bigint>(integer, [
        [0, "0"],
        [999, "999"],
        [1000, "1 000"],
        [-1000, "-1 000"],
        [2n ** 64n - 1n, "18 446 744 073 709 551 615"],
        [-(2n ** 63n), "-9 223 372 036 854 775 808"],
        [NaN, "\u2013"],
    ]));

test("a fixed number of decimals", () => {
    table(
        (x: number) => fixed(x, 1),
        [
            [11400, "11 400.0"],
            [-0.04, "0.0"],
            [-0.05, "-0.1"],
            [Infinity, "Infinity"],
            [NaN, "\u2013"],
        ],
    );
    table((x: number) => fixed(x, 6), [[1234.56789, "1 234.567 890"]]);
});

test("doubles", () =>
    table(real, [
        [0.1, "0.1"],
        [-1234.5, "-1 234.5"],
        [1e-9, "1e-9"],
        [NaN, "NaN"],
        [-Infinity, "-Infinity"],
    ]));

test("times", () =>
    table(time, [
        [0, "0.000 ms"],
        [21000, "21.000 ms"],
        [21000.123, "21.000 123 ms"],
        [21000.1, "21.000 100 ms"],
        [21000.0000001, "21.000 ms"],
        [0.001, "0.001 µs"],
        [-1500, "-1.500 ms"],
        [1e6, "1.000 s"],
        [12345678, "12.345 678 s"],
        [12345678.9, "12.345 678 900 s"],
        [3600e6, "3 600.000 s"],
        [NaN, "\u2013"],
    ]));

test("durations", () =>
    table(duration, [
        [0, "0.0 µs"],
        [0.25, "250 ns"],
        [0.005952, "6 ns"],
        [0.0595, "59.5 ns"],
        [1, "1.0 µs"],
        [11400, "11 400.0 µs"],
        [11400.123, "11 400.123 µs"],
        [-1400, "-1 400.0 µs"],
        [173400, "173.400 ms"],
        [173400.5, "173.400 500 ms"],
        [12e6, "12.000 s"],
        [NaN, "\u2013"],
    ]));

test("an axis has one unit and as many decimals as it needs", () => {
    const labels = (from: number, to: number, about: number) =>
        axisTicks(from, to, about).map(({ label }) => plain(label));
    assert.deepEqual(labels(0, 60000, 6), [
        "0 ms",
        "10 ms",
        "20 ms",
        "30 ms",
        "40 ms",
        "50 ms",
        "60 ms",
    ]);
    assert.deepEqual(labels(21000, 21000.4, 4), [
        "21.0000 ms",
        "21.0001 ms",
        "21.0002 ms",
        "21.0003 ms",
        "21.0004 ms",
    ]);
    assert.deepEqual(labels(0, 0.002, 2), ["0 ns", "1 ns", "2 ns"]);
    assert.deepEqual(labels(0, 400, 4), ["0 µs", "100 µs", "200 µs", "300 µs", "400 µs"]);
    assert.deepEqual(labels(-1e6, 2e6, 3), ["-1 s", "0 s", "1 s", "2 s"]);
    assert.deepEqual(labels(0, 5e9, 2), ["0 s", "2 000 s", "4 000 s"]);
});

test("ticks stand at what they say, within the window", () => {
    const from = 3e9 + 0.1;
    const ticks = axisTicks(from, from + 10, 5);
    assert.ok(ticks.length >= 4 && ticks.length <= 11);
    assert.ok(ticks.every(({ at }) => at >= from && at <= from + 10));
    assert.equal(new Set(ticks.map(({ label }) => label)).size, ticks.length);
});

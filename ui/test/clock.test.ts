import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, type Anchor } from "../src/data/clock";
import { Random } from "./random";

/** As src/trace/clock.c has it, with exact integers. */
function expected(offset: number, anchors: readonly Anchor[], tick: bigint): number {
    const anchor = anchors.filter((a) => a.tick <= tick).at(-1) ?? anchors[0];
    const ticks = Number(tick - anchor.tick);
    const us = anchor.hz === 0 ? ticks / 1000.0 : (ticks * 1000000.0) / anchor.hz;
    return anchor.us + us + offset;
}

function check(offset: number, anchors: readonly Anchor[], base: bigint, ticks: number): void {
    const actual = new Clock(offset, anchors).from(base).us(ticks);
    assert.equal(actual, expected(offset, anchors, base + BigInt(ticks)), `${base} + ${ticks}`);
}

test("nanoseconds and a rate", () => {
    assert.equal(new Clock(0, [{ tick: 0n, us: 0, hz: 0 }]).from(0n).us(1500), 1.5);
    assert.equal(new Clock(10, [{ tick: 0n, us: 0, hz: 168e6 }]).from(84n).us(84), 11);
});

test("the anchor in force", () => {
    const anchors = [
        { tick: 0n, us: 0, hz: 1e6 },
        { tick: 100n, us: 100, hz: 2e6 },
        { tick: 200n, us: 150, hz: 1e6 },
    ];
    const clock = new Clock(0, anchors).from(0n);
    const times = [0, 99, 100, 102, 199, 200, 210].map((tick) => clock.us(tick));
    assert.deepEqual(times, [0, 99, 100, 101, 149.5, 150, 160]);
    assert.deepEqual(
        [99, 100, 200].map((tick) => clock.rate(tick)),
        [1e6, 2e6, 1e6],
    );
    assert.equal(new Clock(0, anchors).from(-50n).us(0), -50, "before all: the first");
});

test("the doubles of C, for any base", () => {
    const random = new Random(1);
    const bases = [0n, 5n, -7n, 2n ** 53n + 1n, 1752345678901234567n, 2n ** 63n - 1n, -(2n ** 63n)];
    const rates = [0, 1, 32768, 1e6, 168e6, 1e9, 123456789.5];
    for (let i = 0; i < 20000; i++) {
        const base = bases[random.below(bases.length)] + BigInt(random.below(1000));
        const anchors = [
            0n,
            base - BigInt(random.below(2 ** 40)),
            base + BigInt(random.below(2 ** 40)),
        ]
            .sort((a, b) => (a < b ? -1 : 1))
            .map((tick) => ({
                tick,
                us: random.next() * 1e9,
                hz: rates[random.below(rates.length)],
            }));
        check(random.next() * 1e6, anchors, base, random.below(2 ** (1 + random.below(52))));
    }
});

test("a clock without an anchor is an error", () => {
    assert.throws(() => new Clock(0, []), /no anchor/);
});

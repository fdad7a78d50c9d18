import assert from "node:assert/strict";
import { test } from "node:test";
import { Reader } from "../src/data/bytes";
import { Writer } from "./payload";

function reader(write: (w: Writer) => void): Reader {
    const w = new Writer();
    write(w);
    return new Reader(w.written);
}

const UNSIGNED = [
    0n,
    1n,
    127n,
    128n,
    2n ** 28n,
    2n ** 32n - 1n,
    2n ** 35n + 5n,
    2n ** 53n,
    2n ** 63n,
    2n ** 64n - 1n,
];
const SIGNED = [0n, -1n, 1n, -(2n ** 31n), 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];

test("numbers of up to 64 bits", () => {
    const r = reader((w) => UNSIGNED.forEach((n) => (w.u(n), w.u(n))));
    for (const n of UNSIGNED) {
        assert.equal(r.u(), Number(n));
        assert.equal(r.u64(), n);
    }
    assert.equal(r.left, 0);
});

test("beyond 2^53 the nearest double", () => {
    for (const n of [2n ** 53n + 1n, 2n ** 53n + 3n, 2n ** 60n + 129n, 2n ** 64n - 1025n])
        assert.equal(reader((w) => w.u(n)).u(), Number(n));
});

test("signed numbers", () => {
    const r = reader((w) => SIGNED.forEach((n) => w.s(n)));
    for (const n of SIGNED) assert.equal(r.s64(), n);
});

test("doubles and texts", () => {
    const r = reader((w) => {
        w.d(-0.1);
        w.text("\ufeffäß𝄞");
        w.text(Uint8Array.of(0x61, 0xff, 0x62));
        w.text("");
    });
    assert.equal(r.d(), -0.1);
    assert.equal(r.text(), "\ufeffäß𝄞");
    assert.equal(r.text(), "a\ufffdb");
    assert.equal(r.text(), "");
});

test("columns", () => {
    const write = (w: Writer) => UNSIGNED.forEach((n) => w.u(n));
    const n = UNSIGNED.length;
    assert.deepEqual([...reader(write).numbers(n)], UNSIGNED.map(Number));
    const { low, high } = reader(write).halves(n);
    UNSIGNED.forEach((value, i) => {
        assert.equal(BigInt(low[i]), value & 0xffffffffn);
        assert.equal(BigInt(high[i]), value >> 32n);
    });
    assert.deepEqual(
        [...reader(write).uints(6, 2 ** 32 - 1, "it")],
        UNSIGNED.slice(0, 6).map(Number),
    );
    assert.throws(
        () => reader(write).uints(n, 2 ** 32 - 1, "it"),
        /it is 34359738373, beyond 4294967295/,
    );
    assert.throws(() => reader((w) => w.u(5)).uints(1, 4, "it"), /it is 5, beyond 4/);
});

test("what is cut short is an error", () => {
    const cut = new Reader(Uint8Array.of(0x80, 0x80));
    assert.throws(() => cut.u(), /damaged: it ends within a number/);
    assert.throws(() => new Reader(new Uint8Array(0)).u(), /ends within a number/);
    assert.throws(() => new Reader(new Uint8Array(7)).d(), /ends too early/);
    assert.throws(() => reader((w) => w.u(9)).text(), /ends too early/);
    assert.throws(() => reader((w) => w.u(2n ** 60n)).count("lanes"), /ends before \d+ lanes/);
    assert.throws(() => new Reader(Uint8Array.of(1, 0x80)).numbers(2), /ends within a number/);
    assert.throws(() => new Reader(Uint8Array.of(1)).numbers(2 ** 40), /within a column/);
});

test("more than 64 bits are an error", () => {
    const bytes = (last: number) => Uint8Array.of(...Array(9).fill(0xff), last);
    assert.equal(new Reader(bytes(1)).u64(), 2n ** 64n - 1n);
    assert.throws(() => new Reader(bytes(2)).u64(), /more than 64 bits/);
    assert.throws(() => new Reader(bytes(0x81)).u64(), /more than 64 bits/);
});

// Exported OTLP/JSON against the message definitions that OpenTelemetry's own exporter has: nothing is unknown to them or of another
// type, and what they encode and decode is what was written.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, test } from "node:test";

const require = createRequire(new URL("./viewers/package.json", import.meta.url));
const root = require("@opentelemetry/otlp-transformer/build/src/generated/root.js");
const Request = root.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

const { STAVE: stave, STAVE_MAKE_TRACES: make, STAVE_WORK } = process.env;
assert.ok(stave && make, "STAVE, STAVE_MAKE_TRACES name programs");

mkdirSync(STAVE_WORK ?? ".", { recursive: true });
const work = mkdtempSync(join(STAVE_WORK ?? ".", "otlp-"));
after(() => rmSync(work, { recursive: true }));

function exported(what) {
    const path = join(work, `${what}.stave`);
    const out = join(work, `${what}.otlp.json`);
    writeFileSync(path, execFileSync(make, [what], { maxBuffer: 1 << 28 }));
    execFileSync(stave, ["export", path, "--format", "otlp", "-o", out], { stdio: "pipe" });
    return JSON.parse(readFileSync(out, "utf8"));
}

/** Ids are hexadecimal in OTLP's JSON, base64 for protobuf's own. */
const IDS = ["traceId", "spanId", "parentSpanId"];

function withBytes(value) {
    if (Array.isArray(value)) return value.map(withBytes);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [
            key,
            IDS.includes(key) ? Buffer.from(inner, "hex") : withBytes(inner),
        ]),
    );
}

/** A decoded message as OTLP's JSON. */
function asWritten(value) {
    if (Array.isArray(value)) return value.map(asWritten);
    if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asWritten(inner)]));
}

/** Numbers of a double are one, or a text where they are no number; an empty list is none. */
function normal(value) {
    if (Array.isArray(value)) return value.map(normal);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
        Object.entries(value)
            .filter(([, inner]) => !Array.isArray(inner) || inner.length > 0)
            .map(([key, inner]) => [key, key === "doubleValue" ? String(inner) : normal(inner)]),
    );
}

for (const what of ["everything", "hostile", "deadlines", "entries", "restarted"]) {
    test(`${what}: encoded and decoded, it is what was written`, () => {
        const written = exported(what);
        const message = Request.fromObject(withBytes(written));
        assert.equal(Request.verify(message), null);
        const bytes = Request.encode(message).finish();
        const decoded = Request.decode(bytes);
        const back = Request.toObject(decoded, { longs: String, enums: Number });
        assert.deepEqual(normal(asWritten(back)), normal(written));
    });
}

const spansOf = (request) =>
    request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));

test("ids are not zero and differ, parents are there, a tree is one trace", () => {
    const spans = spansOf(exported("everything"));
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    assert.equal(byId.size, spans.length);
    for (const span of spans) {
        assert.match(span.traceId, /^(?!0{32})[0-9a-f]{32}$/);
        assert.match(span.spanId, /^(?!0{16})[0-9a-f]{16}$/);
        const parent = byId.get(span.parentSpanId);
        assert.equal(parent === undefined, span.parentSpanId === undefined);
        if (parent) assert.equal(parent.traceId, span.traceId);
    }
    const roots = spans.filter((span) => span.parentSpanId === undefined);
    assert.equal(new Set(spans.map((span) => span.traceId)).size, roots.length);
});

test("a span attached to another lane's is in its parent's trace, as is all below it", () => {
    const spans = spansOf(exported("everything"));
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const path = [spans.find(({ name }) => name === "disk")];
    while (path[0].parentSpanId) path.unshift(byId.get(path[0].parentSpanId));
    const names = path.map(({ name }) => name);
    assert.deepEqual(names, ["request", "answer", "load", "read", "fetch", "disk"]);
    assert.equal(new Set(path.map(({ traceId }) => traceId)).size, 1);
});

test("spans of 40 and 50 ns of today keep their lengths", () => {
    const spans = spansOf(exported("everything")).filter(({ name }) => name === "check");
    const lengths = spans.map((s) => BigInt(s.endTimeUnixNano) - BigInt(s.startTimeUnixNano));
    assert.ok(lengths.includes(40n) && lengths.includes(50n));
    assert.equal(
        new Date(Number(BigInt(spans[0].startTimeUnixNano) / 1000000n)).getUTCFullYear(),
        2026,
    );
});

test("the same recording has the same ids, another one others", () => {
    const ids = (what) => spansOf(exported(what)).map((span) => span.spanId);
    assert.deepEqual(ids("deadlines"), ids("deadlines"));
    const entries = new Set(ids("entries"));
    assert.ok(ids("deadlines").every((id) => !entries.has(id)));
});

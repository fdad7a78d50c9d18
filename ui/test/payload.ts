// Writes the data of a page as docs/diagram.md says, for tests: what is not given is 0 or empty.
import { deflateSync } from "node:zlib";

type Int = number | bigint;

/** Rows of one boot; each start is a tick. */
export interface RunOf<Row> {
    readonly boot?: number;
    readonly rows: readonly Row[];
}

export interface BandRow {
    readonly start: Int;
    readonly length?: Int;
    readonly value?: Int;
    readonly flags?: number;
    readonly why?: number;
    readonly lane?: number;
}

export interface SpanRow {
    readonly start: Int;
    readonly length?: Int;
    readonly flags?: number;
    readonly row?: number;
    readonly name?: number;
    readonly deadline?: number;
    /** Of one whose deadline is deadlines.length + 1: ticks from its start. */
    readonly own?: Int;
}

export interface MarkRow {
    readonly start: Int;
    readonly name?: number;
    readonly form?: number;
    readonly value?: Int;
    readonly row?: number;
}

export interface BootOf {
    readonly offset?: number;
    readonly anchors?: readonly { tick?: Int; us?: number; hz?: number }[];
}

export interface SourceOf {
    readonly name?: number;
    readonly lost?: number;
    readonly frames?: boolean;
    readonly boots?: readonly BootOf[];
    readonly gaps?: readonly RunOf<BandRow>[];
    readonly doubts?: readonly RunOf<BandRow>[];
    readonly restarts?: readonly { boot?: number; tick: Int }[];
}

export interface LaneOf {
    readonly source?: number;
    readonly kind?: number;
    readonly priority?: number;
    readonly name?: number;
    readonly process?: number;
    readonly number?: Int;
    readonly rows?: number;
    readonly folded?: boolean;
    /** whole, checked, missed */
    readonly counts?: readonly [number, number, number];
    /** min, mean, p99, max */
    readonly times?: readonly [number, number, number, number];
    readonly worst?: number;
    readonly deadlines?: readonly number[];
    readonly spans?: readonly RunOf<SpanRow>[];
    readonly marks?: readonly RunOf<MarkRow>[];
}

export interface PageOf {
    readonly version?: number;
    readonly title?: string;
    /** Text 0 is "" and need not be given. */
    readonly texts?: readonly (string | Uint8Array)[];
    readonly sources?: readonly SourceOf[];
    readonly lanes?: readonly LaneOf[];
}

export class Writer {
    private bytes = new Uint8Array(1024);
    private used = 0;

    get written(): Uint8Array {
        return this.bytes.slice(0, this.used);
    }

    byte(byte: number): void {
        if (this.used === this.bytes.length) {
            const larger = new Uint8Array(this.used * 2);
            larger.set(this.bytes);
            this.bytes = larger;
        }
        this.bytes[this.used++] = byte;
    }

    u(value: Int): void {
        let rest = BigInt(value);
        for (; rest >= 128n; rest >>= 7n) this.byte(Number(rest & 127n) | 128);
        this.byte(Number(rest));
    }

    s(value: Int): void {
        const n = BigInt(value);
        this.u(n < 0n ? -n * 2n - 1n : n * 2n);
    }

    d(value: number): void {
        const view = new DataView(new ArrayBuffer(8));
        view.setFloat64(0, value, true);
        for (let i = 0; i < 8; i++) this.byte(view.getUint8(i));
    }

    text(text: string | Uint8Array): void {
        const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
        this.u(bytes.length);
        for (const byte of bytes) this.byte(byte);
    }

    list<T>(items: readonly T[], one: (item: T) => void): void {
        this.u(items.length);
        items.forEach(one);
    }

    runs(runs: readonly RunOf<{ start: Int }>[]): void {
        this.list(runs, ({ boot, rows }) => {
            this.u(boot ?? 0);
            this.s(rows[0]?.start ?? 0);
            this.u(rows.length);
        });
        for (const { rows } of runs)
            rows.forEach(({ start }, i) =>
                this.u(i === 0 ? 0 : BigInt(start) - BigInt(rows[i - 1].start)),
            );
    }

    column<Row>(runs: readonly RunOf<Row>[], key: keyof Row): void {
        for (const { rows } of runs)
            for (const row of rows) this.u((row[key] as Int | undefined) ?? 0);
    }
}

export function payload(page: PageOf): Uint8Array {
    const w = new Writer();
    w.u(page.version ?? 1);
    w.text(page.title ?? "");
    w.list(["", ...(page.texts ?? [])], (text) => w.text(text));
    w.list(page.sources ?? [], (source) => writeSource(w, source));
    w.list(page.lanes ?? [], (lane) => writeLane(w, lane));
    return w.written;
}

export function toBase64(bytes: Uint8Array): string {
    return deflateSync(bytes).toString("base64");
}

function writeSource(w: Writer, source: SourceOf): void {
    w.u(source.name ?? 0);
    w.u(source.lost ?? 0);
    w.u(source.frames ? 1 : 0);
    w.list(source.boots ?? [{}], ({ offset, anchors }) => {
        w.d(offset ?? 0);
        w.list(anchors ?? [{}], (anchor) => {
            w.s(anchor.tick ?? 0);
            w.d(anchor.us ?? 0);
            w.d(anchor.hz ?? 1e6);
        });
    });
    for (const bands of [source.gaps ?? [], source.doubts ?? []]) {
        w.runs(bands);
        for (const key of ["length", "value", "flags", "why", "lane"] as const)
            w.column(bands, key);
    }
    w.list(source.restarts ?? [], ({ boot, tick }) => {
        w.u(boot ?? 0);
        w.s(tick);
    });
}

function writeLane(w: Writer, lane: LaneOf): void {
    const spans = lane.spans ?? [];
    const all = spans.flatMap(({ rows }) => rows);
    const { source, kind, priority, name, process, number } = lane;
    for (const n of [source, kind, priority, name, process, number]) w.u(n ?? 0);
    w.u(lane.rows ?? 1);
    w.u(lane.folded ? 1 : 0);
    w.u(all.length);
    for (const count of lane.counts ?? [0, 0, 0]) w.u(count);
    for (const us of lane.times ?? [0, 0, 0, 0]) w.d(us);
    w.u(lane.worst ?? 0);
    w.list(lane.deadlines ?? [], (us) => w.d(us));
    const optional = (["row", "name", "deadline"] as const).map((key) =>
        all.some((span) => span[key]),
    );
    const owners = all.filter(({ own }) => own !== undefined);
    w.u(optional.reduce((bits, is, i) => bits | (is ? 1 << i : 0), owners.length ? 8 : 0));
    w.runs(spans);
    w.column(spans, "length");
    w.column(spans, "flags");
    (["row", "name", "deadline"] as const).forEach((key, i) => optional[i] && w.column(spans, key));
    for (const { own } of owners) w.s(own!);
    const marks = lane.marks ?? [];
    w.runs(marks);
    for (const key of ["name", "form", "value", "row"] as const) w.column(marks, key);
}

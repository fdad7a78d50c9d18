// A page's data (docs/diagram.md) to a Trace.
import { damaged, Reader } from "./bytes";
import { Clock, ticksToUs } from "./clock";
import { byRow, gather, Runs } from "./columns";
import {
    Flag,
    type Bands,
    type Lane,
    LaneKind,
    type LaneStats,
    type Marks,
    type Ref,
    type Source,
    type Trace,
    type Track,
    ValueForm,
} from "./model";
import { buildPyramid } from "./pyramid";

const VERSION = 1;
const MOST_ROWS = 256; // of a lane; they are numbered in a byte
const MOST_UINT = 2 ** 32 - 1;
const CHUNK = 1 << 20; // characters of base64 at a time; a multiple of 4

const enum Part {
    Row = 1,
    Name = 2,
    Deadline = 4,
    Own = 8,
    All = 15,
}

/* ---- from the page to bytes ---- */

/** Rejects when there is no data in the page or when it is damaged. */
export async function loadPage(document: Document): Promise<Trace> {
    const base64 = document.getElementById("stave-data")?.textContent;
    if (!base64) throw damaged("there is none");
    return parse(await inflate(base64));
}

export async function inflate(base64: string): Promise<Uint8Array> {
    try {
        const packed = new Blob(fromBase64(base64)).stream();
        const stream = packed.pipeThrough(new DecompressionStream("deflate"));
        return new Uint8Array(await new Response(stream).arrayBuffer());
    } catch {
        throw damaged("it cannot be unpacked");
    }
}

function fromBase64(base64: string): Uint8Array<ArrayBuffer>[] {
    const text = base64.replace(/\s+/g, "");
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for (let at = 0; at < text.length; at += CHUNK)
        chunks.push(chunkFromBase64(text.slice(at, at + CHUNK)));
    return chunks;
}

// Browsers have Uint8Array.fromBase64 since 2025 at most.
function chunkFromBase64(text: string): Uint8Array<ArrayBuffer> {
    const direct = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
    if (direct.fromBase64) return direct.fromBase64(text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

/* ---- from bytes to a trace ---- */

export function parse(bytes: Uint8Array): Trace {
    const reader = new Reader(bytes);
    const version = reader.u();
    if (version !== VERSION)
        throw new Error(`The data of this page is of version ${version}, not ${VERSION}.`);
    const title = reader.text();
    const texts = reader.list("texts", () => reader.text());
    const page = new PageParser(reader, texts.length);
    const given = page.sources();
    const { lanes, sources } = withoutEmpty(page.lanes(), given);
    if (reader.left > 0) throw damaged(`${reader.left} bytes follow its end`);
    return { title, texts, sources, lanes, ...extent(sources, lanes) };
}

/** Reads sources and lanes, each in the order in which the format has them. */
class PageParser {
    private readonly clocks: Clock[][] = [];

    constructor(
        private readonly reader: Reader,
        private readonly texts: number,
    ) {}

    sources(): Source[] {
        return this.reader.list("sources", () => this.source());
    }

    lanes(): Lane[] {
        return this.reader.list("lanes", () => this.lane());
    }

    private source(): Source {
        const { reader } = this;
        const name = this.name();
        const lost = reader.u();
        const frames = reader.u() !== 0;
        const clocks = reader.list("boots", () => this.clock());
        const index = this.clocks.push(clocks) - 1;
        const gaps = this.bands(clocks, (value) => value);
        const doubts = this.bands(clocks, (value, flags, rate) =>
            flags & Flag.HasValue ? ticksToUs(value, rate) : NaN,
        );
        const restarts = Float64Array.from(reader.list("restarts", () => this.restart(clocks)));
        return { index, name, lost, frames, gaps, doubts, restarts: restarts.sort() };
    }

    private clock(): Clock {
        const { reader } = this;
        const offset = reader.d();
        const anchors = reader.list("anchors", () => ({
            tick: reader.s64(),
            us: reader.d(),
            hz: reader.d(),
        }));
        return new Clock(offset, anchors);
    }

    private restart(clocks: readonly Clock[]): number {
        const boot = this.reader.upTo(clocks.length - 1, "a boot");
        return clocks[boot].from(this.reader.s64()).us(0);
    }

    private bands(
        clocks: readonly Clock[],
        toValue: (value: number, flags: number, rate: number) => number,
    ): Bands[] {
        const { reader } = this;
        const runs = Runs.read(reader, clocks);
        const start = runs.starts();
        const end = runs.ends(start, reader.numbers(runs.count));
        const given = reader.numbers(runs.count);
        const flags = reader.uints(runs.count, MOST_UINT, "a band's flags");
        const why = this.names(runs.count);
        const lane = reader.uints(runs.count, MOST_UINT, "a band's lane"); // checked when the lanes are known
        const value = runs.times((clock, ticks, i) =>
            toValue(given[i], flags[i], clock.rate(ticks)),
        );
        const rows = new Map<number, number[]>();
        for (const i of byRow(start, null, 1)[0]) {
            const ofLane = rows.get(lane[i]);
            if (ofLane) ofLane.push(i);
            else rows.set(lane[i], [i]);
        }
        return Array.from(rows, ([ofLane, order]) =>
            bandsOf(ofLane, { start, end, value, why }, Uint32Array.from(order)),
        );
    }

    private lane(): Lane {
        const { reader } = this;
        const source = reader.upTo(this.clocks.length - 1, "a lane's source");
        const kind = reader.u() as LaneKind;
        const priority = reader.u();
        const name = this.name();
        const process = this.name();
        const number = reader.u64();
        const rows = Math.max(1, reader.upTo(MOST_ROWS, "a lane's rows"));
        const folded = reader.u() !== 0;
        const stats = this.stats();
        const worst = reader.upTo(stats.spans, "the worst span");
        const deadlines = reader.list("deadlines", () => reader.d());
        const spans = this.spans(this.clocks[source], rows, deadlines);
        if (spans.count !== stats.spans) throw damaged(`a lane has not ${stats.spans} spans`);
        return {
            index: 0, // this and the next are given when it is known which lanes are empty
            ordinal: 0,
            source,
            kind,
            priority,
            name,
            process,
            number: number === 0n ? "" : String(number),
            folded,
            rows: spans.tracks,
            marks: this.marks(this.clocks[source], rows),
            reach: spans.reach,
            stats: { ...stats, worst: spans.refTo(worst) },
        };
    }

    private stats(): Omit<LaneStats, "worst"> {
        const { reader } = this;
        const counts = {
            spans: reader.u(),
            whole: reader.u(),
            checked: reader.u(),
            missed: reader.u(),
        };
        return { ...counts, min: reader.d(), mean: reader.d(), p99: reader.d(), max: reader.d() };
    }

    private spans(clocks: readonly Clock[], rows: number, deadlines: number[]): LaneSpans {
        const { reader } = this;
        const parts = reader.upTo(Part.All, "a lane's columns");
        const runs = Runs.read(reader, clocks);
        const count = runs.count;
        const start = runs.starts();
        const end = runs.ends(start, reader.numbers(count));
        const flags = reader.uints(count, MOST_UINT, "a span's flags");
        const row = parts & Part.Row ? reader.uints(count, rows - 1, "a span's row") : null;
        const name = parts & Part.Name ? this.names(count) : null;
        const deadline = this.deadlines(parts, runs, start, deadlines);
        return new LaneSpans({ start, end, flags, name, deadline }, byRow(start, row, rows));
    }

    /** A span's is none (0), one of its lane's (1 + which), or its own, as many ticks after its start. */
    private deadlines(
        parts: number,
        runs: Runs,
        start: Float64Array,
        ofLane: readonly number[],
    ): Float64Array | null {
        if (!(parts & Part.Deadline)) return null;
        const { reader } = this;
        const own = parts & Part.Own ? ofLane.length + 1 : 0;
        const most = own || ofLane.length;
        const which = reader.uints(runs.count, most, "a span's deadline");
        return runs.times((clock, ticks, i) => {
            if (which[i] === 0) return NaN;
            if (which[i] !== own) return start[i] + ofLane[which[i] - 1];
            return clock.us(ticks + reader.s());
        });
    }

    private marks(clocks: readonly Clock[], rows: number): Marks {
        const { reader } = this;
        const runs = Runs.read(reader, clocks);
        const count = runs.count;
        const times = runs.starts();
        const name = this.names(count);
        const form = Uint8Array.from(reader.uints(count, ValueForm.Bool, "a value's form"));
        const { low, high } = reader.halves(count);
        const row = Uint8Array.from(reader.uints(count, rows - 1, "a mark's row"));
        for (let i = 0; i < count; i++)
            if (form[i] === ValueForm.Text) this.checkText(low[i], high[i]);
        const [order] = byRow(times, null, 1);
        const time = gather(times, order);
        return {
            count,
            time,
            name: gather(name, order),
            form: gather(form, order),
            low: gather(low, order),
            high: gather(high, order),
            row: gather(row, order),
            pyramid: buildPyramid(time, time, null),
        };
    }

    private name(): number {
        return this.reader.upTo(this.texts - 1, "a text's number");
    }

    private names(count: number): Uint32Array {
        return this.reader.uints(count, this.texts - 1, "a text's number");
    }

    private checkText(low: number, high: number): void {
        if (high > 0 || low >= this.texts) throw damaged("a value is a text that is not there");
    }
}

function bandsOf(
    lane: number,
    columns: Pick<Bands, "start" | "end" | "value" | "why">,
    order: Uint32Array,
): Bands {
    const start = gather(columns.start, order);
    const end = gather(columns.end, order);
    const value = gather(columns.value, order);
    const why = gather(columns.why, order);
    const pyramid = buildPyramid(start, end, null);
    return { count: order.length, start, end, value, why, lane, pyramid };
}

type SpanColumns = Pick<Track, "start" | "end" | "flags" | "name" | "deadline">;

/** A lane's spans, dealt out to its rows. */
class LaneSpans {
    readonly tracks: readonly Track[];

    constructor(
        columns: SpanColumns,
        private readonly orders: readonly Uint32Array[],
    ) {
        this.tracks = orders.map((order) => trackOf(columns, order));
    }

    /** See Lane.reach. */
    get reach(): number {
        let most = 0;
        for (const { start, deadline } of this.tracks)
            for (let i = 0; deadline && i < deadline.length; i++)
                if (deadline[i] - start[i] > most) most = deadline[i] - start[i];
        return Number.isFinite(most) ? most : 0;
    }

    get count(): number {
        return this.orders.reduce((sum, order) => sum + order.length, 0);
    }

    /** Where 1 + a span's index in the data came to stand; its lane is not known yet. */
    refTo(onePlus: number): Ref | null {
        if (onePlus === 0) return null;
        const at = this.orders.map((order) => order.indexOf(onePlus - 1));
        const row = at.findIndex((index) => index >= 0);
        return { lane: 0, row, index: at[row] };
    }
}

function trackOf(columns: SpanColumns, order: Uint32Array): Track {
    const start = gather(columns.start, order);
    const end = gather(columns.end, order);
    const flags = gather(columns.flags, order);
    return {
        count: order.length,
        start,
        end,
        flags,
        name: columns.name && gather(columns.name, order),
        deadline: columns.deadline && gather(columns.deadline, order),
        pyramid: buildPyramid(start, end, flags),
    };
}

/* ---- what is drawn, and how far it reaches ---- */

/**
 * Lanes with something on them: spans, marks, or a band of their own; or an empty one, where a source has
 * nothing else for its gaps to lie over. They and the bands are numbered anew.
 */
function withoutEmpty(
    all: readonly Lane[],
    sources: readonly Source[],
): { lanes: Lane[]; sources: Source[] } {
    const used = new Set<number>();
    for (const { gaps, doubts } of sources)
        for (const { lane } of [...gaps, ...doubts]) {
            if (lane > all.length) throw damaged("a band is on a lane that is not there");
            used.add(lane - 1);
        }
    const isUsed = (lane: Lane, i: number) =>
        used.has(i) || lane.stats.spans > 0 || lane.marks.count > 0;
    const withLanes = new Set(all.filter(isUsed).map(({ source }) => source));
    const kept = all.filter(
        (lane, i) =>
            isUsed(lane, i) || (lane.kind === LaneKind.Markers && !withLanes.has(lane.source)),
    );
    const index = new Map(kept.map((lane, i) => [lane, i]));
    const renumbered = (bands: readonly Bands[]) =>
        bands.map((band) => ({ ...band, lane: band.lane && 1 + index.get(all[band.lane - 1])! }));
    const above = new Map<string, number>();
    const lanes = kept.map((lane, i) => {
        const colors = `${lane.source} ${lane.kind === LaneKind.Isr}`;
        const ordinal = above.get(colors) ?? 0;
        above.set(colors, ordinal + 1);
        const worst = lane.stats.worst && { ...lane.stats.worst, lane: i };
        return { ...lane, index: i, ordinal, stats: { ...lane.stats, worst } };
    });
    return {
        lanes,
        sources: sources.map((source) => ({
            ...source,
            gaps: renumbered(source.gaps),
            doubts: renumbered(source.doubts),
        })),
    };
}

/** From the first to the last time of anything; never empty. */
function extent(sources: readonly Source[], lanes: readonly Lane[]): { from: number; to: number } {
    let from = Infinity;
    let to = -Infinity;
    const add = (start: Float64Array, end: Float64Array) => {
        if (start.length > 0) from = Math.min(from, start[0]);
        for (let i = 0; i < end.length; i++) if (end[i] > to) to = end[i];
    };
    for (const { gaps, doubts, restarts } of sources) {
        for (const bands of [...gaps, ...doubts]) add(bands.start, bands.end);
        add(restarts, restarts);
    }
    for (const { rows, marks } of lanes) {
        for (const track of rows) add(track.start, track.end);
        add(marks.time, marks.time);
    }
    if (from > to) return { from: 0, to: 1 };
    return { from, to: to > from ? to : from + Math.max(1, Math.abs(from) * 1e-9) };
}

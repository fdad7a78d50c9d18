// A level-of-detail pyramid over spans in the order of their starts: what to draw of them at any zoom, in
// time that depends on the picture's width alone.
//
// Level 0 are the spans; a node of level n + 1 stands for FANOUT neighbours of level n and knows their first
// start, last end, sum of lengths, flags, and which of its spans to name when one must stand for all. Going
// down from the top, whatever would be narrower than a pixel is handed out as it is: so each span is seen,
// as itself or in a node, however far away.
import { Flag } from "./model";

/** What a visit hands out. */
export interface Seen {
    /** A span that is at least `least` long. */
    span(index: number): void;
    /** Neighbouring spans, from index `first` on, that together are shorter than `least`, or one such span. */
    dense(
        start: number,
        end: number,
        busy: number,
        flags: number,
        first: number,
        count: number,
    ): void;
}

export interface Summary {
    readonly count: number;
    /** The span that stands for all: one that missed its deadline, else the longest; the first of equals; -1: none. */
    readonly best: number;
}

export interface Pyramid {
    /**
     * Hands out all spans that touch [from, to], in order of their starts. What is handed out together may
     * hold some that do not touch it.
     */
    visit(from: number, to: number, least: number, seen: Seen): void;
    /** The first span that ends at or after `from`; their count if none does. */
    firstTouching(from: number): number;
    /** What touches [from, to], counted exactly. */
    summary(from: number, to: number): Summary;
}

const FANOUT = 16;

interface Level {
    readonly count: number;
    /** How many spans a node stands for; the last one has what is left. */
    readonly size: number;
    readonly start: Float64Array;
    readonly end: Float64Array;
    /** null: no span has any. */
    readonly flags: Uint32Array | null;
    /** null on level 0, where a span is all that there is in it. */
    readonly busy: Float64Array | null;
    readonly best: Uint32Array | null;
}

function levelAbove(below: Level, isBetter: (a: number, b: number) => boolean): Level {
    const count = Math.ceil(below.count / FANOUT);
    const start = new Float64Array(count);
    const end = new Float64Array(count);
    const flags = below.flags && new Uint32Array(count);
    const busy = new Float64Array(count);
    const best = new Uint32Array(count);
    for (let i = 0; i < below.count; i++) {
        const to = Math.floor(i / FANOUT);
        const first = i % FANOUT === 0;
        const candidate = below.best ? below.best[i] : i;
        if (first) start[to] = below.start[i];
        if (first || below.end[i] > end[to]) end[to] = below.end[i];
        if (first || isBetter(candidate, best[to])) best[to] = candidate;
        if (flags) flags[to] |= below.flags![i];
        busy[to] += below.busy ? below.busy[i] : below.end[i] - below.start[i];
    }
    return { count, size: below.size * FANOUT, start, end, flags, busy, best };
}

/**
 * Joins neighbours for as long as they are shorter than `least`: the nodes below one that is a little too
 * long would else be handed out one by one, FANOUT to a pixel.
 */
class Together {
    private start = 0;
    private end = 0;
    private busy = 0;
    private flags = 0;
    private first = 0;
    private count = 0;

    constructor(
        private readonly least: number,
        private readonly seen: Seen,
    ) {}

    add(
        start: number,
        end: number,
        busy: number,
        flags: number,
        first: number,
        count: number,
    ): void {
        const last = Math.max(this.end, end);
        if (this.first + this.count !== first || last - this.start >= this.least) this.handOut();
        if (this.count === 0) {
            this.start = start;
            this.first = first;
        }
        this.end = this.count === 0 ? end : last;
        this.busy += busy;
        this.flags |= flags;
        this.count += count;
    }

    handOut(): void {
        if (this.count > 0)
            this.seen.dense(this.start, this.end, this.busy, this.flags, this.first, this.count);
        this.busy = this.flags = this.count = 0;
    }
}

class Levels implements Pyramid {
    private readonly levels: Level[];
    private readonly spans: Level;

    constructor(start: Float64Array, end: Float64Array, flags: Uint32Array | null) {
        this.spans = { count: start.length, size: 1, start, end, flags, busy: null, best: null };
        this.levels = [this.spans];
        const isBetter = (a: number, b: number) => this.isBetter(a, b);
        for (let top = this.spans; top.count > 1; this.levels.push(top))
            top = levelAbove(top, isBetter);
    }

    visit(from: number, to: number, least: number, seen: Seen): void {
        const together = new Together(least, seen);
        this.walk(from, to, (level, i) => {
            const start = level.start[i];
            const end = level.end[i];
            if (end - start < least) {
                const busy = level.busy ? level.busy[i] : end - start;
                const flags = level.flags ? level.flags[i] : 0;
                together.add(start, end, busy, flags, i * level.size, this.countOf(level, i));
                return true;
            }
            if (level === this.spans) {
                together.handOut();
                seen.span(i);
            }
            return false;
        });
        together.handOut();
    }

    firstTouching(from: number): number {
        let i = 0;
        for (let l = this.levels.length - 1; l >= 0; l--) {
            const { end, count } = this.levels[l];
            i *= FANOUT;
            while (i < count && !(end[i] >= from)) i++;
            if (i >= count) return this.spans.count; // on the top level alone: below it there is one
        }
        return i;
    }

    summary(from: number, to: number): Summary {
        let count = 0;
        let best = -1;
        this.walk(from, to, (level, i) => {
            if (level !== this.spans && !this.allTouch(level, i, from, to)) return false;
            const candidate = level.best ? level.best[i] : i;
            if (best < 0 || this.isBetter(candidate, best)) best = candidate;
            count += this.countOf(level, i);
            return true;
        });
        return { count, best };
    }

    /** Whether each span of a node starts within [from, to]. */
    private allTouch(level: Level, i: number, from: number, to: number): boolean {
        const last = i * level.size + this.countOf(level, i) - 1;
        return level.start[i] >= from && this.spans.start[last] <= to;
    }

    /**
     * Nodes that touch [from, to], from the top down, in order of their starts: below those that are not
     * taken. The way on from a node follows from its number, so that no stack is needed.
     */
    private walk(from: number, to: number, take: (level: Level, i: number) => boolean): void {
        const top = this.levels.length - 1;
        let at = top;
        let i = 0;
        while (i < this.levels[at].count) {
            const level = this.levels[at];
            if (level.start[i] > to) return;
            if (level.end[i] >= from && !take(level, i) && at > 0) {
                at--;
                i *= FANOUT;
                continue;
            }
            for (i++; i % FANOUT === 0 && at < top; at++) i /= FANOUT;
        }
    }

    private countOf(level: Level, i: number): number {
        return Math.min(level.size, this.spans.count - i * level.size);
    }

    /** Whether span a stands for both rather than b. */
    private isBetter(a: number, b: number): boolean {
        const { start, end, flags } = this.spans;
        const missed = flags ? (flags[a] & Flag.Missed) - (flags[b] & Flag.Missed) : 0;
        const longer = missed || end[a] - start[a] - (end[b] - start[b]);
        return longer > 0 || (longer === 0 && a < b);
    }
}

/** `start` ascends; spans may overlap and may be of no length. `flags` null: none has any. */
export function buildPyramid(
    start: Float64Array,
    end: Float64Array,
    flags: Uint32Array | null,
): Pyramid {
    return new Levels(start, end, flags);
}

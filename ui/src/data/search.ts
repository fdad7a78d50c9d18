// Finds spans and marks by a part of their names.
import { shown } from "./labels";
import { sameRef, type Ref, type Trace } from "./model";
import {
    firstAfter,
    firstFrom,
    isVisible,
    refIn,
    sequences,
    textIn,
    timesOf,
    type Sequence,
    type Visible,
} from "./sequence";

export type Direction = 1 | -1;

/** Where to go on from: what was found last, or else a time. */
export interface Place {
    readonly time: number;
    readonly ref: Ref | null;
}

/** What was found in one sequence. */
interface Found {
    readonly sequence: Sequence;
    /** Ascending indices; null: all of it. */
    readonly hits: Uint32Array | null;
    readonly count: number;
}

/**
 * What is looked for in one trace. It is found when it is first asked for, in one pass over the names;
 * each step after that takes next to nothing. So keep a Search for as long as the user does not type.
 */
export class Search {
    /** 1 for each text in which it is. */
    private readonly matches: Uint8Array;
    private found: Found[] | null = null;

    constructor(
        private readonly trace: Trace,
        readonly text: string,
    ) {
        const sought = text.toLowerCase();
        const holds = (name: string) => name.toLowerCase().includes(sought);
        this.matches = Uint8Array.from(trace.texts, (name) =>
            text !== "" && (holds(name) || holds(shown(name))) ? 1 : 0,
        );
    }

    /** Whether a text of the trace, by its number, has it. */
    has(text: number): boolean {
        return this.matches[text] === 1;
    }

    count(visible: Visible): number {
        return this.among(visible).reduce((sum, found) => sum + found.count, 0);
    }

    /**
     * The next one in the order of time, then lane, row; from the other end when there is none. A time
     * itself counts as next, a ref does not, unless it is the only one.
     */
    next(from: Place, direction: Direction, visible: Visible): Ref | null {
        const among = this.among(visible);
        const start = from.ref ? { ...from, time: timesOf(this.trace, from.ref).start } : from;
        const anywhere = { time: -direction * Infinity, ref: null };
        return nearest(among, start, direction) ?? nearest(among, anywhere, direction);
    }

    private among(visible: Visible): Found[] {
        this.found ??= sequences(this.trace).map((sequence) => this.findIn(sequence));
        return this.found.filter(
            ({ sequence, count }) => count > 0 && isVisible(sequence, visible),
        );
    }

    private findIn(sequence: Sequence): Found {
        const length = sequence.start.length;
        if (!sequence.name) {
            return { sequence, hits: null, count: this.has(sequence.lane.name) ? length : 0 };
        }
        let count = 0;
        for (let i = 0; i < length; i++) count += this.matches[textIn(sequence, i)];
        const hits = new Uint32Array(count);
        for (let i = 0, at = 0; at < count; i++) if (this.has(textIn(sequence, i))) hits[at++] = i;
        return { sequence, hits, count };
    }
}

function nearest(among: readonly Found[], from: Place, direction: Direction): Ref | null {
    let best: Ref | null = null;
    let time = direction * Infinity;
    // Of equal times the first sequence counts forwards, the last one backwards.
    for (const found of direction > 0 ? among : [...among].reverse()) {
        const i = hitFrom(found, begin(found.sequence, from, direction), direction);
        if (i < 0 || (found.sequence.start[i] - time) * direction >= 0) continue;
        best = refIn(found.sequence, i);
        time = found.sequence.start[i];
    }
    return best;
}

/** The first hit at or beyond an index; -1: there is none. */
function hitFrom({ hits, count }: Found, index: number, direction: Direction): number {
    if (!hits) return index < count ? index : -1;
    const at = direction > 0 ? firstFrom(hits, index) : firstAfter(hits, index) - 1;
    return hits[at] ?? -1;
}

/** The index at which to begin: of the first that is after a place, or the last before it. */
function begin(sequence: Sequence, { time, ref }: Place, direction: Direction): number {
    const forwards = direction > 0;
    if (!ref)
        return forwards ? firstFrom(sequence.start, time) : firstAfter(sequence.start, time) - 1;
    if (sameRef(refIn(sequence, ref.index), ref)) return ref.index + direction;
    const first = precedes(sequence, ref) ? firstAfter : firstFrom;
    return first(sequence.start, time) - (forwards ? 0 : 1);
}

function precedes({ lane, row }: Sequence, ref: Ref): boolean {
    return lane.index < ref.lane || (lane.index === ref.lane && row < ref.row);
}

// Finds spans and marks by a part of their names.
import { shown } from "./labels";
import { sameRef, type Ref, type Trace } from "./model";
import {
    firstAfter,
    firstFrom,
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

/**
 * What is looked for in one trace. Whether a text holds it is decided once for each of the trace's texts,
 * so keep a Search for as long as the user does not type.
 */
export class Search {
    /** 1 for each text in which it is. */
    private readonly matches: Uint8Array;

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
        return this.candidates(visible).reduce((sum, sequence) => sum + this.countIn(sequence), 0);
    }

    /**
     * The next one in the order of time, then lane, row; from the other end when there is none. A time
     * itself counts as next, a ref does not, unless it is the only one.
     */
    next(from: Place, direction: Direction, visible: Visible): Ref | null {
        const candidates = this.candidates(visible);
        const start = from.ref ? { ...from, time: timesOf(this.trace, from.ref).start } : from;
        const anywhere = { time: -direction * Infinity, ref: null };
        return (
            this.nearest(candidates, start, direction) ??
            this.nearest(candidates, anywhere, direction)
        );
    }

    private candidates(visible: Visible): Sequence[] {
        return sequences(this.trace, visible).filter(
            ({ name, lane }) => name || this.has(lane.name),
        );
    }

    private countIn(sequence: Sequence): number {
        if (!sequence.name) return sequence.start.length;
        let count = 0;
        for (let i = 0; i < sequence.start.length; i++) count += this.matches[textIn(sequence, i)];
        return count;
    }

    private nearest(candidates: Sequence[], from: Place, direction: Direction): Ref | null {
        let best: Ref | null = null;
        let time = direction * Infinity;
        // Of equal times the first sequence counts forwards, the last one backwards.
        for (const sequence of direction > 0 ? candidates : [...candidates].reverse()) {
            const i = this.scan(sequence, begin(sequence, from, direction), time, direction);
            if (i < 0) continue;
            best = refIn(sequence, i);
            time = sequence.start[i];
        }
        return best;
    }

    /** The first match from an index on that is nearer than a time; -1: there is none. */
    private scan(sequence: Sequence, begin: number, limit: number, direction: Direction): number {
        const { start } = sequence;
        for (let i = begin; i >= 0 && i < start.length; i += direction) {
            if (direction > 0 ? start[i] >= limit : start[i] <= limit) return -1;
            if (this.matches[textIn(sequence, i)]) return i;
        }
        return -1;
    }
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

// What can be seen in a stretch of time: in the order of time for a table, or at one place for a pointer.
import type { Ref, Trace, Track } from "./model";
import { firstAfter, isVisible, refIn, sequences, type Sequence, type Visible } from "./sequence";
import type { Summary } from "./pyramid";

export interface Rows {
    /** The first ones, at most as many as were asked for. */
    readonly rows: readonly Ref[];
    /** How many there are. */
    readonly total: number;
}

/** Spans and marks that touch [from, to], in the order of start, lane, row. */
export function inWindow(
    trace: Trace,
    from: number,
    to: number,
    limit: number,
    visible: Visible,
): Rows {
    const seen = sequences(trace).filter((sequence) => isVisible(sequence, visible));
    const total = seen.reduce((sum, { pyramid }) => sum + pyramid.summary(from, to).count, 0);
    const cursors = seen.map((sequence) => new Cursor(sequence, from, to));
    const rows: Ref[] = [];
    while (rows.length < limit) {
        const next = earliest(cursors);
        if (!next) break;
        rows.push(next.take());
    }
    return { rows, total };
}

/** How many spans of a track touch [from, to], and the one to name: one that missed, else the longest. */
export function spansAt(track: Track, from: number, to: number): Summary {
    return track.pyramid.summary(from, to);
}

/** Goes through those of a sequence that touch a stretch of time. */
class Cursor {
    private at: number;
    private readonly until: number;

    constructor(
        private readonly sequence: Sequence,
        private readonly from: number,
        to: number,
    ) {
        this.at = sequence.pyramid.firstTouching(from);
        this.until = firstAfter(sequence.start, to);
    }

    /** The start of the next one; Infinity: there is none. */
    get time(): number {
        return this.at < this.until ? this.sequence.start[this.at] : Infinity;
    }

    take(): Ref {
        const ref = refIn(this.sequence, this.at);
        // Of overlapping spans some have ended before the stretch begins.
        do this.at++;
        while (this.at < this.until && this.sequence.end[this.at] < this.from);
        return ref;
    }
}

function earliest(cursors: readonly Cursor[]): Cursor | null {
    let first: Cursor | null = null;
    for (const cursor of cursors) if (cursor.time < (first?.time ?? Infinity)) first = cursor;
    return first;
}

// The trace as the browser side sees it: lanes, each with rows of spans and with marks, in columns.
//
// Times are microseconds on their source's time line. Every span is named by where it stands, its Ref.
// Nothing here is changed after loading.
import type { Pyramid } from "./pyramid";

/** The kinds of lanes, those of stave_lane_kind; 255: the markers that no span holds. */
export const enum LaneKind {
    Task = 0,
    Isr = 1,
    Thread = 3,
    Core = 4,
    Process = 5,
    Markers = 255,
}

/** The bits of a span's flags, those of enum stave_row_flag. */
export const enum Flag {
    Interrupted = 1 << 0,
    HasValue = 1 << 1,
    Saturated = 1 << 2,
    Unfinished = 1 << 4,
    Failed = 1 << 5,
    Unwound = 1 << 6,
    Overlap = 1 << 7,
    Uncertain = 1 << 8,
    Truncated = 1 << 9,
    Attached = 1 << 10,
    Missed = 1 << 20,
    EndUnknown = Interrupted | Unfinished,
}

/** Spans in the order of their starts. Those of one row do not overlap, except in a folded lane's last. */
export interface Track {
    readonly count: number;
    readonly start: Float64Array;
    readonly end: Float64Array;
    readonly flags: Uint32Array;
    /** Text numbers; null: all have their lane's name. */
    readonly name: Uint32Array | null;
    /** On the time line, NaN where there is none; null: no span of the lane has one. */
    readonly deadline: Float64Array | null;
    readonly pyramid: Pyramid;
}

export const enum ValueForm {
    None = 0,
    Unsigned = 1,
    Signed = 2,
    Real = 3,
    Text = 4,
    Bool = 5,
}

/** Marks in the order of their times. A value's 64 bits are kept as two halves. */
export interface Marks {
    readonly count: number;
    readonly time: Float64Array;
    readonly name: Uint32Array;
    readonly form: Uint8Array;
    readonly low: Uint32Array;
    readonly high: Uint32Array;
    /** The row of the lane on which it stands. */
    readonly row: Uint8Array;
    readonly pyramid: Pyramid;
}

export interface LaneStats {
    readonly spans: number;
    /** Those whose end is known. */
    readonly whole: number;
    /** Those of them that have a deadline. */
    readonly checked: number;
    readonly missed: number;
    readonly min: number;
    readonly mean: number;
    readonly p99: number;
    readonly max: number;
    readonly worst: Ref | null;
}

export interface Lane {
    readonly index: number;
    /** How many lanes of its colours, ISRs or others, stand above it in its source. */
    readonly ordinal: number;
    readonly source: number;
    readonly kind: LaneKind;
    readonly priority: number;
    readonly name: number;
    /** A text number; 0: it is in no process. */
    readonly process: number;
    /** The system's number of a thread or a core; "": none. */
    readonly number: string;
    readonly folded: boolean;
    readonly rows: readonly Track[];
    readonly marks: Marks;
    /** The longest time from a span's start to its deadline; 0: none is after its start. */
    readonly reach: number;
    readonly stats: LaneStats;
}

/**
 * Stretches over one lane, or over all of a source: gaps, where events were lost, or doubts, where times may be
 * early.
 */
export interface Bands {
    readonly count: number;
    readonly start: Float64Array;
    readonly end: Float64Array;
    /** A gap's lost events; a doubt's bound in microseconds, NaN where none is known. */
    readonly value: Float64Array;
    /** A text number: why; 0: no reason known. */
    readonly why: Uint32Array;
    /** 1 + a lane; 0: all lanes of the source. */
    readonly lane: number;
    readonly pyramid: Pyramid;
}

export interface Source {
    readonly index: number;
    readonly name: number;
    readonly lost: number;
    /** Whether lost events are counted as frames. */
    readonly frames: boolean;
    /** By what they lie over. */
    readonly gaps: readonly Bands[];
    readonly doubts: readonly Bands[];
    /** Times at which the producer started anew. */
    readonly restarts: Float64Array;
}

export interface Trace {
    readonly title: string;
    readonly texts: readonly string[];
    readonly sources: readonly Source[];
    /** In the order in which they are drawn; without those that have nothing on them. */
    readonly lanes: readonly Lane[];
    /** The first and the last time of anything; to is greater than from. */
    readonly from: number;
    readonly to: number;
}

/** One span, or one mark (row -1), of a trace. */
export interface Ref {
    readonly lane: number;
    readonly row: number;
    readonly index: number;
}

export const MARK_ROW = -1;

export function sameRef(a: Ref | null, b: Ref | null): boolean {
    return a === b || (!!a && !!b && a.lane === b.lane && a.row === b.row && a.index === b.index);
}

/** How many there are in all. */
export function bandCount(all: readonly Bands[]): number {
    return all.reduce((sum, { count }) => sum + count, 0);
}

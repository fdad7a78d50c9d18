// All that stands on lanes, as sequences in the order of time: the spans of a row, or the marks of a lane.
import { spanText } from "./labels";
import { LaneKind, MARK_ROW, type Lane, type Ref, type Trace } from "./model";
import type { Pyramid } from "./pyramid";

/** The layers of the legend that decide which things on lanes are seen. */
export type ThingLayer = "task" | "isr" | "thread" | "marker";
export type Visible = (layer: ThingLayer) => boolean;

export interface Sequence {
    readonly lane: Lane;
    /** MARK_ROW: its marks. */
    readonly row: number;
    readonly start: Float64Array;
    readonly end: Float64Array;
    /** Text numbers; null: all have their lane's. */
    readonly name: Uint32Array | null;
    readonly pyramid: Pyramid;
}

export function laneLayer(kind: LaneKind): ThingLayer {
    if (kind === LaneKind.Task) return "task";
    if (kind === LaneKind.Isr) return "isr";
    return kind === LaneKind.Markers ? "marker" : "thread";
}

/** All that have something, in the order of lanes, then rows, marks first. */
export function sequences(trace: Trace): Sequence[] {
    const all = trace.lanes.flatMap((lane) => [marksOf(lane), ...rowsOf(lane)]);
    return all.filter(({ start }) => start.length > 0);
}

/** Marks are seen when both markers and their lane are. */
export function isVisible({ lane, row }: Sequence, visible: Visible): boolean {
    return visible(laneLayer(lane.kind)) && (row !== MARK_ROW || visible("marker"));
}

function marksOf(lane: Lane): Sequence {
    const { time, name, pyramid } = lane.marks;
    return { lane, row: MARK_ROW, start: time, end: time, name, pyramid };
}

function rowsOf(lane: Lane): Sequence[] {
    return lane.rows.map(({ start, end, name, pyramid }, row) => ({
        lane,
        row,
        start,
        end,
        name,
        pyramid,
    }));
}

export function refIn(sequence: Sequence, index: number): Ref {
    return { lane: sequence.lane.index, row: sequence.row, index };
}

/** The text number of a name. */
export function textIn(sequence: Sequence, index: number): number {
    const { lane, row, name } = sequence;
    return row === MARK_ROW ? name![index] : spanText(lane, row, index);
}

/** Where a span starts and ends; of a mark both are its time. */
export function timesOf(trace: Trace, ref: Ref): { start: number; end: number } {
    const lane = trace.lanes[ref.lane];
    if (ref.row === MARK_ROW)
        return { start: lane.marks.time[ref.index], end: lane.marks.time[ref.index] };
    const track = lane.rows[ref.row];
    return { start: track.start[ref.index], end: track.end[ref.index] };
}

type Numbers = Float64Array | Uint32Array;

/** The first index at which ascending numbers are at or after a value. */
export function firstFrom(ascending: Numbers, value: number): number {
    return firstWhere(ascending.length, (i) => ascending[i] >= value);
}

/** The first index at which ascending numbers are after a value. */
export function firstAfter(ascending: Numbers, value: number): number {
    return firstWhere(ascending.length, (i) => ascending[i] > value);
}

function firstWhere(count: number, holds: (index: number) => boolean): number {
    let low = 0;
    let high = count;
    while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if (holds(middle)) high = middle;
        else low = middle + 1;
    }
    return low;
}

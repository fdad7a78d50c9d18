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

/** In the order of lanes, then rows, marks first. Marks are seen when markers and their lane are. */
export function sequences(trace: Trace, visible: Visible): Sequence[] {
    const marks = visible("marker");
    return trace.lanes
        .filter((lane) => visible(laneLayer(lane.kind)))
        .flatMap((lane) => [...(marks ? [marksOf(lane)] : []), ...rowsOf(lane)])
        .filter((sequence) => sequence.start.length > 0);
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

/** The first index at which ascending times are at or after a time. */
export function firstFrom(times: Float64Array, time: number): number {
    return firstWhere(times.length, (i) => times[i] >= time);
}

/** The first index at which ascending times are after a time. */
export function firstAfter(times: Float64Array, time: number): number {
    return firstWhere(times.length, (i) => times[i] > time);
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

// Where lanes stand, from top to bottom.
import type { Lane, Trace } from "../data/model";
import { laneLayer } from "../data/sequence";
import type { Layer } from "../view/state";

const HEADING = 26;
const LANE = 30;
const BAR = 18;
const NESTED_BAR = 17;
const NESTED_ROW = 19;
const LABEL_STRIP = 15;

export interface LaneBox {
    readonly lane: Lane;
    readonly top: number;
    readonly height: number;
    /** Of the first row's bars. */
    readonly barTop: number;
    readonly barHeight: number;
    /** From one row to the next. */
    readonly rowStep: number;
    /** Every second lane stands on a band. */
    readonly striped: boolean;
    /** Above the bars, for the labels of marks; 0: they have no room. */
    readonly labels: number;
}

/** The name of a source or a process, above its lanes. */
export interface Heading {
    readonly text: number;
    readonly level: "source" | "process";
    readonly top: number;
    readonly height: number;
}

/** From the top of a source's first lane to the bottom of its last. */
export type Extent = readonly [top: number, bottom: number];

export interface Layout {
    readonly boxes: readonly LaneBox[];
    readonly headings: readonly Heading[];
    readonly height: number;
    /** By the lane's index; undefined: it is hidden. */
    readonly boxOf: ReadonlyMap<number, LaneBox>;
    /** By the source's index; undefined: all its lanes are hidden. */
    readonly extents: ReadonlyMap<number, Extent>;
}

function boxOf(lane: Lane, top: number, striped: boolean, labelled: boolean): LaneBox {
    const labels = labelled && lane.marks.count > 0 ? LABEL_STRIP : 0;
    const nested = lane.rows.length > 1;
    const inner = nested ? lane.rows.length * NESTED_ROW : BAR;
    const height = inner + (nested ? LANE - NESTED_ROW : LANE - BAR) + labels;
    return {
        lane,
        top,
        height,
        barTop: top + labels + (height - labels - inner) / 2,
        barHeight: nested ? NESTED_BAR : BAR,
        rowStep: NESTED_ROW,
        striped,
        labels,
    };
}

export function layoutOf(trace: Trace, hidden: ReadonlySet<Layer>): Layout {
    const boxes: LaneBox[] = [];
    const headings: Heading[] = [];
    const named = trace.sources.length > 1;
    const labelled = !hidden.has("label") && !hidden.has("marker");
    let top = 0;
    let source = -1;
    let process = 0;
    const heading = (text: number, level: Heading["level"]): void => {
        headings.push({ text, level, top, height: HEADING });
        top += HEADING;
    };
    for (const lane of trace.lanes) {
        if (hidden.has(laneLayer(lane.kind))) continue;
        if (lane.source !== source) {
            source = lane.source;
            process = 0;
            if (named) heading(trace.sources[source]!.name, "source");
        }
        if (lane.process !== process && lane.process !== 0) heading(lane.process, "process");
        process = lane.process;
        const box = boxOf(lane, top, boxes.length % 2 === 0, labelled);
        boxes.push(box);
        top += box.height;
    }
    const byLane = new Map(boxes.map((box) => [box.lane.index, box]));
    return { boxes, headings, height: top, boxOf: byLane, extents: extentsOf(boxes) };
}

function extentsOf(boxes: readonly LaneBox[]): Map<number, Extent> {
    const extents = new Map<number, Extent>();
    for (const { lane, top, height } of boxes)
        extents.set(lane.source, [extents.get(lane.source)?.[0] ?? top, top + height]);
    return extents;
}

/** The index of the first box that reaches below y. */
export function firstBoxBelow(layout: Layout, y: number): number {
    let low = 0;
    let high = layout.boxes.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        const box = layout.boxes[middle]!;
        if (box.top + box.height <= y) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** The boxes that touch [top, bottom]. */
export function boxesWithin(layout: Layout, top: number, bottom: number): readonly LaneBox[] {
    const first = firstBoxBelow(layout, top);
    let end = first;
    while (end < layout.boxes.length && layout.boxes[end]!.top < bottom) end++;
    return layout.boxes.slice(first, end);
}

export function barTopOf(box: LaneBox, row: number): number {
    return box.barTop + row * box.rowStep;
}

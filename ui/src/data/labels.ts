// What things are called. All texts that come from a recording go through shown(): they may hold anything.
import { joined } from "./bytes";
import {
    Flag,
    LaneKind,
    MARK_ROW,
    ValueForm,
    type Lane,
    type Marks,
    type Ref,
    type Trace,
} from "./model";
import { integer, real } from "./units";

// What has no picture, or would reorder, break or hide what stands beside it: controls, line and paragraph
// separators, bidirectional marks, halves of surrogate pairs.
const UNSHOWN =
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\u00ad\u200b\u2060-\u2064\ufff9-\ufffb]|\p{Surrogate}/gu;

const MARKED = new Map([
    ["\u061c", "ALM"],
    ["\u200e", "LRM"],
    ["\u200f", "RLM"],
    ["\u2028", "LS"],
    ["\u2029", "PS"],
    ["\u202a", "LRE"],
    ["\u202b", "RLE"],
    ["\u202c", "PDF"],
    ["\u202d", "LRO"],
    ["\u202e", "RLO"],
    ["\u2066", "LRI"],
    ["\u2067", "RLI"],
    ["\u2068", "FSI"],
    ["\u2069", "PDI"],
    ["\ufeff", "BOM"],
]);

/** A text in which everything can be seen and nothing disturbs what stands beside it. */
export function shown(text: string): string {
    return text.replace(UNSHOWN, picture);
}

function picture(unit: string): string {
    const code = unit.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    const mark = MARKED.get(unit);
    return mark ? `⟪${mark}⟫` : "\ufffd";
}

/** The text, or its first code points and an ellipsis, `max` together. */
export function clipped(text: string, max: number): string {
    if (text.length <= max) return text;
    const points = Array.from(text);
    if (points.length <= max) return text;
    return points.slice(0, Math.max(0, max - 1)).join("") + "…";
}

const KINDS = new Map<number, string>([
    [LaneKind.Task, "task"],
    [LaneKind.Isr, "ISR"],
    [LaneKind.Thread, "thread"],
    [LaneKind.Core, "core"],
    [LaneKind.Process, "process"],
    [LaneKind.Markers, "markers"],
]);

export function kindText(kind: LaneKind): string {
    return KINDS.get(kind) ?? "lane";
}

export function textOf(trace: Trace, text: number): string {
    return shown(trace.texts[text]);
}

/** Its name; of one without a name, what it is, with the system's number. */
export function laneName(trace: Trace, lane: Lane): string {
    return textOf(trace, lane.name) || [kindText(lane.kind), lane.number].filter(Boolean).join(" ");
}

export interface LaneLabel {
    /** A priority as "P12", or the system's number; "": neither. */
    readonly tag: string;
    readonly name: string;
    /** The process that it belongs to; "": none. */
    readonly process: string;
}

export function laneLabel(trace: Trace, lane: Lane): LaneLabel {
    const name = laneName(trace, lane);
    return { tag: laneTag(lane), name, process: textOf(trace, lane.process) };
}

function laneTag(lane: Lane): string {
    const hasPriority = lane.kind === LaneKind.Task || lane.kind === LaneKind.Isr;
    return hasPriority ? `P${lane.priority}` : lane.number;
}

/** The text number of a span's name. */
export function spanText(lane: Lane, row: number, index: number): number {
    return lane.rows[row].name?.[index] || lane.name;
}

export function spanName(trace: Trace, ref: Ref): string {
    const lane = trace.lanes[ref.lane];
    return textOf(trace, spanText(lane, ref.row, ref.index)) || laneName(trace, lane);
}

export function markName(trace: Trace, marks: Marks, i: number): string {
    return textOf(trace, marks.name[i]);
}

/** The name of a span or a mark. */
export function refName(trace: Trace, ref: Ref): string {
    if (ref.row !== MARK_ROW) return spanName(trace, ref);
    return markName(trace, trace.lanes[ref.lane].marks, ref.index);
}

/** A mark's value, exactly; "": it has none. */
export function markValue(trace: Trace, marks: Marks, i: number): string {
    const bits = joined(marks.low[i], marks.high[i]);
    switch (marks.form[i]) {
        case ValueForm.Unsigned:
            return integer(bits);
        case ValueForm.Signed:
            return integer(BigInt.asIntN(64, bits));
        case ValueForm.Real:
            return real(fromBits(marks.low[i], marks.high[i]));
        case ValueForm.Text:
            return textOf(trace, marks.low[i]);
        case ValueForm.Bool:
            return String(bits !== 0n);
        default:
            return "";
    }
}

function fromBits(low: number, high: number): number {
    const view = new DataView(new ArrayBuffer(8));
    view.setUint32(0, high);
    view.setUint32(4, low);
    return view.getFloat64(0);
}

const FLAGS: readonly (readonly [Flag, string])[] = [
    [Flag.Interrupted, "interrupted: its end was lost"],
    [Flag.Unfinished, "unfinished: it was still open when the recording ended"],
    [Flag.Failed, "failed: its program calls it a failure"],
    [Flag.Unwound, "unwound: it was left by longjmp or an exception"],
    [Flag.Overlap, "overlap: it does not nest with another of its lane"],
    [Flag.Uncertain, "uncertain: its start or end may be wrong"],
    [Flag.Saturated, "saturated: a time beyond the clock's range stands at its limit"],
    [Flag.Truncated, "truncated: something of it did not fit"],
    [Flag.Attached, "attached: its parent is on another lane"],
];

/** What there is to say of a span, most important first; but of a missed deadline it is said by how much. */
export function flagTexts(flags: number): string[] {
    return FLAGS.filter(([flag]) => flags & flag).map(([, text]) => text);
}

// What is told of a span or a mark, for every widget that tells it.
import {
    flagTexts,
    kindText,
    laneLabel,
    laneName,
    markValue,
    refName,
    textOf,
} from "../data/labels";
import { Flag, MARK_ROW, type Lane, type Ref, type Trace } from "../data/model";

/** Times and durations are microseconds. */
export interface Facts {
    readonly name: string;
    readonly kind: string;
    readonly lane: Lane;
    readonly start: number;
    /** The last time at which it is known to go on; null: of a mark. */
    readonly end: number | null;
    readonly endKnown: boolean;
    /** On the source's time line; null: there is none. */
    readonly deadline: number | null;
    readonly missedBy: number | null;
    readonly value: string;
    readonly flags: readonly string[];
}

export function factsOf(trace: Trace, ref: Ref): Facts {
    return ref.row === MARK_ROW ? factsOfMark(trace, ref) : factsOfSpan(trace, ref);
}

function factsOfMark(trace: Trace, ref: Ref): Facts {
    const lane = trace.lanes[ref.lane];
    return {
        name: refName(trace, ref),
        kind: "marker",
        lane,
        start: lane.marks.time[ref.index],
        end: null,
        endKnown: false,
        deadline: null,
        missedBy: null,
        value: markValue(trace, lane.marks, ref.index),
        flags: [],
    };
}

function factsOfSpan(trace: Trace, ref: Ref): Facts {
    const lane = trace.lanes[ref.lane];
    const track = lane.rows[ref.row];
    const flags = track.flags[ref.index];
    const end = track.end[ref.index];
    const deadline = deadlineOf(lane, ref);
    return {
        name: refName(trace, ref),
        kind: kindAndTag(trace, lane),
        lane,
        start: track.start[ref.index],
        end,
        endKnown: !(flags & Flag.EndUnknown),
        deadline,
        missedBy: deadline !== null && flags & Flag.Missed ? Math.max(0, end - deadline) : null,
        value: "",
        flags: flagTexts(flags),
    };
}

function deadlineOf(lane: Lane, ref: Ref): number | null {
    const track = lane.rows[ref.row];
    const deadline = track.deadline?.[ref.index] ?? NaN;
    return Number.isNaN(deadline) ? null : deadline;
}

/** "task · P4", "thread · 4711". */
export function kindAndTag(trace: Trace, lane: Lane): string {
    return [kindText(lane.kind), laneLabel(trace, lane).tag].filter(Boolean).join(" · ");
}

/** Where a lane belongs: its source when there are several, and its process; "": nothing to tell apart. */
export function laneOwner(trace: Trace, lane: Lane): string {
    const source = trace.sources.length > 1 ? textOf(trace, trace.sources[lane.source].name) : "";
    return [source, textOf(trace, lane.process)].filter(Boolean).join(" · ");
}

export function laneTitle(trace: Trace, lane: Lane): string {
    const owner = laneOwner(trace, lane);
    return laneName(trace, lane) + (owner ? ` · ${owner}` : "");
}

export function hasDeadlines(lane: Lane): boolean {
    return lane.rows.some((track) => track.deadline !== null);
}

// Which span or mark is meant: under the pointer, or next to one that is known.
import { Flag, MARK_ROW, type Lane, type Ref, type Track, type Trace } from "../data/model";
import { happeningAt, type Happening, type HappeningKind } from "../data/happenings";
import { firstFrom, timesOf } from "../data/sequence";
import { spansAt } from "../data/window";
import { firstBoxBelow, type LaneBox, type Layout } from "../draw/layout";
import { usAt, type Scale } from "../draw/scale";
import type { Layer } from "../view/state";

const NEAR = 4; // pixels

export interface Hit {
    readonly ref: Ref;
    /** How many more spans there are at this place. */
    readonly more: number;
}

/** What stands at a point of the lanes; y as the layout has it. */
export function hitAt(
    layout: Layout,
    scale: Scale,
    hidden: ReadonlySet<Layer>,
    x: number,
    y: number,
): Hit | null {
    const box = layout.boxes[firstBoxBelow(layout, y)];
    if (!box || y < box.top || x < scale.left) return null;
    const mark = hidden.has("marker") ? null : markAt(box, scale, x, y);
    return mark ?? spanAt(box, scale, x, y);
}

function rowAt(box: LaneBox, y: number): number {
    const row = Math.floor((y - box.barTop) / box.rowStep);
    return Math.min(Math.max(0, row), Math.max(0, box.lane.rows.length - 1));
}

function spanAt(box: LaneBox, scale: Scale, x: number, y: number): Hit | null {
    const row = rowAt(box, y);
    const track = box.lane.rows[row];
    if (!track || y < box.barTop - NEAR) return null;
    for (const reach of [0.5, NEAR]) {
        const found = spansAt(track, usAt(scale, x - reach), usAt(scale, x + reach));
        if (found.count > 0)
            return { ref: { lane: box.lane.index, row, index: found.best }, more: found.count - 1 };
    }
    return null;
}

function markAt(box: LaneBox, scale: Scale, x: number, y: number): Hit | null {
    const { marks } = box.lane;
    const row = rowAt(box, y);
    const at = usAt(scale, x);
    const reach = NEAR / scale.pixelsPerUs;
    let best = -1;
    let more = -1;
    for (let i = firstFrom(marks.time, at - reach); i < marks.count; i++) {
        if (marks.time[i]! > at + reach || more > 100) break;
        if (box.lane.rows.length > 1 && marks.row[i] !== row) continue;
        if (best < 0 || Math.abs(marks.time[i]! - at) < Math.abs(marks.time[best]! - at)) best = i;
        more++;
    }
    return best < 0 ? null : { ref: { lane: box.lane.index, row: MARK_ROW, index: best }, more };
}

const EDGE = 12; // pixels at which a bracket's arms can be pointed at

/** What lies over the lanes at a point; a doubt, which may be long, only at its bracket. */
export function overAt(
    trace: Trace,
    layout: Layout,
    scale: Scale,
    hidden: ReadonlySet<Layer>,
    x: number,
    y: number,
): Happening | null {
    const box = layout.boxes[firstBoxBelow(layout, y)];
    if (!box || y < box.top || x < scale.left) return null;
    const [top, bottom] = layout.extents.get(box.lane.source)!;
    const atEdge = y < top + EDGE || y > bottom - EDGE;
    const shows = (kind: HappeningKind): boolean =>
        kind === "restart" || (!hidden.has(kind) && (kind === "gap" || atEdge));
    const [from, to] = [usAt(scale, x - NEAR / 2), usAt(scale, x + NEAR / 2)];
    return happeningAt(trace, box.lane.index, from, to, shows);
}

// ---- by keyboard --------------------------------------------------------------------------------

/** The neighbour in the same row, or the same. */
export function beside(trace: Trace, ref: Ref, direction: 1 | -1): Ref {
    const lane = trace.lanes[ref.lane]!;
    const count = ref.row === MARK_ROW ? lane.marks.count : lane.rows[ref.row]!.count;
    const index = Math.min(count - 1, Math.max(0, ref.index + direction));
    return { ...ref, index };
}

/** What of a row is nearest to a time; null: it is empty. */
function nearestIn(lane: Lane, row: number, us: number): Ref | null {
    const times = row === MARK_ROW ? lane.marks.time : lane.rows[row]!.start;
    if (times.length === 0) return null;
    const after = firstFrom(times, us);
    const before = after - 1;
    const index =
        after === times.length || (before >= 0 && us - times[before]! <= times[after]! - us)
            ? before
            : after;
    return { lane: lane.index, row, index };
}

/** The rows of a layout from the top: those of spans, then of marks, of each lane. */
function rowsOf(layout: Layout, marks: boolean): { lane: Lane; row: number }[] {
    return layout.boxes.flatMap(({ lane }) => [
        ...lane.rows.map((_, row) => ({ lane, row })),
        ...(marks && lane.marks.count > 0 ? [{ lane, row: MARK_ROW }] : []),
    ]);
}

/** What is nearest to a time in the next row that has something, up or down; from nothing, the first. */
export function aboveOrBelow(
    layout: Layout,
    hidden: ReadonlySet<Layer>,
    ref: Ref | null,
    us: number,
    direction: 1 | -1,
): Ref | null {
    const rows = rowsOf(layout, !hidden.has("marker"));
    const from = rows.findIndex(
        ({ lane, row }) => ref && lane.index === ref.lane && row === ref.row,
    );
    let at = ref && from >= 0 ? from + direction : direction > 0 ? 0 : rows.length - 1;
    for (; at >= 0 && at < rows.length; at += direction) {
        const found = nearestIn(rows[at]!.lane, rows[at]!.row, us);
        if (found) return found;
    }
    return ref;
}

// ---- missed deadlines ---------------------------------------------------------------------------

/** The first missed one at an index or in a direction from it; -1: none. */
function missedIn(track: Track, from: number, direction: 1 | -1): number {
    for (let i = from; i >= 0 && i < track.count; i += direction)
        if (track.flags[i]! & Flag.Missed) return i;
    return -1;
}

/** The nearest missed deadline that begins after (or before) a time, over all lanes. */
function missedBeyond(trace: Trace, at: number, direction: 1 | -1): Ref | null {
    let best: Ref | null = null;
    for (const lane of trace.lanes) {
        if (lane.stats.missed === 0) continue;
        lane.rows.forEach((track, row) => {
            const after = firstFrom(track.start, at);
            const from = direction < 0 ? after - 1 : track.start[after] === at ? after + 1 : after;
            const ref = { lane: lane.index, row, index: missedIn(track, from, direction) };
            if (ref.index < 0) return;
            if (!best || (timesOf(trace, ref).start - timesOf(trace, best).start) * direction < 0)
                best = ref;
        });
    }
    return best;
}

/** The next missed deadline after a time, or the one before it; around the ends. */
export function missedFrom(trace: Trace, at: number, direction: 1 | -1): Ref | null {
    return (
        missedBeyond(trace, at, direction) ?? missedBeyond(trace, -direction * Infinity, direction)
    );
}

// Marks: ticks on their lane, and what they say beside them.
import { MARK_ROW, sameRef } from "../data/model";
import { clipped, markName, markValue } from "../data/labels";
import { barTopOf, type LaneBox } from "./layout";
import { shows, type Picture } from "./picture";
import { xOf } from "./scale";
import { fitted } from "./surface";

const OVERHANG = 3;
const CLOSE = 6; // pixels between neighbours
const SHORT = 5;
const LABEL_GAP = 4;
const LABEL_LEAST = 40;
const NAME_MAX = 60;

export function drawMarks(picture: Picture, box: LaneBox): void {
    const { scale } = picture;
    const { marks } = box.lane;
    if (marks.count === 0 || !shows(picture, "marker")) return;
    const visible: number[] = []; // one for each pixel
    let last = -Infinity;
    marks.pyramid.visit(scale.from, scale.to, 1 / scale.pixelsPerUs, {
        span: () => undefined, // a moment is never as long as a pixel
        dense: (start, _end, _busy, _flags, first) => {
            const x = Math.floor(xOf(scale, start));
            if (x === last) return;
            last = x;
            visible.push(first);
        },
    });
    visible.forEach((index, i) => drawMark(picture, box, index, roomOf(picture, box, visible, i)));
    for (const ref of [picture.state.hover, picture.state.pinned])
        if (ref?.lane === box.lane.index && ref.row === MARK_ROW && !visible.includes(ref.index))
            drawMark(picture, box, ref.index, Infinity); // it shares its pixel with another
    if (box.labels > 0) drawLabels(picture, box, visible);
}

/** Pixels to the nearest neighbour on its row's picture. */
function roomOf(
    { scale }: Picture,
    { lane }: LaneBox,
    visible: readonly number[],
    i: number,
): number {
    const x = (k: number): number => xOf(scale, lane.marks.time[visible[k]!]!);
    const before = i > 0 ? x(i) - x(i - 1) : Infinity;
    const after = i + 1 < visible.length ? x(i + 1) - x(i) : Infinity;
    return Math.min(before, after);
}

// Where they stand close together they are short, so that they do not hide the bars.
function drawMark(picture: Picture, box: LaneBox, index: number, room: number): void {
    const { surface, theme, state, scale } = picture;
    const { marks } = box.lane;
    const x = xOf(scale, marks.time[index]!);
    const top = barTopOf(box, marks.row[index]!) - OVERHANG;
    const height = room < CLOSE ? SHORT : box.barHeight + 2 * OVERHANG;
    const ref = { lane: box.lane.index, row: MARK_ROW, index };
    const chosen = sameRef(ref, state.pinned) || sameRef(ref, state.hover);
    if (room >= CLOSE) surface.rect(x - 1.5, top, 3, height, { color: theme.card, alpha: 0.8 });
    surface.rect(x - 0.75, top, 1.5, height, { color: chosen ? theme.accent : theme.marker });
    if (chosen) surface.frame(x - 4, top - 1, 8, height + 2, { color: theme.accent, width: 1.5 });
}

/** "name value", in the room up to the next one. */
function markText(picture: Picture, box: LaneBox, index: number): string {
    const { trace } = picture;
    const value = markValue(trace, box.lane.marks, index);
    const name = clipped(markName(trace, box.lane.marks, index), NAME_MAX);
    return value === "" ? name : `${name} ${clipped(value, NAME_MAX)}`;
}

function drawLabels(picture: Picture, box: LaneBox, visible: readonly number[]): void {
    const { surface, theme, scale } = picture;
    const font = { color: theme.marker, size: 10, mono: true };
    const right = scale.left + scale.width;
    visible.forEach((index, i) => {
        const x = xOf(scale, box.lane.marks.time[index]!) - 0.75;
        const next = visible[i + 1];
        const end = next === undefined ? right : xOf(scale, box.lane.marks.time[next]!);
        if (end - x < LABEL_LEAST || x < scale.left - 1) return;
        const text = fitted(surface, markText(picture, box, index), end - x - LABEL_GAP, font);
        if (text) surface.text(x, box.top + box.labels - 3, text, font);
    });
}

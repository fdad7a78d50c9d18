// The spans of one row: bars, density where they are narrower than a pixel, torn ends, deadlines.
import { Flag, LaneKind, type Lane, type Ref, type Track } from "../data/model";
import type { Seen } from "../data/pyramid";
import { clipped, spanName } from "../data/labels";
import { barTopOf, type LaneBox } from "./layout";
import { shows, type Picture } from "./picture";
import { stretchOf, xOf } from "./scale";
import { fitted, type Ink, type Point } from "./surface";
import { laneColor, nameColor } from "./theme";

const ISR_HATCH = { color: "#fff", alpha: 0.35 };
const HATCH_EVERY = 5;
const TORN_LEAST = 2;
const TOOTH = 3;
const NARROW = 2.5;
const REACH_MOST = 4; // windows: from how far before it deadlines are looked for
const TEXT_LEAST = 28;
const NAME_MAX = 200;
const DOUBTFUL = Flag.Saturated | Flag.Unwound | Flag.Overlap | Flag.Uncertain | Flag.Truncated;

/** Where a row's bars stand. */
interface Strip {
    readonly lane: Lane;
    readonly track: Track;
    readonly row: number;
    readonly top: number;
    readonly height: number;
    /** Bars have names in them. */
    readonly named: boolean;
}

/** Draws the spans, and returns what draws that which stands above the marks: deadlines, and what is chosen. */
export function drawRow(picture: Picture, box: LaneBox, row: number): () => void {
    const { lane } = box;
    const track = lane.rows[row]!;
    const named = track.name !== null;
    const strip = { lane, track, row, named, top: barTopOf(box, row), height: box.barHeight };
    const { alone, missed } = drawSpans(picture, strip);
    return () => {
        drawDeadlines(picture, strip, alone);
        missed.forEach((x) => drawMissedAmong(picture, strip, x));
        drawChosen(picture, strip);
    };
}

// ---- spans --------------------------------------------------------------------------------------

interface Drawn {
    /** Spans that stand alone, whose deadlines may be drawn. */
    readonly alone: readonly number[];
    /** Where others have missed theirs, pixels. */
    readonly missed: readonly number[];
}

function drawSpans(picture: Picture, strip: Strip): Drawn {
    const { scale, density } = picture;
    const { track } = strip;
    const alone: number[] = [];
    const seen: Seen = {
        span: (index) => {
            alone.push(index);
            if (track.end[index]! >= scale.from) drawSpan(picture, strip, index);
        },
        dense: (start, end, busy, flags, first, count) => {
            if (count === 1) alone.push(first);
            if (end >= scale.from) density.add(scale, start, end, busy, flags);
        },
    };
    // A deadline may stand in the picture although its span has left it: look back as far as they reach.
    const far = REACH_MOST * (scale.to - scale.from);
    const reach = shows(picture, "deadline") ? Math.min(strip.lane.reach, far) : 0;
    track.pyramid.visit(scale.from - reach, scale.to, 1 / scale.pixelsPerUs, seen);
    const missed = drawDensity(picture, strip);
    density.clear();
    return { alone, missed };
}

function drawDensity(picture: Picture, { lane, top, height }: Strip): number[] {
    const { surface, theme, density, scale } = picture;
    const color = laneColor(theme, lane);
    density.drawRuns(scale.left, (x, width, alpha) => {
        surface.rect(x, top, width, height, { color, alpha });
        if (lane.kind === LaneKind.Isr && width > 2)
            surface.hatch(x, top, width, height, ISR_HATCH, HATCH_EVERY);
    });
    density.drawFlagged(scale.left, Flag.EndUnknown, (x) =>
        drawTorn(picture, x, x + TORN_LEAST, top, height, color),
    );
    const missed: number[] = [];
    density.drawFlagged(scale.left, Flag.Missed, (x) => missed.push(x));
    return missed;
}

function drawSpan(picture: Picture, strip: Strip, index: number): void {
    const { surface, theme, scale } = picture;
    const { lane, track, top, height } = strip;
    const flags = track.flags[index]!;
    const name = track.name?.[index] ?? 0;
    const color = name ? nameColor(theme, picture.trace.texts[name]!) : laneColor(theme, lane);
    const [left, right] = sharp(stretchOf(scale, track.start[index]!, track.end[index]!));
    const width = right - left;
    if (flags & Flag.EndUnknown) drawTorn(picture, left, right, top, height, color);
    else surface.rect(left, top, width, height, { color }, 2);
    if (lane.kind === LaneKind.Isr && width > 2)
        surface.hatch(
            left,
            top,
            width - (flags & Flag.EndUnknown ? TOOTH : 0),
            height,
            ISR_HATCH,
            HATCH_EVERY,
        );
    drawSigns(picture, strip, index, left, width);
    if (strip.named && width >= TEXT_LEAST) drawName(picture, strip, index, left, right);
}

// What is hardly wider than a pixel takes whole ones, or it would be pale.
function sharp([left, right]: [number, number]): [number, number] {
    if (right - left >= NARROW) return [left, right];
    const from = Math.floor(left);
    return [from, from + Math.max(1, Math.round(right - left))];
}

// A bar whose right edge is torn: nobody knows where it ended.
function drawTorn(
    picture: Picture,
    left: number,
    right: number,
    top: number,
    height: number,
    color: string,
): void {
    const end = Math.max(right, left + TORN_LEAST);
    const tooth = Math.min(TOOTH, (end - left) / 2);
    const points: Point[] = [[left, top]];
    const teeth = 6;
    for (let i = 0; i <= teeth; i++)
        points.push([i % 2 ? end - tooth : end, top + (height * i) / teeth]);
    points.push([left, top + height]);
    picture.surface.polygon(points, { color });
    if (right - left > 4 * TOOTH)
        picture.surface.line(points.slice(1, -1), { color: picture.theme.text, width: 1 });
}

function drawSigns(picture: Picture, strip: Strip, index: number, x: number, width: number): void {
    const { surface, theme } = picture;
    const { track, top, height } = strip;
    const flags = track.flags[index]!;
    if (flags & DOUBTFUL && width > 3)
        surface.frame(x + 0.5, top + 0.5, width - 1, height - 1, {
            color: theme.text,
            width: 1,
            dash: [3, 2],
        });
    if (flags & Flag.Failed) surface.rect(x, top + height - 3, width, 3, { color: theme.slow });
    if (flags & Flag.Missed) drawMissed(picture, x, top, width, height);
}

// What the user has chosen has a frame, also where it is too narrow to be drawn by itself.
function drawChosen(picture: Picture, { lane, track, row, top, height }: Strip): void {
    const { surface, theme, scale, state } = picture;
    const frame = (ref: Ref, beyond: number, ink: Ink): void => {
        if (ref.lane !== lane.index || ref.row !== row) return;
        const times = [track.start[ref.index]!, track.end[ref.index]!] as const;
        if (times[1] < scale.from || times[0] > scale.to) return;
        const [left, right] = sharp(stretchOf(scale, ...times));
        const width = right - left + 2 * beyond;
        surface.frame(left - beyond, top - beyond, width, height + 2 * beyond, ink);
        const deadline = track.deadline?.[ref.index] ?? NaN;
        if (Number.isNaN(deadline) || track.flags[ref.index]! & Flag.EndUnknown) return;
        // Whose deadline it is.
        const [to] = stretchOf(scale, deadline, deadline);
        const y = top + height + 3;
        surface.line(
            [
                [right, y],
                [to, y],
            ],
            { ...ink, dash: [3, 2] },
        );
    };
    if (state.hover) frame(state.hover, 0.5, { color: theme.text, width: 1 });
    if (state.pinned) frame(state.pinned, 2, { color: theme.accent, width: 2 });
}

// On a bar that is reddish itself, the outline is told from it by a light line within.
function drawMissed(
    { surface, theme }: Picture,
    x: number,
    top: number,
    width: number,
    height: number,
): void {
    surface.frame(x, top, width, height, { color: theme.slow, width: 2 });
    if (width > 8)
        surface.frame(x + 1.5, top + 1.5, width - 3, height - 3, { color: theme.card, width: 1 });
}

function drawName(
    picture: Picture,
    strip: Strip,
    index: number,
    left: number,
    right: number,
): void {
    const { surface, scale, trace } = picture;
    const from = Math.max(left, scale.left);
    const to = Math.min(right, scale.left + scale.width);
    const font = { color: "#000", size: 11 }; // at least 4.7 to 1 on any colour of a bar
    const text = clipped(
        spanName(trace, { lane: strip.lane.index, row: strip.row, index }),
        NAME_MAX,
    );
    const fits = fitted(surface, text, to - from - 8, font);
    if (fits) surface.text(from + 4, strip.top + strip.height / 2 + 4, fits, font);
}

// Red above and below the column, so that it still shows how busy it is.
function drawMissedAmong({ surface, theme }: Picture, { top, height }: Strip, x: number): void {
    const color = theme.slow;
    surface.rect(x - 0.5, top - 2, 2, 4, { color });
    surface.rect(x - 0.5, top + height - 2, 2, 4, { color });
    surface.polygon(triangleAt(x + 0.5, top), { color });
}

// ---- deadlines ----------------------------------------------------------------------------------

const TICK_GAP = 3; // pixels; closer ones are left out, but for missed ones
const TRIANGLE_GAP = 12;

interface Tick {
    readonly x: number;
    readonly missed: boolean;
}

function drawDeadlines(picture: Picture, strip: Strip, alone: readonly number[]): void {
    if (!strip.track.deadline || !shows(picture, "deadline")) return;
    const ticks = ticksOf(picture, strip, alone);
    ticks.forEach((tick, i) => {
        const before = i > 0 ? tick.x - ticks[i - 1]!.x : Infinity;
        const after = i + 1 < ticks.length ? ticks[i + 1]!.x - tick.x : Infinity;
        drawTick(picture, strip, tick, Math.min(before, after) > TRIANGLE_GAP);
    });
}

function ticksOf({ scale }: Picture, { track }: Strip, alone: readonly number[]): Tick[] {
    const ticks: Tick[] = [];
    const right = scale.left + scale.width;
    let last = -Infinity;
    for (const index of alone) {
        if (Number.isNaN(track.deadline![index]!)) continue;
        if (track.flags[index]! & Flag.EndUnknown) continue; // it is not checked
        const x = xOf(scale, track.deadline![index]!);
        const missed = (track.flags[index]! & Flag.Missed) !== 0;
        if (x < scale.left || x > right || (x - last < TICK_GAP && !missed)) continue;
        ticks.push({ x, missed });
        last = x;
    }
    return ticks;
}

// A dashed line across the bar's height under a triangle; among many a short line.
function drawTick(
    { surface, theme }: Picture,
    { top, height }: Strip,
    { x, missed }: Tick,
    alone: boolean,
): void {
    const color = missed ? theme.slow : theme.deadline;
    const bottom = alone || missed ? top + height + 3 : top;
    surface.line(
        [
            [x, top - 4],
            [x, bottom],
        ],
        { color, width: missed ? 1.5 : 1, dash: alone ? [2, 2] : [] },
    );
    if (!alone && !missed) return;
    surface.polygon(triangleAt(x, top), { color });
}

function triangleAt(x: number, top: number): Point[] {
    return [
        [x - 4, top - 6],
        [x + 4, top - 6],
        [x, top - 1],
    ];
}

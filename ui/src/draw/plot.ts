// The picture of a trace's lanes: names on the left, time on top, spans and marks, and what lies over them.
import { clipped, laneLabel, textOf } from "../data/labels";
import { duration } from "../data/units";
import { AXIS_HEIGHT, drawAxis, drawGrid } from "./axis";
import { drawBands } from "./bands";
import { drawRow } from "./bars";
import { boxesWithin, type Heading, type LaneBox } from "./layout";
import { drawMarks } from "./marks";
import type { Picture } from "./picture";
import { stretchOf } from "./scale";
import { fitted } from "./surface";

const NAME_MAX = 200;
const EDGE = 10;
const TAG_MOST = 40;
const TAG_GAP = 8;

/** Right of the time line. */
export const RIGHT_EDGE = 14;

/** How wide the names' column is. */
export function gutterOf(width: number): number {
    return Math.round(Math.min(190, Math.max(90, width * 0.17)));
}

/** Draws what a window of `height` pixels shows of the layout from `scroll` on, below the axis. */
export function drawPlot(picture: Picture, height: number, scroll: number): void {
    const { surface, theme, scale, layout } = picture;
    const width = scale.left + scale.width + RIGHT_EDGE;
    const boxes = boxesWithin(layout, scroll, scroll + height - AXIS_HEIGHT);
    surface.rect(0, 0, width, height, { color: theme.card });
    const lanes = (draw: () => void): void => surface.moved(AXIS_HEIGHT - scroll, draw);
    surface.clip(0, AXIS_HEIGHT, width, height - AXIS_HEIGHT, () => {
        lanes(() => boxes.forEach((box) => drawGround(picture, box)));
        drawGrid(picture, height);
        lanes(() => boxes.forEach((box) => drawLabel(picture, box)));
        lanes(() => layout.headings.forEach((heading) => drawHeading(picture, heading)));
    });
    surface.clip(scale.left, AXIS_HEIGHT, scale.width, height - AXIS_HEIGHT, () => {
        lanes(() => boxes.forEach((box) => drawLane(picture, box)));
        lanes(() => picture.trace.sources.forEach((source) => drawBands(picture, source)));
        drawMeasure(picture, height);
    });
    drawAxis(picture);
}

function drawGround({ surface, theme, scale }: Picture, box: LaneBox): void {
    if (box.striped)
        surface.rect(scale.left, box.top, scale.width, box.height, { color: theme.band });
}

function drawLane(picture: Picture, box: LaneBox): void {
    const above = box.lane.rows.map((_, row) => drawRow(picture, box, row));
    drawMarks(picture, box);
    above.forEach((draw) => draw());
}

// ---- names --------------------------------------------------------------------------------------

function drawHeading({ surface, theme, scale, trace }: Picture, heading: Heading): void {
    const source = heading.level === "source";
    const font = { color: source ? theme.text : theme.muted, size: 12, bold: source };
    const text = clipped(textOf(trace, heading.text), NAME_MAX);
    const fits = fitted(surface, text, scale.left + scale.width - 2 * EDGE, font);
    surface.text(EDGE, heading.top + heading.height - 8, fits, font);
}

function drawLabel(picture: Picture, box: LaneBox): void {
    const { surface, theme, scale, trace } = picture;
    const y = box.barTop + box.barHeight / 2 + 4;
    const right = scale.left - EDGE;
    const small = { color: theme.muted, size: 10, mono: true };
    const { tag, name } = laneLabel(trace, box.lane);
    const shortTag = fitted(surface, tag, TAG_MOST, small);
    const room = right - EDGE - (tag ? surface.measure(shortTag, small) + TAG_GAP : 0);
    if (tag) surface.text(EDGE, y, shortTag, small);
    const font = { color: theme.text, size: 12, align: "end" } as const;
    surface.text(right, y, fitted(surface, clipped(name, NAME_MAX), room, font), font);
    if (box.lane.folded)
        surface.text(right, box.top + box.height - 6, "+ deeper", {
            ...small,
            align: "end",
        });
}

// ---- measuring ----------------------------------------------------------------------------------

function drawMeasure({ surface, theme, scale, state }: Picture, height: number): void {
    if (!state.measure) return;
    const { from, to } = state.measure;
    const [left, right] = stretchOf(scale, Math.min(from, to), Math.max(from, to));
    const lanes = height - AXIS_HEIGHT;
    surface.rect(left, AXIS_HEIGHT, right - left, lanes, { color: theme.accent, alpha: 0.14 });
    for (const x of [left, right])
        surface.line(
            [
                [x, AXIS_HEIGHT],
                [x, height],
            ],
            { color: theme.accent, width: 1 },
        );
    const font = {
        color: theme.accent,
        size: 12,
        bold: true,
        align: "middle",
        halo: theme.card,
    } as const;
    surface.text((left + right) / 2, AXIS_HEIGHT + 16, duration(Math.abs(to - from)), font);
}

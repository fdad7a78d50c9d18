// The strip that shows the whole trace, and on it the window that is drawn.
import { Flag, type Bands, type Lane } from "../data/model";
import { laneLayer } from "../data/sequence";
import { shows, type Picture } from "./picture";
import { stretchOf, xOf } from "./scale";
import { laneColor } from "./theme";

export const OVERVIEW_HEIGHT = 44;
const MARGIN = 4;
const ROW_MOST = 7;

/** All lanes, one thin row each. It changes only with size, theme and what is hidden. */
export function drawOverview(picture: Picture): void {
    const { surface, theme, scale, trace } = picture;
    surface.rect(scale.left, 0, scale.width, OVERVIEW_HEIGHT, { color: theme.band }, 3);
    const lanes = trace.lanes.filter((lane) => shows(picture, laneLayer(lane.kind)));
    const step = Math.min(ROW_MOST, (OVERVIEW_HEIGHT - 2 * MARGIN) / Math.max(1, lanes.length));
    const top = (OVERVIEW_HEIGHT - step * lanes.length) / 2;
    lanes.forEach((lane, i) => drawLane(picture, lane, top + i * step, step));
    for (const source of trace.sources)
        for (const gaps of source.gaps) if (isShown(picture, gaps)) drawGapsOf(picture, gaps);
}

function drawLane(picture: Picture, lane: Lane, top: number, step: number): void {
    const { surface, theme, scale, density } = picture;
    const height = Math.max(1, step - 1);
    const color = laneColor(theme, lane);
    for (const track of lane.rows)
        track.pyramid.visit(scale.from, scale.to, 1 / scale.pixelsPerUs, {
            span: (index) => {
                const [left, right] = stretchOf(scale, track.start[index]!, track.end[index]!);
                const missed = track.flags[index]! & Flag.Missed;
                surface.rect(left, top, right - left, height, {
                    color: missed ? theme.slow : color,
                });
            },
            dense: (start, end, busy, flags) => density.add(scale, start, end, busy, flags),
        });
    density.drawRuns(scale.left, (x, width, alpha) =>
        surface.rect(x, top, width, height, { color, alpha }),
    );
    density.drawFlagged(scale.left, Flag.Missed, (x) =>
        surface.rect(x, top, 2, Math.max(1, height / 2), { color: theme.slow }),
    );
    density.clear();
    drawMarksOf(picture, lane, top, height);
}

function drawMarksOf(picture: Picture, lane: Lane, top: number, height: number): void {
    const { surface, theme, scale } = picture;
    if (lane.stats.spans > 0 || !shows(picture, "marker")) return;
    lane.marks.pyramid.visit(scale.from, scale.to, 1 / scale.pixelsPerUs, {
        span: () => undefined,
        dense: (start) => surface.rect(xOf(scale, start), top, 1, height, { color: theme.marker }),
    });
}

/** Not where its lane is hidden. */
function isShown({ layout }: Picture, bands: Bands): boolean {
    return bands.lane === 0 || layout.boxOf.has(bands.lane - 1);
}

function drawGapsOf(picture: Picture, gaps: Bands): void {
    const { surface, theme, scale } = picture;
    if (!shows(picture, "gap")) return;
    const draw = (start: number, end: number): void => {
        const [left, right] = stretchOf(scale, start, end);
        surface.rect(left, 0, Math.max(1, right - left), OVERVIEW_HEIGHT, {
            color: theme.hatch,
            alpha: 0.5,
        });
    };
    gaps.pyramid.visit(scale.from, scale.to, 1 / scale.pixelsPerUs, {
        span: (index) => draw(gaps.start[index]!, gaps.end[index]!),
        dense: draw,
    });
}

/** The window's frame on the strip. */
export function drawWindow({ surface, theme, scale, state }: Picture): void {
    const [left, right] = stretchOf(scale, state.window.from, state.window.to);
    const width = Math.max(2, right - left);
    surface.rect(left, 0, width, OVERVIEW_HEIGHT, { color: theme.accent, alpha: 0.16 });
    surface.frame(left + 0.5, 0.5, width - 1, OVERVIEW_HEIGHT - 1, {
        color: theme.accent,
        width: 1,
    });
    for (const x of [left, left + width])
        surface.rect(x - 2, OVERVIEW_HEIGHT / 2 - 8, 4, 16, { color: theme.accent }, 2);
}

// What lies over all lanes of a source: gaps, stretches in doubt, restarts.
import type { Bands, Source } from "../data/model";
import { doubtText, gapText } from "../data/happenings";
import type { Extent } from "./layout";
import { shows, type Picture } from "./picture";
import { stretchOf, xOf } from "./scale";
import type { Font } from "./surface";

const HATCH_EVERY = 8;
const TEXT_MARGIN = 8;

/** Null: its lane is hidden. */
function extentOfBands(picture: Picture, bands: Bands, all: Extent): Extent | null {
    if (bands.lane === 0) return all;
    const box = picture.layout.boxOf.get(bands.lane - 1);
    return box ? [box.top, box.top + box.height] : null;
}

export function drawBands(picture: Picture, source: Source): void {
    const all = picture.layout.extents.get(source.index);
    if (!all) return;
    const on = (list: readonly Bands[], draw: (bands: Bands, extent: Extent) => void): void => {
        for (const bands of list) {
            const extent = extentOfBands(picture, bands, all);
            if (extent) draw(bands, extent);
        }
    };
    if (shows(picture, "doubt"))
        on(source.doubts, (doubts, extent) => drawDoubts(picture, doubts, extent));
    if (shows(picture, "gap"))
        on(source.gaps, (gaps, extent) => drawGaps(picture, source, gaps, extent));
    drawRestarts(picture, source, all);
}

// ---- gaps ---------------------------------------------------------------------------------------

function drawGaps(picture: Picture, source: Source, gaps: Bands, extent: Extent): void {
    const { scale, theme } = picture;
    let last = -Infinity;
    const draw = (start: number, end: number, first: number, count: number): void => {
        const [left, right] = stretchOf(scale, start, end);
        if ((count === 1 ? right : left) - last < 0.5) return;
        last = Math.max(right, left + 1);
        drawGap(picture, left, last, extent);
        if (count > 1) return;
        const text = gapText(picture.trace, source, gaps, first);
        const font = { color: theme.text, size: 11, align: "middle", halo: theme.card } as const;
        drawWithin(picture, text, [left, right], (extent[0] + extent[1]) / 2 + 4, font);
    };
    gaps.pyramid.visit(scale.from, scale.to, 1 / scale.pixelsPerUs, {
        span: (index) => draw(gaps.start[index]!, gaps.end[index]!, index, 1),
        dense: (start, end, _busy, _flags, first, count) => draw(start, end, first, count),
    });
}

function drawGap(picture: Picture, left: number, right: number, [top, bottom]: Extent): void {
    const { surface, theme } = picture;
    const height = bottom - top;
    surface.rect(left, top, right - left, height, { color: theme.card, alpha: 0.35 });
    if (right - left < 3) {
        surface.rect(left, top, Math.max(1, right - left), height, { color: theme.hatch });
        return;
    }
    surface.hatch(
        left,
        top,
        right - left,
        height,
        { color: theme.hatch, alpha: 0.55 },
        HATCH_EVERY,
    );
}

/** In the middle of what is seen of a stretch, if it has room there. */
function drawWithin(picture: Picture, text: string, stretch: Extent, y: number, font: Font): void {
    const { surface, scale } = picture;
    const from = Math.max(stretch[0], scale.left);
    const to = Math.min(stretch[1], scale.left + scale.width);
    if (surface.measure(text, font) + TEXT_MARGIN > to - from) return;
    surface.text((from + to) / 2, y, text, font);
}

// ---- doubt --------------------------------------------------------------------------------------

const BRACKET = 6;

// A bracket around the lanes: times between its arms may be early.
function drawDoubts(picture: Picture, doubts: Bands, extent: Extent): void {
    const { scale, theme } = picture;
    const font = { color: theme.muted, size: 10, align: "middle", halo: theme.card } as const;
    let last = -Infinity;
    const draw = (start: number, end: number, first: number, count: number): void => {
        const [left, right] = stretchOf(scale, start, end);
        if (right - last < 1) return;
        last = right;
        drawBracket(picture, left, Math.max(right, left + 1), extent);
        if (count === 1)
            drawWithin(picture, doubtText(doubts, first), [left, right], extent[1] - 4, font);
    };
    doubts.pyramid.visit(scale.from, scale.to, 1 / scale.pixelsPerUs, {
        span: (index) => draw(doubts.start[index]!, doubts.end[index]!, index, 1),
        dense: (start, end, _busy, _flags, first, count) => draw(start, end, first, count),
    });
}

function drawBracket(picture: Picture, left: number, right: number, [top, bottom]: Extent): void {
    const { surface, theme } = picture;
    const ink = { color: theme.deadline, width: 1.5 };
    for (const [y, arm] of [
        [top + 1, BRACKET],
        [bottom - 1, -BRACKET],
    ] as const)
        surface.line(
            [
                [left, y + arm],
                [left, y],
                [right, y],
                [right, y + arm],
            ],
            ink,
        );
}

// ---- restarts -----------------------------------------------------------------------------------

function drawRestarts(picture: Picture, source: Source, [top, bottom]: Extent): void {
    const { surface, theme, scale } = picture;
    const font = { color: theme.slow, size: 10, bold: true, halo: theme.card };
    let last = -Infinity;
    for (const us of source.restarts) {
        const x = xOf(scale, us);
        if (x < scale.left || x > scale.left + scale.width || x - last < 1) continue;
        surface.line(
            [
                [x, top],
                [x, bottom],
            ],
            { color: theme.slow, width: 1.5, dash: [6, 3] },
        );
        if (x - last > 50) surface.text(x + 4, bottom - 4, "restart", font);
        last = x;
    }
}

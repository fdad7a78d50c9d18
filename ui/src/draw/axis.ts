// The time axis and its grid.
import { axisTicks } from "../data/units";
import type { Picture } from "./picture";
import { xOf } from "./scale";

export const AXIS_HEIGHT = 28;
const TICK_EVERY = 110; // pixels
const LABEL_GAP = 8;

export function drawGrid(picture: Picture, bottom: number): void {
    const { surface, theme, scale } = picture;
    for (const { at } of ticksOf(picture)) {
        const x = Math.round(xOf(scale, at)) + 0.5;
        surface.line(
            [
                [x, AXIS_HEIGHT],
                [x, bottom],
            ],
            { color: theme.line, width: 1 },
        );
    }
}

export function drawAxis(picture: Picture): void {
    const { surface, theme, scale } = picture;
    const right = scale.left + scale.width;
    const font = { color: theme.muted, size: 11, mono: true, align: "middle" } as const;
    let taken = -Infinity; // up to where labels stand
    for (const { at, label } of ticksOf(picture)) {
        const half = surface.measure(label, font) / 2;
        const x = Math.min(right - half, Math.max(scale.left + half, xOf(scale, at)));
        if (x - half < taken + LABEL_GAP || Math.abs(x - xOf(scale, at)) > half) continue;
        surface.text(x, AXIS_HEIGHT - 10, label, font);
        taken = x + half;
    }
}

function ticksOf({ scale }: Picture): { at: number; label: string }[] {
    const about = Math.max(1, Math.floor(scale.width / TICK_EVERY));
    return axisTicks(scale.from, scale.to, about).filter(
        ({ at }) => at >= scale.from && at <= scale.to,
    );
}

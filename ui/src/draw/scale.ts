// Times to pixels.
import type { Window } from "../view/state";

export interface Scale {
    readonly from: number;
    readonly to: number;
    /** Where `from` stands, and how wide all is, pixels. */
    readonly left: number;
    readonly width: number;
    readonly pixelsPerUs: number;
}

export function scaleOf(window: Window, left: number, width: number): Scale {
    const { from, to } = window;
    return { from, to, left, width, pixelsPerUs: width / (to - from) };
}

export function xOf(scale: Scale, us: number): number {
    return scale.left + (us - scale.from) * scale.pixelsPerUs;
}

export function usAt(scale: Scale, x: number): number {
    return scale.from + (x - scale.left) / scale.pixelsPerUs;
}

/** A stretch in pixels, cut a little outside the picture: a canvas loses precision far away. */
export function stretchOf(scale: Scale, from: number, to: number): [left: number, right: number] {
    const least = scale.left - 20;
    const most = scale.left + scale.width + 20;
    const clamp = (x: number): number => Math.min(most, Math.max(least, x));
    return [clamp(xOf(scale, from)), clamp(xOf(scale, to))];
}

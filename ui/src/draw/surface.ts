// What pictures are drawn on: a canvas or an SVG file. All drawing is written once, against this.

export interface Brush {
    readonly color: string;
    /** 0 to 1; 1 where it is not given. */
    readonly alpha?: number;
}

export interface Ink {
    readonly color: string;
    readonly width: number;
    readonly dash?: readonly number[];
}

export interface Font {
    readonly color: string;
    /** Pixels. */
    readonly size: number;
    readonly align?: "start" | "middle" | "end";
    readonly bold?: boolean;
    /** Numbers are set in a font whose digits are equally wide. */
    readonly mono?: boolean;
    /** A colour behind the text, for where it stands on others. */
    readonly halo?: string;
}

export type Point = readonly [x: number, y: number];

/** Coordinates are pixels from the upper left corner; text stands on y. */
export interface Surface {
    rect(x: number, y: number, width: number, height: number, brush: Brush, radius?: number): void;
    frame(x: number, y: number, width: number, height: number, ink: Ink): void;
    /** Diagonal stripes, `every` pixels apart. */
    hatch(x: number, y: number, width: number, height: number, brush: Brush, every: number): void;
    line(points: readonly Point[], ink: Ink): void;
    polygon(points: readonly Point[], brush: Brush): void;
    text(x: number, y: number, text: string, font: Font): void;
    measure(text: string, font: Font): number;
    /** What `draw` draws is lower by `down`. */
    moved(down: number, draw: () => void): void;
    /** What `draw` draws outside the rectangle is not seen. */
    clip(x: number, y: number, width: number, height: number, draw: () => void): void;
}

export const SANS = "system-ui, sans-serif";
export const MONO = 'ui-monospace, "DejaVu Sans Mono", monospace';

export function fontOf(font: Font): string {
    return `${font.bold ? "600 " : ""}${font.size}px ${font.mono ? MONO : SANS}`;
}

/** A text that fits a width, with an ellipsis where it had to be cut. */
export function fitted(surface: Surface, text: string, width: number, font: Font): string {
    if (surface.measure(text, font) <= width) return text;
    let low = 0;
    let high = Math.min(text.length, Math.ceil(width));
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (surface.measure(text.slice(0, middle) + "…", font) <= width) low = middle;
        else high = middle - 1;
    }
    return low > 0 ? text.slice(0, low) + "…" : "";
}

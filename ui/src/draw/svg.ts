// A Surface that is an SVG file.
import {
    fontOf,
    MONO,
    SANS,
    type Brush,
    type Font,
    type Ink,
    type Point,
    type Surface,
} from "./surface";

function escaped(text: string): string {
    return text
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;")
        .replaceAll('"', "&quot;");
}

function short(value: number): string {
    return String(Math.round(value * 100) / 100);
}

function list(points: readonly Point[]): string {
    return points.map(([x, y]) => `${short(x)},${short(y)}`).join(" ");
}

function box(x: number, y: number, width: number, height: number): string {
    return `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
}

function filled(brush: Brush): string {
    const alpha = brush.alpha ?? 1;
    return `fill="${brush.color}"` + (alpha < 1 ? ` fill-opacity="${short(alpha)}"` : "");
}

function stroked(ink: Ink): string {
    const dash = ink.dash ? ` stroke-dasharray="${ink.dash.join(" ")}"` : "";
    return `fill="none" stroke="${ink.color}" stroke-width="${ink.width}"${dash}`;
}

export class SvgSurface implements Surface {
    private readonly parts: string[] = [];
    private readonly definitions: string[] = [];
    private readonly hatches = new Map<string, string>();
    private clips = 0;
    private readonly ruler = document.createElement("canvas").getContext("2d")!;

    constructor(
        private readonly width: number,
        private readonly height: number,
    ) {}

    /** The file. */
    toString(): string {
        return (
            `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" ` +
            `viewBox="0 0 ${this.width} ${this.height}">\n<defs>${this.definitions.join("\n")}</defs>\n` +
            `${this.parts.join("\n")}\n</svg>\n`
        );
    }

    rect(x: number, y: number, width: number, height: number, brush: Brush, radius = 0): void {
        const rx = radius > 0 && width >= 2 * radius ? ` rx="${radius}"` : "";
        this.parts.push(`<rect ${box(x, y, width, height)}${rx} ${filled(brush)}/>`);
    }

    frame(x: number, y: number, width: number, height: number, ink: Ink): void {
        this.parts.push(`<rect ${box(x, y, width, height)} ${stroked(ink)}/>`);
    }

    hatch(x: number, y: number, width: number, height: number, brush: Brush, every: number): void {
        const url = { color: `url(#${this.hatchOf(brush.color, every)})`, alpha: brush.alpha ?? 1 };
        this.parts.push(`<rect ${box(x, y, width, height)} ${filled(url)}/>`);
    }

    line(points: readonly Point[], ink: Ink): void {
        this.parts.push(`<polyline points="${list(points)}" ${stroked(ink)}/>`);
    }

    polygon(points: readonly Point[], brush: Brush): void {
        this.parts.push(`<polygon points="${list(points)}" ${filled(brush)}/>`);
    }

    text(x: number, y: number, text: string, font: Font): void {
        const family = escaped(font.mono ? MONO : SANS);
        const weight = font.bold ? ' font-weight="600"' : "";
        const halo = font.halo
            ? ` stroke="${font.halo}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"`
            : "";
        this.parts.push(
            `<text x="${short(x)}" y="${short(y)}" font-family="${family}" font-size="${font.size}"` +
                `${weight} text-anchor="${font.align ?? "start"}" fill="${font.color}"${halo}>` +
                `${escaped(text)}</text>`,
        );
    }

    measure(text: string, font: Font): number {
        this.ruler.font = fontOf(font);
        return this.ruler.measureText(text).width;
    }

    clip(x: number, y: number, width: number, height: number, draw: () => void): void {
        const id = `clip${this.clips++}`;
        this.definitions.push(
            `<clipPath id="${id}"><rect ${box(x, y, width, height)}/></clipPath>`,
        );
        this.parts.push(`<g clip-path="url(#${id})">`);
        draw();
        this.parts.push("</g>");
    }

    moved(down: number, draw: () => void): void {
        this.parts.push(`<g transform="translate(0 ${short(down)})">`);
        draw();
        this.parts.push("</g>");
    }

    private hatchOf(color: string, every: number): string {
        const key = `${color} ${every}`;
        let id = this.hatches.get(key);
        if (id === undefined) {
            id = `hatch${this.hatches.size}`;
            this.hatches.set(key, id);
            this.definitions.push(
                `<pattern id="${id}" width="${every}" height="${every}" patternUnits="userSpaceOnUse" ` +
                    `patternTransform="rotate(45)"><rect width="${every / 3}" height="${every}" ` +
                    `fill="${color}"/></pattern>`,
            );
        }
        return id;
    }
}

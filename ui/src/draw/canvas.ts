// A Surface that is a canvas.
import { fontOf, type Brush, type Font, type Ink, type Point, type Surface } from "./surface";

const WIDTHS_KEPT = 4096;

export class CanvasSurface implements Surface {
    private readonly context: CanvasRenderingContext2D;
    private readonly hatches = new Map<string, CanvasPattern>();
    private readonly widths = new Map<string, number>();
    private ratio = 1;
    /** What the context's brush is; setting it anew costs more than a rectangle. */
    private color: string | CanvasPattern = "";
    private alpha = 1;

    constructor(readonly canvas: HTMLCanvasElement) {
        this.context = canvas.getContext("2d")!;
    }

    /** Takes a size in CSS pixels, and starts an empty picture. */
    begin(width: number, height: number, ratio: number): void {
        const { canvas, context } = this;
        const wide = Math.max(1, Math.round(width * ratio));
        const high = Math.max(1, Math.round(height * ratio));
        if (canvas.width !== wide || canvas.height !== high) {
            canvas.width = wide;
            canvas.height = high;
            canvas.style.width = `${width}px`;
            canvas.style.height = `${height}px`;
        }
        this.ratio = ratio;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, height);
        this.forgetBrush();
    }

    /** Copies another canvas of the same size. */
    copy(from: HTMLCanvasElement): void {
        this.context.setTransform(1, 0, 0, 1, 0, 0);
        this.context.drawImage(from, 0, 0);
        this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    }

    rect(x: number, y: number, width: number, height: number, brush: Brush, radius = 0): void {
        this.take(brush.color, brush.alpha);
        if (radius === 0 || width < 2 * radius) {
            this.context.fillRect(x, y, width, height);
        } else {
            this.context.beginPath();
            this.context.roundRect(x, y, width, height, radius);
            this.context.fill();
        }
    }

    frame(x: number, y: number, width: number, height: number, ink: Ink): void {
        this.stroke(ink, () => this.context.strokeRect(x, y, width, height));
    }

    hatch(x: number, y: number, width: number, height: number, brush: Brush, every: number): void {
        this.take(this.hatchOf(brush.color, every), brush.alpha);
        this.context.fillRect(x, y, width, height);
    }

    line(points: readonly Point[], ink: Ink): void {
        this.stroke(ink, () => {
            this.path(points);
            this.context.stroke();
        });
    }

    polygon(points: readonly Point[], brush: Brush): void {
        this.take(brush.color, brush.alpha);
        this.path(points);
        this.context.fill();
    }

    text(x: number, y: number, text: string, font: Font): void {
        const { context } = this;
        context.font = fontOf(font);
        context.textAlign = font.align === "middle" ? "center" : (font.align ?? "start");
        this.take(font.color);
        if (font.halo) {
            context.strokeStyle = font.halo;
            context.lineWidth = 4;
            context.lineJoin = "round";
            context.strokeText(text, x, y);
        }
        context.fillText(text, x, y);
    }

    measure(text: string, font: Font): number {
        const key = fontOf(font) + text;
        let width = this.widths.get(key);
        if (width === undefined) {
            if (this.widths.size >= WIDTHS_KEPT) this.widths.clear();
            this.context.font = fontOf(font);
            width = this.context.measureText(text).width;
            this.widths.set(key, width);
        }
        return width;
    }

    clip(x: number, y: number, width: number, height: number, draw: () => void): void {
        const { context } = this;
        context.save();
        context.beginPath();
        context.rect(x, y, width, height);
        context.clip();
        draw();
        context.restore();
        this.forgetBrush();
    }

    moved(down: number, draw: () => void): void {
        this.context.translate(0, down);
        draw();
        this.context.translate(0, -down);
    }

    private take(color: string | CanvasPattern, alpha = 1): void {
        if (color !== this.color) this.context.fillStyle = this.color = color;
        if (alpha !== this.alpha) this.context.globalAlpha = this.alpha = alpha;
    }

    private forgetBrush(): void {
        this.color = "";
        this.alpha = this.context.globalAlpha;
    }

    private stroke(ink: Ink, draw: () => void): void {
        const { context } = this;
        this.take(this.color);
        context.strokeStyle = ink.color;
        context.lineWidth = ink.width;
        context.setLineDash(ink.dash ? [...ink.dash] : []);
        draw();
    }

    private path(points: readonly Point[]): void {
        this.context.beginPath();
        points.forEach(([x, y], i) => (i ? this.context.lineTo(x, y) : this.context.moveTo(x, y)));
    }

    // Stripes repeat without a seam on a tile whose sides are `every` device pixels times the ratio.
    private hatchOf(color: string, every: number): CanvasPattern {
        const side = Math.round(every * this.ratio);
        const key = `${color} ${side}`;
        const known = this.hatches.get(key);
        if (known) return known;
        const tile = document.createElement("canvas");
        tile.width = tile.height = side;
        const context = tile.getContext("2d")!;
        context.strokeStyle = color;
        context.lineWidth = side / 3.5;
        context.beginPath();
        for (const shift of [-side, 0, side]) {
            context.moveTo(shift - side, 2 * side);
            context.lineTo(shift + 2 * side, -side);
        }
        context.stroke();
        const pattern = this.context.createPattern(tile, "repeat")!;
        pattern.setTransform(new DOMMatrix([1 / this.ratio, 0, 0, 1 / this.ratio, 0, 0]));
        this.hatches.set(key, pattern);
        return pattern;
    }
}

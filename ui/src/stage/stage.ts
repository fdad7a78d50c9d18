// The canvases in the page: it draws the picture of a state at most once a frame, and knows where on it what
// stands.
import { AXIS_HEIGHT } from "../draw/axis";
import { CanvasSurface } from "../draw/canvas";
import { Density } from "../draw/density";
import { layoutOf, type Layout } from "../draw/layout";
import { drawOverview, drawWindow, OVERVIEW_HEIGHT } from "../draw/overview";
import type { Picture } from "../draw/picture";
import { drawPlot, gutterOf, RIGHT_EDGE } from "../draw/plot";
import { scaleOf, type Scale } from "../draw/scale";
import type { Surface } from "../draw/surface";
import { SvgSurface } from "../draw/svg";
import { themeOf, type Theme } from "../draw/theme";
import type { State, Window } from "../view/state";
import type { App } from "../widgets/app";

const PNG_MOST = 8000; // pixels of its height; what browsers take of a canvas

function made<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    className: string,
): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    element.className = className;
    return element;
}

export class Stage {
    /** Scrolls the lanes; takes the keys. */
    readonly lanes = made("div", "lanes");
    readonly canvas = made("canvas", "lanes-canvas");
    readonly overview = made("canvas", "overview");
    layout: Layout;

    private readonly sizer = made("div", "lanes-sizer");
    private readonly surface = new CanvasSurface(this.canvas);
    private readonly overviewSurface = new CanvasSurface(this.overview);
    /** All of the overview but the window's frame, kept between frames. */
    private readonly strip = new CanvasSurface(document.createElement("canvas"));
    private stripIsDrawn = false;
    private stripRatio = 0; // of device pixels, when it was drawn
    private theme: Theme;
    private width = 0;
    private frame = 0;

    constructor(
        private readonly app: App,
        private readonly whole: Window,
        parent: HTMLElement,
    ) {
        this.lanes.tabIndex = 0;
        this.lanes.setAttribute("role", "application");
        this.lanes.setAttribute("aria-label", "Timing diagram; press ? for its keys");
        this.overview.setAttribute("aria-hidden", "true");
        this.sizer.append(this.canvas);
        this.lanes.append(this.sizer);
        parent.append(this.lanes, this.overview);
        this.theme = themeOf(document.documentElement);
        this.layout = layoutOf(app.trace, app.store.state.hidden);
        app.store.listen((state, before) => this.changed(state, before));
        new ResizeObserver(() => this.resized()).observe(parent);
        this.lanes.addEventListener("scroll", () => this.draw());
        this.sizeLanes();
    }

    /** Draws in the next frame. */
    draw(): void {
        if (!this.frame) this.frame = requestAnimationFrame(() => this.drawNow());
    }

    /** Takes the colours anew, at once: paper does not wait for the next frame. */
    recolor(): void {
        this.theme = themeOf(document.documentElement);
        this.stripIsDrawn = false;
        this.drawNow();
    }

    /** Of the lanes, in pixels of their canvas. */
    scale(): Scale {
        return this.scaleOf(this.app.store.state.window);
    }

    /** Of the overview. */
    wholeScale(): Scale {
        return this.scaleOf(this.whole);
    }

    /** A height on the lanes' canvas, as the layout has it. */
    layoutY(y: number): number {
        return y - AXIS_HEIGHT + this.lanes.scrollTop;
    }

    /** Scrolls so that a lane is seen. */
    reveal(lane: number): void {
        const box = this.layout.boxOf.get(lane);
        if (!box) return;
        const { lanes } = this;
        const room = lanes.clientHeight - AXIS_HEIGHT;
        if (box.top < lanes.scrollTop) lanes.scrollTop = box.top;
        else if (box.top + box.height > lanes.scrollTop + room)
            lanes.scrollTop = Math.min(box.top, box.top + box.height - room);
    }

    svg(): string {
        const height = this.wholeHeight();
        const surface = new SvgSurface(this.width, height);
        drawPlot(this.picture(surface, this.scale()), height, 0);
        return surface.toString();
    }

    png(): Promise<Blob | null> {
        const height = Math.min(PNG_MOST, this.wholeHeight());
        const surface = new CanvasSurface(document.createElement("canvas"));
        surface.begin(this.width, height, 2);
        drawPlot(this.picture(surface, this.scale()), height, 0);
        return new Promise((resolve) => surface.canvas.toBlob(resolve, "image/png"));
    }

    private wholeHeight(): number {
        return AXIS_HEIGHT + this.layout.height + 8;
    }

    private scaleOf(window: Window): Scale {
        const left = gutterOf(this.width);
        return scaleOf(window, left, Math.max(1, this.width - left - RIGHT_EDGE));
    }

    private picture(surface: Surface, scale: Scale): Picture {
        const { app, theme, layout } = this;
        const density = new Density(Math.ceil(scale.width));
        return { surface, theme, scale, density, layout, trace: app.trace, state: app.store.state };
    }

    private changed(state: State, before: State): void {
        if (state.hidden !== before.hidden) {
            this.layout = layoutOf(this.app.trace, state.hidden);
            this.stripIsDrawn = false;
            this.sizeLanes();
        }
        this.draw();
    }

    private sizeLanes(): void {
        this.sizer.style.height = `${AXIS_HEIGHT + this.layout.height + 8}px`;
    }

    private resized(): void {
        this.stripIsDrawn = false;
        this.draw();
    }

    private drawNow(): void {
        this.frame = 0;
        this.width = this.lanes.clientWidth;
        const height = this.lanes.clientHeight;
        if (this.width === 0 || height === 0) return;
        this.surface.begin(this.width, height, devicePixelRatio);
        drawPlot(this.picture(this.surface, this.scale()), height, this.lanes.scrollTop);
        this.drawOverview();
        document.documentElement.dataset.drawn = "yes";
    }

    private drawOverview(): void {
        const { strip, overviewSurface } = this;
        if (!this.stripIsDrawn || this.stripRatio !== devicePixelRatio) {
            strip.begin(this.width, OVERVIEW_HEIGHT, devicePixelRatio);
            drawOverview(this.picture(strip, this.wholeScale()));
            this.stripIsDrawn = true;
            this.stripRatio = devicePixelRatio;
        }
        overviewSurface.begin(this.width, OVERVIEW_HEIGHT, devicePixelRatio);
        overviewSurface.copy(strip.canvas);
        drawWindow(this.picture(overviewSurface, this.wholeScale()));
    }
}

// Mouse, pen and touch on the lanes and on the overview.
import { NOWHERE, type Window } from "../view/state";
import { usAt, xOf } from "../draw/scale";
import { hitAt, overAt } from "./choose";
import { panned, within, zoomed } from "../view/zoom";
import type { App } from "../widgets/app";
import type { Stage } from "./stage";

const WHEEL_STEP = 0.0016; // of a zoom's logarithm, for each pixel of the wheel
const PINCH_STEP = 0.01; // a pinch on a touchpad comes as a wheel with Ctrl, of few pixels
const LINE = 16; // pixels of a wheel that counts lines
const CLICK = 4; // pixels that a click may move
const GRIP = 8; // pixels around the window's edge on the overview

function place(element: HTMLElement, event: MouseEvent): [x: number, y: number] {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
}

/** Follows one press until it is let go; `move` is given the way since its start, in pixels. */
function follow(
    element: HTMLElement,
    press: PointerEvent,
    move: (dx: number, dy: number, event: PointerEvent) => void,
    done: (moved: boolean) => void,
): void {
    let moved = false;
    element.setPointerCapture(press.pointerId);
    const onMove = (event: PointerEvent): void => {
        const dx = event.clientX - press.clientX;
        const dy = event.clientY - press.clientY;
        moved ||= Math.hypot(dx, dy) >= CLICK;
        if (moved) move(dx, dy, event);
    };
    const onEnd = (): void => {
        element.removeEventListener("pointermove", onMove);
        element.removeEventListener("pointerup", onEnd);
        element.removeEventListener("pointercancel", onEnd);
        done(moved);
    };
    element.addEventListener("pointermove", onMove);
    element.addEventListener("pointerup", onEnd);
    element.addEventListener("pointercancel", onEnd);
}

// ---- the lanes ----------------------------------------------------------------------------------

export function listenToPointer(app: App, stage: Stage, bounds: Window): void {
    const { canvas, lanes } = stage;
    let last: PointerEvent | null = null; // where the pointer rests on the lanes
    canvas.addEventListener("wheel", (event) => onWheel(app, stage, bounds, event), {
        passive: false,
    });
    canvas.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        lanes.focus({ preventScroll: true });
        hover(app, stage, event); // a finger points by pressing
        if (event.shiftKey) measure(app, stage, event);
        else drag(app, stage, bounds, event);
    });
    canvas.addEventListener("pointermove", (event) => hover(app, stage, (last = event)));
    canvas.addEventListener("pointerleave", () => {
        last = null;
        app.store.set(NOWHERE);
    });
    canvas.addEventListener("dblclick", () => {
        app.store.set({ pinned: null });
        app.reset();
    });
    // What moves under a resting pointer is another thing than before.
    app.store.listen((state, before) => {
        if (last && state.window !== before.window) hover(app, stage, last);
    });
    lanes.addEventListener("scroll", () => last && hover(app, stage, last));
}

// On the names' column the wheel scrolls the lanes, as everywhere in the page.
function onWheel(app: App, stage: Stage, bounds: Window, event: WheelEvent): void {
    const scale = stage.scale();
    const [x] = place(stage.canvas, event);
    if (x < scale.left) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
    const { window } = app.store.state;
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        app.store.set({ window: panned(window, (sideways * unit) / scale.pixelsPerUs, bounds) });
        return;
    }
    const step = event.ctrlKey ? PINCH_STEP : WHEEL_STEP;
    const factor = Math.exp(event.deltaY * unit * step);
    app.store.set({ window: zoomed(window, usAt(scale, x), factor, bounds) });
}

function drag(app: App, stage: Stage, bounds: Window, press: PointerEvent): void {
    const scale = stage.scale();
    const { window } = app.store.state;
    const scroll = stage.lanes.scrollTop;
    stage.canvas.classList.add("dragged");
    follow(
        stage.canvas,
        press,
        (dx, dy) => {
            stage.lanes.scrollTop = scroll - dy;
            app.store.set({ window: panned(window, -dx / scale.pixelsPerUs, bounds) });
        },
        (moved) => {
            stage.canvas.classList.remove("dragged");
            if (!moved) pin(app, press);
        },
    );
}

// A click pins what is under it; beside everything, it lets go.
function pin(app: App, press: PointerEvent): void {
    const at = { x: press.pageX, y: press.pageY };
    app.store.set({ pinned: app.store.state.hover, pinnedAt: at, measure: null });
}

function measure(app: App, stage: Stage, press: PointerEvent): void {
    const scale = stage.scale();
    const [x] = place(stage.canvas, press);
    const from = usAt(scale, x);
    follow(
        stage.canvas,
        press,
        (dx) => app.store.set({ measure: { from, to: usAt(scale, x + dx) }, ...NOWHERE }),
        (moved) => {
            if (!moved) app.store.set({ measure: null });
        },
    );
}

function hover(app: App, stage: Stage, event: PointerEvent): void {
    if (event.type === "pointermove" && event.buttons !== 0) return;
    const [x, y] = place(stage.canvas, event);
    const { hidden } = app.store.state;
    const at = { x: event.pageX, y: event.pageY };
    const layoutY = stage.layoutY(y);
    const hit = hitAt(stage.layout, stage.scale(), hidden, x, layoutY);
    const over = hit ? null : overAt(app.trace, stage.layout, stage.scale(), hidden, x, layoutY);
    if (hit) app.store.set({ hover: hit.ref, more: hit.more, over, at });
    else app.store.set(over ? { ...NOWHERE, over, at } : NOWHERE);
    stage.canvas.classList.toggle("over", hit !== null);
}

// ---- the overview -------------------------------------------------------------------------------

type Grip = "from" | "to" | "both" | "new";

export function listenToOverview(app: App, stage: Stage, bounds: Window): void {
    const { overview } = stage;
    overview.addEventListener("pointerdown", (event) => {
        if (event.button === 0) dragWindow(app, stage, bounds, event);
    });
    overview.addEventListener("pointermove", (event) => {
        if (event.buttons !== 0) return;
        const [x] = place(overview, event);
        overview.dataset.grip = gripAt(app, stage, x);
    });
    overview.addEventListener("dblclick", () => app.reset());
}

function gripAt(app: App, stage: Stage, x: number): Grip {
    const { window } = app.store.state;
    const scale = stage.wholeScale();
    const from = xOf(scale, window.from);
    const to = xOf(scale, window.to);
    // A narrow window is moved by its middle, and resized by grips that reach out of it.
    const inner = Math.min(GRIP, (to - from) / 4);
    if (x >= from - GRIP && x <= from + inner) return "from";
    if (x >= to - inner && x <= to + GRIP) return "to";
    return x > from && x < to ? "both" : "new";
}

function dragWindow(app: App, stage: Stage, bounds: Window, press: PointerEvent): void {
    const scale = stage.wholeScale();
    const [x] = place(stage.overview, press);
    const { window } = app.store.state;
    const grip = gripAt(app, stage, x);
    const at = usAt(scale, x);
    follow(
        stage.overview,
        press,
        (dx) => {
            const by = dx / scale.pixelsPerUs;
            app.store.set({ window: dragged(window, grip, at, by, bounds) });
        },
        (moved) => {
            // A click beside the window brings its middle there.
            if (!moved && grip === "new")
                app.store.set({
                    window: panned(window, at - (window.from + window.to) / 2, bounds),
                });
        },
    );
}

function dragged(window: Window, grip: Grip, at: number, by: number, bounds: Window): Window {
    if (grip === "both") return panned(window, by, bounds);
    const [one, other] =
        grip === "new"
            ? [at, at + by]
            : grip === "from"
              ? [window.to, window.from + by]
              : [window.from, window.to + by];
    return within({ from: Math.min(one, other), to: Math.max(one, other) }, bounds);
}

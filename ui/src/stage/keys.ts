// The keyboard: everything that a mouse can do on the lanes.
import type { Ref } from "../data/model";
import { timesOf } from "../data/sequence";
import { aboveOrBelow, beside, missedFrom } from "./choose";
import { NOWHERE, type Window } from "../view/state";
import { endingAt, panned, startingAt } from "../view/zoom";
import type { App } from "../widgets/app";
import type { Stage } from "./stage";

const PAN = 0.1; // of the window
const PAN_FAR = 0.75;
const ZOOM = 1.5;

type Action = () => void;

/** Keys that work wherever the focus is, but in a field. */
export function listenToKeys(app: App, stage: Stage, bounds: Window): void {
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
        const action = actionOf(app, stage, bounds, event);
        if (!action) return;
        event.preventDefault();
        action();
    });
}

function isField(target: EventTarget | null): boolean {
    return target instanceof Element && target.closest("input, select, textarea, dialog") !== null;
}

function isButton(target: EventTarget | null): boolean {
    return target instanceof Element && target.closest("button, a, summary") !== null;
}

function actionOf(app: App, stage: Stage, bounds: Window, event: KeyboardEvent): Action | null {
    const { store } = app;
    const { window } = store.state;
    const middle = (window.from + window.to) / 2;
    const pan = (direction: number): Action => {
        const part = event.shiftKey ? PAN_FAR : PAN;
        return () =>
            store.set({
                window: panned(window, direction * part * (window.to - window.from), bounds),
            });
    };
    switch (event.key) {
        case "ArrowLeft":
            return pan(-1);
        case "ArrowRight":
            return pan(1);
        case "+":
        case "=":
            return () => app.zoom(ZOOM);
        case "-":
        case "_":
            return () => app.zoom(1 / ZOOM);
        case "0":
            return () => app.reset();
        case "Home":
            return () => store.set({ window: startingAt(window, app.trace.from, bounds) });
        case "End":
            return () => store.set({ window: endingAt(window, app.trace.to, bounds) });
        case "Enter":
            return isButton(event.target) ? null : () => store.set({ pinned: chosen(app) });
        case "Escape":
            return () => store.set({ ...NOWHERE, measure: null });
        case "n":
            return () => app.findNext(1);
        case "N":
        case "p":
            return () => app.findNext(-1);
        default:
            return walkOf(app, stage, event.key, middle);
    }
}

// ---- from span to span --------------------------------------------------------------------------

function chosen(app: App): Ref | null {
    return app.store.state.hover ?? app.store.state.pinned;
}

function walkOf(app: App, stage: Stage, key: string, middle: number): Action | null {
    const { trace } = app;
    const ref = app.store.state.pinned ?? app.store.state.hover;
    const at = ref ? timesOf(trace, ref).start : middle;
    const missedAfter = ref ? at : app.store.state.window.from; // as finding does
    const go = (to: Ref | null): void => {
        if (to) app.stepTo(to);
    };
    switch (key) {
        case "ArrowUp":
            return () => go(aboveOrBelow(stage.layout, app.store.state.hidden, ref, at, -1));
        case "ArrowDown":
            return () => go(aboveOrBelow(stage.layout, app.store.state.hidden, ref, at, 1));
        case ",":
            return () => go(ref && beside(trace, ref, -1));
        case ".":
            return () =>
                go(
                    ref
                        ? beside(trace, ref, 1)
                        : aboveOrBelow(stage.layout, app.store.state.hidden, null, at, 1),
                );
        case "m":
            return () => go(missedFrom(trace, missedAfter, 1));
        case "M":
            return () => go(missedFrom(trace, missedAfter, -1));
        default:
            return null;
    }
}

// Arithmetic of windows: what zooming and panning make of them, inside the bounds of a trace.
import type { Trace } from "../data/model";
import type { Window } from "./state";

const MARGIN = 0.005; // of the trace, on both sides
const LEAST_US = 0.01;
const LEAST_OF_TIME = 1e-14; // finer than this, doubles no longer tell times apart

/** All of a trace, with a little room around it. */
export function wholeOf(trace: Trace): Window {
    const margin = (trace.to - trace.from) * MARGIN;
    return { from: trace.from - margin, to: trace.to + margin };
}

function leastLength(bounds: Window): number {
    const largest = Math.max(Math.abs(bounds.from), Math.abs(bounds.to));
    return Math.min(bounds.to - bounds.from, Math.max(LEAST_US, largest * LEAST_OF_TIME));
}

/** The nearest window of the same length, or as near as possible, within the bounds. */
export function within(window: Window, bounds: Window): Window {
    const most = bounds.to - bounds.from;
    const length = Math.min(most, Math.max(leastLength(bounds), window.to - window.from));
    const middle = (window.from + window.to) / 2;
    const from = Math.min(bounds.to - length, Math.max(bounds.from, middle - length / 2));
    return { from, to: from + length };
}

/** `factor` times as long, where `at` stays in its place. */
export function zoomed(window: Window, at: number, factor: number, bounds: Window): Window {
    const length = window.to - window.from;
    const most = bounds.to - bounds.from;
    const next = Math.min(most, Math.max(leastLength(bounds), length * factor));
    const from = at - ((at - window.from) * next) / length;
    return within({ from, to: from + next }, bounds);
}

export function panned(window: Window, by: number, bounds: Window): Window {
    return within({ from: window.from + by, to: window.to + by }, bounds);
}

const EDGE = 0.02; // of a window, beside the first or last thing in it

/** As long, with `first` at its left edge. */
export function startingAt(window: Window, first: number, bounds: Window): Window {
    return panned(window, first - window.from - (window.to - window.from) * EDGE, bounds);
}

/** As long, with `last` at its right edge. */
export function endingAt(window: Window, last: number, bounds: Window): Window {
    return panned(window, last - window.to + (window.to - window.from) * EDGE, bounds);
}

/** As long, with as little moved as it takes to see the beginning of a stretch. */
export function reaching(window: Window, from: number, bounds: Window): Window {
    if (from >= window.from && from <= window.to) return window;
    const middle = (window.from + window.to) / 2;
    return panned(window, from - middle, bounds);
}

const SHOWN_TIMES = 6; // a stretch takes this part of the window that shows it

/** A window that shows a stretch: as it is if that is seen well in it, else zoomed to it. */
export function showing(window: Window, from: number, to: number, bounds: Window): Window {
    const length = window.to - window.from;
    const stretch = to - from;
    const seenWell = stretch <= length && stretch * 200 >= length;
    const next = seenWell || stretch === 0 ? length : stretch * SHOWN_TIMES;
    if (next === length && from >= window.from && to <= window.to) return window;
    const middle = (from + to) / 2;
    return within({ from: middle - next / 2, to: middle + next / 2 }, bounds);
}

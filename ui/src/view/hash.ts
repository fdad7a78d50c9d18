// The state in the page's address, so that a link shows what its sender saw:
//
//     #from=1200.5&to=1800&hide=marker,gap&theme=dark&find=adc&at=2.0.17
//
// Times are microseconds; `at` is a pinned span or mark: lane, row (m: a mark), index. What is as always is
// left out, what makes no sense is passed over.
import { MARK_ROW, type Ref, type Trace } from "../data/model";
import { LAYERS, type Layer, type State, type Theme, type Window } from "./state";
import { within } from "./zoom";

const FIND_MAX = 200;

export function hashOf(state: State, whole: Window): string {
    const parts = new URLSearchParams();
    const { window } = state;
    if (!isAbout(window, whole)) {
        parts.set("from", rounded(window.from, window));
        parts.set("to", rounded(window.to, window));
    }
    if (state.hidden.size) parts.set("hide", LAYERS.filter((l) => state.hidden.has(l)).join(","));
    if (state.theme !== "system") parts.set("theme", state.theme);
    if (state.find) parts.set("find", state.find.slice(0, FIND_MAX));
    if (state.pinned) parts.set("at", refText(state.pinned));
    return parts.toString().replaceAll("%2C", ",");
}

// Dragged back to all of it, a window may differ in its last digits.
function isAbout(window: Window, whole: Window): boolean {
    const little = (whole.to - whole.from) * 1e-9;
    return Math.abs(window.from - whole.from) <= little && Math.abs(window.to - whole.to) <= little;
}

/** To a billionth of what is seen. */
function rounded(us: number, { from, to }: Window): string {
    const digits = Math.ceil(-Math.log10((to - from) * 1e-9));
    return String(Number(us.toFixed(Math.min(20, Math.max(0, digits)))));
}

function refText({ lane, row, index }: Ref): string {
    return `${lane}.${row === MARK_ROW ? "m" : row}.${index}`;
}

/** What an address says of a state. */
export function stateIn(hash: string, trace: Trace, whole: Window): Partial<State> {
    const parts = new URLSearchParams(hash.replace(/^#/, ""));
    return {
        window: windowIn(parts, whole),
        hidden: new Set((parts.get("hide") ?? "").split(",").filter(isLayer)),
        theme: themeIn(parts.get("theme")),
        find: parts.get("find") ?? "",
        pinned: refIn(parts.get("at"), trace),
    };
}

function windowIn(parts: URLSearchParams, whole: Window): Window {
    const from = parts.has("from") ? Number(parts.get("from")) : whole.from;
    const to = parts.has("to") ? Number(parts.get("to")) : whole.to;
    if (!Number.isFinite(from) || !Number.isFinite(to) || to <= from) return whole;
    return from === whole.from && to === whole.to ? whole : within({ from, to }, whole);
}

function isLayer(text: string): text is Layer {
    return (LAYERS as readonly string[]).includes(text);
}

function themeIn(text: string | null): Theme {
    return text === "light" || text === "dark" ? text : "system";
}

function refIn(text: string | null, trace: Trace): Ref | null {
    const match = /^(\d+)\.(\d+|m)\.(\d+)$/.exec(text ?? "");
    if (!match) return null;
    const lane = trace.lanes[Number(match[1])];
    const row = match[2] === "m" ? MARK_ROW : Number(match[2]);
    const column = row === MARK_ROW ? lane?.marks : lane?.rows[row];
    const index = Number(match[3]);
    return lane && column && index < column.count ? { lane: lane.index, row, index } : null;
}

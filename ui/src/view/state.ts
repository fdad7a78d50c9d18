// What the user looks at: one immutable State, in a Store that tells who listens when it has changed.
import type { Happening } from "../data/happenings";
import type { Ref } from "../data/model";

/** What the legend can hide. */
export const LAYERS = [
    "task",
    "isr",
    "thread",
    "marker",
    "label",
    "deadline",
    "gap",
    "doubt",
] as const;
export type Layer = (typeof LAYERS)[number];

export type Theme = "system" | "light" | "dark";

export interface Window {
    readonly from: number;
    readonly to: number;
}

/** A place in the page, in CSS pixels from its upper left corner. */
export interface Point {
    readonly x: number;
    readonly y: number;
}

export interface State {
    /** The stretch of time that is drawn, microseconds. */
    readonly window: Window;
    readonly hidden: ReadonlySet<Layer>;
    readonly theme: Theme;
    /** What is looked for by name; "": nothing. */
    readonly find: string;
    /** Under the pointer, or reached by keyboard. */
    readonly hover: Ref | null;
    /** What lies over the lanes at the pointer, where no span or mark is. */
    readonly over: Happening | null;
    readonly pinned: Ref | null;
    /** Where the box that tells of hover stands; null: there is none. */
    readonly at: Point | null;
    /** Where the box of pinned was left; null: it stands in a corner. */
    readonly pinnedAt: Point | null;
    /** How many more than hover are at its place, too close together to be told apart. */
    readonly more: number;
    /** Between two times, by dragging with shift. */
    readonly measure: Window | null;
}

/** The pointer is on nothing. */
export const NOWHERE = { hover: null, over: null, more: 0, at: null } as const;

export type Listener = (state: State, before: State) => void;

export class Store {
    private listeners = new Set<Listener>();
    constructor(public state: State) {}

    set(change: Partial<State>): void {
        const before = this.state;
        this.state = { ...before, ...change };
        for (const listener of this.listeners) listener(this.state, before);
    }

    listen(listener: Listener): () => void {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
    }
}

// What the user looks at: one immutable State, in a Store that tells who listens when it has changed.
import type { Ref } from "../data/model";

/** What the legend can hide. */
export const LAYERS = ["task", "isr", "thread", "marker", "label", "deadline", "gap", "doubt"] as const;
export type Layer = (typeof LAYERS)[number];

export type Theme = "system" | "light" | "dark";

export interface Window {
  readonly from: number;
  readonly to: number;
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
  readonly pinned: Ref | null;
  /** Between two times, by dragging with shift. */
  readonly measure: Window | null;
}

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

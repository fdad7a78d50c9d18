// What every widget is given: the trace, what the user looks at, and what can be done.
import type { Ref, Trace } from "../data/model";
import type { Search } from "../data/search";
import type { Store } from "../view/state";

export interface App {
    readonly trace: Trace;
    readonly store: Store;
    /** Shows a span or a mark, zoomed so that it can be seen, and pins it. */
    goTo(ref: Ref): void;
    /** Pins a span or a mark, and moves to it without zooming. */
    stepTo(ref: Ref): void;
    /** Shows a stretch of time, zoomed so that it can be seen. */
    showTime(from: number, to: number): void;
    /** Where what is looked for is; the same one for as long as it stays the same. */
    search(): Search;
    /** Goes to the next (1) or previous (-1) occurrence of what is looked for; false: there is none. */
    findNext(direction: 1 | -1): boolean;
    /** Zooms about the middle of the window: by 2, half as much time is shown. */
    zoom(factor: number): void;
    /** Shows the whole trace again. */
    reset(): void;
    save(form: "png" | "svg"): void;
}

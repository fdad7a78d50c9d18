// The timing diagram's page: reads its data, makes the state, and puts the parts together.
import { render } from "preact";
import { loadPage } from "../data/load";
import { MARK_ROW, type Ref, type Trace } from "../data/model";
import { Search } from "../data/search";
import { laneLayer, timesOf } from "../data/sequence";
import { listenToKeys } from "../stage/keys";
import { listenToOverview, listenToPointer } from "../stage/pointer";
import { Stage } from "../stage/stage";
import { hashOf, stateIn } from "../view/hash";
import { LAYERS, NOWHERE, Store, type Layer, type Window } from "../view/state";
import { keepTheme } from "../view/theme";
import { reaching, showing, wholeOf, zoomed } from "../view/zoom";
import type { App } from "../widgets/app";
import { Failure } from "../widgets/failure";
import { Frame } from "../widgets/frame";
import { visibleIn } from "../widgets/visible";
import { saveAs } from "./save";

const HASH_AFTER_MS = 250;

class Diagram implements App {
    readonly whole;
    readonly store: Store;
    private stage!: Stage;
    private kept: Search | null = null;

    constructor(readonly trace: Trace) {
        this.whole = wholeOf(trace);
        this.store = new Store({
            window: this.whole,
            hidden: new Set(),
            theme: "system",
            find: "",
            ...NOWHERE,
            pinned: null,
            pinnedAt: null,
            measure: null,
            ...stateIn(location.hash, trace, this.whole),
        });
    }

    /** Puts the canvases into the page. */
    show(plot: HTMLElement): void {
        this.stage = new Stage(this, this.whole, plot);
        listenToPointer(this, this.stage, this.whole);
        listenToOverview(this, this.stage, this.whole);
        listenToKeys(this, this.stage, this.whole);
        keepTheme(this.store, () => this.stage.recolor());
        this.keepHash();
    }

    goTo(ref: Ref): void {
        const { start, end } = timesOf(this.trace, ref);
        this.pin(ref, showing(this.store.state.window, start, end, this.whole));
    }

    showTime(from: number, to: number): void {
        this.store.set({ window: showing(this.store.state.window, from, to, this.whole) });
    }

    stepTo(ref: Ref): void {
        const { start } = timesOf(this.trace, ref);
        this.pin(ref, reaching(this.store.state.window, start, this.whole));
    }

    private pin(pinned: Ref, window: Window): void {
        const hidden = without(this.store.state.hidden, this.layersOf(pinned));
        this.store.set({ ...NOWHERE, pinned, pinnedAt: null, hidden, window });
        this.stage.reveal(pinned.lane);
    }

    search(): Search {
        const { find } = this.store.state;
        if (this.kept?.text !== find) this.kept = new Search(this.trace, find);
        return this.kept;
    }

    findNext(direction: 1 | -1): boolean {
        const { pinned, window, hidden } = this.store.state;
        const from = { time: window.from, ref: pinned };
        const found = this.search().next(from, direction, visibleIn(hidden));
        if (found) this.goTo(found);
        return found !== null;
    }

    reset(): void {
        this.store.set({ window: this.whole });
    }

    zoom(factor: number): void {
        const { window } = this.store.state;
        const middle = (window.from + window.to) / 2;
        this.store.set({ window: zoomed(window, middle, 1 / factor, this.whole) });
    }

    async save(form: "png" | "svg"): Promise<void> {
        const blob =
            form === "png"
                ? await this.stage.png()
                : new Blob([this.stage.svg()], { type: "image/svg+xml" });
        if (!blob) alert("This browser cannot make a picture as large. Save it as SVG.");
        else saveAs(blob, `${this.trace.title}.${form}`);
    }

    private layersOf(ref: Ref): Layer[] {
        const layer = laneLayer(this.trace.lanes[ref.lane]!.kind);
        return ref.row === MARK_ROW ? [layer, "marker"] : [layer];
    }

    private keepHash(): void {
        let timer = 0;
        const write = (): void => {
            const hash = hashOf(this.store.state, this.whole);
            history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
        };
        this.store.listen(() => {
            clearTimeout(timer);
            timer = window.setTimeout(write, HASH_AFTER_MS);
        });
        // Not what the address is by now: `write` may have come first.
        window.addEventListener("hashchange", ({ newURL }) =>
            this.store.set(stateIn(new URL(newURL).hash, this.trace, this.whole)),
        );
    }
}

function without(hidden: ReadonlySet<Layer>, shown: readonly Layer[]): ReadonlySet<Layer> {
    if (!shown.some((layer) => hidden.has(layer))) return hidden;
    return new Set(LAYERS.filter((layer) => hidden.has(layer) && !shown.includes(layer)));
}

async function start(): Promise<void> {
    const place = document.getElementById("app")!;
    try {
        const diagram = new Diagram(await loadPage(document));
        place.textContent = "";
        render(<Frame app={diagram} plot={(element) => diagram.show(element)} />, place);
    } catch (error) {
        place.textContent = "";
        render(<Failure message={error instanceof Error ? error.message : String(error)} />, place);
    }
}

void start();

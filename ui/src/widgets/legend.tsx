// What the signs in the picture mean; each can be hidden.
import type { JSX } from "preact";
import { LaneKind, type Lane, type Trace } from "../data/model";
import { LAYERS, type Layer } from "../view/state";
import type { App } from "./app";
import { hasDeadlines } from "./facts";
import { useStore } from "./hooks";

interface Entry {
    readonly label: string;
    readonly title: string;
    readonly sign: JSX.Element;
    occurs(trace: Trace): boolean;
}

const anyLane = (test: (lane: Lane) => boolean) => (trace: Trace) => trace.lanes.some(test);
const isThread = (lane: Lane) =>
    lane.kind === LaneKind.Thread || lane.kind === LaneKind.Core || lane.kind === LaneKind.Process;
const hasMarks = (lane: Lane) => lane.marks.count > 0;

// Signs are drawn in a field of 16 by 12, with a second sign beside the colour: a hatch, an outline, a shape.
const ENTRIES: Record<Layer, Entry> = {
    task: {
        label: "task",
        title: "Activations of tasks",
        sign: <rect class="task" x="1" y="1" width="14" height="10" rx="2" />,
        occurs: anyLane((lane) => lane.kind === LaneKind.Task),
    },
    isr: {
        label: "ISR",
        title: "Activations of interrupt service routines",
        sign: (
            <>
                <rect class="isr" x="1" y="1" width="14" height="10" rx="2" />
                <path class="stripes" d="M3 11 8 1M8 11 13 1" />
            </>
        ),
        occurs: anyLane((lane) => lane.kind === LaneKind.Isr),
    },
    thread: {
        label: "thread",
        title: "Spans of threads, cores and processes, nested",
        sign: <path class="thread" d="M1 1h14v4.5H1zM4 6.5h8V11H4z" />,
        occurs: anyLane(isThread),
    },
    marker: {
        label: "marker",
        title: "Markers: something that happened at one time",
        sign: <path class="marker" d="M7.25 0h1.5v3l2.5 3-2.5 3v3h-1.5V9l-2.5-3 2.5-3z" />,
        occurs: anyLane(hasMarks),
    },
    label: {
        label: "label",
        title: "Names and values beside markers",
        sign: <path class="label" d="M4 2h8M8 2v9" />,
        occurs: anyLane(hasMarks),
    },
    deadline: {
        label: "deadline",
        title: "Deadlines of activations",
        sign: (
            <>
                <path class="deadline" d="M4 0h8L8 5z" />
                <path class="deadline-line" d="M8 5v7" />
            </>
        ),
        occurs: anyLane(hasDeadlines),
    },
    gap: {
        label: "gap",
        title: "Gaps: events were lost here",
        sign: <path class="gap" d="M1 11 6 1M5.5 11l5-10M10 11l5-10" />,
        occurs: (trace) => trace.sources.some((source) => source.gaps.length > 0),
    },
    doubt: {
        label: "doubt",
        title: "Doubts: times may be early here",
        sign: <path class="doubt" d="M2 10V3h12v7" />,
        occurs: (trace) => trace.sources.some((source) => source.doubts.length > 0),
    },
};

function toggled(hidden: ReadonlySet<Layer>, layer: Layer): ReadonlySet<Layer> {
    const next = new Set(hidden);
    if (!next.delete(layer)) next.add(layer);
    return next;
}

function LegendButton({ app, layer }: { app: App; layer: Layer }) {
    const hidden = useStore(app.store, (state) => state.hidden.has(layer));
    const { label, title, sign } = ENTRIES[layer];
    const toggle = () => app.store.set({ hidden: toggled(app.store.state.hidden, layer) });
    return (
        <button type="button" class="chip" aria-pressed={!hidden} title={title} onClick={toggle}>
            <svg class="sign" viewBox="0 0 16 12" width="16" height="12" aria-hidden="true">
                {sign}
            </svg>
            {label}
        </button>
    );
}

export function Legend({ app }: { app: App }) {
    const layers = LAYERS.filter((layer) => ENTRIES[layer].occurs(app.trace));
    return (
        <div class="legend" role="group" aria-label="Shown">
            {layers.map((layer) => (
                <LegendButton key={layer} app={app} layer={layer} />
            ))}
        </div>
    );
}

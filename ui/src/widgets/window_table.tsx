// What is in the window, as a table: for screen readers, and to copy from. Gaps, doubts and restarts come first.
import { useMemo, useState } from "preact/hooks";
import { happeningsIn, type Happening, type HappeningKind } from "../data/happenings";
import { laneName, textOf } from "../data/labels";
import { inWindow } from "../data/window";
import { duration, integer, time } from "../data/units";
import type { Ref } from "../data/model";
import type { App } from "./app";
import { factsOf, hasDeadlines } from "./facts";
import { GoRow } from "./go_row";
import { useSettled, useStore } from "./hooks";
import { visibleIn } from "./visible";

const LIMIT = 200; // rows
const SETTLE = 200; // milliseconds without motion

function timeOrBlank(us: number | null): string {
    return us === null ? "" : time(us);
}

function durationOrBlank(us: number | null): string {
    return us === null ? "" : duration(us);
}

function SpanRow({ app, of, deadlines }: { app: App; of: Ref; deadlines: boolean }) {
    const facts = factsOf(app.trace, of);
    const { start, end } = facts;
    const least = end === null || facts.endKnown ? "" : "≥ ";
    return (
        <GoRow go={() => app.goTo(of)} title="Go to it" head={facts.name}>
            <td class="muted">{facts.kind}</td>
            <td>{laneName(app.trace, facts.lane)}</td>
            <td class="num">{time(start)}</td>
            <td class="num">{least + timeOrBlank(end)}</td>
            <td class="num">{least + durationOrBlank(end === null ? null : end - start)}</td>
            {deadlines && <td class="num">{timeOrBlank(facts.deadline)}</td>}
            {deadlines && <td class="num missed">{durationOrBlank(facts.missedBy)}</td>}
            <td class="notes">{[facts.value, ...facts.flags].filter(Boolean).join(" · ")}</td>
        </GoRow>
    );
}

function OverRow({ app, what, deadlines }: { app: App; what: Happening; deadlines: boolean }) {
    const { kind, source, lane, start, end, text } = what;
    const several = app.trace.sources.length > 1;
    const isMoment = kind === "restart";
    return (
        <GoRow go={() => app.showTime(start, end)} title="Go to it" head={kind}>
            <td class="muted">{lane ? "over one lane" : "over all lanes"}</td>
            <td>{lane ? laneName(app.trace, lane) : several && textOf(app.trace, source.name)}</td>
            <td class="num">{time(start)}</td>
            <td class="num">{isMoment ? "" : time(end)}</td>
            <td class="num">{isMoment ? "" : duration(end - start)}</td>
            {deadlines && <td colSpan={2} />}
            <td class="notes">{text}</td>
        </GoRow>
    );
}

function Heads({ deadlines }: { deadlines: boolean }) {
    const words = ["name", "kind", "lane"];
    const numbers = ["start", "end", "duration", ...(deadlines ? ["deadline", "missed by"] : [])];
    return (
        <tr>
            {words.map((head) => (
                <th key={head} scope="col">
                    {head}
                </th>
            ))}
            {numbers.map((head) => (
                <th key={head} scope="col" class="num">
                    {head}
                </th>
            ))}
            <th scope="col">value, notes</th>
        </tr>
    );
}

function caption(shown: number, total: number, over: number): string {
    if (!total && !over) return "Nothing is in the window.";
    const all = `${integer(total)} spans and markers in the window`;
    const some = shown < total ? `The first ${shown} of ${all}` : all;
    if (!over) return some;
    const cut = over === LIMIT ? "the first " : "";
    return `${some}; before them ${cut}${over} of what lies over the lanes`;
}

function Rows({ app }: { app: App }) {
    const window = useSettled(app.store, (state) => state.window, SETTLE);
    const hidden = useStore(app.store, (state) => state.hidden);
    const { rows, total } = useMemo(
        () => inWindow(app.trace, window.from, window.to, LIMIT, visibleIn(hidden)),
        [app, window, hidden],
    );
    const shows = (kind: HappeningKind) => kind === "restart" || !hidden.has(kind);
    const over = happeningsIn(app.trace, window.from, window.to, shows, LIMIT);
    const deadlines = app.trace.lanes.some(hasDeadlines);
    return (
        <div class="table">
            <table>
                <caption>{caption(rows.length, total, over.length)}</caption>
                <thead>
                    <Heads deadlines={deadlines} />
                </thead>
                <tbody>
                    {over.map((what, i) => (
                        <OverRow key={i} app={app} what={what} deadlines={deadlines} />
                    ))}
                    {rows.map((ref) => (
                        <SpanRow
                            key={`${ref.lane} ${ref.row} ${ref.index}`}
                            app={app}
                            of={ref}
                            deadlines={deadlines}
                        />
                    ))}
                </tbody>
            </table>
        </div>
    );
}

export function WindowTable({ app }: { app: App }) {
    const [open, setOpen] = useState(false);
    return (
        <details class="window" onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>Table of what is in the window</summary>
            {open && <Rows app={app} />}
        </details>
    );
}

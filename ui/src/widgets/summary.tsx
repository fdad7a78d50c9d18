// The line that says what a trace has, and at what it failed.
import { Fragment } from "preact";
import { integer } from "../data/units";
import { bandCount, type Source } from "../data/model";
import type { App } from "./app";

function sum<T>(items: readonly T[], of: (item: T) => number): number {
    return items.reduce((total, item) => total + of(item), 0);
}

function counted(count: number, noun: string): string {
    return count ? `${integer(count)} ${noun}${count === 1 ? "" : "s"}` : "";
}

/** A rounded share, of few with a decimal, that says neither none nor all of what is not. */
export function percent(part: number, whole: number): string {
    const exact = (100 * part) / whole;
    if (part > 0 && exact < 0.05) return "< 0.1 %";
    if (part < whole && exact >= 99.5) return "> 99 %";
    return `${exact < 9.95 && part > 0 ? exact.toFixed(1) : Math.round(exact)} %`;
}

function lostText(sources: readonly Source[]): string {
    const frames = sum(sources, (source) => (source.frames ? source.lost : 0));
    const events = sum(sources, (source) => (source.frames ? 0 : source.lost));
    const parts = [counted(frames, "frame"), counted(events, "event")].filter(Boolean);
    return parts.length ? `${parts.join(" and ")} lost` : "";
}

function Missed({ missed, checked }: { missed: number; checked: number }) {
    const text = `${integer(missed)} missed (${percent(missed, checked)})`;
    return missed ? <strong class="missed">{text}</strong> : <>{text}</>;
}

function gapText(sources: readonly Source[]): string {
    const gaps = sum(sources, (source) => bandCount(source.gaps));
    return [counted(gaps, "gap"), lostText(sources)].filter(Boolean).join(", ");
}

export function Summary({ app }: { app: App }) {
    const { lanes, sources } = app.trace;
    const spans = sum(lanes, (lane) => lane.stats.spans);
    const checked = sum(lanes, (lane) => lane.stats.checked);
    const missed = sum(lanes, (lane) => lane.stats.missed);
    const markers = sum(lanes, (lane) => lane.marks.count);
    const restarts = sum(sources, (source) => source.restarts.length);
    const parts = [
        sources.length > 1 && counted(sources.length, "source"),
        counted(lanes.length, "lane"),
        counted(spans, "span"),
        counted(markers, "marker"),
        checked > 0 && `${integer(checked)} with deadline`,
        checked > 0 && <Missed missed={missed} checked={checked} />,
        gapText(sources),
        counted(restarts, "restart"),
    ].filter(Boolean);
    return (
        <p class="summary">
            {parts.map((part, i) => (
                <Fragment key={i}>
                    {i > 0 && " · "}
                    <span>{part}</span>
                </Fragment>
            ))}
        </p>
    );
}

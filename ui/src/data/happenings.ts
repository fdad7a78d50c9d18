// What happens to a recording as a whole: gaps, stretches whose times are in doubt, restarts.
import { textOf } from "./labels";
import type { Bands, Source, Trace } from "./model";
import { firstAfter, firstFrom } from "./sequence";
import { duration, integer } from "./units";

export type HappeningKind = "gap" | "doubt" | "restart";

export interface Happening {
    readonly kind: HappeningKind;
    readonly source: Source;
    readonly start: number;
    readonly end: number;
    /** What is to say of it. */
    readonly text: string;
}

export type ShowsKind = (kind: HappeningKind) => boolean;

/** "217 frames lost: the ring was full" */
export function gapText(trace: Trace, source: Source, index: number): string {
    const lost = source.gaps.value[index]!;
    const what = source.frames ? "frame" : "event";
    const why = textOf(trace, source.gaps.why[index]!);
    return `${integer(lost)} ${what}${lost === 1 ? "" : "s"} lost${why ? `: ${why}` : ""}`;
}

export function doubtText(source: Source, index: number): string {
    const bound = source.doubts.value[index]!;
    return Number.isNaN(bound) ? "times uncertain" : `times up to ${duration(bound)} early`;
}

function banded(trace: Trace, source: Source, kind: "gap" | "doubt", index: number): Happening {
    const { start, end } = kind === "gap" ? source.gaps : source.doubts;
    const text = kind === "gap" ? gapText(trace, source, index) : doubtText(source, index);
    return { kind, source, start: start[index]!, end: end[index]!, text };
}

function restartAt(source: Source, us: number): Happening {
    return { kind: "restart", source, start: us, end: us, text: "the producer started anew" };
}

/** The first `limit` of them that touch [from, to], in the order of time. */
export function happeningsIn(
    trace: Trace,
    from: number,
    to: number,
    shows: ShowsKind,
    limit: number,
): Happening[] {
    const found: Happening[] = [];
    for (const source of trace.sources) {
        for (const kind of ["gap", "doubt"] as const) {
            const bands = kind === "gap" ? source.gaps : source.doubts;
            if (!shows(kind)) continue;
            for (const index of touching(bands, from, to, limit))
                found.push(banded(trace, source, kind, index));
        }
        const { restarts } = source;
        const end = Math.min(firstAfter(restarts, to), firstFrom(restarts, from) + limit);
        for (let i = firstFrom(restarts, from); i < end; i++)
            found.push(restartAt(source, restarts[i]!));
    }
    return found.sort((a, b) => a.start - b.start).slice(0, limit);
}

function touching(bands: Bands, from: number, to: number, limit: number): number[] {
    const found: number[] = [];
    for (let i = bands.pyramid.firstTouching(from); i < bands.count; i++) {
        if (bands.start[i]! > to || found.length === limit) break;
        if (bands.end[i]! >= from) found.push(i);
    }
    return found;
}

/** What lies over a lane at [from, to]: a restart, else a gap, else a doubt. */
export function happeningAt(
    trace: Trace,
    lane: number,
    from: number,
    to: number,
    shows: ShowsKind,
): Happening | null {
    const source = trace.sources[trace.lanes[lane]!.source]!;
    const restart = firstFrom(source.restarts, from);
    if (source.restarts[restart]! <= to) return restartAt(source, source.restarts[restart]!);
    for (const kind of ["gap", "doubt"] as const) {
        const bands = kind === "gap" ? source.gaps : source.doubts;
        const lies = (index: number) => [0, 1 + lane].includes(bands.lane[index]!);
        const index = shows(kind) ? touching(bands, from, to, 100).find(lies) : undefined;
        if (index !== undefined) return banded(trace, source, kind, index);
    }
    return null;
}

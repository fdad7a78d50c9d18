// What happens to a recording as a whole: gaps, stretches whose times are in doubt, restarts.
import { textOf } from "./labels";
import type { Bands, Lane, Source, Trace } from "./model";
import { firstAfter, firstFrom } from "./sequence";
import { duration, integer } from "./units";

export type HappeningKind = "gap" | "doubt" | "restart";

export interface Happening {
    readonly kind: HappeningKind;
    readonly source: Source;
    /** Null: it lies over all lanes of the source. */
    readonly lane: Lane | null;
    readonly start: number;
    readonly end: number;
    /** What is to say of it. */
    readonly text: string;
}

export type ShowsKind = (kind: HappeningKind) => boolean;

/** "217 frames lost: the ring was full" */
export function gapText(trace: Trace, source: Source, gaps: Bands, index: number): string {
    const lost = gaps.value[index]!;
    const what = source.frames ? "frame" : "event";
    const why = textOf(trace, gaps.why[index]!);
    return `${integer(lost)} ${what}${lost === 1 ? "" : "s"} lost${why ? `: ${why}` : ""}`;
}

export function doubtText(doubts: Bands, index: number): string {
    const bound = doubts.value[index]!;
    return Number.isNaN(bound) ? "times uncertain" : `times up to ${duration(bound)} early`;
}

type BandKind = "gap" | "doubt";

function bandsOf(source: Source, kind: BandKind): readonly Bands[] {
    return kind === "gap" ? source.gaps : source.doubts;
}

function banded(
    trace: Trace,
    source: Source,
    kind: BandKind,
    bands: Bands,
    index: number,
): Happening {
    const text = kind === "gap" ? gapText(trace, source, bands, index) : doubtText(bands, index);
    const lane = bands.lane === 0 ? null : trace.lanes[bands.lane - 1]!;
    return { kind, source, lane, start: bands.start[index]!, end: bands.end[index]!, text };
}

function restartAt(source: Source, us: number): Happening {
    const text = "the producer started anew";
    return { kind: "restart", source, lane: null, start: us, end: us, text };
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
            if (!shows(kind)) continue;
            for (const bands of bandsOf(source, kind))
                for (const index of touching(bands, from, to, limit))
                    found.push(banded(trace, source, kind, bands, index));
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

/** What lies over a lane at [from, to]: a gap, else a restart, else a doubt. */
export function happeningAt(
    trace: Trace,
    lane: number,
    from: number,
    to: number,
    shows: ShowsKind,
): Happening | null {
    const source = trace.sources[trace.lanes[lane]!.source]!;
    for (const kind of ["gap", "doubt"] as const) {
        for (const bands of shows(kind) ? bandsOf(source, kind) : []) {
            if (bands.lane !== 0 && bands.lane !== 1 + lane) continue;
            const [index] = touching(bands, from, to, 1);
            if (index !== undefined) return banded(trace, source, kind, bands, index);
        }
        const restart = source.restarts[firstFrom(source.restarts, from)]!;
        if (kind === "gap" && restart <= to) return restartAt(source, restart);
    }
    return null;
}

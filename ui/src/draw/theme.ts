// The colours of a picture, read from the page's style (widgets/tokens.css) so that they have one home.
import { LaneKind, type Lane } from "../data/model";

export interface Theme {
    readonly card: string;
    readonly line: string;
    readonly band: string;
    readonly text: string;
    readonly muted: string;
    readonly accent: string;
    readonly slow: string;
    readonly marker: string;
    readonly deadline: string;
    readonly hatch: string;
    readonly tasks: readonly string[];
    readonly isrs: readonly string[];
}

export function themeOf(element: Element): Theme {
    const style = getComputedStyle(element);
    const value = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    return {
        card: value("card"),
        line: value("line"),
        band: value("band"),
        text: value("text"),
        muted: value("muted"),
        accent: value("accent"),
        slow: value("slow"),
        marker: value("marker"),
        deadline: value("deadline"),
        hatch: value("hatch"),
        tasks: [1, 2, 3, 4].map((i) => value(`task-${i}`)),
        isrs: [1, 2, 3].map((i) => value(`isr-${i}`)),
    };
}

/** Warm for ISRs, cool for all others; neighbours differ, and runs of one program look alike. */
export function laneColor(theme: Theme, lane: Lane): string {
    const colors = lane.kind === LaneKind.Isr ? theme.isrs : theme.tasks;
    return colors[lane.ordinal % colors.length]!;
}

const hashes = new Map<string, number>();

// FNV-1a, over UTF-16.
function hashOf(text: string): number {
    let hash = hashes.get(text);
    if (hash !== undefined) return hash;
    hash = 2166136261;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
    hashes.set(text, hash >>> 0);
    return hash >>> 0;
}

/** On lanes of nested spans a name has its colour, in every trace the same. */
export function nameColor(theme: Theme, name: string): string {
    return theme.tasks[(hashOf(name) >>> 8) % theme.tasks.length]!;
}

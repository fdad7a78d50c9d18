// What is narrower than a pixel, summed up in columns of one pixel, so that much of it shows as dark and a
// single one still shows.
import type { Scale } from "./scale";

const LEVELS = 5;
const FAINTEST = 0.5;

/** A run of neighbouring columns that look the same. */
export type Run = (x: number, width: number, alpha: number) => void;

function alphaOf(level: number): number {
    return FAINTEST + ((1 - FAINTEST) * (level - 1)) / (LEVELS - 1);
}

export class Density {
    private readonly busy: Float32Array;
    private readonly flags: Uint32Array;
    private readonly used: Uint8Array;
    private first = Infinity;
    private last = -1;
    private anyFlags = 0;

    constructor(private readonly columns: number) {
        this.busy = new Float32Array(columns);
        this.flags = new Uint32Array(columns);
        this.used = new Uint8Array(columns);
    }

    /**
     * Takes spans that together are narrower than a pixel. Where they reach into the next column, so does
     * what is busy in them; else even rhythms would seem to have gaps.
     */
    add(scale: Scale, start: number, end: number, busy: number, flags: number): void {
        const from = (start - scale.from) * scale.pixelsPerUs;
        const to = (end - scale.from) * scale.pixelsPerUs;
        const first = this.columnOf(from);
        const last = to > from ? this.columnOf(Math.ceil(to) - 1) : first;
        const share = last > first && from >= 0 ? (last - from) / (to - from) : 1;
        this.put(first, busy * scale.pixelsPerUs * share, flags);
        if (last > first) this.put(last, busy * scale.pixelsPerUs * (1 - share), 0);
    }

    private columnOf(x: number): number {
        return Math.min(this.columns - 1, Math.max(0, Math.floor(x)));
    }

    private put(column: number, busy: number, flags: number): void {
        this.busy[column]! += busy;
        this.flags[column]! |= flags;
        this.used[column] = 1;
        this.anyFlags |= flags;
        if (column < this.first) this.first = column;
        if (column > this.last) this.last = column;
    }

    /** Hands out what was added, by how much of its column is covered. */
    drawRuns(left: number, run: Run): void {
        let from = this.first;
        let level = 0;
        for (let x = this.first; x <= this.last + 1; x++) {
            const next = this.levelAt(x);
            if (next === level) continue;
            if (level > 0) run(left + from, x - from, alphaOf(level));
            from = x;
            level = next;
        }
    }

    /** The columns in which some span has one of these flags. */
    drawFlagged(left: number, flags: number, column: (x: number) => void): void {
        if (!(this.anyFlags & flags)) return;
        for (let x = this.first; x <= this.last; x++) if (this.flags[x]! & flags) column(left + x);
    }

    clear(): void {
        if (this.last < 0) return;
        this.busy.fill(0, this.first, this.last + 1);
        this.flags.fill(0, this.first, this.last + 1);
        this.used.fill(0, this.first, this.last + 1);
        this.first = Infinity;
        this.last = -1;
        this.anyFlags = 0;
    }

    private levelAt(x: number): number {
        if (x >= this.columns || !this.used[x]) return 0;
        return 1 + Math.min(LEVELS - 1, Math.floor(this.busy[x]! * LEVELS));
    }
}

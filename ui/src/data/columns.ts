// Rows of a page's data: their times, and columns brought into the order of time.
import { damaged, type Reader } from "./bytes";
import type { Clock, ClockFrom } from "./clock";

interface Run {
    readonly clock: ClockFrom;
    /** One past its last row. */
    readonly until: number;
}

/** Rows that stand in one or more boots. */
export class Runs {
    private constructor(
        private readonly runs: readonly Run[],
        /** Since the start of the first row in the run. */
        private readonly ticks: Float64Array,
    ) {}

    static read(reader: Reader, clocks: readonly Clock[]): Runs {
        let until = 0;
        const runs = reader.list("runs", () => {
            const clock = clocks[reader.upTo(clocks.length - 1, "a boot")].from(reader.s64());
            until += reader.count("rows");
            return { clock, until };
        });
        const ticks = reader.numbers(until);
        let i = 0;
        for (const run of runs) {
            if (i < run.until && ticks[i] !== 0)
                throw damaged("a run's first row is not at its first tick");
            for (i++; i < run.until; i++) ticks[i] += ticks[i - 1];
            i = run.until;
        }
        return new Runs(runs, ticks);
    }

    get count(): number {
        return this.ticks.length;
    }

    starts(): Float64Array {
        return this.times((clock, ticks) => clock.us(ticks));
    }

    /** A clock that was set back between a start and an end must not turn the two around. */
    ends(start: Float64Array, length: Float64Array): Float64Array {
        return this.times((clock, ticks, i) => Math.max(start[i], clock.us(ticks + length[i])));
    }

    times(time: (clock: ClockFrom, ticks: number, index: number) => number): Float64Array {
        const out = new Float64Array(this.count);
        let i = 0;
        for (const run of this.runs)
            for (; i < run.until; i++) out[i] = time(run.clock, this.ticks[i], i);
        return out;
    }
}

/** For each row of a lane the indices of what stands in it, in the order of starts. `row` null: all in row 0. */
export function byRow(start: Float64Array, row: Uint32Array | null, rows: number): Uint32Array[] {
    const counts = new Uint32Array(rows);
    for (let i = 0; i < start.length; i++) counts[row ? row[i] : 0]++;
    const orders = Array.from(counts, (count) => new Uint32Array(count));
    counts.fill(0);
    for (let i = 0; i < start.length; i++) {
        const r = row ? row[i] : 0;
        orders[r][counts[r]++] = i;
    }
    for (const order of orders)
        if (!ascends(start, order)) order.sort((a, b) => start[a] - start[b] || a - b);
    return orders;
}

function ascends(start: Float64Array, order: Uint32Array): boolean {
    for (let i = 1; i < order.length; i++) if (start[order[i]] < start[order[i - 1]]) return false;
    return true;
}

/** The numbers at the given indices. */
export function gather<T extends Float64Array | Uint32Array | Uint8Array>(
    column: T,
    order: Uint32Array,
): T {
    const out = column.slice(0, order.length) as T;
    for (let i = 0; i < order.length; i++) out[i] = column[order[i]];
    return out;
}

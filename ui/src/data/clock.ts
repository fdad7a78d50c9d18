// A boot's clock: ticks to microseconds, in the same steps as stave_time_us(), so that the same doubles
// come out.
import { damaged } from "./bytes";

export interface Anchor {
    readonly tick: bigint;
    readonly us: number;
    /** Ticks a second; 0: they are nanoseconds. */
    readonly hz: number;
}

export function ticksToUs(ticks: number, hz: number): number {
    return hz === 0 ? ticks / 1000 : (ticks * 1000000) / hz;
}

export class Clock {
    constructor(
        private readonly offset: number,
        private readonly anchors: readonly Anchor[],
    ) {
        if (anchors.length === 0) throw damaged("a clock has no anchor");
    }

    /** The clock for ticks that are counted from `base` on. */
    from(base: bigint): ClockFrom {
        return new ClockFrom(base, this.offset, this.anchors);
    }
}

/**
 * Ticks are any int64, so their difference to an anchor's may need 65 bits. It is taken as a multiple of
 * 2^32 and a rest, which are doubles without loss; adding them rounds once, as C does. So a result is that
 * of C while `ticks` is below 2^53 - 2^32.
 */
export class ClockFrom {
    /** From which tick on each anchor is in force, but for the first. */
    private readonly begin: Float64Array;
    private readonly high: Float64Array;
    private readonly low: Float64Array;

    constructor(
        base: bigint,
        private readonly offset: number,
        private readonly anchors: readonly Anchor[],
    ) {
        const since = anchors.map((anchor) => base - anchor.tick);
        this.begin = Float64Array.from(since, (ticks) => Number(-ticks));
        this.high = Float64Array.from(since, (ticks) => Number((ticks >> 32n) << 32n));
        this.low = Float64Array.from(since, (ticks) => Number(BigInt.asUintN(32, ticks)));
    }

    us(ticks: number): number {
        const at = this.anchorFor(ticks);
        const anchor = this.anchors[at];
        const difference = this.high[at] + (this.low[at] + ticks);
        return anchor.us + ticksToUs(difference, anchor.hz) + this.offset;
    }

    rate(ticks: number): number {
        return this.anchors[this.anchorFor(ticks)].hz;
    }

    /** The last one at or before a tick, else the first. */
    private anchorFor(ticks: number): number {
        let low = 0;
        let high = this.begin.length;
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (this.begin[middle] <= ticks) low = middle;
            else high = middle;
        }
        return low;
    }
}

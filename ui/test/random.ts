// Numbers that look random, the same in every run.
export class Random {
    constructor(private state: number) {}

    /** In [0, 1). */
    next(): number {
        this.state = (this.state + 0x6d2b79f5) | 0;
        let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    }

    below(n: number): number {
        return Math.floor(this.next() * n);
    }
}

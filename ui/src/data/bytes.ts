// Reads the numbers and texts of a page's data. Whatever is cut short or out of range is an Error.

const TWO_32 = 2 ** 32;
const MOST_BYTES = 10; // of a number of 64 bits

// As recorded: a mark at the front of a text is part of it, and what is no UTF-8 is shown as such.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function damaged(what: string): Error {
    return new Error(`The data of this page is damaged: ${what}.`);
}

export class Reader {
    private readonly view: DataView;
    private at = 0;
    // The number that was last read by long().
    private low = 0;
    private high = 0;

    constructor(private readonly bytes: Uint8Array) {
        this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }

    /** How many bytes have not been read. */
    get left(): number {
        return this.bytes.length - this.at;
    }

    /** Exact up to 2^53, else the nearest double. */
    u(): number {
        const byte = this.bytes[this.at];
        if (byte < 128) {
            this.at++;
            return byte;
        }
        this.long();
        return this.high * TWO_32 + this.low;
    }

    u64(): bigint {
        this.long();
        return joined(this.low, this.high);
    }

    s64(): bigint {
        return unzigzag(this.u64());
    }

    /** A signed number; of 2^52 and more the nearest double. */
    s(): number {
        const value = this.u();
        return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }

    d(): number {
        const at = this.skip(8);
        return this.view.getFloat64(at, true);
    }

    text(): string {
        const size = this.u();
        const at = this.skip(size);
        return decoder.decode(this.bytes.subarray(at, at + size));
    }

    /** A number that must be at most `most`. */
    upTo(most: number, what: string): number {
        const value = this.u();
        if (value > most) throw damaged(`${what} is ${value}, beyond ${most}`);
        return value;
    }

    /** How many of something follow. Each takes a byte at least, so no count leads to a large allocation. */
    count(what: string): number {
        const value = this.u();
        if (value > this.left) throw damaged(`it ends before ${value} ${what}`);
        return value;
    }

    list<T>(what: string, one: () => T): T[] {
        return Array.from({ length: this.count(what) }, one);
    }

    /** A column of numbers of any size. */
    numbers(count: number): Float64Array {
        this.expect(count);
        const out = new Float64Array(count);
        const bytes = this.bytes;
        for (let i = 0; i < count; i++) {
            const byte = bytes[this.at];
            if (byte < 128) {
                this.at++;
                out[i] = byte;
            } else {
                out[i] = this.u();
            }
        }
        return out;
    }

    /** A column of numbers that must be at most `most`, which is below 2^32. */
    uints(count: number, most: number, what: string): Uint32Array {
        this.expect(count);
        const out = new Uint32Array(count);
        const bytes = this.bytes;
        for (let i = 0; i < count; i++) {
            const byte = bytes[this.at];
            if (byte < 128 && byte <= most) {
                this.at++;
                out[i] = byte;
            } else {
                out[i] = this.upTo(most, what);
            }
        }
        return out;
    }

    /** A column of numbers of 64 bits, as their two halves. */
    halves(count: number): { low: Uint32Array; high: Uint32Array } {
        this.expect(count);
        const low = new Uint32Array(count);
        const high = new Uint32Array(count);
        for (let i = 0; i < count; i++) {
            this.long();
            low[i] = this.low;
            high[i] = this.high;
        }
        return { low, high };
    }

    private expect(count: number): void {
        if (count > this.left) throw damaged(`it ends within a column of ${count}`);
    }

    private skip(size: number): number {
        if (size > this.left) throw damaged("it ends too early");
        const at = this.at;
        this.at += size;
        return at;
    }

    /** Reads a number into `low` and `high`. */
    private long(): void {
        let low = 0;
        let high = 0;
        for (let i = 0; i < MOST_BYTES; i++) {
            const byte = this.bytes[this.at++];
            const bits = byte & 127;
            if (i < 4) low |= bits << (7 * i);
            else if (i > 4) high |= bits << (7 * i - 32);
            else {
                low |= bits << 28;
                high = bits >> 4;
            }
            if (byte < 128) {
                if (i === MOST_BYTES - 1 && byte > 1) break;
                this.low = low >>> 0;
                this.high = high >>> 0;
                return;
            }
            if (byte === undefined) throw damaged("it ends within a number");
        }
        throw damaged("a number has more than 64 bits");
    }
}

export function joined(low: number, high: number): bigint {
    return (BigInt(high) << 32n) | BigInt(low);
}

export function unzigzag(value: bigint): bigint {
    return (value >> 1n) ^ -(value & 1n);
}

// How numbers look: thin spaces between thousands, a true minus, the unit behind.
import { scaleLinear } from "d3-scale";

const THIN = "\u2009";
const MINUS = "\u2212";
const NO_BREAK = "\u00a0";
const UNKNOWN = "\u2013";

interface Unit {
    readonly symbol: string;
    readonly us: number;
    /** How many decimals it may be shown with, down to the nanosecond. */
    readonly decimals: readonly number[];
}

const NS: Unit = { symbol: "ns", us: 1e-3, decimals: [0, 1] };
const US: Unit = { symbol: "µs", us: 1, decimals: [1, 3] };
const MS: Unit = { symbol: "ms", us: 1e3, decimals: [3, 6] };
const S: Unit = { symbol: "s", us: 1e6, decimals: [3, 6, 9] };

export function integer(n: number | bigint): string {
    return typeof n === "bigint" ? grouped(String(n)) : fixed(n, 0);
}

/** With exactly so many decimals; "\u2013" for what is not known. */
export function fixed(x: number, digits: number): string {
    if (Number.isNaN(x)) return UNKNOWN;
    return grouped(x.toFixed(digits));
}

/** A double as the shortest text that reads back to it. */
export function real(x: number): string {
    return Number.isNaN(x) ? "NaN" : grouped(String(x));
}

/** A time on the time line. Microseconds and nanoseconds are shown where there are any. */
export function time(us: number): string {
    const size = Math.abs(us);
    return amount(us, size >= S.us ? S : size >= MS.us || us === 0 ? MS : US);
}

/** How long something took. */
export function duration(us: number): string {
    return amount(us, durationUnit(Math.abs(us)));
}

export interface Tick {
    readonly at: number;
    readonly label: string;
}

/** About so many round times within [from, to], all in one unit and with as many decimals as they need. */
export function axisTicks(from: number, to: number, about: number): Tick[] {
    const unit = axisUnit(Math.max(Math.abs(from), Math.abs(to)));
    const scale = scaleLinear().domain([from / unit.us, to / unit.us]);
    const decimals = scale.tickFormat(about)(0).split(".")[1]?.length ?? 0;
    return scale.ticks(about).map((value) => ({
        at: value * unit.us,
        label: wholeGrouped(value.toFixed(decimals)) + NO_BREAK + unit.symbol,
    }));
}

function axisUnit(most: number): Unit {
    return [S, MS, US].find((unit) => most >= unit.us) ?? NS;
}

// Up to 100 ms in µs: in firmware, response times are compared in it.
function durationUnit(us: number): Unit {
    if (us === 0 || (us >= 1 && us < 1e5)) return US;
    if (us < 1) return NS;
    return us < 1e7 ? MS : S;
}

function amount(us: number, unit: Unit): string {
    if (Number.isNaN(us)) return UNKNOWN;
    const most = shifted(us, unit);
    const used = (most.split(".")[1] ?? "").replace(/0+$/, "").length;
    const decimals = unit.decimals.find((digits) => digits >= used)!;
    const cut = most.length - unit.decimals[unit.decimals.length - 1] + decimals;
    return grouped(most.slice(0, decimals ? cut : cut - 1)) + NO_BREAK + unit.symbol;
}

/**
 * In a unit, with all its decimals. A quotient of a large time has other digits than the time: so the point
 * is moved in its text.
 */
function shifted(us: number, unit: Unit): string {
    const most = unit.decimals[unit.decimals.length - 1];
    const places = Math.round(Math.log10(unit.us));
    if (places <= 0 || !Number.isFinite(us) || Math.abs(us) >= 1e21)
        return (us / unit.us).toFixed(most);
    const [, minus, whole, rest] = /^(-?)(\d+)\.(\d+)$/.exec(us.toFixed(most - places))!;
    const digits = whole.padStart(places + 1, "0");
    return `${minus}${digits.slice(0, -places)}.${digits.slice(-places)}${rest}`;
}

/** An axis' few decimals stand together: they are no second number. */
function wholeGrouped(number: string): string {
    const [whole, fraction] = number.split(".");
    return grouped(whole) + (fraction === undefined ? "" : "." + fraction);
}

/** Digits in threes, from the point to both sides. What is no plain number stays as it is. */
function grouped(number: string): string {
    const [, minus, whole, fraction] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(number) ?? [];
    if (whole === undefined) return number.replaceAll("-", MINUS);
    const left = whole.replace(/\B(?=(\d{3})+$)/g, THIN);
    const right = fraction?.replace(/(\d{3})(?=\d)/g, `$1${THIN}`);
    const sign = minus && /[1-9]/.test(number) ? MINUS : "";
    return sign + left + (right === undefined ? "" : "." + right);
}

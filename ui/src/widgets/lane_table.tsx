// The lanes in numbers; each row leads to its lane's worst span.
import { useState } from "preact/hooks";
import { laneName } from "../data/labels";
import { fixed, integer } from "../data/units";
import type { Lane, LaneStats, Trace } from "../data/model";
import type { App } from "./app";
import { hasDeadlines, kindAndTag, laneOwner } from "./facts";
import { GoRow } from "./go_row";

const STEP = 500; // rows rendered at once

interface Column {
    readonly head: string;
    readonly title: string;
    /** In microseconds, not a count. */
    readonly isTime?: true;
    /** Null: does not apply to the lane. */
    of(lane: Lane): number | null;
}

/** A response time; only spans whose end is known have one. */
function timeColumn(name: string, title: string, of: (stats: LaneStats) => number): Column {
    const ofLane = ({ stats }: Lane) => (stats.whole ? of(stats) : null);
    return { head: `${name} µs`, title, isTime: true, of: ofLane };
}

const COLUMNS: readonly Column[] = [
    { head: "activations", title: "All spans of the lane", of: (lane) => lane.stats.spans },
    timeColumn("min", "Shortest response time", (stats) => stats.min),
    timeColumn("mean", "Mean response time", (stats) => stats.mean),
    timeColumn("p99", "Response time that 99 % do not exceed", (stats) => stats.p99),
    timeColumn("max", "Longest response time", (stats) => stats.max),
];

const NO_END: Column = {
    head: "end unknown",
    title: "Spans whose end is not known; they are in no response time",
    of: (lane) => lane.stats.spans - lane.stats.whole,
};

const MISSED: Column = {
    head: "missed",
    title: "Missed deadlines",
    of: (lane) => (hasDeadlines(lane) ? lane.stats.missed : null),
};

function columnsFor(lanes: readonly Lane[]): readonly Column[] {
    const columns = [...COLUMNS];
    if (lanes.some((lane) => lane.stats.whole < lane.stats.spans)) columns.push(NO_END);
    if (lanes.some(hasDeadlines)) columns.push(MISSED);
    return columns;
}

const DIGITS = 3; // of microseconds: nanoseconds

type Direction = "descending" | "ascending";

interface Order {
    readonly column: Column;
    readonly direction: Direction;
}

/** Rows without a value come last either way. */
function sorted(lanes: readonly Lane[], order: Order | null): readonly Lane[] {
    if (!order) return lanes;
    const sign = order.direction === "ascending" ? 1 : -1;
    const key = (lane: Lane) => order.column.of(lane) ?? sign * Infinity;
    return [...lanes].sort((a, b) => (key(a) === key(b) ? 0 : sign * (key(a) - key(b))));
}

function Cell({ column, lane }: { column: Column; lane: Lane }) {
    const value = column.of(lane);
    if (value === null) return <td class="num" />;
    const missed = column === MISSED && value > 0;
    const text = column.isTime ? fixed(value, DIGITS) : integer(value);
    return <td class={missed ? "num missed" : "num"}>{missed ? <strong>{text}</strong> : text}</td>;
}

interface HeadProps {
    readonly column: Column;
    readonly order: Order | null;
    onOrder(order: Order): void;
}

function Head({ column, order, onOrder }: HeadProps) {
    const direction = order?.column === column ? order.direction : "none";
    const next: Direction = direction === "descending" ? "ascending" : "descending";
    return (
        <th scope="col" class="num" aria-sort={direction}>
            <button
                type="button"
                title={column.title}
                onClick={() => onOrder({ column, direction: next })}
            >
                {column.head}
            </button>
        </th>
    );
}

interface HeadsProps {
    readonly columns: readonly Column[];
    readonly order: Order | null;
    onOrder(order: Order | null): void;
}

function Heads({ columns, order, onOrder }: HeadsProps) {
    return (
        <tr>
            <th scope="col">
                <button type="button" title="As in the picture" onClick={() => onOrder(null)}>
                    lane
                </button>
                <span class="hint">click: the worst one</span>
            </th>
            <th scope="col">kind</th>
            {columns.map((column) => (
                <Head key={column.head} column={column} order={order} onOrder={onOrder} />
            ))}
        </tr>
    );
}

interface RowProps {
    readonly app: App;
    readonly lane: Lane;
    readonly columns: readonly Column[];
}

function LaneRow({ app, lane, columns }: RowProps) {
    const owner = laneOwner(app.trace, lane);
    const head = (
        <>
            {laneName(app.trace, lane)}
            {owner && <span class="muted owner"> {owner}</span>}
        </>
    );
    return (
        <GoRow
            go={lane.stats.worst ? () => app.goTo(lane.stats.worst!) : null}
            title="Go to the worst one"
            head={head}
        >
            <td class="muted">{kindAndTag(app.trace, lane)}</td>
            {columns.map((column) => (
                <Cell key={column.head} column={column} lane={lane} />
            ))}
        </GoRow>
    );
}

/** What stays the same for a trace. */
function tableOf(trace: Trace) {
    const lanes = trace.lanes.filter((lane) => lane.stats.spans > 0);
    return { lanes, columns: columnsFor(lanes) };
}

export function LaneTable({ app }: { app: App }) {
    const [order, setOrder] = useState<Order | null>(null);
    const [limit, setLimit] = useState(STEP);
    const [{ lanes, columns }] = useState(() => tableOf(app.trace));
    if (!lanes.length) return null;
    const shown = sorted(lanes, order).slice(0, limit);
    const rest = lanes.length - shown.length;
    return (
        <section class="table">
            <table>
                <caption class="unseen">Lanes: activations and response times</caption>
                <thead>
                    <Heads columns={columns} order={order} onOrder={setOrder} />
                </thead>
                <tbody>
                    {shown.map((lane) => (
                        <LaneRow key={lane.index} app={app} lane={lane} columns={columns} />
                    ))}
                </tbody>
            </table>
            {rest > 0 && (
                <button type="button" class="more" onClick={() => setLimit(limit + STEP)}>
                    and {integer(rest)} more
                </button>
            )}
        </section>
    );
}

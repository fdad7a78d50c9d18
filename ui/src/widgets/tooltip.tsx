// Boxes that tell of a span or a mark: one for what is under the pointer, one for what is pinned.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { clipped, laneName } from "../data/labels";
import type { Happening } from "../data/happenings";
import { duration, integer, time } from "../data/units";
import { MARK_ROW, sameRef, type Ref, type Trace } from "../data/model";
import type { Point } from "../view/state";
import type { App } from "./app";
import { factsOf, laneOwner, type Facts } from "./facts";
import { useShortcut, useStore } from "./hooks";

const OFFSET = 14; // from the pointer, so that it hides nothing of what it tells
const MARGIN = 8; // to the edge of what is seen
const NAME_MAX = 300; // code points: a name may have thousands

function Times({ facts }: { facts: Facts }) {
    if (facts.end === null) {
        return (
            <div>
                at <b>{time(facts.start)}</b>
            </div>
        );
    }
    const least = facts.endKnown ? "" : "at least ";
    return (
        <>
            <div>
                start <b>{time(facts.start)}</b> end {least}
                <b>{time(facts.end)}</b>
            </div>
            <div>
                duration {least}
                <b>{duration(facts.end - facts.start)}</b>
            </div>
        </>
    );
}

function Deadline({ facts }: { facts: Facts }) {
    if (facts.deadline === null) return null;
    return (
        <div>
            deadline <b>{time(facts.deadline)}</b>
            {facts.missedBy !== null && (
                <>
                    {" · "}
                    <strong class="missed">missed by {duration(facts.missedBy)}</strong>
                </>
            )}
        </div>
    );
}

/** Where it stands, as far as its name does not say it. */
function place(trace: Trace, ref: Ref, facts: Facts): string {
    const { lane } = facts;
    const name = laneName(trace, lane);
    const rows = lane.rows.length;
    const row = ref.row !== MARK_ROW && rows > 1 ? `row ${ref.row + 1} of ${rows}` : "";
    return [name === facts.name ? "" : name, laneOwner(trace, lane), row]
        .filter(Boolean)
        .map((text) => clipped(text, NAME_MAX))
        .join(" · ");
}

function Details({ trace, of }: { trace: Trace; of: Ref }) {
    const facts = factsOf(trace, of);
    const where = place(trace, of, facts);
    return (
        <>
            <div>
                <strong>{clipped(facts.name, NAME_MAX)}</strong> {facts.kind}
            </div>
            {where && <div>{where}</div>}
            {facts.value && (
                <div>
                    value <b>{clipped(facts.value, NAME_MAX)}</b>
                </div>
            )}
            <Times facts={facts} />
            <Deadline facts={facts} />
            {facts.flags.map((flag) => (
                <div key={flag} class="flag">
                    {flag}
                </div>
            ))}
        </>
    );
}

/** Beside a place in the page, but within what is seen of it. */
function stand(box: HTMLElement, at: Point): void {
    const { clientWidth, clientHeight } = document.documentElement;
    const right = scrollX + clientWidth - box.offsetWidth - MARGIN;
    const below = at.y + OFFSET;
    const above = at.y - OFFSET - box.offsetHeight;
    const fits = below + box.offsetHeight + MARGIN <= scrollY + clientHeight || above < scrollY;
    box.style.left = `${Math.max(scrollX + MARGIN, Math.min(at.x + OFFSET, right))}px`;
    box.style.top = `${fits ? below : above}px`;
}

function Box(props: { at: Point | null; kind: string; children: ComponentChildren }) {
    const { at, kind, children } = props;
    const box = useRef<HTMLDivElement>(null);
    useLayoutEffect(() => {
        if (box.current && at) stand(box.current, at);
    });
    // A key, so that a box in the corner has nothing left of a place that it was at.
    return (
        <div key={at ? "placed" : "corner"} ref={box} class={`tip ${kind} ${at ? "" : "corner"}`}>
            {children}
        </div>
    );
}

function Over({ at, happening }: { at: Point; happening: Happening }) {
    const { kind, start, end, text } = happening;
    return (
        <Box at={at} kind="hovered">
            <div>
                <strong>{kind}</strong> {text}
            </div>
            {kind === "restart" ? (
                <div>
                    at <b>{time(start)}</b>
                </div>
            ) : (
                <>
                    <div>
                        from <b>{time(start)}</b> to <b>{time(end)}</b>
                    </div>
                    <div>
                        duration <b>{duration(end - start)}</b>
                    </div>
                </>
            )}
        </Box>
    );
}

function Hovered({ app }: { app: App }) {
    const hover = useStore(app.store, (state) => state.hover);
    const pinned = useStore(app.store, (state) => state.pinned);
    const at = useStore(app.store, (state) => state.at);
    const more = useStore(app.store, (state) => state.more);
    const over = useStore(app.store, (state) => state.over);
    if (over && at) return <Over at={at} happening={over} />;
    if (!hover || !at || sameRef(hover, pinned)) return null;
    return (
        <Box at={at} kind="hovered">
            <Details trace={app.trace} of={hover} />
            {more > 0 && <div>{integer(more)} more here</div>}
        </Box>
    );
}

function Pinned({ app, pinned }: { app: App; pinned: Ref }) {
    const at = useStore(app.store, (state) => state.pinnedAt);
    const unpin = () => app.store.set({ pinned: null });
    useShortcut("Escape", unpin);
    return (
        <Box at={at} kind="pinned">
            <button type="button" class="close" aria-label="Unpin" title="Unpin" onClick={unpin}>
                ×
            </button>
            <Details trace={app.trace} of={pinned} />
        </Box>
    );
}

export function Tooltip({ app }: { app: App }) {
    const pinned = useStore(app.store, (state) => state.pinned);
    return (
        <>
            {pinned && <Pinned app={app} pinned={pinned} />}
            <Hovered app={app} />
        </>
    );
}

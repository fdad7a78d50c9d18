// Tells screen readers what was gone to and pinned.
import { useEffect, useState } from "preact/hooks";
import { clipped } from "../data/labels";
import { duration, time } from "../data/units";
import { sameRef, type Ref, type Trace } from "../data/model";
import type { State } from "../view/state";
import type { App } from "./app";
import { factsOf, laneTitle } from "./facts";

const NAME_MAX = 100; // code points
const PAUSE = 250; // milliseconds: what is passed over faster is not told

function sentence(trace: Trace, ref: Ref): string {
    const facts = factsOf(trace, ref);
    const { end, missedBy, value } = facts;
    const parts = [
        `${clipped(facts.name, NAME_MAX)}, ${facts.kind}`,
        `on ${clipped(laneTitle(trace, facts.lane), NAME_MAX)}`,
        `at ${time(facts.start)}`,
        end !== null &&
            `${facts.endKnown ? "lasts" : "lasts at least"} ${duration(end - facts.start)}`,
        missedBy !== null && `missed its deadline by ${duration(missedBy)}`,
        value && `value ${clipped(value, NAME_MAX)}`,
        ...facts.flags,
    ];
    return parts.filter(Boolean).join("; ");
}

function news(trace: Trace, now: State, before: State): string | null {
    if (!sameRef(now.pinned, before.pinned))
        return now.pinned ? `Pinned: ${sentence(trace, now.pinned)}` : "Unpinned";
    if (now.hover && !sameRef(now.hover, before.hover)) return sentence(trace, now.hover);
    return null;
}

export function Announcer({ app }: { app: App }) {
    const [text, setText] = useState("");
    useEffect(() => {
        let timer: ReturnType<typeof setTimeout> | undefined;
        const stop = app.store.listen((now, before) => {
            const told = news(app.trace, now, before);
            if (told === null) return;
            clearTimeout(timer);
            timer = setTimeout(() => setText(told), PAUSE);
        });
        return () => {
            clearTimeout(timer);
            stop();
        };
    }, [app]);
    return (
        <div class="unseen" aria-live="polite">
            {text}
        </div>
    );
}

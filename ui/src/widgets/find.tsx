// Looks for spans and marks by name.
import { useMemo, useRef } from "preact/hooks";
import { integer } from "../data/units";
import type { App } from "./app";
import { useShortcut, useStore } from "./hooks";
import { visibleIn } from "./visible";

function Count({ app }: { app: App }) {
    const find = useStore(app.store, (state) => state.find);
    const hidden = useStore(app.store, (state) => state.hidden);
    const count = useMemo(
        () => (find ? app.search().count(visibleIn(hidden)) : 0),
        [app, find, hidden],
    );
    const text = count ? `${integer(count)} found` : "none found";
    return <output class={count ? "count" : "count none"}>{find && text}</output>;
}

export function Find({ app }: { app: App }) {
    const field = useRef<HTMLInputElement>(null);
    const find = useStore(app.store, (state) => state.find);
    const next = (direction: 1 | -1) => app.findNext(direction);
    const press = (event: KeyboardEvent) => {
        if (event.key === "Enter") next(event.shiftKey ? -1 : 1);
        else if (event.key === "Escape") {
            event.preventDefault(); // which would empty the field; n and p go on with it
            field.current?.blur();
        }
    };
    useShortcut("/", () => field.current?.focus());
    return (
        <div class="find" role="search">
            <Count app={app} />
            <input
                ref={field}
                type="search"
                aria-label="Find a name"
                placeholder="find"
                title="Enter: next, Shift+Enter: previous"
                spellcheck={false}
                value={find}
                onInput={(event) => app.store.set({ find: event.currentTarget.value })}
                onKeyDown={press}
            />
            <span class="segments">
                <button
                    type="button"
                    aria-label="Previous"
                    disabled={!find}
                    onClick={() => next(-1)}
                >
                    ‹
                </button>
                <button type="button" aria-label="Next" disabled={!find} onClick={() => next(1)}>
                    ›
                </button>
            </span>
        </div>
    );
}

// All of the page: the card with the picture and its tables, and what floats above it.
import { useLayoutEffect, useRef } from "preact/hooks";
import { Announcer } from "./announcer";
import type { App } from "./app";
import { Header } from "./header";
import { LaneTable } from "./lane_table";
import { Tooltip } from "./tooltip";
import { WindowTable } from "./window_table";

interface Props {
    readonly app: App;
    /** Is given the empty element that the picture is drawn into, once. */
    plot(element: HTMLElement): void;
}

export function Frame({ app, plot }: Props) {
    const place = useRef<HTMLDivElement>(null);
    useLayoutEffect(() => plot(place.current!), []);
    return (
        <>
            <div class="card">
                <Header app={app} />
                <main>
                    <div class="plot" ref={place} />
                </main>
                <LaneTable app={app} />
                <WindowTable app={app} />
            </div>
            <Tooltip app={app} />
            <Announcer app={app} />
        </>
    );
}

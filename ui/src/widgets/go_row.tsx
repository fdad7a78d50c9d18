// A row of a table that leads to a span or a mark: anywhere by click, by its first cell's button with the keyboard.
import type { ComponentChildren } from "preact";
import type { Ref } from "../data/model";
import type { App } from "./app";

interface Props {
    readonly app: App;
    readonly to: Ref | null;
    readonly title: string;
    /** The first cell's. */
    readonly head: ComponentChildren;
    /** The other cells. */
    readonly children: ComponentChildren;
}

export function GoRow({ app, to, title, head, children }: Props) {
    if (!to) {
        return (
            <tr>
                <th scope="row">{head}</th>
                {children}
            </tr>
        );
    }
    return (
        <tr class="go" onClick={() => app.goTo(to)}>
            <th scope="row">
                <button type="button" title={title}>
                    {head}
                </button>
            </th>
            {children}
        </tr>
    );
}

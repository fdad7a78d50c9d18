// A row of a table that leads somewhere in the picture: anywhere by click, by its first cell's button with the keyboard.
import type { ComponentChildren } from "preact";

interface Props {
    /** Null: nowhere. */
    readonly go: (() => void) | null;
    readonly title: string;
    /** The first cell's. */
    readonly head: ComponentChildren;
    /** The other cells. */
    readonly children: ComponentChildren;
}

export function GoRow({ go, title, head, children }: Props) {
    if (!go) {
        return (
            <tr>
                <th scope="row">{head}</th>
                {children}
            </tr>
        );
    }
    return (
        <tr class="go" onClick={go}>
            <th scope="row">
                <button type="button" title={title}>
                    {head}
                </button>
            </th>
            {children}
        </tr>
    );
}

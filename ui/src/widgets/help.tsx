// The keys and the gestures, in a dialog.
import { useRef } from "preact/hooks";
import { useShortcut } from "./hooks";

type Row = readonly [keys: readonly string[], does: string];

const KEYS: readonly Row[] = [
    [["←", "→"], "move in time; with Shift, far"],
    [["Home", "End"], "first and last window"],
    [["+", "−"], "zoom in and out"],
    [["0"], "show the whole trace"],
    [["↑", "↓"], "to the lane above or below"],
    [[",", "."], "previous and next of the lane"],
    [["m", "M"], "next and previous missed deadline"],
    [["/"], "find a name"],
    [["n", "p"], "next and previous that was found"],
    [["Enter"], "pin what is told"],
    [["Escape"], "unpin; leave the find field"],
    [["?"], "this help"],
];

const POINTER: readonly Row[] = [
    [["Wheel"], "zoom at the pointer; or a pinch on a touchpad"],
    [["Shift", "Wheel"], "move in time"],
    [["Drag"], "move in time; in the overview, the window"],
    [["Shift", "Drag"], "measure between two times"],
    [["Click"], "pin what is under the pointer"],
    [["Double click"], "show the whole trace"],
];

function Rows({ head, rows }: { head: string; rows: readonly Row[] }) {
    return (
        <section>
            <h3>{head}</h3>
            <dl class="keys">
                {rows.map(([keys, does]) => (
                    <div key={does}>
                        <dt>
                            {keys.map((key) => (
                                <kbd key={key}>{key}</kbd>
                            ))}
                        </dt>
                        <dd>{does}</dd>
                    </div>
                ))}
            </dl>
        </section>
    );
}

export function Help() {
    const dialog = useRef<HTMLDialogElement>(null);
    const open = () => dialog.current?.showModal();
    useShortcut("?", open);
    return (
        <>
            <button
                type="button"
                class="round"
                aria-label="Help"
                title="Keys and mouse"
                onClick={open}
            >
                ?
            </button>
            <dialog ref={dialog} aria-labelledby="help-title">
                <form method="dialog">
                    <h2 id="help-title">Keys and mouse</h2>
                    <button aria-label="Close" class="close">
                        ×
                    </button>
                </form>
                <div class="help">
                    <Rows head="Keys" rows={KEYS} />
                    <Rows head="Mouse and touch" rows={POINTER} />
                </div>
            </dialog>
        </>
    );
}

// What the legend hides is neither found nor listed.
import type { Visible } from "../data/sequence";
import type { Layer } from "../view/state";

export function visibleIn(hidden: ReadonlySet<Layer>): Visible {
    return (layer) => !hidden.has(layer);
}

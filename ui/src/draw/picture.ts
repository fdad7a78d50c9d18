// What all parts of a picture are drawn with.
import type { Trace } from "../data/model";
import type { Layer, State } from "../view/state";
import type { Density } from "./density";
import type { Layout } from "./layout";
import type { Scale } from "./scale";
import type { Surface } from "./surface";
import type { Theme } from "./theme";

export interface Picture {
    readonly surface: Surface;
    readonly theme: Theme;
    readonly trace: Trace;
    readonly layout: Layout;
    readonly state: State;
    readonly scale: Scale;
    /** The columns of the time line; empty between uses. */
    readonly density: Density;
}

export function shows(picture: Picture, layer: Layer): boolean {
    return !picture.state.hidden.has(layer);
}

// Light or dark: as the state says, or the system; paper is light.
import type { Store } from "./state";

/** Keeps the page's data-theme right, and tells when it has changed. */
export function keepTheme(store: Store, changed: () => void): void {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const set = (printing: boolean): void => {
        const { theme } = store.state;
        const system = dark.matches ? "dark" : "light";
        document.documentElement.dataset.theme = printing
            ? "light"
            : theme === "system"
              ? system
              : theme;
        changed();
    };
    store.listen((state, before) => state.theme !== before.theme && set(false));
    dark.addEventListener("change", () => set(false));
    addEventListener("beforeprint", () => set(true));
    addEventListener("afterprint", () => set(false));
    set(false);
}

// Small buttons of the header: zoom, save, theme.
import type { Theme } from "../view/state";
import type { App } from "./app";
import { useStore } from "./hooks";

const ZOOM_STEP = 2;

function Icon({ path }: { path: string }) {
    return (
        <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d={path} />
        </svg>
    );
}

function IconButton(props: { label: string; path: string; onClick: () => void }) {
    return (
        <button type="button" aria-label={props.label} title={props.label} onClick={props.onClick}>
            <Icon path={props.path} />
        </button>
    );
}

export function ZoomButtons({ app }: { app: App }) {
    return (
        <div class="segments" role="group" aria-label="Zoom">
            <IconButton label="Zoom in" path="M3 8h10M8 3v10" onClick={() => app.zoom(ZOOM_STEP)} />
            <IconButton label="Zoom out" path="M3 8h10" onClick={() => app.zoom(1 / ZOOM_STEP)} />
            <IconButton
                label="Show the whole trace"
                path="M2.5 8 8 3l5.5 5M4.5 7v6h7V7"
                onClick={() => app.reset()}
            />
        </div>
    );
}

export function SaveButtons({ app }: { app: App }) {
    return (
        <div class="segments" role="group" aria-label="Save the picture">
            <span class="segments-head" title="Save the picture">
                <Icon path="M8 2.5v7M5 7l3 3 3-3M3 13h10" />
            </span>
            <button type="button" title="Save the picture as PNG" onClick={() => app.save("png")}>
                PNG
            </button>
            <button type="button" title="Save the picture as SVG" onClick={() => app.save("svg")}>
                SVG
            </button>
        </div>
    );
}

const THEMES: readonly { theme: Theme; label: string; path: string }[] = [
    { theme: "system", label: "Theme of the system", path: "M2.5 3.5h11v7h-11zM6 13h4M8 10.5V13" },
    {
        theme: "light",
        label: "Light theme",
        path: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
    },
    {
        theme: "dark",
        label: "Dark theme",
        path: "M13 9.6A5.6 5.6 0 1 1 6.4 3a4.6 4.6 0 0 0 6.6 6.6",
    },
];

export function ThemeButtons({ app }: { app: App }) {
    const chosen = useStore(app.store, (state) => state.theme);
    return (
        <div class="segments" role="group" aria-label="Theme">
            {THEMES.map(({ theme, label, path }) => (
                <button
                    key={theme}
                    type="button"
                    aria-label={label}
                    title={label}
                    aria-pressed={theme === chosen}
                    onClick={() => app.store.set({ theme })}
                >
                    <Icon path={path} />
                </button>
            ))}
        </div>
    );
}

// What stands above the picture.
import { shown } from "../data/labels";
import type { App } from "./app";
import { SaveButtons, ThemeButtons, ZoomButtons } from "./buttons";
import { Find } from "./find";
import { Help } from "./help";
import { Legend } from "./legend";
import { Summary } from "./summary";

export function Header({ app }: { app: App }) {
    return (
        <header>
            <div class="bar">
                <div class="about">
                    <h1>{shown(app.trace.title)}</h1>
                    <Summary app={app} />
                </div>
                <div class="tools">
                    <ZoomButtons app={app} />
                    <SaveButtons app={app} />
                    <ThemeButtons app={app} />
                    <Help />
                </div>
            </div>
            <div class="bar">
                <Legend app={app} />
                <Find app={app} />
            </div>
        </header>
    );
}

// The real speedscope app, from its npm package, with files opened in it.
//
//     const loaded = await load(path);
//     loaded.state        "imported", "rejected" (with an alert or an error), "crashed", "timeout"
//     loaded.errors       what it said of it; loaded.warnings of its importer
//     loaded.profiles     how many it shows; loaded.isDrawn
//     loaded.exported     what it writes back when asked to save: all that it understood
//
// STAVE_CHROMIUM is a browser, by default Debian's. The app is opened from its files, and offline.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core");

const APP = new URL("node_modules/speedscope/dist/release/index.html", import.meta.url).href;
const TIMEOUT_MS = 120_000;
const DRAWN_MS = 30_000; // within which it draws, after it has said that it is done
const LOOK_MS = 200;
const WINDOW = { width: 640, height: 400 }; // each pixel is drawn by software
const KEYS = { "time-ordered": "1", "left-heavy": "2", sandwich: "3" };

let launching = null; // a promise of the browser
after(async () => (await launching)?.close());

/** The browser; started once, by whoever asks first. */
function launched() {
    launching ??= chromium.launch({
        executablePath: process.env.STAVE_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
        args: [
            ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
            ...["--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
            "--disable-gpu-watchdog", // drawing by software may take long
        ],
    });
    return launching;
}

// ---- pages --------------------------------------------------------------------------------------

/** In the page: what asks for a file stays there as #chooser, in place of the system's dialog. */
function keepChooser() {
    HTMLInputElement.prototype.click = function () {
        document.getElementById("chooser")?.remove();
        this.id = "chooser";
        document.body.append(this);
    };
}

/** A page of the app, in which files are opened one after the other. `hear` is who hears what it says: at first, of its start. */
async function opened(hear) {
    const browser = await launched();
    const settings = { acceptDownloads: true, viewport: WINDOW, offline: true };
    const page = await browser.newPage(settings);
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.addInitScript(keepChooser);
    const tab = { page, hear };
    page.on("console", (message) => tab.hear.message(message));
    page.on("dialog", (dialog) => tab.hear.dialog(dialog));
    page.on("pageerror", (error) => tab.hear.error(error));
    await page.goto(APP);
    await page.getByText("Welcome to").waitFor();
    return tab;
}

const idle = []; // pages in which all files so far were opened

/** Notes in `loaded` what the app says, and calls `done` at the end of loading. */
function ears(loaded, done) {
    const end = (state) => {
        loaded.state ??= state;
        done();
    };
    return {
        async message(message) {
            const text = message.text();
            const isOfTheBrowser = /^\[|GL Driver|WebGL/.test(text); // of drawing, or of a slow network
            if (/^import: /.test(text)) end("imported");
            else if (text.startsWith("Failed to load format")) {
                const error = await message.args()[1]?.evaluate((e) => String(e?.message ?? e));
                loaded.errors.push(error ?? text);
                end("rejected");
            } else if (message.type() === "error") loaded.errors.push(text);
            else if (message.type() === "warning" && !isOfTheBrowser) loaded.warnings.push(text);
        },
        async dialog(dialog) {
            loaded.errors.push(`alert: ${dialog.message()}`);
            await dialog.dismiss();
            end("rejected");
        },
        error(error) {
            loaded.errors.push(error.message);
            end("crashed");
        },
    };
}

// ---- what is seen -------------------------------------------------------------------------------

/** More than a few colours: something is drawn. */
async function isDrawn(page) {
    const png = await page.screenshot({ type: "png" });
    return page.evaluate(async (png) => {
        const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
        context.drawImage(bitmap, 0, 0);
        const { data } = context.getImageData(0, 20, bitmap.width, bitmap.height - 20);
        const colours = new Set();
        for (let at = 0; at < data.length && colours.size <= 3; at += 4)
            colours.add(((data[at] >> 4) << 8) | ((data[at + 1] >> 4) << 4) | (data[at + 2] >> 4));
        return colours.size > 3;
    }, png.toString("base64"));
}

/** A few frames: an error of drawing shows by then. */
async function settled(page) {
    await page.evaluate(async () => {
        for (let i = 0; i < 5; i++) await new Promise(requestAnimationFrame);
    });
}

async function look(page, loaded, drawnMs) {
    const until = Date.now() + drawnMs;
    while (!(loaded.isDrawn = await isDrawn(page)) && Date.now() < until) await sleep(LOOK_MS);
    const text = await page.evaluate(() => document.body.innerText);
    if (/Something went wrong/i.test(text)) loaded.errors.push("an error screen");
    if (/Welcome to/.test(text)) loaded.errors.push("the welcome page still");
    loaded.profiles = Number(/\(\d+\/(\d+)\)/.exec(text)?.[1] ?? 1); // shown when there are several
}

async function saved(page) {
    const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.keyboard.press("Control+s"),
    ]);
    return JSON.parse(readFileSync(await download.path(), "utf8"));
}

/**
 * Opens a file in the app.
 *
 *     view       time-ordered, left-heavy or sandwich
 *     isFirst    nothing was opened in the app before: what it does not understand is otherwise a file of symbols to it
 *     drawnMs    how long to wait for something to be drawn
 */
export async function load(path, options = {}) {
    const { view = "time-ordered", isFirst = false, drawnMs = DRAWN_MS } = options;
    const loaded = { state: null, errors: [], warnings: [], profiles: 0, isDrawn: false };
    let hear;
    const finished = new Promise((done) => (hear = ears(loaded, done)));
    const tab = (isFirst ? null : idle.pop()) ?? (await opened(hear));
    const { page } = tab;
    tab.hear = hear;
    await page.keyboard.press(KEYS[view]);
    await page.keyboard.press("Control+o");
    await page.setInputFiles("#chooser", path);
    await Promise.race([finished, sleep(TIMEOUT_MS, null, { ref: false })]);
    loaded.state ??= "timeout";
    await settled(page);
    if (loaded.state !== "imported") {
        await page.close();
        return loaded;
    }
    await look(page, loaded, drawnMs);
    if (view === "time-ordered") loaded.exported = await saved(page);
    idle.push(tab);
    return loaded;
}

/** Fails unless a file was loaded and drawn, without a word but these. */
export function assertLoaded(loaded, warnings = []) {
    assert.deepEqual([loaded.errors, loaded.warnings, loaded.state], [[], warnings, "imported"]);
    assert.ok(loaded.isDrawn, "nothing is drawn");
}

/**
 * Of what speedscope wrote back, by name: [calls, total, self], in its unit times `scale`; and the self of each path, its names
 * joined by newlines. Maps: a name may be __proto__.
 */
export function sumsOf(exported, scale = 1) {
    const sums = new Map();
    const paths = new Map();
    const nameOf = (open) => exported.shared.frames[open.frame].name;
    for (const profile of exported.profiles) {
        assert.equal(profile.type, "evented");
        const stack = [];
        for (const { type, frame, at } of profile.events) {
            if (type === "O") {
                stack.push({ frame, at, inner: 0 });
                continue;
            }
            const top = stack[stack.length - 1];
            assert.equal(top.frame, frame);
            const name = nameOf(top);
            const total = Math.round(at * scale) - Math.round(top.at * scale);
            const self = total - top.inner;
            const path = self > 0 ? stack.map(nameOf).join("\n") : "";
            stack.pop();
            if (stack.length > 0) stack[stack.length - 1].inner += total;
            const [calls, before, selves] = sums.get(name) ?? [0, 0, 0];
            sums.set(name, [calls + 1, before + total, selves + self]);
            if (self > 0) paths.set(path, (paths.get(path) ?? 0) + self);
        }
        assert.deepEqual(stack, []);
    }
    return { sums, paths };
}

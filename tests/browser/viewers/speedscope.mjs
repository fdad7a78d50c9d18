// The real speedscope app, from its npm package, with files opened in it.
//
//     const loaded = await load(path);
//     loaded.state        "imported", "rejected" (with an alert or an error), "crashed", "timeout"
//     loaded.errors       what it said of it; loaded.warnings of its importer
//     loaded.profiles     how many it shows; loaded.isDrawn
//     loaded.exported     what it writes back when asked to save: all that it understood
//
// STAVE_CHROMIUM is a browser, by default Debian's. Nothing but this process is asked over the network.
import assert from "node:assert/strict";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { basename, extname, join, normalize } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core");

const APP = fileURLToPath(new URL("node_modules/speedscope/dist/release", import.meta.url));
const TIMEOUT_MS = 120_000;
const SETTLED_MS = 500; // a few frames: an error of drawing shows by then
const WINDOW = { width: 640, height: 400 }; // each pixel is drawn by software

const TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".wasm": "application/wasm",
};

const files = [];
let server = null;
let browser = null;
let base = null; // a promise of the address
after(async () => {
    await browser?.close();
    server?.close();
});

function pathOf(url) {
    const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
    const file = /^\/files\/(\d+)\//.exec(path);
    return file
        ? files[Number(file[1])]
        : join(APP, normalize(path === "/" ? "/index.html" : path));
}

async function start() {
    server = createServer((request, response) => {
        const path = pathOf(request.url);
        if (!existsSync(path) || !statSync(path).isFile()) {
            response.writeHead(404).end();
            return;
        }
        response.writeHead(200, {
            "content-type": TYPES[extname(path)] ?? "application/octet-stream",
            "content-length": statSync(path).size,
        });
        createReadStream(path).pipe(response);
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    browser = await chromium.launch({
        executablePath: process.env.STAVE_CHROMIUM ?? "/usr/bin/chromium",
        args: [
            ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
            ...["--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
        ],
    });
    return `http://127.0.0.1:${server.address().port}`;
}

/** Where the app is served; started once, by whoever asks first. */
function started() {
    base ??= start();
    return base;
}

/** What speedscope says on its console, and whether that is the end of loading. */
async function heard(loaded, message) {
    const text = message.text();
    if (/^import: /.test(text)) loaded.state = "imported";
    else if (text.startsWith("Failed to load format")) {
        const error = await message.args()[1]?.evaluate((e) => String(e?.message ?? e));
        loaded.errors.push(error ?? text);
        loaded.state = "rejected";
    } else if (message.type() === "error") loaded.errors.push(text);
    else if (message.type() === "warning" && !/GL Driver|WebGL/.test(text))
        loaded.warnings.push(text);
    return loaded.state !== null;
}

function listen(page, loaded) {
    return new Promise((done) => {
        page.on("console", async (message) => (await heard(loaded, message)) && done());
        page.on("dialog", async (dialog) => {
            loaded.errors.push(`alert: ${dialog.message()}`);
            loaded.state = "rejected";
            await dialog.dismiss();
            done();
        });
        page.on("pageerror", (error) => {
            loaded.errors.push(error.message);
            loaded.state ??= "crashed";
            done();
        });
        setTimeout(done, TIMEOUT_MS).unref();
    });
}

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

async function look(page, loaded, view) {
    const text = await page.evaluate(() => document.body.innerText);
    if (/Something went wrong/i.test(text)) loaded.errors.push("an error screen");
    if (/Welcome to/.test(text)) loaded.errors.push("the welcome page still");
    loaded.profiles = Number(/\(\d+\/(\d+)\)/.exec(text)?.[1] ?? 1); // shown when there are several
    loaded.isDrawn = await isDrawn(page);
    if (view !== "time-ordered") return;
    const [download] = await Promise.all([
        page.waitForEvent("download", { timeout: TIMEOUT_MS }),
        page.keyboard.press("Control+s"),
    ]);
    loaded.exported = JSON.parse(readFileSync(await download.path(), "utf8"));
}

/** Opens a file in the app. `view`: time-ordered, left-heavy or sandwich. */
export async function load(path, view = "time-ordered") {
    const base = await started();
    const loaded = { state: null, errors: [], warnings: [], profiles: 0, isDrawn: false };
    const context = await browser.newContext({ acceptDownloads: true, viewport: WINDOW });
    await context.route("**/*", (route) =>
        route.request().url().startsWith(base) ? route.continue() : route.abort(),
    );
    const page = await context.newPage();
    const finished = listen(page, loaded);
    const file = `${base}/files/${files.push(path) - 1}/${encodeURIComponent(basename(path))}`;
    await page.goto(`${base}/#profileURL=${encodeURIComponent(file)}&view=${view}`);
    await finished;
    loaded.state ??= "timeout";
    await page.waitForTimeout(SETTLED_MS);
    if (loaded.state === "imported") await look(page, loaded, view);
    await context.close();
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

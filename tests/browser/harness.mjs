// Pages made by the command, opened in headless Chromium.
//
//     const { page } = await open(t, { csv: "name,type,start_us,end_us\nadc,isr,1,2\n" });
//     assert.equal(await page.title(), "...");
//
// STAVE is the command; STAVE_GENERATE what makes .stave files (tests/cli/generate.c); STAVE_CHROMIUM a
// browser, by default Debian's; STAVE_WORK where files go.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

// The packages are those of ui/.
const require = createRequire(new URL("../../ui/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const { STAVE: stave, STAVE_GENERATE: generate } = process.env;
assert.ok(stave, "STAVE is to name the command");
mkdirSync(process.env.STAVE_WORK ?? ".", { recursive: true });
const work = mkdtempSync(join(process.env.STAVE_WORK ?? ".", "browser-"));

const TIMEOUT_MS = 120_000; // machines may be slow
let browser = null;
after(async () => {
    await browser?.close();
    rmSync(work, { recursive: true });
});

async function launched() {
    browser ??= await chromium.launch({
        executablePath: process.env.STAVE_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
        args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
    });
    return browser;
}

// ---- files --------------------------------------------------------------------------------------

let files = 0;

/** A file of this text or these bytes. */
export function fileOf(content, suffix = ".csv") {
    const path = join(work, `input-${files++}${suffix}`);
    writeFileSync(path, content);
    return path;
}

/** A .stave file that tests/cli/generate.c makes. */
export function generated(what) {
    assert.ok(generate, "STAVE_GENERATE is to name tests/cli's generator");
    return fileOf(execFileSync(generate, [what]), ".stave");
}

/** A real recording: NAME.bin is what a device sent, NAME.csv what is to come of it. */
export function vector(name) {
    return fileURLToPath(new URL(`../etrace/vectors/${name}`, import.meta.url));
}

/** Rows of a CSV in which nothing is quoted, by column; what is a number is one, what is empty null. */
export function rowsOf(csv) {
    const [head, ...lines] = csv.trim().split("\n");
    const columns = head.split(",");
    const valueOf = (text) =>
        text === "" ? null : Number.isNaN(Number(text)) ? text : Number(text);
    return lines.map((line) =>
        Object.fromEntries(line.split(",").map((text, i) => [columns[i], valueOf(text)])),
    );
}

/** The page that `stave diagram` makes of inputs, and the line that it prints. */
export function draw(inputs, ...options) {
    const path = join(work, `diagram-${files++}.html`);
    const line = execFileSync(stave, ["diagram", ...inputs, "-o", path, ...options], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
    });
    return { path, line };
}

// ---- pages --------------------------------------------------------------------------------------

/**
 * Opens the diagram of a CSV's text (csv) or of files (inputs); hash, colorScheme, size as wanted. The page is
 * drawn when this returns. An error in it fails the test, and so does anything that it asks of a network.
 */
export async function open(t, wanted) {
    const inputs = wanted.inputs ?? [fileOf(wanted.csv)];
    const { path, line } = draw(inputs, ...(wanted.options ?? []));
    const context = await (
        await launched()
    ).newContext({
        viewport: wanted.size ?? { width: 1280, height: 900 },
        colorScheme: wanted.colorScheme ?? "light",
        acceptDownloads: true,
        offline: true,
    });
    t.after(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    watch(t, page, pathToFileURL(path).href);
    await page.goto(pathToFileURL(path).href + (wanted.hash ?? ""));
    await page.waitForSelector("html[data-drawn]");
    return { page, path, line };
}

function watch(t, page, address) {
    const errors = [];
    const requests = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    page.on("request", (request) => requests.push(request.url()));
    t.after(() => {
        assert.deepEqual(errors, []);
        const foreign = requests.filter((url) => url.split("#")[0] !== address);
        assert.deepEqual(foreign, []);
    });
}

/** The bytes of what a click downloads. */
export async function downloaded(page, click) {
    const [download] = await Promise.all([page.waitForEvent("download"), click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Waits until what was done is drawn. */
export async function drawn(page) {
    await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
}

/** Gives the page another hash, and waits until it has followed it and is drawn. */
export async function follow(page, hash) {
    await page.evaluate(
        (hash) =>
            new Promise((done) => {
                const draw = () => requestAnimationFrame(() => requestAnimationFrame(done));
                const before = location.hash;
                addEventListener("hashchange", draw, { once: true }); // behind the page's own
                location.hash = hash;
                if (location.hash === before) draw(); // nothing happens
            }),
        hash,
    );
}

const HASH_AFTER_MS = 300; // the page writes its address when nothing has changed for 250

/** What the page's address says, once it says it: by the page's own timers, which also wait where it is slow. */
export async function addressOf(page) {
    await page.evaluate(
        (ms) => new Promise((done) => requestAnimationFrame(() => setTimeout(done, ms))),
        HASH_AFTER_MS,
    );
    return Object.fromEntries(
        new URLSearchParams(await page.evaluate(() => location.hash.slice(1))),
    );
}

/** All of a trace, as it is shown at first. */
export function wholeOf(from, to) {
    const margin = (to - from) * 0.005;
    return { from: from - margin, to: to + margin };
}

/** The window that the page shows; of the whole trace the address says nothing. */
export async function windowOf(page, whole) {
    const { from, to } = await addressOf(page);
    return from === undefined ? whole : { from: Number(from), to: Number(to) };
}

/** The colours of a canvas, as [red, green, blue] at its pixels. */
export async function pixels(page, selector) {
    const png = await page
        .locator(selector)
        .evaluate((canvas) => canvas.toDataURL("image/png").split(",")[1]);
    return pixelsOfPng(page, Buffer.from(png, "base64"));
}

/** The colours of a PNG file, read by the browser. */
export async function pixelsOfPng(page, png) {
    const image = await page.evaluate(async (png) => {
        const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const { width, height } = bitmap;
        const context = new OffscreenCanvas(width, height).getContext("2d");
        context.drawImage(bitmap, 0, 0);
        const { data } = context.getImageData(0, 0, width, height);
        let binary = "";
        for (let at = 0; at < data.length; at += 8192)
            binary += String.fromCharCode(...data.subarray(at, at + 8192));
        return { width, height, base64: btoa(binary) };
    }, png.toString("base64"));
    const data = Buffer.from(image.base64, "base64");
    const { width, height } = image;
    const at = (x, y) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)];
    return { width, height, at };
}

/** Numbers as people read them, without the thin spaces and the unit that does not break away. */
export function plain(text) {
    return text.replaceAll("\u2009", "").replaceAll("\u00a0", " ").replaceAll("\u2212", "-");
}

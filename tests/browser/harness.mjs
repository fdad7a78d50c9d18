// Pages made by the command, opened in Chromium.
//
//     const diagram = await open(t, { csv: "name,type,start_us,end_us\nadc,isr,1,2\n" });
//     assert.equal(await diagram.page.title(), "...");
//
// STAVE is the command; STAVE_CHROMIUM a browser, by default Debian's; STAVE_WORK where files go.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after } from "node:test";
import { pathToFileURL } from "node:url";

// The packages are those of ui/.
const require = createRequire(new URL("../../ui/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const stave = process.env.STAVE;
assert.ok(stave, "STAVE is to name the command");
mkdirSync(process.env.STAVE_WORK ?? ".", { recursive: true });
const work = mkdtempSync(join(process.env.STAVE_WORK ?? ".", "browser-"));

let browser = null;
after(() => browser?.close());

async function launched() {
    browser ??= await chromium.launch({
        executablePath: process.env.STAVE_CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
    });
    return browser;
}

let files = 0;

/** A file of this text or these bytes. */
export function fileOf(content, suffix = ".csv") {
    const path = join(work, `input-${files++}${suffix}`);
    writeFileSync(path, content);
    return path;
}

/** The page that `stave diagram` makes of inputs, and the line that it prints. */
export function draw(inputs, ...options) {
    const path = join(work, `diagram-${files++}.html`);
    const line = execFileSync(stave, ["diagram", ...inputs, "-o", path, ...options], {
        encoding: "utf8",
    });
    return { path, line };
}

/**
 * Opens the diagram of a CSV's text (csv) or of files (inputs); hash, colorScheme, size as wanted. The page
 * is drawn when this returns; an error in it fails the test.
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
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    t.after(() => assert.deepEqual(errors, []));
    await page.goto(pathToFileURL(path).href + (wanted.hash ?? ""));
    await page.waitForSelector("html[data-drawn]");
    return { page, path, line };
}

/** The bytes of what a click downloads. */
export async function downloaded(page, click) {
    const [download] = await Promise.all([page.waitForEvent("download"), click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** The colours of a canvas, as [red, green, blue] at device pixels. */
export async function pixels(page, selector) {
    const image = await page.evaluate((selector) => {
        const canvas = document.querySelector(selector);
        const { data, width, height } = canvas
            .getContext("2d")
            .getImageData(0, 0, canvas.width, canvas.height);
        return { data: Array.from(data), width, height };
    }, selector);
    return {
        ...image,
        at: (x, y) => image.data.slice(4 * (y * image.width + x), 4 * (y * image.width + x) + 3),
    };
}

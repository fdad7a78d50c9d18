// Times one diagram: writing, first picture, frames.
//
//     node measure.mjs STAVE TRACE.stave DIAGRAM.html
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";

const require = createRequire(new URL("../../ui/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const [stave, trace, page] = process.argv.slice(2);
const ROUNDS = 7;
const FRAMES = 240;
const BUDGET = { write: 2000, picture: 2000, frame: 8 };

function quantile(values, part) {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)];
}

function timed(work) {
    const start = performance.now();
    work();
    return performance.now() - start;
}

function line(what, ms, budget) {
    const share = budget ? `  ${(ms / budget).toFixed(3)} of ${budget} ms` : "";
    console.log(`${what.padEnd(44)} ${ms.toFixed(1).padStart(9)} ms${share}`);
}

// ---- writing --------------------------------------------------------------------------------------

// Beside it the floor: what the command takes to walk over every row and to compress as many bytes.
function measureWriting() {
    const run = (...words) => execFileSync(stave, words, { stdio: "ignore" });
    const write = () => run("diagram", trace, "-o", page);
    const walk = () => run("report", trace);
    const writes = [];
    const walks = [];
    for (let i = 0; i < ROUNDS; i++) {
        writes.push(timed(write));
        walks.push(timed(walk));
    }
    const html = readFileSync(page, "latin1");
    const data = /id="stave-data">([^<]*)</.exec(html)[1];
    const raw = inflateSync(Buffer.from(data, "base64"));
    line("stave diagram, whole command, median", quantile(writes, 0.5), BUDGET.write);
    line("stave report of the same file, median", quantile(walks, 0.5));
    console.log(`${"page, bytes".padEnd(44)} ${String(statSync(page).size).padStart(9)}`);
    console.log(`${"data in it, bytes before compression".padEnd(44)} ${String(raw.length).padStart(9)}`);
}

// ---- the browser ----------------------------------------------------------------------------------

// Script time in a frame is what its callbacks take: drawing is done in them alone.
const INSTRUMENT = () => {
    window.frames_ms = [];
    const request = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (callback) =>
        request((now) => {
            const start = performance.now();
            callback(now);
            window.frames_ms.push(performance.now() - start);
        });
    new MutationObserver((_, observer) => {
        if (!document.documentElement?.dataset.drawn) return;
        window.drawn_ms = performance.now();
        observer.disconnect();
    }).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-drawn"] });
};

async function firstPicture(browser) {
    const tab = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
    await tab.addInitScript(INSTRUMENT);
    await tab.goto(pathToFileURL(page).href);
    await tab.waitForFunction(() => window.drawn_ms > 0);
    return { tab, ms: await tab.evaluate(() => window.drawn_ms) };
}

/** One wheel step or one step of the pointer a frame: in, out, in again, along. */
async function frames(tab) {
    return tab.evaluate(async (count) => {
        window.frames_ms = [];
        const canvas = document.querySelector(".lanes-canvas");
        const box = canvas.getBoundingClientRect();
        const place = { clientX: box.left + box.width * 0.6, clientY: box.top + 100, bubbles: true };
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        const wheel = (options) =>
            canvas.dispatchEvent(new WheelEvent("wheel", { ...place, cancelable: true, ...options }));
        for (let i = 0; i < count; i++) {
            const zoom = i % 60 < 30 ? -100 : 100;
            if (i % 120 < 60) wheel({ deltaY: zoom });
            else wheel({ deltaX: i % 2 ? 80 : 60 });
            await frame();
        }
        return window.frames_ms.filter((ms) => ms > 0.05); // without those that drew nothing
    }, FRAMES);
}

async function measureBrowser() {
    const browser = await chromium.launch({
        executablePath: process.env.STAVE_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
        args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
    });
    const pictures = [];
    let drawn = [];
    for (let i = 0; i < ROUNDS; i++) {
        const { tab, ms } = await firstPicture(browser);
        pictures.push(ms);
        drawn = drawn.concat(await frames(tab));
        await tab.close();
    }
    line("first picture, median", quantile(pictures, 0.5), BUDGET.picture);
    line("script in a frame, median", quantile(drawn, 0.5), BUDGET.frame);
    line("script in a frame, 95th percentile", quantile(drawn, 0.95), BUDGET.frame);
    line("script in a frame, longest", quantile(drawn, 1));
    await browser.close();
}

measureWriting();
await measureBrowser();

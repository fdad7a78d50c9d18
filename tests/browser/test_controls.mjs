// The header: legend, find, save, themes; and the state in the page's address.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
    addressOf,
    downloaded,
    drawn,
    follow,
    generated,
    open,
    pixels,
    pixelsOfPng,
    plain,
    vector,
    wholeOf,
    windowOf,
} from "./harness.mjs";
import { near, onLane, pictureOf } from "./picture.mjs";

const CSV =
    "name,type,start_us,end_us,priority,deadline_us,value,interrupted\n" +
    "adc_isr,isr,1000,1500,9,,,\ncontrol,task,2000,4500,4,4000,,\ncontrol,task,6000,7000,4,8000,,\n" +
    "spike,marker,3000,3000,,,42,\ngap,gap,7500,8500,,,3,\ncontrol,task,10000,11000,4,12000,,\n";
const WHOLE = wholeOf(1000, 11000);

const button = (page, name) => page.getByRole("button", { name, exact: true });
const pinned = async (page) => plain(await page.locator(".tip.pinned").innerText());

// ---- legend -------------------------------------------------------------------------------------

test("the legend has what the trace has, and hides it", async (t) => {
    const { page } = await open(t, { csv: CSV });
    const chips = page.getByRole("group", { name: "Shown" }).getByRole("button");
    const names = ["task", "ISR", "marker", "label", "deadline", "gap"];
    assert.deepEqual(await chips.allInnerTexts(), names);
    const all = await pictureOf(page);
    assert.deepEqual([all.bars.length, all.marks.length, all.hatched.length], [4, 1, 1]);
    for (const name of ["ISR", "marker", "deadline", "gap"]) await button(page, name).click();
    assert.equal(await button(page, "ISR").getAttribute("aria-pressed"), "false");
    assert.equal(await button(page, "task").getAttribute("aria-pressed"), "true");
    const rest = await pictureOf(page);
    assert.deepEqual(
        rest.lanes.map(({ text }) => text),
        ["control"],
    );
    assert.deepEqual(
        [rest.bars.length, rest.marks.length, rest.hatched.length, rest.ticks.length],
        [3, 0, 0, 0],
    );
    await button(page, "ISR").click();
    assert.equal((await pictureOf(page)).lanes.length, 2);
});

test("threads have their own entry", async (t) => {
    const { page } = await open(t, { inputs: [generated("nested")] });
    await button(page, "thread").click();
    const { bars, lanes } = await pictureOf(page);
    assert.deepEqual([bars.length, lanes.length], [0, 0]);
});

// ---- find ---------------------------------------------------------------------------------------

test("find counts, and goes to the next and to the one before", async (t) => {
    const { page } = await open(t, { csv: CSV });
    const field = page.getByLabel("Find a name");
    assert.ok(await button(page, "Next").isDisabled());
    await field.fill("tro");
    await page.getByText("3 found").waitFor();
    for (const [name, start] of [
        ["Next", "2.000 ms"],
        ["Next", "6.000 ms"],
        ["Next", "10.000 ms"],
        ["Next", "2.000 ms"],
        ["Previous", "10.000 ms"],
        ["Previous", "6.000 ms"],
    ]) {
        await button(page, name).click();
        assert.ok((await pinned(page)).includes(`start ${start}`), `${name} is not ${start}`);
    }
    await field.fill("spike");
    await page.getByText("1 found").waitFor();
    await button(page, "marker").click();
    await page.getByText("none found").waitFor();
    await field.fill("nobody");
    await page.getByText("none found").waitFor();
    await button(page, "marker").click();
    await field.fill("control");
    await field.press("Enter");
    const first = await pinned(page);
    await field.press("Escape"); // leaves the field; what is looked for stays
    await page.keyboard.press("n");
    assert.equal(await field.inputValue(), "control");
    assert.notEqual(await pinned(page), first);
    await page.keyboard.press("p");
    assert.equal(await pinned(page), first);
});

test("what was found can be seen: a span among many is zoomed to", async (t) => {
    const spans = Array.from({ length: 5000 }, (_, i) => `many,task,${10 * i},${10 * i + 5},1`);
    const csv = `name,type,start_us,end_us,priority\n${spans.join("\n")}\nrare,task,25001,25002,2\n`;
    const { page } = await open(t, { csv });
    await page.getByLabel("Find a name").fill("rare");
    await page.getByLabel("Find a name").press("Enter");
    const window = await windowOf(page);
    assert.ok(window.from < 25001 && window.to > 25002 && window.to - window.from < 100);
    const picture = await pictureOf(page);
    const [bar] = onLane(picture, "rare", picture.bars);
    assert.ok(bar.width > 100, `${bar.width}`);
});

// ---- save ---------------------------------------------------------------------------------------

test("PNG: a valid file, twice as large as the picture, with its colours", async (t) => {
    const { page } = await open(t, { csv: CSV, options: ["--title", "a/b: c"] });
    const { name, bytes } = await downloaded(page, () => button(page, "PNG").click());
    assert.equal(name, "a_b_ c.png");
    assert.deepEqual(bytes.subarray(0, 8), Buffer.from("\x89PNG\r\n\x1a\n", "latin1"));
    const picture = await pictureOf(page);
    const [, width, height] = /<svg [^>]* width="(\d+)" height="(\d+)"/.exec(picture.svg);
    assert.equal(bytes.readUInt32BE(16), 2 * width);
    assert.equal(bytes.readUInt32BE(20), 2 * height);
    const image = await pixelsOfPng(page, bytes);
    assert.deepEqual([image.width, image.height], [2 * width, 2 * height]);
    const bar = onLane(picture, "control", picture.bars)[1];
    const color = image.at(2 * Math.round(bar.x + 10), 2 * Math.round(bar.y + 3));
    assert.deepEqual(color, [0x4a, 0x78, 0xc2]);
});

test("SVG: lanes' names and as many bars as there are spans", async (t) => {
    const { page } = await open(t, { csv: CSV });
    const { name } = await downloaded(page, () => button(page, "SVG").click());
    assert.match(name, /^[^/]*\.svg$/);
    const picture = await pictureOf(page); // read as XML
    assert.deepEqual(
        picture.lanes.map(({ text }) => text),
        ["adc_isr", "control"],
    );
    assert.equal(onLane(picture, "control", picture.bars).length, 3);
    assert.equal(onLane(picture, "adc_isr", picture.bars).length, 1);
});

test("a picture has all lanes, also those that are scrolled out of sight", async (t) => {
    const { page } = await open(t, { inputs: [generated("many")] });
    const picture = await pictureOf(page);
    assert.equal(picture.lanes.length, 200);
    assert.equal(picture.bars.length, 4000);
});

// ---- themes -------------------------------------------------------------------------------------

const CARD = { light: [255, 255, 255], dark: [0x1b, 0x1e, 0x22] };

async function assertTheme(page, theme) {
    await drawn(page);
    assert.equal(await page.locator("html").getAttribute("data-theme"), theme);
    const canvas = await pixels(page, ".lanes-canvas");
    assert.deepEqual(canvas.at(2, 2), CARD[theme]);
    const strip = await pixels(page, ".overview"); // on the window's tint: lighter or darker
    assert.ok(strip.at(600, 3)[0] > 128 === (theme === "light"));
    const card = await page.evaluate(
        () => getComputedStyle(document.querySelector(".card")).backgroundColor,
    );
    assert.equal(card, `rgb(${CARD[theme].join(", ")})`);
}

test("light and dark follow the system, or what is chosen", async (t) => {
    const { page } = await open(t, { csv: CSV, colorScheme: "dark" });
    await assertTheme(page, "dark");
    await page.emulateMedia({ colorScheme: "light" });
    await assertTheme(page, "light");
    await button(page, "Dark theme").click();
    await assertTheme(page, "dark");
    assert.deepEqual(await addressOf(page), { theme: "dark" });
    await page.reload();
    await page.waitForSelector("html[data-drawn]");
    await assertTheme(page, "dark");
    assert.equal(await button(page, "Dark theme").getAttribute("aria-pressed"), "true");
    await page.emulateMedia({ colorScheme: "dark" });
    await button(page, "Light theme").click();
    await assertTheme(page, "light");
    await button(page, "Theme of the system").click();
    await assertTheme(page, "dark");
});

// ---- the address --------------------------------------------------------------------------------

test("an address shows again what its sender saw", async (t) => {
    const { page } = await open(t, { csv: CSV });
    await button(page, "Zoom in").click(); // from 3.475 to 8.525 ms: a gap is in it
    await button(page, "gap").click();
    await page.getByLabel("Find a name").fill("control & co");
    await page.getByLabel("Find a name").fill("control");
    await page.getByLabel("Find a name").press("Enter");
    const address = await addressOf(page);
    assert.deepEqual(Object.keys(address), ["from", "to", "hide", "find", "at"]);
    const before = await pictureOf(page);
    await page.reload();
    await page.waitForSelector("html[data-drawn]");
    assert.equal((await pictureOf(page)).svg, before.svg);
    assert.equal(await button(page, "gap").getAttribute("aria-pressed"), "false");
    assert.equal(await page.getByLabel("Find a name").inputValue(), "control");
    assert.match(await pinned(page), /control/);
    assert.deepEqual(await addressOf(page), address);
});

test("another address in the same page is followed", async (t) => {
    const { page } = await open(t, { csv: CSV, hash: "#from=2000&to=3000&theme=dark" });
    await follow(page, "#from=4000&to=6000&at=1.0.1");
    await page.waitForSelector(".tip.pinned");
    assert.match(await pinned(page), /start 6\.000 ms/);
    const window = await windowOf(page);
    near(window.from, 4000, 1e-9);
    near(window.to, 6000, 1e-9);
    await assertTheme(page, "light");
    await follow(page, "");
    assert.deepEqual(await windowOf(page, WHOLE), WHOLE);
    // Also where the page writes its own before it hears of it.
    await page.evaluate(() => {
        location.hash = "#from=2500&to=2600";
        history.replaceState(null, "", "#from=4000&to=6000");
    });
    near((await windowOf(page, WHOLE)).from, 2500, 1e-9);
});

/** All that the canvas shows. */
const shownBy = (page) => page.locator(".lanes-canvas").evaluate((canvas) => canvas.toDataURL());

test("nonsense in an address is passed over", async (t) => {
    const { page } = await open(t, { csv: CSV });
    const all = await shownBy(page);
    for (const hash of [
        "#",
        "#from=x&to=y",
        "#from=5000&to=4000",
        "#from=NaN&to=Infinity",
        "#from=&to=",
        "#hide=everything,,__proto__&theme=blue",
        "#at=9.0.0",
        "#at=0.5.0",
        "#at=0.0.99999999999999999999",
        "#at=-1.m.e",
        "#constructor=1&%%%=%FF",
        `#${"&a=b".repeat(5000)}`,
    ]) {
        await follow(page, hash);
        assert.ok((await shownBy(page)) === all, hash.slice(0, 40));
        assert.equal(await page.locator(".tip").count(), 0);
    }
});

test("a window outside the trace comes to stand within it", async (t) => {
    const { page } = await open(t, { csv: CSV });
    const all = await shownBy(page);
    for (const [outside, inside] of [
        ["#from=1e300&to=2e300", ""],
        ["#from=1e308&to=1.7e308", ""],
        ["#from=-9000&to=-8000", `#from=${WHOLE.from}&to=${WHOLE.from + 1000}`],
        ["#from=0&to=99000", ""],
    ]) {
        const shown = [];
        for (const hash of [outside, inside]) {
            await follow(page, hash);
            shown.push(await shownBy(page));
        }
        assert.ok(shown[0] === shown[1], outside);
        assert.equal(shown[0] === all, inside === "", outside);
    }
});

test("a page is one file of its own", async (t) => {
    const { path } = await open(t, { inputs: [vector("reset.bin")] }); // no request but for the file
    const html = readFileSync(path, "utf8");
    assert.ok(
        !/\b(src|href)\s*=\s*["'](?!data:|#)/.test(html.replace(/<script>[^]*<\/script>/, "")),
    );
});

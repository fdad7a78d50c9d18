// The diagram without a mouse.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, drawn, open, pixelsOfPng, plain, wholeOf, windowOf } from "./harness.mjs";
import { near, pictureOf } from "./picture.mjs";

// adc_isr is lane 0, control 1, cut 2. A missed one of control and one of cut.
const CSV =
    "name,type,start_us,end_us,priority,deadline_us,value,interrupted\n" +
    "adc_isr,isr,1000,1500,9,,,\ncontrol,task,2000,4500,4,4000,,\ncontrol,task,6000,7000,4,8000,,\n" +
    "cut,task,8000,9000,2,8500,,\nspike,marker,3000,3000,,,42,\ncontrol,task,10000,11000,4,12000,,\n";
const WHOLE = wholeOf(1000, 11000);

async function press(page, ...keys) {
    for (const key of keys) await page.keyboard.press(key);
    await drawn(page);
}

/** Where the focus is: a role's label, or a text. */
const focused = (page) =>
    page.evaluate(() => {
        const { activeElement: at } = document;
        return at === document.body ? "" : (at.getAttribute("aria-label") ?? at.textContent.trim());
    });

/** What is pinned: its name and its first time; "": nothing. */
async function pinned(page) {
    const box = page.locator(".tip.pinned");
    if ((await box.count()) === 0) return "";
    const name = await box.locator("strong").first().innerText();
    const times = await box.locator("b").allInnerTexts();
    return `${name} ${plain(times.find((text) => /s$/.test(text)))}`;
}

async function opened(t, wanted = {}) {
    const { page } = await open(t, { csv: CSV, ...wanted });
    await page.locator(".lanes").focus();
    return page;
}

test("Tab reaches everything in the order of the page, with a ring that is seen", async (t) => {
    const { page } = await open(t, { csv: CSV });
    const reached = [];
    for (let i = 0; i < 40; i++) {
        await press(page, "Tab");
        const at = await focused(page);
        if (reached.includes(at) || at === "" || i === 39) break;
        reached.push(at);
        const { style, width } = await page.evaluate(() => {
            const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
            return { style: outlineStyle, width: parseFloat(outlineWidth) };
        });
        assert.ok(style !== "none" && width >= 2, `${at}: ${style} ${width}`);
    }
    const wanted = [
        "Zoom in",
        "Zoom out",
        "Show the whole trace",
        "PNG",
        "SVG",
        "Theme of the system",
        "Light theme",
        "Dark theme",
        "Help",
        "task",
        "ISR",
        "marker",
        "label",
        "deadline",
        "Find a name",
        "Timing diagram; press ? for its keys",
        "lane",
        "activations",
    ];
    assert.deepEqual(reached.slice(0, wanted.length), wanted);
    for (const name of ["adc_isr", "control", "cut", "Table of what is in the window"])
        assert.ok(reached.includes(name), `${name} is not among ${reached}`);
});

test("the ring around the diagram is seen on all its sides, light and dark", async (t) => {
    for (const [colorScheme, accent] of [
        ["light", [0x2f, 0x5f, 0xd0]],
        ["dark", [0x82, 0xa7, 0xff]],
    ]) {
        const { page } = await open(t, { csv: CSV, colorScheme });
        await page.getByLabel("Find a name").focus();
        await press(page, "Tab");
        assert.match(await focused(page), /^Timing diagram/);
        const png = await page.getByRole("application").screenshot();
        const image = await pixelsOfPng(page, png);
        const isRing = (x, y) => String(image.at(x, y)) === String(accent);
        const [right, bottom] = [image.width - 1, image.height - 1];
        // A screenshot may begin a pixel before what it shows.
        for (const [side, at] of [
            ["left", (i) => [i, 20]],
            ["right", (i) => [right - i, bottom - 20]],
            ["top", (i) => [300, i]],
            ["bottom", (i) => [300, bottom - i]],
        ])
            assert.ok(
                [0, 1, 2].some((i) => isRing(...at(i))),
                `${colorScheme}: ${side}`,
            );
    }
});

test("arrows, + and -, Home and End move and zoom", async (t) => {
    const page = await opened(t, { hash: "#from=4000&to=6000" });
    const steps = [
        ["ArrowRight", 4200, 6200],
        ["ArrowLeft", 4000, 6000],
        ["Shift+ArrowRight", 5500, 7500],
        ["+", 6500 - 2000 / 3, 6500 + 2000 / 3],
        ["-", 5500, 7500],
        ["Home", 1000 - 40, 1000 - 40 + 2000], // the first and the last thing, a little from the edge
        ["End", 11000 + 40 - 2000, 11000 + 40],
        ["0", WHOLE.from, WHOLE.to],
    ];
    for (const [key, from, to] of steps) {
        await press(page, key);
        const window = await windowOf(page, WHOLE);
        near(window.from, from, 1e-6);
        near(window.to, to, 1e-6);
    }
});

test("down and up go from lane to lane, comma and full stop from span to span", async (t) => {
    const page = await opened(t);
    const steps = [
        ["ArrowDown", "adc_isr 1.000 ms"],
        ["ArrowDown", "control 2.000 ms"],
        [".", "control 6.000 ms"],
        [".", "control 10.000 ms"],
        [".", "control 10.000 ms"], // the last
        [",", "control 6.000 ms"],
        ["ArrowDown", "spike 3.000 ms"], // the marks of the lane
        ["ArrowDown", "cut 8.000 ms"],
        ["ArrowDown", "cut 8.000 ms"], // the lowest
        ["ArrowUp", "spike 3.000 ms"],
        ["ArrowUp", "control 2.000 ms"],
        ["ArrowUp", "adc_isr 1.000 ms"],
    ];
    for (const [key, at] of steps) {
        await press(page, key);
        assert.equal(await pinned(page), at, key);
    }
});

test("what is gone to is told to screen readers", async (t) => {
    const page = await opened(t);
    await press(page, "ArrowDown", "ArrowDown");
    const told = page.locator("[aria-live=polite]");
    await page.waitForFunction(
        () => document.querySelector("[aria-live=polite]").textContent !== "",
    );
    assert.equal(
        plain(await told.textContent()),
        "Pinned: control, task · P4; on control; at 2.000 ms; lasts 2500.0 µs; " +
            "missed its deadline by 500.0 µs",
    );
});

test("Enter pins what is told, Escape lets it go", async (t) => {
    const page = await opened(t);
    const box = await page.locator(".lanes-canvas").boundingBox();
    const { bars } = await pictureOf(page);
    await page.mouse.move(box.x + bars[0].x + 3, box.y + bars[0].y + 9);
    await drawn(page);
    await page.locator(".lanes").focus();
    await press(page, "Enter");
    assert.equal(await pinned(page), "adc_isr 1.000 ms");
    await press(page, "Escape");
    assert.equal(await page.locator(".tip").count(), 0);
    assert.deepEqual(await addressOf(page), {});
});

test("m and M go through the missed deadlines, around the ends", async (t) => {
    const page = await opened(t, { hash: `#from=${WHOLE.from}&to=2000` });
    for (const [key, at] of [
        ["m", "control 2.000 ms"],
        ["m", "cut 8.000 ms"],
        ["m", "control 2.000 ms"],
        ["M", "cut 8.000 ms"],
        ["M", "control 2.000 ms"],
    ]) {
        await press(page, key);
        assert.equal(await pinned(page), at, key);
    }
});

test("/ finds: a count, Enter, n and p from one to the next", async (t) => {
    const page = await opened(t);
    await press(page, "/");
    assert.equal(await focused(page), "Find a name");
    await page.keyboard.type("CONT");
    await page.getByText("3 found").waitFor();
    await press(page, "Enter");
    assert.equal(await pinned(page), "control 2.000 ms");
    await page.locator(".lanes").focus();
    for (const [key, at] of [
        ["n", "control 6.000 ms"],
        ["n", "control 10.000 ms"],
        ["n", "control 2.000 ms"],
        ["p", "control 10.000 ms"],
        ["N", "control 6.000 ms"],
    ]) {
        await press(page, key);
        assert.equal(await pinned(page), at, key);
    }
});

test("? shows the keys, Escape closes them", async (t) => {
    const page = await opened(t);
    await press(page, "?");
    const dialog = page.getByRole("dialog", { name: "Keys and mouse" });
    await dialog.waitFor();
    assert.match(await dialog.innerText(), /missed deadline/);
    await press(page, "Escape");
    await dialog.waitFor({ state: "hidden" });
});

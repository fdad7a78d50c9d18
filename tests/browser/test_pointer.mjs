// The mouse on the lanes and on the overview.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, drawn, open, plain, wholeOf, windowOf } from "./harness.mjs";
import { near, pictureOf, xOf } from "./picture.mjs";

const CSV =
    "name,type,start_us,end_us,priority,deadline_us,value,interrupted\n" +
    "adc_isr,isr,1000,1500,9,,,\ncontrol,task,2000,4500,4,4000,,\ncontrol,task,6000,7000,4,8000,,\n" +
    "cut,task,8000,9000,2,,,1\nspike,marker,3000,3000,,,42,\ncontrol,task,10000,11000,4,12000,,\n";
const WHOLE = wholeOf(1000, 11000);
const [CONTROL_Y, CUT_Y] = [85, 121]; // of the lanes' bars, on the canvas

/** The page, and where its canvases are. */
async function opened(t, wanted = {}) {
    const { page } = await open(t, { csv: CSV, ...wanted });
    const box = await page.locator(".lanes-canvas").boundingBox();
    const strip = await page.locator(".overview").boundingBox();
    const picture = await pictureOf(page);
    const pageX = (us, window = WHOLE) => box.x + xOf(picture, window, us);
    return { page, box, strip, pageX };
}

function middleOf({ from, to }) {
    return (from + to) / 2;
}

function sameWindow(actual, wanted, by) {
    near(actual.from, wanted.from, by);
    near(actual.to, wanted.to, by);
}

async function drag(page, [x, y], [toX, toY]) {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move((x + toX) / 2, (y + toY) / 2);
    await page.mouse.move(toX, toY);
    await page.mouse.up();
}

// ---- zoom and pan -------------------------------------------------------------------------------

test("the wheel zooms, and the time under the pointer stays there", async (t) => {
    const { page, box, pageX } = await opened(t);
    const x = Math.round(pageX(6000));
    const under = ({ from, to }) => from + ((x - pageX(WHOLE.from)) / widthOf()) * (to - from);
    const widthOf = () => pageX(WHOLE.to) - pageX(WHOLE.from);
    const time = under(WHOLE);
    await page.mouse.move(x, box.y + CONTROL_Y);
    let length = WHOLE.to - WHOLE.from;
    for (const step of [-300, -500, -200, 250]) {
        await page.mouse.wheel(0, step);
        const window = await windowOf(page, WHOLE);
        near(under(window), time, 1e-6 * time);
        const next = window.to - window.from;
        assert.ok(step < 0 ? next < length : next > length, `${next} after ${length}`);
        length = next;
    }
    near(length / (WHOLE.to - WHOLE.from), Math.exp(-750 * 0.0016), 1e-6);
    await page.mouse.wheel(0, 100000);
    assert.deepEqual(await windowOf(page, WHOLE), WHOLE);
});

test("on the names the wheel does not zoom", async (t) => {
    const { page, box } = await opened(t);
    await page.mouse.move(box.x + 40, box.y + CONTROL_Y);
    await page.mouse.wheel(0, -300);
    assert.deepEqual(await addressOf(page), {});
});

test("dragging moves the window, but not out of the trace", async (t) => {
    const { page, box, pageX } = await opened(t, { hash: "#from=4000&to=6000" });
    const window = { from: 4000, to: 6000 };
    const y = box.y + CONTROL_Y;
    await drag(page, [pageX(5000, window), y], [pageX(4500, window), y]);
    sameWindow(await windowOf(page), { from: 4500, to: 6500 }, 3);
    await drag(page, [box.x + 200, y], [box.x + 1200, y]);
    await drag(page, [box.x + 200, y], [box.x + 1200, y]);
    await drag(page, [box.x + 200, y], [box.x + 1200, y]);
    sameWindow(await windowOf(page), { from: WHOLE.from, to: WHOLE.from + 2000 }, 1e-6);
});

test("shift and the wheel move in time", async (t) => {
    const { page, box, pageX } = await opened(t, { hash: "#from=4000&to=6000" });
    await page.mouse.move(box.x + 600, box.y + CONTROL_Y);
    await page.keyboard.down("Shift");
    await page.mouse.wheel(0, 100);
    await page.keyboard.up("Shift");
    const by = (100 * 2000) / (pageX(WHOLE.to) - pageX(WHOLE.from));
    sameWindow(await windowOf(page), { from: 4000 + by, to: 6000 + by }, 1e-3);
});

test("a double click shows the whole trace again, and so does 0", async (t) => {
    const { page, box } = await opened(t, { hash: "#from=4000&to=6000" });
    await page.mouse.dblclick(box.x + 600, box.y + 15);
    assert.deepEqual(await windowOf(page, WHOLE), WHOLE);
    await page.mouse.move(box.x + 600, box.y + 15);
    await page.mouse.wheel(0, -300);
    assert.notDeepEqual(await windowOf(page, WHOLE), WHOLE);
    await page.keyboard.press("0");
    assert.deepEqual(await windowOf(page, WHOLE), WHOLE);
});

// ---- the overview -------------------------------------------------------------------------------

const START = { from: 4000, to: 6000 };
const HASH = "#from=4000&to=6000";

test("dragging the window on the overview moves it", async (t) => {
    const { page, strip, pageX } = await opened(t, { hash: HASH });
    const y = strip.y + 20;
    await drag(page, [pageX(5000), y], [pageX(8000), y]);
    sameWindow(await windowOf(page), { from: 7000, to: 9000 }, 20);
});

test("dragging its edges resizes it", async (t) => {
    const { page, strip, pageX } = await opened(t, { hash: HASH });
    const y = strip.y + 20;
    await drag(page, [pageX(6000), y], [pageX(9000), y]);
    sameWindow(await windowOf(page), { from: 4000, to: 9000 }, 20);
    await drag(page, [pageX(4000), y], [pageX(2000), y]);
    sameWindow(await windowOf(page), { from: 2000, to: 9000 }, 20);
    await drag(page, [pageX(2000), y], [pageX(10500), y]); // over the other edge
    sameWindow(await windowOf(page), { from: 9000, to: 10500 }, 30);
});

test("dragging beside it makes a new one, a click brings it there", async (t) => {
    const { page, strip, pageX } = await opened(t, { hash: HASH });
    const y = strip.y + 20;
    await drag(page, [pageX(10000), y], [pageX(8000), y]);
    sameWindow(await windowOf(page), { from: 8000, to: 10000 }, 20);
    await page.mouse.click(pageX(3000), y);
    const there = await windowOf(page);
    near(middleOf(there), 3000, 20);
    near(there.to - there.from, 2000, 20);
    await page.mouse.dblclick(pageX(3000), y);
    assert.deepEqual(await windowOf(page, WHOLE), WHOLE);
});

// ---- measuring ----------------------------------------------------------------------------------

test("dragging with shift measures; the window stays", async (t) => {
    const { page, box, pageX } = await opened(t, { hash: HASH });
    const from = Math.round(pageX(4500, START));
    const to = Math.round(pageX(5500, START));
    const duration = ((to - from) * 2000) / (pageX(WHOLE.to) - pageX(WHOLE.from));
    await page.keyboard.down("Shift");
    await drag(page, [from, box.y + 60], [to, box.y + 60]);
    await page.keyboard.up("Shift");
    const picture = await pictureOf(page);
    const told = picture.texts.find(({ fill, text }) => fill === "#2f5fd0" && /µs$/.test(text));
    near(parseFloat(plain(told.text)), duration, 0.001);
    sameWindow(await windowOf(page), START, 1e-9);
    await page.keyboard.press("Escape");
    assert.ok(!(await pictureOf(page)).svg.includes(told.text));
});

// ---- what is under the pointer ------------------------------------------------------------------

const tip = (page, kind) => page.locator(`.tip.${kind}`);
const linesOf = async (locator) => plain(await locator.innerText()).split("\n");

async function hovered(page, x, y) {
    await page.mouse.move(x, y);
    await drawn(page);
    return linesOf(tip(page, "hovered"));
}

test("the box under the pointer tells all of a span", async (t) => {
    const { page, box, pageX } = await opened(t);
    assert.deepEqual(await hovered(page, pageX(4200), box.y + CONTROL_Y), [
        "control task · P4",
        "start 2.000 ms end 4.500 ms",
        "duration 2500.0 µs",
        "deadline 4.000 ms · missed by 500.0 µs",
    ]);
    assert.deepEqual(await hovered(page, pageX(6500), box.y + CONTROL_Y), [
        "control task · P4",
        "start 6.000 ms end 7.000 ms",
        "duration 1000.0 µs",
        "deadline 8.000 ms",
    ]);
    assert.deepEqual(await hovered(page, pageX(1200), box.y + 44), [
        "adc_isr ISR · P9",
        "start 1.000 ms end 1.500 ms",
        "duration 500.0 µs",
    ]);
    assert.deepEqual(await hovered(page, pageX(8500), box.y + CUT_Y), [
        "cut task · P2",
        "start 8.000 ms end at least 9.000 ms",
        "duration at least 1000.0 µs",
        "interrupted: its end was lost",
    ]);
    assert.deepEqual(await hovered(page, pageX(3000), box.y + CONTROL_Y), [
        "spike marker",
        "control",
        "value 42",
        "at 3.000 ms",
    ]);
    await page.mouse.move(pageX(9500), box.y + CONTROL_Y);
    await tip(page, "hovered").waitFor({ state: "detached" });
});

test("a click pins the box, one beside everything lets it go", async (t) => {
    const { page, box, pageX } = await opened(t);
    await page.mouse.click(pageX(6500), box.y + CONTROL_Y);
    const pinned = tip(page, "pinned");
    await page.mouse.move(pageX(1200), box.y + 44);
    await drawn(page);
    assert.match(plain(await pinned.innerText()), /start 6\.000 ms end 7\.000 ms/);
    assert.match(await tip(page, "hovered").innerText(), /adc_isr/);
    assert.deepEqual(await addressOf(page), { at: "1.0.1" });
    assert.equal((await pictureOf(page)).pinned.length, 1);
    await page.mouse.click(pageX(9500), box.y + CONTROL_Y);
    assert.equal(await pinned.count(), 0);
    await page.mouse.click(pageX(6500), box.y + CONTROL_Y);
    await page.getByRole("button", { name: "Unpin" }).click();
    assert.equal(await pinned.count(), 0);
});

test("boxes stay within what is seen", async (t) => {
    const { page, box } = await opened(t, { size: { width: 400, height: 330 } });
    const { width } = await page.locator(".lanes-canvas").boundingBox();
    await page.mouse.move(box.x + width - 25, box.y + CONTROL_Y); // the last of control
    await drawn(page);
    const at = await tip(page, "hovered").boundingBox();
    assert.ok(at.x >= 0 && at.x + at.width <= 400, JSON.stringify(at));
    assert.ok(at.y >= 0 && at.y + at.height <= 330, JSON.stringify(at));
});

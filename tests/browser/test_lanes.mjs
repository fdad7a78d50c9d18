// What is drawn of lanes and spans, markers and deadlines, and where.
import assert from "node:assert/strict";
import { basename } from "node:path";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { generated, open, pixels, plain, rowsOf, vector, wholeOf } from "./harness.mjs";
import { LIGHT, near, onLane, pictureOf, xOf } from "./picture.mjs";

const HEAD = "name,type,start_us,end_us,priority,deadline_us,value,interrupted\n";

const namesOf = (picture) => picture.lanes.map(({ text }) => text);
const summaryOf = async (page) => plain(await page.locator(".summary").innerText());

test("ISRs stand above tasks, each by priority, then as they were first met", async (t) => {
    const csv =
        HEAD +
        "low,task,0,1,1,,,\nsame_b,task,2,3,5,,,\nsame_a,task,4,5,5,,,\n" +
        "slow_isr,isr,6,7,2,,,\nhigh,task,8,9,30,,,\nfast_isr,isr,10,11,12,,,\n";
    const { page } = await open(t, { csv });
    const picture = await pictureOf(page);
    assert.deepEqual(namesOf(picture), ["fast_isr", "slow_isr", "high", "same_b", "same_a", "low"]);
    const tags = picture.texts.filter(({ text }) => /^P\d+$/.test(text)).sort((a, b) => a.y - b.y);
    assert.deepEqual(
        tags.map(({ text, y }) => [text, y]),
        ["P12", "P2", "P30", "P5", "P5", "P1"].map((tag, i) => [tag, picture.lanes[i].y]),
    );
    assert.equal(await summaryOf(page), "6 lanes · 6 spans");
    for (const name of ["fast_isr", "slow_isr"])
        assert.ok(LIGHT.isrs.includes(onLane(picture, name, picture.bars)[0].fill), name);
    for (const name of ["high", "low"])
        assert.ok(LIGHT.tasks.includes(onLane(picture, name, picture.bars)[0].fill), name);
});

test("a bar for each span of a recording, from its start to its end", async (t) => {
    const rows = rowsOf(readFileSync(vector("reset.csv"), "utf8"));
    const spans = rows.filter(({ type }) => type === "task" || type === "isr");
    const whole = wholeOf(
        Math.min(...rows.map(({ start_us }) => start_us)),
        Math.max(...rows.map(({ end_us }) => end_us)),
    );
    const { page } = await open(t, {
        inputs: [vector("reset.bin")],
        size: { width: 1900, height: 900 },
    });
    const picture = await pictureOf(page);
    for (const name of new Set(spans.map((span) => span.name))) {
        const wanted = spans
            .filter((span) => span.name === name && !span.interrupted)
            .sort((a, b) => a.start_us - b.start_us);
        // Under a torn end of no length there is a pale column.
        const bars = onLane(picture, name, picture.bars).filter((bar) => !bar["fill-opacity"]);
        assert.equal(bars.length, wanted.length, name);
        wanted.forEach(({ start_us, end_us }, i) => {
            const width = xOf(picture, whole, end_us) - xOf(picture, whole, start_us);
            near(bars[i].x, xOf(picture, whole, start_us), width < 2.5 ? 1 : 0.02);
            near(bars[i].width, width, width < 2.5 ? 1 : 0.02);
        });
    }
    assert.equal(picture.restarts.length, 1);
    const reset = rows.find(({ name }) => name === "device reset");
    near(picture.restarts[0].x, xOf(picture, whole, reset.start_us));
    assert.match(await summaryOf(page), / · 1 restart$/);
});

// ---- markers ------------------------------------------------------------------------------------

const MARKED =
    HEAD +
    "isr,isr,10,20,9,,,\nhigh,task,10,40,5,,,\nlow,task,0,60,1,,,\n" +
    "m_isr,marker,15,15,,,,\nm_end,marker,20,20,,,7,\nm_high,marker,30,30,,,0,\n" +
    "m_low,marker,50,50,,,18446744073709551615,\nm_none,marker,80,80,,,,\n";

test("a marker stands on the highest lane whose span holds it, else on one below", async (t) => {
    const { page } = await open(t, { csv: MARKED });
    const picture = await pictureOf(page);
    assert.deepEqual(namesOf(picture), ["isr", "high", "low", "markers"]);
    const whole = wholeOf(0, 80);
    const times = (lane) =>
        onLane(picture, lane, picture.marks).map(({ x }) =>
            Math.round(
                whole.from +
                    ((x + 0.75 - picture.plot.x) * (whole.to - whole.from)) / picture.plot.width,
            ),
        );
    assert.deepEqual(times("isr"), [15, 20]);
    assert.deepEqual(times("high"), [30]);
    assert.deepEqual(times("low"), [50]);
    assert.deepEqual(times("markers"), [80]);
    const labels = picture.labels.map(({ text }) => plain(text));
    for (const label of ["m_end 7", "m_high 0", "m_low 18446744073709551615"])
        assert.ok(labels.includes(label), `${label} is not among ${labels}`);
});

test("markers and their labels can be switched off", async (t) => {
    const { page } = await open(t, { csv: MARKED });
    await page.getByRole("button", { name: "label", exact: true }).click();
    const unlabelled = await pictureOf(page);
    assert.equal(unlabelled.labels.length, 0);
    assert.equal(unlabelled.marks.length, 5);
    await page.getByRole("button", { name: "marker", exact: true }).click();
    assert.equal((await pictureOf(page)).marks.length, 0);
    await page.getByRole("button", { name: "marker", exact: true }).click();
    await page.getByRole("button", { name: "label", exact: true }).click();
    const again = await pictureOf(page);
    assert.deepEqual([again.labels.length > 0, again.marks.length], [true, 5]);
});

test("the overview has the markers of lanes without spans", async (t) => {
    const { page } = await open(t, { csv: MARKED, hash: "#from=0&to=40" });
    const { plot } = await pictureOf(page);
    const strip = await pixels(page, ".overview");
    const isViolet = ([red, green, blue]) => red - green > 20 && blue - green > 20;
    const violet = [];
    for (let x = plot.x; x < strip.width; x++)
        for (let y = 2; y < strip.height - 2; y++) if (isViolet(strip.at(x, y))) violet.push(x);
    assert.ok(violet.length > 0);
    const wanted = xOf({ plot }, wholeOf(0, 80), 80);
    for (const x of violet) near(x, wanted, 2);
});

// ---- deadlines ----------------------------------------------------------------------------------

test("deadlines are ticks, missed ones red with their bar outlined", async (t) => {
    const csv =
        HEAD +
        "task,task,0,50,3,100,,\ntask,task,200,350,3,300,,\ntask,task,400,500,3,500,,\n" +
        "task,task,600,900,3,700,,1\nother,task,0,900,1,,,\n";
    const { page } = await open(t, { csv });
    const picture = await pictureOf(page);
    const whole = wholeOf(0, 900);
    const ticks = picture.ticks.map(({ x, width, fill }) => [x + width / 2, fill]);
    const wanted = [
        [100, LIGHT.deadline],
        [300, LIGHT.slow],
        [500, LIGHT.deadline],
    ]; // the interrupted one is outside the check, and has none
    assert.equal(ticks.length, wanted.length);
    wanted.forEach(([us, color], i) => {
        near(ticks[i][0], xOf(picture, whole, us));
        assert.equal(ticks[i][1], color);
    });
    assert.equal(picture.missed.length, 1); // the interrupted one is outside the check
    near(picture.missed[0].x, xOf(picture, whole, 200));
    near(picture.missed[0].width, xOf(picture, whole, 350) - xOf(picture, whole, 200));
    assert.equal(await summaryOf(page), "2 lanes · 5 spans · 3 with deadline · 1 missed (33 %)");
    await page.getByRole("button", { name: "deadline", exact: true }).click();
    assert.equal((await pictureOf(page)).ticks.length, 0);
});

// ---- loss ---------------------------------------------------------------------------------------

test("a gap is hatched over all lanes and says how much was lost", async (t) => {
    const csv = HEAD + "a,isr,0,10,2,,,\nb,task,90,100,1,,,\ngap,gap,20,80,,,12,\n";
    const { page } = await open(t, { csv });
    const picture = await pictureOf(page);
    const whole = wholeOf(0, 100);
    assert.equal(picture.hatched.length, 1);
    const [gap] = picture.hatched;
    near(gap.x, xOf(picture, whole, 20));
    near(gap.width, xOf(picture, whole, 80) - xOf(picture, whole, 20));
    for (const lane of picture.lanes)
        assert.ok(gap.y < lane.y - 12 && gap.y + gap.height > lane.y + 4, lane.text);
    assert.ok(picture.texts.some(({ text }) => /^12 (events|frames) lost/.test(text)));
    assert.match(await summaryOf(page), /1 gap, 12 (events|frames) lost/);
});

test("a recording with losses has as many gaps, torn ends and brackets as the decoder found", async (t) => {
    const rows = rowsOf(readFileSync(vector("lost-wire.csv"), "utf8"));
    const { page } = await open(t, { inputs: [vector("lost-wire.bin")] });
    assert.match(await summaryOf(page), /6 gaps, 8 frames lost/);
    const picture = await pictureOf(page);
    const torn = rows.filter(({ interrupted }) => interrupted).length;
    assert.equal(picture.torn.length, torn);
    assert.ok(torn > 0);
    for (const { width, fill } of picture.torn) assert.ok(width >= 2, `${fill}: ${width}`);
    const [isr, task] = picture.lanes;
    assert.ok(picture.brackets.length > 0);
    assert.equal(picture.brackets.length % 2, 0);
    const top = Math.min(...picture.brackets.map(({ y }) => y));
    const bottom = Math.max(...picture.brackets.map(({ y, height }) => y + height));
    assert.ok(top < isr.y - 12 && bottom > task.y + 4);
    assert.ok(
        picture.texts.some(({ text }) => /^times up to [\d\u2009.]+\u00a0µs early$/.test(text)),
    );
    for (const [label, key] of [
        ["gap", "hatched"],
        ["doubt", "brackets"],
    ]) {
        await page.getByRole("button", { name: label, exact: true }).click();
        assert.equal((await pictureOf(page))[key].length, 0, label);
    }
});

test("an interrupted span has a torn end, never narrower than 2 pixels", async (t) => {
    const csv = HEAD + "long,task,0,1000000,1,,,\ncut,task,500000,500000,4,500001,,1\n";
    const { page } = await open(t, { csv });
    const picture = await pictureOf(page);
    assert.equal(picture.torn.length, 1);
    assert.equal(picture.torn[0].width, 2);
    near(picture.torn[0].x, xOf(picture, wholeOf(0, 1e6), 5e5), 1);
    assert.equal(picture.missed.length, 0);
    assert.equal(await summaryOf(page), "2 lanes · 2 spans");
});

// ---- threads, several inputs --------------------------------------------------------------------

test("spans of a thread are nested rows, with their names", async (t) => {
    const { page } = await open(t, { inputs: [generated("nested")] });
    const picture = await pictureOf(page);
    assert.deepEqual(namesOf(picture), ["main", "worker"]);
    assert.ok(picture.texts.some(({ text }) => text === "shop"));
    const main = picture.bars.filter(({ y }) => y < picture.lanes[1].y - 20);
    const rows = [...new Set(main.map(({ y }) => y))].sort((a, b) => a - b);
    const starts = rows.map((row) => main.filter(({ y }) => y === row).map(({ x }) => x));
    const whole = wholeOf(0, 31000.5);
    const wanted = [
        [0, 20000],
        [1000, 2000, 20000],
        [3000, 5000],
    ];
    assert.deepEqual(
        starts.map((row) => row.length),
        wanted.map((row) => row.length),
    );
    wanted.forEach((row, depth) =>
        row.forEach((us, i) => near(starts[depth][i], xOf(picture, whole, us), 1)),
    );
    const inBar = (name, depth) =>
        picture.texts.some(({ text, y }) => text === name && Math.abs(y - rows[depth] - 12.5) < 2);
    assert.ok(inBar("request", 0) && inBar("answer", 1));
    assert.equal(picture.torn.length, 1); // tidy, on worker
    assert.ok(picture.texts.some(({ text }) => text === "40 events lost"));
});

test("several inputs stand one below the other, each under its name", async (t) => {
    const [first, second] = [vector("preempt.bin"), generated("nested")];
    const { page } = await open(t, { inputs: [first, second] });
    const picture = await pictureOf(page);
    assert.deepEqual(namesOf(picture), ["irq", "task_lo", "main", "worker"]);
    const yOf = (name) => picture.texts.find(({ text }) => text === name)?.y;
    assert.ok(yOf(basename(first)) < yOf("irq"));
    assert.ok(yOf(basename(second)) > yOf("task_lo") && yOf(basename(second)) < yOf("shop"));
    assert.ok(yOf("shop") < yOf("main"));
    assert.match(
        await summaryOf(page),
        /^2 sources · 4 lanes · 70 spans · 1 marker · 1 gap, 40 events lost$/,
    );
    const [gap] = picture.hatched;
    assert.ok(gap.y > yOf(basename(second)), "a gap lies over the lanes of its source alone");
});

test("labels of the axis do not run into one another", async (t) => {
    const csv = HEAD + "a,task,1717766400000000,1717766400000030,1,,,\n";
    const { page } = await open(t, { csv });
    const labels = (await pictureOf(page)).texts.filter(({ text }) => /\u00a0s$/.test(text));
    assert.ok(labels.length >= 2);
    const widths = await page.evaluate(
        (texts) => {
            const context = document.createElement("canvas").getContext("2d");
            context.font = texts.font;
            return texts.all.map((text) => context.measureText(text).width);
        },
        {
            all: labels.map(({ text }) => text),
            font: `${labels[0]["font-size"]}px ${labels[0]["font-family"]}`,
        },
    );
    labels.slice(1).forEach(({ x }, i) => {
        const room = x - labels[i].x - (widths[i] + widths[i + 1]) / 2;
        assert.ok(room >= 0, `${labels[i].text}: ${room}`);
    });
});

test("values with a sign and with decimals are those of the recording", async (t) => {
    const csv =
        "name,type,start_us,end_us,value\nt,task,0,100,\n" +
        "m,marker,10,,-5\nm,marker,40,,1.5\nm,marker,70,,-70000\n";
    const { page } = await open(t, { csv });
    const picture = await pictureOf(page);
    const labels = picture.texts.map(({ text }) => plain(text)).filter((text) => text[0] === "m");
    assert.deepEqual(labels.slice(0, 3), ["m -5", "m 1.5", "m -70000"]);
});

test("a restart does not hide the gap in front of it", async (t) => {
    const { page } = await open(t, {
        inputs: [vector("restart-with-hole.bin")],
        hash: "#from=34004&to=34006",
    });
    const lanes = await page.locator(".lanes-canvas").boundingBox();
    const told = new Set();
    for (let x = 0.2; x < 0.98; x += 0.01) {
        await page.mouse.move(lanes.x + lanes.width * x, lanes.y + 45);
        const tip = page.locator(".tip.hovered strong");
        if (await tip.count()) told.add(await tip.first().innerText());
    }
    assert.ok(told.has("gap"), [...told].join());
});

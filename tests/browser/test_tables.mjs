// The tables below the picture, against what the test computes from the CSV.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { follow, generated, open, plain, rowsOf, vector, windowOf } from "./harness.mjs";

const lanesTable = (page) => page.getByRole("table", { name: "Lanes: activations" });

/** A table's cells as text, a row after the other, the head first. */
async function cellsOf(table) {
    const rows = await table.locator("tr").all();
    return Promise.all(
        rows.map(async (row) => (await row.locator("th, td").allInnerTexts()).map(plain)),
    );
}

const pinned = async (page) => plain(await page.locator(".tip.pinned").innerText());

// ---- lanes --------------------------------------------------------------------------------------

/** What docs/diagram.md says of the spans of one lane. */
function statsOf(spans) {
    const whole = spans.filter(({ interrupted }) => !interrupted);
    const times = whole.map(({ start_us, end_us }) => end_us - start_us).sort((a, b) => a - b);
    const late = whole.filter(
        (span) => span.deadline_us !== null && span.end_us > span.deadline_us,
    );
    return {
        activations: spans.length,
        min: times[0],
        mean: times.reduce((sum, time) => sum + time, 0) / times.length,
        p99: times[Math.ceil(times.length * 0.99) - 1],
        max: times.at(-1),
        unknown: spans.length - whole.length,
        missed: late.length,
    };
}

function lanesOf(rows) {
    const lanes = new Map();
    for (const row of rows)
        if (row.type === "task" || row.type === "isr")
            lanes.set(row.name, [...(lanes.get(row.name) ?? []), row]);
    return lanes;
}

async function assertStats(page, rows) {
    const [head, ...lines] = await cellsOf(lanesTable(page));
    const lanes = lanesOf(rows);
    assert.deepEqual(lines.map(([name]) => name).sort(), [...lanes.keys()].sort());
    for (const line of lines) {
        const cell = (name) => line[head.findIndex((text) => text.startsWith(name))];
        const wanted = statsOf(lanes.get(line[0]));
        assert.equal(cell("activations"), String(wanted.activations));
        for (const key of ["min", "mean", "p99", "max"]) {
            const digits = cell(key).split(".")[1]?.length ?? 0;
            const off = Math.abs(Number(cell(key)) - wanted[key]);
            assert.ok(off <= 0.5001 * 10 ** -digits, `${line[0]} ${key}: ${cell(key)}`);
        }
        assert.equal(cell("end unknown") ?? "0", String(wanted.unknown));
        const hasDeadline = lanes.get(line[0]).some((row) => row.deadline_us !== null);
        assert.equal(cell("missed") ?? "", hasDeadline ? String(wanted.missed) : "");
    }
}

for (const name of ["lost-wire", "reset", "preempt", "cycles"])
    test(`lanes of a recording in numbers: ${name}`, async (t) => {
        const { page } = await open(t, { inputs: [vector(`${name}.bin`)] });
        await assertStats(page, rowsOf(readFileSync(vector(`${name}.csv`), "utf8")));
    });

test("p99 is the nearest rank, mean and extremes leave out what has no end", async (t) => {
    const lines = Array.from({ length: 250 }, (_, i) => {
        const length = ((i * 37) % 250) + 1; // each of 1 to 250
        return `many,task,${1000 * i},${1000 * i + length},1,${1000 * i + 240.5},0`;
    });
    const csv = `name,type,start_us,end_us,priority,deadline_us,interrupted\n${lines.join("\n")}
many,task,300000,390000,1,300240.5,1\n`;
    const { page } = await open(t, { csv });
    await assertStats(page, rowsOf(csv));
    const [, line] = await cellsOf(lanesTable(page));
    assert.deepEqual(line.slice(2), ["251", "1.000", "125.500", "248.000", "250.000", "1", "10"]);
});

const WORST =
    "name,type,start_us,end_us,priority,deadline_us\n" +
    "task,task,0,900,1,1000\ntask,task,2000,2500,1,2400\ntask,task,4000,4700,1,4500\n" +
    "free,task,100,150,2,\nfree,task,6000,6300,2,\nfree,task,7000,7300,2,\n";

test("a click on a lane goes to its worst: most late, else longest, the first of equals", async (t) => {
    const { page } = await open(t, { csv: WORST });
    await lanesTable(page).getByRole("row", { name: "task" }).last().click();
    assert.match(await pinned(page), /start 4\.000 ms end 4\.700 ms/);
    assert.match(await pinned(page), /missed by 200\.0 µs/);
    await lanesTable(page).getByRole("button", { name: "free" }).focus();
    await page.keyboard.press("Enter");
    assert.match(await pinned(page), /start 6\.000 ms end 6\.300 ms/);
});

test("lanes can be sorted by any number, and as in the picture again", async (t) => {
    const { page } = await open(t, { inputs: [vector("lost-wire.bin")] });
    const order = async () => (await cellsOf(lanesTable(page))).slice(1).map(([name]) => name);
    const head = lanesTable(page).getByRole("button", { name: "activations" });
    assert.deepEqual(await order(), ["isr_a", "work"]);
    await head.click();
    assert.deepEqual(await order(), ["isr_a", "work"]);
    await head.click();
    assert.deepEqual(await order(), ["work", "isr_a"]);
    await lanesTable(page).getByRole("button", { name: "missed" }).click();
    assert.deepEqual(await order(), ["work", "isr_a"]);
    await lanesTable(page).getByRole("button", { name: "lane", exact: true }).click();
    assert.deepEqual(await order(), ["isr_a", "work"]);
});

// ---- the window ---------------------------------------------------------------------------------

const windowTable = (page) => page.locator("details.window table");

async function openWindowTable(page) {
    await page.getByText("Table of what is in the window").click();
    await windowTable(page).waitFor();
}

test("the table of the window has what touches it, in the order of time", async (t) => {
    const rows = rowsOf(readFileSync(vector("reset.csv"), "utf8"));
    const [from, to] = [20000, 34000];
    const wanted = rows
        .filter(({ start_us, end_us }) => start_us <= to && end_us >= from)
        .sort((a, b) => a.start_us - b.start_us);
    const { page } = await open(t, {
        inputs: [vector("reset.bin")],
        hash: `#from=${from}&to=${to}`,
    });
    await openWindowTable(page);
    const [head, ...lines] = await cellsOf(windowTable(page));
    assert.deepEqual(head.slice(0, 6), ["name", "kind", "lane", "start", "end", "duration"]);
    assert.deepEqual(
        lines.map(([name, , , start]) => [name, start]),
        wanted.map(({ name, start_us }) => [name, `${(start_us / 1000).toFixed(3)} ms`]),
    );
    const missed = lines.find((line) => line[0] === "control_task" && line[3] === "23.010 ms");
    assert.deepEqual(missed.slice(1, 8), [
        "task · P4",
        "control_task",
        "23.010 ms",
        "34.010 ms",
        "11000.0 µs",
        "33.010 ms",
        "1000.0 µs",
    ]);
    assert.ok(
        (await windowTable(page).locator("caption").innerText()).startsWith(
            `${wanted.length} spans and markers`,
        ),
    );
});

test("it follows the window, says when it is cut short, and leads to what it lists", async (t) => {
    const spans = Array.from({ length: 1000 }, (_, i) => `s,task,${10 * i},${10 * i + 5},1`);
    const csv = `name,type,start_us,end_us,priority\n${spans.join("\n")}\n`;
    const { page } = await open(t, { csv });
    await openWindowTable(page);
    const caption = windowTable(page).locator("caption");
    assert.equal(
        plain(await caption.innerText()),
        "The first 200 of 1000 spans and markers in the window",
    );
    assert.equal((await cellsOf(windowTable(page))).length, 201);
    await follow(page, "#from=2001&to=2022");
    await page.getByText("3 spans and markers in the window").waitFor();
    await windowTable(page).getByRole("row", { name: "2.010" }).click();
    assert.match(await pinned(page), /start 2\.010 ms end 2\.015 ms/);
    assert.deepEqual(await windowOf(page), { from: 2001, to: 2022 }); // it is seen well already
});

test("threads: notes say what is wrong with a span", async (t) => {
    const { page } = await open(t, { inputs: [generated("nested")] });
    await openWindowTable(page);
    const lines = await cellsOf(windowTable(page));
    const notesOf = (name, start) =>
        lines.find((line) => line[0] === name && line[3] === start).at(-1);
    assert.match(notesOf("check", "3.000 ms"), /^failed/);
    assert.match(notesOf("request", "20.000 ms"), /^unwound/);
    assert.match(notesOf("tidy", "30.000 ms"), /^interrupted/);
    assert.equal(notesOf("answer", "2.000 ms"), "");
});

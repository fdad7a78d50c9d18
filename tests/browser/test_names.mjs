// Names are data: whatever they hold, nothing is run, nothing breaks, and they can be read.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { draw, drawn, fileOf, generated, open } from "./harness.mjs";
import { pictureOf } from "./picture.mjs";

const quoted = (text) => `"${text.replaceAll('"', '""')}"`;

// A name, and how it is shown.
const NAMES = [
    ["</script><script>window.broken = 1</script>"],
    ["<!-- <script>"],
    ["]]><img src=x onerror='window.broken = 2'>"],
    [`"double" 'single' \`back\` & &amp; \\ \${x}`],
    ["\u202eturned\u202c \u2067round\u2069 \u200f", "⟪RLO⟫turned⟪PDF⟫ ⟪RLI⟫round⟪PDI⟫ ⟪RLM⟫"],
    ["line\u2028para\u2029graph", "line⟪LS⟫para⟪PS⟫graph"],
    ["new\nline\ttab", "new␊line␉tab"],
    ["日本語 שלום 👩‍🚀"],
    ["__proto__"],
    ["<!--TITLE--><!--DATA-->/*SCRIPT*/$&$1"],
    ["a,b;c"],
];

function csvOf(names) {
    const rows = names.map(
        (name, i) => `${quoted(name)},task,${i * 100},${i * 100 + 90},${100 - i}`,
    );
    return `name,type,start_us,end_us,priority\n${rows.join("\n")}\n`;
}

async function cardWidth(page) {
    return page.evaluate(() => ({
        card: document.querySelector(".card").getBoundingClientRect().width,
        page: document.documentElement.scrollWidth,
    }));
}

test("hostile names are shown as text, everywhere", async (t) => {
    const names = NAMES.map(([name]) => name);
    const { page } = await open(t, { csv: csvOf(names) });
    const heads = await page.locator("table tbody th").allTextContents();
    assert.deepEqual(
        heads,
        NAMES.map(([name, shown]) => shown ?? name),
    );
    const { lanes } = await pictureOf(page); // the SVG file is well formed
    assert.equal(lanes.length, names.length);
    lanes.forEach(({ text }, i) => {
        const shown = NAMES[i][1] ?? NAMES[i][0];
        assert.ok(shown.startsWith(text.replace(/…$/, "")), text);
    });
    await page.getByText("Table of what is in the window").click();
    for (const row of await page.locator("details tbody th button").all()) await row.click();
    assert.equal(await page.evaluate(() => window.broken), undefined);
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.locator("script").count(), 2);
});

test("they can be found, and told of", async (t) => {
    const { page } = await open(t, { csv: csvOf(NAMES.map(([name]) => name)) });
    for (const text of ["</script>", "<!-- <", "שלום", "__proto__", "&amp;"]) {
        await page.getByLabel("Find a name").fill(text);
        await page.getByText("1 found").waitFor();
        await page.getByLabel("Find a name").press("Enter");
        assert.ok((await page.locator(".tip.pinned").innerText()).includes(text), text);
    }
});

test("a name of 64 KiB does not widen the page", async (t) => {
    const { page: short } = await open(t, { csv: csvOf(["a"]) });
    const wanted = await cardWidth(short);
    for (const name of ["w".repeat(65536), "<b> ".repeat(16384), "\u202e".repeat(20000)]) {
        const { page } = await open(t, { csv: csvOf([name, "b"]) });
        assert.deepEqual(await cardWidth(page), wanted);
        await page.locator("table tbody th button").first().click();
        await drawn(page);
        const tip = await page.locator(".tip.pinned").boundingBox();
        assert.ok(tip.width <= 420 && tip.height <= 900, `${tip.width} x ${tip.height}`);
        await page.getByText("Table of what is in the window").click();
        assert.deepEqual(await cardWidth(page), wanted);
        await page.getByText("2 spans and markers in the window").waitFor();
        for (const table of await page.locator(".table").all())
            assert.ok((await table.evaluate((at) => at.scrollWidth)) < 1.25 * wanted.card);
    }
});

test("bytes that are no UTF-8 are shown as such", async (t) => {
    const bytes = Buffer.concat([
        Buffer.from("name,type,start_us,end_us\n"),
        Buffer.from([0x62, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0xf8]),
        Buffer.from(",task,0,1\n"),
    ]);
    const { page } = await open(t, { inputs: [fileOf(bytes)] });
    assert.match(await page.locator("table tbody th").innerText(), /^b\ufffd+\(\ufffd+$/);
    const { lanes } = await pictureOf(page);
    assert.match(lanes[0].text, /^b\ufffd+\(\ufffd+$/);
});

test("names of a .stave file: escapes, half characters, long ones", async (t) => {
    const { page } = await open(t, { inputs: [generated("wild")] });
    const { texts } = await pictureOf(page);
    for (const shown of ["new␊line", "la␛[31mne␍"])
        assert.ok(
            texts.some(({ text }) => text === shown),
            shown,
        );
});

test("a title is data too", async (t) => {
    const title = '</title><script>window.broken = 3</script> & \u202e "q" <!--DATA-->';
    const shown = title.replace("\u202e", "⟪RLO⟫");
    const { page } = await open(t, { csv: csvOf(["a"]), options: ["--title", title] });
    assert.equal(await page.locator("h1").innerText(), shown);
    assert.ok([title, shown].includes(await page.title()), await page.title());
    assert.equal(await page.evaluate(() => window.broken), undefined);
    const long = await open(t, { csv: csvOf(["a"]), options: ["--title", "t".repeat(60000)] });
    const { card, page: whole } = await cardWidth(long.page);
    assert.deepEqual([card, whole], [1240, 1280]);
});

test("a page whose data is damaged says so", async (t) => {
    const { page, path } = await open(t, { csv: csvOf(["a"]) });
    const html = readFileSync(path, "utf8");
    for (const [from, to] of [
        [/(id="stave-data">\s*)\S{20}/, "$1AAAAAAAAAAAAAAAAAAAA"],
        [/(id="stave-data">)[^<]*/, "$1"],
    ]) {
        writeFileSync(path, html.replace(from, to));
        await page.reload();
        const alert = page.getByRole("alert");
        await alert.waitFor();
        assert.match(await alert.innerText(), /cannot be shown/);
    }
});

test("the command refuses to draw what it cannot read", () => {
    assert.throws(() => draw([fileOf("name,type\nx,y\n")]));
});

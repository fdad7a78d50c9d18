// Makes the pages that Stave's programs carry, each as one C file.
//
//     node ui/build.mjs DIRECTORY [--watchable]
//
// DIRECTORY/diagram_page.c has what stands around the data of a timing diagram
// (src/export/diagram_page.h); DIRECTORY/diagram.html is the same page to look at, with its two places
// still empty.
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ui = dirname(fileURLToPath(import.meta.url));
const BROWSERS = ["chrome111", "firefox121", "safari17"];

async function bundle(entry) {
    const result = await build({
        entryPoints: [join(ui, entry)],
        bundle: true,
        minify: true,
        write: false,
        format: "iife",
        target: BROWSERS,
        charset: "ascii",
        legalComments: "none",
        jsx: "automatic",
        jsxImportSource: "preact",
        tsconfig: join(ui, "tsconfig.json"),
    });
    // A script ends at the first "</script", wherever that stands.
    return result.outputFiles[0].text.replaceAll(/<(\/script|!--)/gi, "\\x3c$1");
}

async function style(entry) {
    const result = await build({
        entryPoints: [join(ui, entry)],
        bundle: true,
        minify: true,
        write: false,
        target: BROWSERS,
    });
    return result.outputFiles[0].text;
}

// In the order in which they stand in the page; a replacement is text, not a pattern.
async function page(directory) {
    const html = readFileSync(join(ui, directory, "page.html"), "utf8");
    const css = await style(join(directory, "style.css"));
    const script = await bundle(join(directory, "main.tsx"));
    return html.replace("/*STYLE*/", () => css).replace("/*SCRIPT*/", () => script);
}

function cBytes(text) {
    const bytes = [...Buffer.from(text, "utf8")].map((byte) => (byte < 128 ? byte : byte - 256));
    const lines = [];
    for (let at = 0; at < bytes.length; at += 24)
        lines.push("    " + bytes.slice(at, at + 24).join(","));
    return lines.join(",\n");
}

function cFile(header, symbol, parts) {
    const arrays = parts.map((part, i) => `static const char part_${i}[] = {\n${cBytes(part)}};\n`);
    const rows = parts.map((_, i) => `    {part_${i}, sizeof part_${i}},\n`);
    return (
        `/* Made by ui/build.mjs. */\n#include "${header}"\n\n${arrays.join("\n")}\n` +
        `const struct stave__page_part ${symbol}[${parts.length}] = {\n${rows.join("")}};\n`
    );
}

function splitAt(html, ...places) {
    const parts = [];
    let rest = html;
    for (const place of places) {
        const pieces = rest.split(place);
        if (pieces.length !== 2)
            throw new Error(`page.html has ${pieces.length - 1} times ${place}`);
        parts.push(pieces[0]);
        rest = pieces[1];
    }
    return [...parts, rest];
}

const to = process.argv[2];
if (!to) {
    console.error("usage: node ui/build.mjs DIRECTORY");
    process.exit(2);
}
mkdirSync(to, { recursive: true });
const html = await page("src/diagram");
const parts = splitAt(html, "<!--TITLE-->", "<!--DATA-->");
writeFileSync(join(to, "diagram.html"), html);
writeFileSync(
    join(to, "diagram_page.c"),
    cFile("export/diagram_page.h", "stave__diagram_page", parts),
);

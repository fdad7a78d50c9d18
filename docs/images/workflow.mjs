// The README's picture of a workflow: the file of `make workflow` in speedscope, by dependency, the heaviest left.
//
//     npm install --prefix DIR speedscope@1.25.0 playwright-core@1.58.0
//     node docs/images/workflow.mjs DIR
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const installed = resolve(process.argv[2]);
const app = join(installed, "node_modules/speedscope/dist/release");
const { chromium } = createRequire(join(installed, "package.json"))("playwright-core");
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json" };

const server = createServer(async (request, response) => {
    const name = new URL(request.url, "http://localhost").pathname;
    const file = name === "/workflow.json" ? join(root, "demo/workflow.speedscope.json") : join(app, name);
    const bytes = await readFile(file).catch(() => null);
    response.writeHead(bytes === null ? 404 : 200, { "content-type": types[extname(file)] ?? "font/woff2" });
    response.end(bytes);
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const base = `http://127.0.0.1:${server.address().port}`;

const browser = await chromium.launch({
    executablePath: process.env.STAVE_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
    args: ["--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const page = await browser.newPage({ viewport: { width: 1240, height: 300 } });
const imported = page.waitForEvent("console", (message) => message.text().startsWith("import: "));
await page.goto(`${base}/index.html#profileURL=${encodeURIComponent(`${base}/workflow.json`)}&view=left-heavy`);
await imported;
await page.waitForTimeout(1000);
await page.screenshot({ path: join(root, "docs/images/workflow.png") });
await browser.close();
server.close();

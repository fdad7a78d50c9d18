// The README's picture: the demo's diagram, after `make demo` and `make test` have installed what it takes.
//
//     node docs/images/diagram.mjs
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const { chromium } = createRequire(join(root, "ui/package.json"))("playwright-core");

const browser = await chromium.launch({
    executablePath: process.env.STAVE_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
    args: ["--no-sandbox", "--disable-gpu"],
});
const page = await browser.newPage({ viewport: { width: 1240, height: 690 }, colorScheme: "light" });
const hash = "#from=483000&to=517000&theme=light";
await page.goto(pathToFileURL(join(root, "demo/diagram.html")).href + hash);
await page.waitForSelector("html[data-drawn]");
const lanes = await page.locator(".lanes-canvas").boundingBox();
await page.mouse.move(lanes.x + lanes.width * 0.52, lanes.y + 175);
await page.waitForSelector(".tip.hovered");
await page.screenshot({ path: join(root, "docs/images/diagram.png") });
await browser.close();

// Bundles and runs the tests that need no browser: ui/test/*.test.ts.
//
//     node ui/test/run.mjs [DIRECTORY]
//
// DIRECTORY is where the bundles go, by default one that is removed again.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const given = process.argv[2];
const to = given ?? mkdtempSync(join(tmpdir(), "stave-ui-test-"));
const tests = readdirSync(here).filter((name) => name.endsWith(".test.ts"));

await build({
    entryPoints: tests.map((name) => join(here, name)),
    outdir: to,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node18",
    sourcemap: "inline",
    tsconfig: join(here, "..", "tsconfig.json"),
});
const bundles = tests.map((name) => join(to, basename(name, ".ts") + ".mjs"));
const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...bundles], {
    stdio: "inherit",
});
if (!given) rmSync(to, { recursive: true });
process.exit(status ?? 1);

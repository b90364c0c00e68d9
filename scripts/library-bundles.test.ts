// The libraries that a run of the tests bundles: programs of the repository load the bundles, others what is installed,
// and nothing imports a part that is not bundled, or a process would hold two copies of one library.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { bundleLibraries, LIBRARIES } from "./library-bundles.ts";

const FOLDERS = ["src", "test", "testkit", "demo", "scripts"];

test("every part of these libraries that is imported is bundled", () => {
  const roots = [...new Set(LIBRARIES.map((library) => library.replace(/\/.*/, "")))];
  const imported = new RegExp(`(?:from |import\\()"((?:${roots.join("|")})(?:/[^"]*)?)"`, "g");
  const unbundled = globSync(FOLDERS.map((folder) => `${folder}/**/*.ts`)).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(imported)]
      .map(([, library = ""]) => library)
      .filter((library) => !LIBRARIES.includes(library))
      .map((library) => `${file}: ${library}`),
  );
  assert.deepEqual(unbundled, []);
});

test("a program of the repository loads the bundles, one of another folder does not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "strand-bundles-"));
  try {
    const [repository, elsewhere] = [join(folder, "repository"), join(folder, "elsewhere")];
    const program = `const { Type } = await import("typebox");
      console.log(Type === undefined ? "installed" : Type.String().type);`;
    for (const home of [repository, elsewhere]) {
      mkdirSync(join(home, "node_modules", "typebox"), { recursive: true });
      writeFileSync(join(home, "node_modules", "typebox", "index.js"), "");
      writeFileSync(join(home, "program.mjs"), program);
    }
    const option = await bundleLibraries(process.cwd(), join(folder, "bundles"), repository);
    const said = [repository, elsewhere].map(
      (home) => spawnSync(process.execPath, [option, join(home, "program.mjs")], { encoding: "utf8" }).stdout,
    );
    assert.deepEqual(said, ["string\n", "installed\n"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

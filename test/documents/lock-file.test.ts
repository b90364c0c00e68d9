// Will `npm ci` accept the lock file? It refuses one that lacks an entry for any optional package of any platform, and
// `npm install` forgets those of other platforms when they cannot be seen from where it runs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Entry {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

for (const file of ["package-lock.json", "bench/package-lock.json"]) {
  test(`${file} has an entry for every optional package of every platform`, () => {
    const { packages } = JSON.parse(readFileSync(file, "utf8")) as {
      packages: Readonly<Record<string, Entry>>;
    };
    const missing = Object.entries(packages).flatMap(([place, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) =>
          packages[`node_modules/${name}`] === undefined &&
          packages[`${place}/node_modules/${name}`] === undefined,
      ),
    );
    assert.deepEqual(missing, []);
  });
}

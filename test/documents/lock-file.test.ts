// `npm ci` accepts the lock files, and they say what every package has to be. npm refuses one that lacks an entry for
// any optional package of any platform, and `npm install` forgets those of other platforms, or their hashes, when they
// cannot be seen from where it runs: a development tool is kept at the newest version that is there for all of them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

for (const file of ["package-lock.json", "bench/package-lock.json", "mutation/package-lock.json"]) {
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

for (const file of ["package-lock.json", "bench/package-lock.json", "mutation/package-lock.json"]) {
  test(`${file}: every package of every platform has a SHA-512, because npm installs whatever it is given without one`, () => {
    const { packages } = JSON.parse(readFileSync(file, "utf8")) as {
      packages: Readonly<Record<string, Entry>>;
    };
    const without = Object.entries(packages)
      .filter(([place, { integrity }]) => place !== "" && integrity?.startsWith("sha512-") !== true)
      .map(([place, { version }]) => `${place}: npm view NAME@${version} dist.integrity`);
    assert.deepEqual(without, []);
  });
}

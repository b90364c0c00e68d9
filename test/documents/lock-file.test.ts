// `npm ci` accepts the lock files, and they say what every package has to be. npm refuses one that lacks an entry for
// any optional package of any platform, and `npm install` forgets those of other platforms when they cannot be seen
// from where it runs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
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

/** Why packages may lack an `integrity`: their files cannot be had from the registry that the lock file is made with. */
const WITHOUT_INTEGRITY: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [
    /^@biomejs\/cli-(android-arm64|android-x64|darwin-arm64|darwin-x64|linux-arm64-musl|linux-x64-musl|win32-arm64|win32-x64)$/,
    "the formatter for other platforms",
  ],
  [
    /^@oxc-parser\/binding-(android-arm-eabi|android-arm64|darwin-arm64|darwin-x64|freebsd-x64|linux-arm-gnueabihf|linux-arm-musleabihf|linux-ppc64-gnu|linux-riscv64-gnu|linux-riscv64-musl|linux-s390x-gnu|openharmony-arm64|win32-arm64-msvc|win32-ia32-msvc|win32-x64-msvc)$/,
    "the parser of the structure check for other platforms",
  ],
  [
    /^@oxlint\/binding-(android-arm-eabi|android-arm64|darwin-arm64|darwin-x64|freebsd-x64|linux-arm-gnueabihf|linux-arm-musleabihf|linux-arm64-musl|linux-ppc64-gnu|linux-riscv64-gnu|linux-riscv64-musl|linux-s390x-gnu|linux-x64-musl|openharmony-arm64|win32-arm64-msvc|win32-ia32-msvc|win32-x64-msvc)$/,
    "the linter for other platforms",
  ],
  [
    /^@oxlint-tsgolint\/(darwin-arm64|darwin-x64|win32-arm64|win32-x64)$/,
    "the typed linter for other platforms",
  ],
  [
    /^@foundry-rs\/anvil-(darwin-amd64|darwin-arm64|linux-arm64)$/,
    "the EVM dev node of demo and tests for other platforms",
  ],
];

for (const file of ["package-lock.json", "bench/package-lock.json"]) {
  test(`${file}: every package has a SHA-512, but for optional tools of other platforms that are named here`, () => {
    const { packages } = JSON.parse(readFileSync(file, "utf8")) as {
      packages: Readonly<Record<string, Entry>>;
    };
    const used = new Set<RegExp>();
    for (const [place, entry] of Object.entries(packages)) {
      if (place === "" || entry.integrity?.startsWith("sha512-") === true) continue;
      const name = place.replace(/^.*node_modules\//, "");
      const exception = WITHOUT_INTEGRITY.find(([pattern]) => pattern.test(name));
      assert.ok(
        exception !== undefined,
        `${place} has no integrity: npm view ${name}@${entry.version} dist.integrity`,
      );
      used.add(exception[0]);
      // What runs the service, here or anywhere, is never among them: npm would install whatever it is given.
      assert.equal(entry.optional, true, place);
      assert.ok(entry.dev === true || name.startsWith("@foundry-rs/"), place);
      const isHere =
        entry.os?.includes("linux") && entry.cpu?.includes("x64") && !entry.libc?.includes("musl");
      assert.ok(isHere !== true, `${place} is for linux-x64 with glibc, where the lock file is made`);
    }
    if (file === "package-lock.json")
      assert.equal(used.size, WITHOUT_INTEGRITY.length, "an exception is not needed");
  });
}

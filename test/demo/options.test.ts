// The demo's flags are read, and mistakes are answered by a sentence that names the flag.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseOptions, unusedSettings } from "../../demo/options.ts";

function options(...argv: readonly string[]) {
  const parsed = parseOptions(argv);
  assert.equal(parsed.kind, "run");
  return parsed.kind === "run" ? parsed.options : null;
}

const port = (argv: readonly string[], PORT: string): unknown => {
  const parsed = parseOptions(argv, { PORT });
  return parsed.kind === "run" ? parsed.options.port : parsed;
};

describe("flags of the demo", () => {
  test("defaults", () => {
    const expected = {
      port: 8080,
      blockMs: 2500,
      quiet: false,
      tokensOnly: false,
      fresh: false,
      folder: "./data/demo",
    };
    assert.deepEqual(options(), expected);
  });

  test("values follow the flag or an equals sign", () => {
    const expected = { port: 9, blockMs: 250, quiet: true, tokensOnly: true, fresh: true, folder: "a=b" };
    assert.deepEqual(
      options("--port", "9", "--block-seconds=0.25", "--quiet", "--tokens-only", "--fresh", "--folder=a=b"),
      expected,
    );
  });

  test("PORT of the environment counts, a flag wins over it, and an empty one is none", () => {
    assert.equal(port([], "9000"), 9000);
    assert.equal(port(["--port", "9001"], "9000"), 9001);
    assert.equal(port([], ""), 8080);
    assert.match(JSON.stringify(port([], "70000")), /PORT takes a number/);
    assert.deepEqual(unusedSettings({ PORT: "1", DATABASE_URL: "x", HOST: "", PATH: "y" }), ["DATABASE_URL"]);
  });

  test("help wins, and mistakes name what was wrong", () => {
    assert.equal(parseOptions(["--port", "9", "--help"]).kind, "help");
    for (const [argv, words] of [
      [["--port", "65536"], /--port takes .*"65536"/],
      [["--port"], /--port needs a value/],
      [["--block-seconds", "0.05"], /--block-seconds takes .*"0.05"/],
      [["--block-seconds", "1e2"], /"1e2"/],
      [["--folder="], /--folder takes a path/],
      [["--prot", "1"], /no flag --prot/],
      [["fast"], /no flag fast/],
    ] as const) {
      const parsed = parseOptions(argv);
      assert.match(parsed.kind === "wrong" ? parsed.sentence : parsed.kind, words);
    }
  });
});

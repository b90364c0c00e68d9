#!/usr/bin/env node
// Makes the npm compiler look like the native `solc` to forge, which knows two calls: `--version`, and `--standard-json`
// with the whole input on standard input. Plain JavaScript, because forge starts it with whatever Node is on the PATH.

import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";

const solc = createRequire(import.meta.url)("solc");

/** Writes all of a text, also to a pipe that takes a part at a time. */
function print(text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (fault) {
      if (fault.code !== "EAGAIN") throw fault;
    }
  }
}

if (process.argv.includes("--standard-json")) print(solc.compile(readFileSync(0, "utf8")));
else print(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}\n`);

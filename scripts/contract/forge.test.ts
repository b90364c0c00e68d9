// The escrow's tests in Solidity (contracts/test/) as part of this suite: each test of forge is counted as one here. And
// no line or branch of the contract is left out by them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { measureCoverage } from "./coverage.ts";
import { foundryProgram } from "../../testkit/programs.ts";
import { FORGE_MISSING, runForge } from "./forge.ts";
import { GAS_PAGE, makeGasPage } from "./gas.ts";

/** What forge writes for `--json`: test contracts by file and name, their tests by signature. */
type ForgeReport = Readonly<
  Record<
    string,
    {
      readonly test_results: Readonly<
        Record<string, { readonly status: string; readonly reason: string | null; readonly kind: ForgeKind }>
      >;
    }
  >
>;
interface ForgeKind {
  readonly Invariant?: { readonly calls: number };
}

/** Calls in random histories that a run of the suite makes at the least. */
const LEAST_CALLS = 100_000;
const skip = foundryProgram("forge") === null ? FORGE_MISSING : false;

test("the escrow's tests in Solidity", { skip }, async (context) => {
  const { output, errors } = await runForge(["test", "--json"]);
  assert.ok(output.startsWith("{"), `${output}\n${errors}`);
  const report: ForgeReport = JSON.parse(output);
  let calls = 0;
  for (const [suite, { test_results: results }] of Object.entries(report)) {
    for (const [signature, { status, reason, kind }] of Object.entries(results)) {
      calls += kind.Invariant?.calls ?? 0;
      const name = `${suite.slice(suite.indexOf(":") + 1)} ${signature}`;
      await context.test(name, () =>
        assert.equal(status, "Success", `${reason ?? ""}: npm run test:contract`),
      );
    }
  }
  await context.test(`the random histories have at least ${LEAST_CALLS} calls`, () =>
    assert.ok(calls >= LEAST_CALLS, `${calls} calls`),
  );
});

test("S-26: forge makes the same bytes of the escrow as solc-js, whose are committed", { skip }, async () => {
  const { code, output, errors } = await runForge(["build"]);
  assert.equal(code, 0, `${output}\n${errors}`);
  const made: { bytecode: { object: string } } = JSON.parse(
    readFileSync("data/forge/out/PearlUsdcEscrow.sol/PearlUsdcEscrow.json", "utf8"),
  );
  const kept: { bytecode: string } = JSON.parse(readFileSync("contracts/build/PearlUsdcEscrow.json", "utf8"));
  assert.equal(made.bytecode.object, kept.bytecode);
});

test("docs/gas.md is forge's gas report (else: npm run gas)", { skip }, async () => {
  assert.equal(readFileSync(GAS_PAGE, "utf8"), await makeGasPage());
});

test("every line and branch of the escrow is run by its unit and fuzz tests", { skip }, async () => {
  const files = await measureCoverage();
  const names = files.map(({ file }) => file).toSorted();
  assert.deepEqual(
    names,
    ["EscrowFunds", "EscrowHashing", "PearlUsdcEscrow"].map((name) => `contracts/${name}.sol`),
  );
  assert.deepEqual(
    files.filter(({ missed }) => missed.length > 0),
    [],
  );
});

test("forge's linter finds nothing in the escrow but comparisons with the time of a block", {
  skip,
}, async () => {
  const sources = ["EscrowFunds", "EscrowHashing", "EscrowTypes", "PearlUsdcEscrow"].map(
    (name) => `contracts/${name}.sol`,
  );
  const severities = ["high", "med", "low", "gas", "code-size"].flatMap((severity) => [
    "--severity",
    severity,
  ]);
  const all = await runForge(["lint", ...sources, ...severities]);
  assert.equal(all.code, 0, all.errors);
  assert.doesNotMatch(all.errors, /(?:warning|note)\[/);
  // foundry.toml says why these are meant; a lint that is named on the command line is not left out.
  const { errors } = await runForge(["lint", ...sources, "--only-lint", "block-timestamp"]);
  assert.equal(errors.match(/warning\[block-timestamp\]/g)?.length, 4, errors);
});

// Puts one bug of one line after the other into the escrow and wants its tests in Solidity to fail: `npm run
// breaks:contract`. `-- --list` prints the breaks, `--only EscrowFunds.sol` or `--only PearlUsdcEscrow.sol:150` tries
// some. Unit and fuzz tests come first, without the optimizer; what they miss, 5,000 calls of random histories may find.
// Exit code 1 where a break that is not named as equivalent stays green, or one that is named so is noticed.

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { escrowAlone } from "../build-contracts.ts";
import { EQUIVALENT_BREAKS } from "./equivalent-breaks.ts";
import { type ForgeRun, runForge } from "./forge.ts";
import { type LineBreak, lineBreaks } from "./line-breaks.ts";

const SOURCES = ["EscrowFunds", "EscrowHashing", "PearlUsdcEscrow"].map((name) => `contracts/${name}.sol`);
const ENVIRONMENT = { FOUNDRY_OPTIMIZER: "false", FOUNDRY_FUZZ_RUNS: "64", FOUNDRY_INVARIANT_RUNS: "20" };
/** The tests take the escrow from here (`_newEscrow`), so a break compiles the escrow alone, and the tests stay. */
const ARTEFACT = "data/forge/out/PearlUsdcEscrow.sol/PearlUsdcEscrow.json";

type Verdict = "red" | "equivalent" | "no program" | "GREEN" | "NOT EQUIVALENT";

const { values: options } = parseArgs({
  options: { only: { type: "string" }, list: { type: "boolean", default: false } },
});
const all = SOURCES.flatMap((file) => lineBreaks(file, readFileSync(file, "utf8")));
const chosen = all.filter((one) => options.only === undefined || placeOf(one).includes(options.only));
if (options.list) for (const one of chosen) console.log(lineOf(one));
else await tryAll(chosen);

function placeOf({ file, line }: LineBreak): string {
  return `${file}:${line}:`;
}

function lineOf(one: LineBreak): string {
  return `${placeOf(one)} ${one.before}  ->  ${one.after === "" ? "(left out)" : one.after}`;
}

async function tryAll(breaks: readonly LineBreak[]): Promise<void> {
  const folder = copyOfTree();
  try {
    await untouched(folder);
    const counts = new Map<Verdict, number>();
    for (const one of breaks) {
      const verdict = await judge(one, folder);
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
      console.log(`${verdict.padEnd(10)} ${lineOf(one)}`);
    }
    console.log(`${breaks.length} breaks: ${JSON.stringify(Object.fromEntries(counts))}`);
    if (counts.has("GREEN") || counts.has("NOT EQUIVALENT")) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Compiles the tests, and makes sure that they pass on the escrow as it is. @throws where they do not. */
async function untouched(folder: string): Promise<void> {
  const built = await forge(folder, "build");
  if (built.code !== 0) throw new Error(`forge build failed:\n${built.output}\n${built.errors}`);
  const tested = await noticed(folder, escrowAlone({}));
  if (tested !== "GREEN") throw new Error(`the tests fail on the escrow as it is (${tested})`);
}

async function judge(one: LineBreak, folder: string): Promise<Verdict> {
  const verdict = await noticed(folder, escrowAlone({ [one.file]: one.text }));
  const isNamed = EQUIVALENT_BREAKS.some(
    ({ file, before, after }) => file === one.file && before === one.before && after === one.after,
  );
  if (!isNamed) return verdict;
  return verdict === "GREEN" ? "equivalent" : "NOT EQUIVALENT";
}

/** What the tests say of an escrow with this code; null: it does not compile. */
async function noticed(folder: string, bytecode: string | null): Promise<"red" | "no program" | "GREEN"> {
  if (bytecode === null) return "no program";
  const file = join(folder, ARTEFACT);
  const artefact: { bytecode: { object: string } } = JSON.parse(readFileSync(file, "utf8"));
  artefact.bytecode.object = bytecode;
  writeFileSync(file, JSON.stringify(artefact));
  const units = await forge(folder, "test", "--fail-fast", "--no-match-contract", "(Invariants|Gas)Test");
  if (units.code !== 0) return "red";
  const histories = await forge(folder, "test", "--match-contract", "InvariantsTest");
  return histories.code === 0 ? "GREEN" : "red";
}

function forge(folder: string, ...args: string[]): Promise<ForgeRun> {
  return runForge(args, { folder, environment: ENVIRONMENT });
}

/** What forge needs, in a folder of its own. */
function copyOfTree(): string {
  const folder = mkdtempSync(join(tmpdir(), "strand-contract-"));
  cpSync("contracts", join(folder, "contracts"), { recursive: true });
  cpSync("foundry.toml", join(folder, "foundry.toml"));
  cpSync("scripts/contract/solc.js", join(folder, "scripts/contract/solc.js"));
  cpSync("package.json", join(folder, "package.json"));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  return folder;
}

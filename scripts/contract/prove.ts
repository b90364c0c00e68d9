// Proves the escrow's rules for every input and searches it for known faults: `npm run prove:contract`. halmos proves the
// `check_` functions of contracts/test/Proofs.t.sol, slither reads the sources. Both are Python programs: they are put,
// in fixed versions, into an environment of their own below data/. Where they cannot be fetched, one line says so and
// the exit code is 0; with STRAND_REQUIRE_ALL=1 it is 1.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { foundryProgram } from "../../testkit/programs.ts";
import { FORGE_MISSING } from "./forge.ts";

const ENVIRONMENT = "data/prove";
const REQUIREMENTS = ["halmos==0.3.3", "slither-analyzer==0.11.6"];
const OUT = "data/forge/out";

const forge = foundryProgram("forge");
const missing = forge === null ? FORGE_MISSING : prepare();
if (forge === null || missing !== null) {
  console.log(`skipped: the escrow is neither proved by halmos nor read by slither — ${missing}`);
  if (process.env["STRAND_REQUIRE_ALL"] === "1") process.exitCode = 1;
} else {
  const halmos = run(
    "halmos",
    "--contract",
    "ProofsTest",
    "--forge-build-out",
    OUT,
    "--solver-timeout-assertion",
    "0",
  );
  const outside = "node_modules|contracts/test|contracts/dev";
  const slither = run("slither", ".", "--foundry-out-directory", OUT, "--filter-paths", outside);
  console.log(
    `halmos: ${halmos ? "all proved" : "NOT PROVED"}; slither: ${slither ? "no finding" : "FINDINGS"}`,
  );
  if (!halmos || !slither) process.exitCode = 1;
}

/** Makes the environment where there is none; why it cannot be had, or null. */
function prepare(): string | null {
  const place = join(ENVIRONMENT, "bin");
  if (existsSync(join(place, "halmos")) && existsSync(join(place, "slither"))) return null;
  const made = spawnSync("python3", ["-m", "venv", ENVIRONMENT], { encoding: "utf8" });
  if (made.status !== 0) return `python3 with venv is needed (Debian: apt-get install python3-venv)`;
  const args = ["install", "--quiet", "--disable-pip-version-check", "--retries", "1", ...REQUIREMENTS];
  const fetched = spawnSync(join(place, "pip"), args, { encoding: "utf8" });
  const [why = "pip failed"] = fetched.stderr.trim().split("\n").slice(-1);
  return fetched.status === 0 ? null : `pip cannot fetch ${REQUIREMENTS.join(" and ")}: ${why}`;
}

/** Runs a program of the environment with its report shown; whether it found nothing to complain of. */
function run(program: string, ...args: readonly string[]): boolean {
  // Both start forge, and forge the compiler with the Node of the PATH.
  const folders = [dirname(forge ?? ""), dirname(process.execPath), process.env["PATH"] ?? ""];
  const env = { ...process.env, PATH: folders.join(delimiter) };
  return spawnSync(join(ENVIRONMENT, "bin", program), args, { env, stdio: "inherit" }).status === 0;
}

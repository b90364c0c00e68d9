// Compiles the Solidity sources and writes `contracts/build/` (ABI and bytecode), the whole input of the compiler for
// the escrow, as explorers take it, and the TypeScript ABI; with `--check` it compiles again and compares. The same
// sources and npm versions give the same bytes: settings are fixed and no metadata hash is appended.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { posix } from "node:path";
import { pathToFileURL } from "node:url";
import type { Abi, AbiParameter } from "viem";

const OUT = "contracts/build";
/** What the escrow is verified with: all of its sources and the settings, in the compiler's own form. */
const STANDARD_JSON = `${OUT}/PearlUsdcEscrow.standard.json`;
const ABI_MODULE = "src/adapters/evm-rpc/escrow-abi.ts";
const WANTED: Readonly<Record<string, string>> = {
  PearlUsdcEscrow: "contracts/PearlUsdcEscrow.sol",
  DevUsdc: "contracts/dev/DevUsdc.sol",
  "test/HostileUsdc": "contracts/test/HostileUsdc.sol",
  "test/SmartWallet": "contracts/test/SmartWallet.sol",
  "test/LogMaker": "contracts/test/LogMaker.sol",
};

/** cancun: what OpenZeppelin 5.7 needs (MCOPY, transient storage) and what Arbitrum and mainnet have. */
const SETTINGS = {
  optimizer: { enabled: true, runs: 10_000 },
  evmVersion: "cancun",
  metadata: { bytecodeHash: "none", appendCBOR: false },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
};

interface Compiled {
  readonly abi: Abi;
  readonly evm: {
    readonly bytecode: { readonly object: string };
    readonly deployedBytecode: { readonly object: string };
  };
}
interface CompilerAnswer {
  readonly errors?: readonly {
    readonly severity: string;
    readonly formattedMessage: string;
    readonly sourceLocation?: { readonly file: string };
  }[];
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, Compiled>>>>;
}
interface Compiler {
  compile(input: string, callbacks: { import: (path: string) => { contents: string } }): string;
}

/** Brings files up to date, or says which are not. Returns the stale ones (empty after writing). */
export function buildContracts(isCheck: boolean): string[] {
  const stale: string[] = [];
  for (const [file, text] of builtFiles()) {
    if (readOrEmpty(file) === text) continue;
    if (isCheck) stale.push(file);
    else {
      mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true });
      writeFileSync(file, text);
    }
  }
  return stale;
}

function builtFiles(): (readonly [file: string, text: string])[] {
  const contracts = compile();
  const files: (readonly [string, string])[] = [];
  const abis = new Map<string, Abi>();
  for (const [name, source] of Object.entries(WANTED)) {
    const contract = contracts[source]?.[name.slice(name.lastIndexOf("/") + 1)];
    if (contract === undefined) throw new Error(`${source} has no contract ${name}`);
    abis.set(name, contract.abi);
    const built = { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` };
    files.push([`${OUT}/${name}.json`, `${JSON.stringify(built, null, 1)}\n`]);
  }
  files.push([STANDARD_JSON, standardJson(WANTED["PearlUsdcEscrow"] ?? "")]);
  files.push([ABI_MODULE, abiModule(abis.get("PearlUsdcEscrow") ?? [], abis.get("DevUsdc") ?? [])]);
  return files;
}

/** The input that compiles one source file to what `compile` makes of it, with no other file beside. */
function standardJson(root: string): string {
  const contents = new Map<string, string>();
  const gather = (path: string): void => {
    if (contents.has(path)) return;
    const { contents: text } = importedSource(path);
    contents.set(path, text);
    for (const [, imported = ""] of text.matchAll(/^import [^;]*?"([^"]+)";/gm))
      gather(imported.startsWith(".") ? posix.join(posix.dirname(path), imported) : imported);
  };
  gather(root);
  const sorted = [...contents].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const sources = Object.fromEntries(sorted.map(([path, content]) => [path, { content }]));
  return `${JSON.stringify({ language: "Solidity", sources, settings: SETTINGS }, null, 1)}\n`;
}

function compile(): NonNullable<CompilerAnswer["contracts"]> {
  const sources = Object.fromEntries(
    Object.values(WANTED).map((file) => [file, { content: readFileSync(file, "utf8") }]),
  );
  const answer = compiled({ language: "Solidity", sources, settings: SETTINGS }, importedSource);
  // A warning in such a contract is something to decide about, not to scroll past; the library's own are decided:
  // its guard clears the transient storage that the compiler warns of at the end of each call.
  const said = (answer.errors ?? []).filter(
    ({ severity, sourceLocation }) =>
      severity === "error" || sourceLocation?.file.startsWith("@openzeppelin/") !== true,
  );
  if (said.length > 0 || answer.contracts === undefined)
    throw new Error(said.map((entry) => entry.formattedMessage).join("\n"));
  return answer.contracts;
}

/**
 * Code that creates the escrow, as hex after 0x, compiled without the optimizer, with these texts in place of the files of
 * their names; null where that is no program.
 */
export function escrowAlone(replaced: Readonly<Record<string, string>>): string | null {
  const contents = (path: string): { contents: string } => {
    const text = replaced[path];
    return text === undefined ? importedSource(path) : { contents: text };
  };
  const root = WANTED["PearlUsdcEscrow"] ?? "";
  const sources = { [root]: { content: contents(root).contents } };
  const settings = { ...SETTINGS, optimizer: { enabled: false } };
  const answer = compiled({ language: "Solidity", sources, settings }, contents);
  const code = answer.contracts?.[root]?.["PearlUsdcEscrow"]?.evm.bytecode.object;
  return code === undefined || code === "" ? null : `0x${code}`;
}

function compiled(input: object, load: (path: string) => { contents: string }): CompilerAnswer {
  const solc = createRequire(import.meta.url)("solc") as Compiler;
  return JSON.parse(solc.compile(JSON.stringify(input), { import: load })) as CompilerAnswer;
}

function importedSource(path: string): { contents: string } {
  const file = path.startsWith("@") ? `node_modules/${path}` : path;
  return { contents: readFileSync(file, "utf8") };
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function abiModule(escrow: Abi, devUsdc: Abi): string {
  return [
    "// How the escrow contract is called, and what it logs. Made by `npm run gen` from contracts/; do not edit.",
    "",
    'import { parseAbi } from "viem/utils";',
    "",
    "/** ABI of `PearlUsdcEscrow` (S-20 to S-25). */",
    `export const escrowAbi = parseAbi([`,
    ...lines(escrow),
    "]);",
    "",
    "/** ABI of the dev token (`contracts/dev/DevUsdc.sol`); the first part of it is any ERC-20's. */",
    `export const devUsdcAbi = parseAbi([`,
    ...lines(devUsdc),
    "]);",
    "",
  ].join("\n");
}

/** One quoted line per item of the ABI, its structs first. */
function lines(abi: Abi): string[] {
  const structs = new Map<string, string>();
  const items = abi.map((item) => signature(item, structs));
  return [...structs.values(), ...items].map((text) => `  ${JSON.stringify(text)},`);
}

function signature(item: Abi[number], structs: Map<string, string>): string {
  const list = (inputs: readonly AbiParameter[]): string =>
    inputs.map((input) => parameter(input, structs)).join(", ");
  switch (item.type) {
    case "constructor":
      return `constructor(${list(item.inputs)})`;
    case "event":
    case "error":
      return `${item.type} ${item.name}(${list(item.inputs)})`;
    case "function": {
      const kind = item.stateMutability === "nonpayable" ? "" : ` ${item.stateMutability}`;
      const outputs = item.outputs.length === 0 ? "" : ` returns (${list(item.outputs)})`;
      return `function ${item.name}(${list(item.inputs)})${kind}${outputs}`;
    }
    default:
      throw new Error(`the ABI has a ${item.type}: nothing here may take Ether`);
  }
}

function parameter(input: AbiParameter, structs: Map<string, string>): string {
  const indexed = "indexed" in input && input.indexed === true ? " indexed" : "";
  const name = input.name === undefined || input.name === "" ? "" : ` ${input.name}`;
  return `${typeName(input, structs)}${indexed}${name}`;
}

function typeName(input: AbiParameter, structs: Map<string, string>): string {
  if (!("components" in input) || input.type !== "tuple") return input.type;
  const name = input.internalType?.replace(/^struct (.*\.)?/, "") ?? "Unnamed";
  const members = input.components.map((member) => `${parameter(member, structs)};`).join(" ");
  structs.set(name, `struct ${name} { ${members} }`);
  return name;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const file of buildContracts(process.argv.includes("--check"))) {
    console.log(`${file} is stale: run \`npm run gen\` and commit what it writes`);
    process.exitCode = 1;
  }
}

// The gas of the escrow as forge reports it (contracts/test/Gas.t.sol), as docs/gas.md: `npm run gas` writes the page, and
// a test makes it again and compares.

import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import { runForge } from "./forge.ts";

/** The page that `npm run gas` writes. */
export const GAS_PAGE = "docs/gas.md";

/** One contract of forge's report. */
interface ContractGas {
  readonly contract: string;
  readonly deployment: { readonly gas: number; readonly size: number };
  /** By signature; gas of whole transactions. */
  readonly functions: Readonly<Record<string, CallGas>>;
}
interface CallGas {
  readonly calls: number;
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** The text of docs/gas.md as this contract makes it. @throws where forge fails or a function is not measured. */
export async function makeGasPage(): Promise<string> {
  // Isolated, each call of a test is a transaction of its own, with what a transaction costs before it does anything.
  const args = ["test", "--match-contract", "GasTest", "--gas-report", "--isolate", "--json"];
  const { code, output, errors } = await runForge(args);
  if (code !== 0) throw new Error(`forge's gas report failed:\n${output}\n${errors}`);
  const report: readonly ContractGas[] = JSON.parse(output);
  const escrow = report.find(({ contract }) => contract.endsWith(":PearlUsdcEscrow"));
  if (escrow === undefined) throw new Error("forge's gas report has no escrow");
  return pageOf(escrow);
}

function pageOf({ deployment, functions }: ContractGas): string {
  const rows = writingFunctions().map((name) => {
    const found = Object.entries(functions).find(([signature]) => signature.startsWith(`${name}(`));
    if (found === undefined) throw new Error(`contracts/test/Gas.t.sol does not call ${name}`);
    const { calls, min, median, max } = found[1];
    return `| ${name} | ${[min, median, max, calls].map(figure).join(" | ")} |`;
  });
  return [
    "# Gas of the escrow contract",
    "",
    "Forge's gas report of `contracts/test/Gas.t.sol`, made by `npm run gas`; a test makes it again and compares. Whole " +
      "transactions, after refunds of storage, with the plain ERC-20 of the dev token: USDC itself is a proxy and takes " +
      "some 10,000 to 30,000 more per transfer, and a rollup adds its own fee. The first calls are the dearest: they " +
      "write storage that was zero (the seller's first USDC, the recipient's first fee).",
    "",
    "What ends an order needs a gas limit that is some 185,000 higher than what it uses: a payout starts with at least " +
      "200,000 gas left or not at all (S-23), so that nobody can starve it. The rest of the limit is not paid. Clients " +
      "take what `eth_estimateGas` answers, and add a tenth.",
    "",
    `Deploying it takes ${figure(deployment.gas)} gas; the code that creates it, with its arguments, has ${figure(deployment.size)} bytes.`,
    "",
    "| call | least | median | most | calls |",
    "| --- | --: | --: | --: | --: |",
    ...rows,
    "",
  ].join("\n");
}

/** Names of the functions that change something, in the order of the alphabet. */
function writingFunctions(): string[] {
  return escrowAbi
    .flatMap((item) => (item.type === "function" && item.stateMutability === "nonpayable" ? [item.name] : []))
    .toSorted();
}

function figure(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  writeFileSync(GAS_PAGE, await makeGasPage());

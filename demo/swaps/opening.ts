// Puts up the EVM side of the demo: the chain of the folder, or a new one where its files are no good; the contract on
// it; and its clock beside the PEARL chain's.

import { renameSync, rmSync } from "node:fs";
import { foundryProgram } from "../../testkit/programs.ts";
import type { PearlNode } from "../../testkit/doubles/pearl-node/index.ts";
import { evmTime } from "../chain-time.ts";
import type { DemoFolder } from "../folder.ts";
import { type Escrow, escrowOn } from "./escrow.ts";
import { AnvilUnusable, EvmChain } from "./evm-chain.ts";
import { EvmChainLost } from "./evm-journal.ts";
import { type People, peopleOf } from "./people.ts";
import { StoryBook } from "./story.ts";

/** The EVM side. */
export interface EvmSide {
  readonly chain: EvmChain;
  readonly escrow: Escrow;
  readonly people: People;
  readonly book: StoryBook;
}

const WITHOUT_ANVIL =
  "No swaps this time, tokens alone: there is no anvil (the EVM dev node) for this computer. (`npm ci` installs it on " +
  "Linux and macOS; elsewhere put Foundry's anvil on PATH.)";

/**
 * Starts the EVM side; null where there is no dev node or it does not run here, which `say` is told. Where the chain of the folder is lost, the old files are put
 * aside, `say` is told, and chain, swaps and database begin anew (the tokens are read again from the PEARL chain).
 */
export async function openEvmSide(
  folder: DemoFolder,
  node: PearlNode,
  say: (line: string) => void,
): Promise<EvmSide | null> {
  if (foundryProgram("anvil") === null) {
    say(WITHOUT_ANVIL);
    return null;
  }
  const opened = await openChain(folder, node, say).catch((error: unknown) => {
    if (!(error instanceof AnvilUnusable)) throw error;
    say(`No swaps this time, tokens alone: ${error.message}`);
    return null;
  });
  if (opened === null) return null;
  const { chain, book } = opened;
  try {
    const people = peopleOf(folder.cast, chain, folder.seed);
    const escrow = await escrowOn(chain, people);
    // After a long rest one block takes the EVM to where the PEARL chain already is.
    if (evmTime(node) > chain.tip.time) await chain.mine(evmTime(node));
    return { chain, escrow, people, book };
  } catch (error) {
    await chain.close();
    throw error;
  }
}

async function openChain(
  folder: DemoFolder,
  node: PearlNode,
  say: (line: string) => void,
): Promise<Pick<EvmSide, "chain" | "book">> {
  try {
    const book = new StoryBook(folder.storiesFile);
    return { chain: await EvmChain.open(folder.evmFolder, evmTime(node)), book };
  } catch (error) {
    if (!(error instanceof EvmChainLost) && !(error instanceof SyntaxError)) throw error;
    say(
      `The EVM chain of this folder cannot be continued (${error.message}): a new one begins, the swaps with it, and ` +
        "the index reads everything again.",
    );
    rmSync(`${folder.evmFolder}.lost`, { recursive: true, force: true });
    renameSync(folder.evmFolder, `${folder.evmFolder}.lost`);
    rmSync(folder.storiesFile, { force: true });
    for (const end of ["", "-wal", "-shm", "-journal"])
      rmSync(`${folder.databaseFile}${end}`, { force: true });
    return {
      chain: await EvmChain.open(folder.evmFolder, evmTime(node)),
      book: new StoryBook(folder.storiesFile),
    };
  }
}

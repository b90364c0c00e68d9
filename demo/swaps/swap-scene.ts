// Runs the swaps beside the tokens, one beat for each PEARL block: when the service shows both tips, everybody does
// what is due, and after the PEARL block the EVM gets its own.

import { writeFileSync } from "node:fs";
import { evmTime } from "../chain-time.ts";
import type { DemoFolder } from "../folder.ts";
import type { PearlNode } from "../../testkit/doubles/pearl-node/index.ts";
import type { Stage } from "../stage.ts";
import type { EvmSide } from "./opening.ts";
import { swapClient } from "./swap-client.ts";
import { Troupe } from "./troupe.ts";

const VISIBLE_MS = 10_000;

/** The swaps as the director sees them. */
export interface SwapScene {
  /** Lets everybody act on what the service shows. */
  beat(): Promise<void>;
  /** Gives the EVM its block for the PEARL block that has just been mined. */
  mine(): Promise<void>;
  /** Hash of a deal that the service knows; null where there is none at present. */
  someDeal(): Promise<string | null>;
}

/** What a scene is made of. */
export interface SwapSceneParts {
  readonly side: EvmSide;
  readonly node: PearlNode;
  readonly stage: Stage;
  readonly folder: DemoFolder;
  readonly signal: AbortSignal;
  readonly note: (sentence: string) => void;
  /** An ask lies ready for the reader in the folder's file. */
  readonly readerAskReady: () => void;
}

/** Puts the scene together. */
export function swapScene({
  side,
  node,
  stage,
  folder,
  signal,
  note,
  readerAskReady,
}: SwapSceneParts): SwapScene {
  const { chain, escrow, people, book } = side;
  const service = swapClient(stage.index.base);
  const keySeed = `${folder.seed}/${chain.genesisTime}`;
  const scenery = { stage, node, chain, escrow, people, service, seed: folder.seed, keySeed, book };
  const troupe = new Troupe(scenery, {
    note,
    readerAsk: (body) => {
      writeFileSync(folder.readerFile, `${JSON.stringify(body, null, 2)}\n`);
      readerAskReady();
    },
  });
  return {
    beat: async () => {
      const height = Number(await chain.anvil.publicClient.getBlockNumber({ cacheTime: 0 }));
      const isShown = await service.hasReachedEvm(height, VISIBLE_MS, signal);
      if (!isShown && !signal.aborted)
        note(`the service does not show EVM block ${height} after ${VISIBLE_MS / 1000} seconds`);
      if (!signal.aborted) await troupe.beat(signal);
    },
    mine: () => troupe.mine(evmTime(node)),
    someDeal: async () => {
      for (const { order } of book.open) {
        if (order !== null && (await service.get(`deals/${order.hash}`)).status === 200) return order.hash;
      }
      return null;
    },
  };
}

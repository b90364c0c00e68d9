// The director of the story: for every block some acts are done, the block is mined, and the next decisions wait until
// the service shows it, because they are made on what the service says.

import type { PearlNode } from "../testkit/doubles/pearl-node/index.ts";
import { anyCancel, cancelExpired } from "./acts/cancel.ts";
import { anyDeploy } from "./acts/deploy.ts";
import { anyFill } from "./acts/fill.ts";
import { anyListing } from "./acts/list.ts";
import { anyMint } from "./acts/mint.ts";
import { anyMistake } from "./acts/mistake.ts";
import { anyBurn, anyTransfer } from "./acts/move.ts";
import { anyUnpairedSpend } from "./acts/unpaired-spend.ts";
import { nextPearlTime } from "./chain-time.ts";
import { Random } from "../testkit/random.ts";
import { FOUNDING_HEIGHT, minerOf } from "./founding.ts";
import { OPENING } from "./opening.ts";
import { reorganise } from "./reorganisation.ts";
import type { Stage } from "./stage.ts";
import type { SwapScene } from "./swaps/swap-scene.ts";

/** An act: true where something was sent. */
type Act = (stage: Stage, chance: Random, height: number) => Promise<boolean>;

const ACTS: readonly { readonly weight: number; readonly act: Act }[] = [
  { weight: 17, act: anyMint },
  { weight: 18, act: anyTransfer },
  { weight: 24, act: anyListing },
  { weight: 20, act: anyFill },
  { weight: 6, act: anyBurn },
  { weight: 2, act: anyCancel },
  { weight: 6, act: cancelExpired },
  { weight: 7, act: anyMistake },
  { weight: 3, act: anyDeploy },
];
/** Acts per block after the opening. */
const CROWDS = [
  { weight: 5, acts: 0 },
  { weight: 10, acts: 1 },
  { weight: 3, acts: 2 },
  { weight: 1, acts: 4 },
];
/** A reorganisation follows every tip whose height has this rest; the first one soon after the opening. */
const REORG_EVERY = 19;
const REORG_REST = 9;
const UNPAIRED_EVERY = 17;
const UNPAIRED_REST = 8;
const OPENING_BLOCK_MS = 700;
const VISIBLE_MS = 10_000;
/** Blocks for which the commands wait for a deal that they can show. */
const DEAL_WITHIN = 12;

/** What the director needs beside the stage. */
export interface Direction {
  readonly node: PearlNode;
  readonly stage: Stage;
  /** Null: tokens alone. */
  readonly swaps: SwapScene | null;
  readonly seed: string;
  readonly blockMs: number;
  readonly signal: AbortSignal;
  /**
   * Called once when the opening is over, or at once where it was over before; with the hash of a deal to look at,
   * null where swaps are off or have none to show.
   */
  readonly opened: (deal: string | null) => void;
  /** Told of what went wrong without ending the story: one sentence. */
  readonly note: (sentence: string) => void;
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || milliseconds <= 0) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done);
  });
}

/** One act by the weights; where it finds nothing to do, another. */
async function oneAct(stage: Stage, chance: Random, height: number): Promise<void> {
  for (let tries = 4; tries > 0; tries -= 1) {
    if (await chance.weighted(ACTS)?.act(stage, chance, height)) return;
  }
}

/** Sends what belongs into the next block. Every failure is one act's own. */
async function fillBlock({ stage, node, signal, note }: Direction, chance: Random): Promise<void> {
  const height = node.chain.tip.height + 1;
  const attempt = async (act: () => Promise<unknown>): Promise<void> => {
    try {
      if (!signal.aborted) await act();
    } catch (error) {
      if (!signal.aborted) note(`block ${height}: an act failed: ${sentenceOf(error)}`);
    }
  };
  const scene = OPENING[height - FOUNDING_HEIGHT - 1];
  if (scene !== undefined) {
    await attempt(() => scene(stage, chance, height));
    return;
  }
  if (height % UNPAIRED_EVERY === UNPAIRED_REST) await attempt(() => anyUnpairedSpend(stage, chance));
  const acts = chance.weighted(CROWDS)?.acts ?? 0;
  for (let left = acts; left > 0; left -= 1) {
    await attempt(() => oneAct(stage, chance, height));
  }
}

/** Everybody acts, and the next block of each chain is mined, or another branch of the PEARL chain. */
async function playBlock(direction: Direction, inOpening: boolean): Promise<void> {
  const { node, stage, swaps, signal } = direction;
  const { height, arrival } = node.chain.tip;
  // The order of arrival tells two blocks of one height apart, and is the same after a restart.
  const chance = new Random(`${direction.seed}/${height}/${arrival}`);
  await swaps?.beat();
  if (!inOpening && height % REORG_EVERY === REORG_REST && !signal.aborted) {
    reorganise(node, stage.cast, chance, chance.between(1, 3));
  } else {
    await fillBlock(direction, chance);
    if (signal.aborted) return;
    const miningScript = minerOf(stage.cast, height + 1).key.script;
    node.generate(1, { miningScript, time: nextPearlTime(node) });
  }
  await swaps?.mine();
}

/** Plays until the signal ends it. */
export async function direct(direction: Direction): Promise<void> {
  const { node, stage, swaps, signal, note } = direction;
  let isOpen = false;
  let waited = 0;
  while (!signal.aborted) {
    const { height, hash } = node.chain.tip;
    if (!(await stage.index.hasReached(height, hash, VISIBLE_MS, signal)) && !signal.aborted) {
      note(`the service does not show block ${height} after ${VISIBLE_MS / 1000} seconds`);
    }
    const inOpening = height < FOUNDING_HEIGHT + OPENING.length;
    if (!inOpening && !isOpen) {
      const deal = (await swaps?.someDeal()) ?? null;
      waited += 1;
      isOpen = deal !== null || swaps === null || waited > DEAL_WITHIN;
      if (isOpen) direction.opened(deal);
    }
    await pause(inOpening ? Math.min(OPENING_BLOCK_MS, direction.blockMs) : direction.blockMs, signal);
    if (signal.aborted) return;
    try {
      await playBlock(direction, inOpening);
    } catch (error) {
      // What a stop interrupts half way is taken up by the next start.
      if (!signal.aborted) throw error;
    }
  }
}

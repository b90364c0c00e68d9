// What happens next? For every block the director has some acts done, has the block mined, and waits until the
// service shows it, so that the next decisions are made on what the service says.

import type { PearlNode } from "../pearl-node/index.ts";
import { anyCancel, cancelExpired } from "./acts/cancel.ts";
import { anyDeploy } from "./acts/deploy.ts";
import { anyFill } from "./acts/fill.ts";
import { anyListing } from "./acts/list.ts";
import { anyMint } from "./acts/mint.ts";
import { anyMistake } from "./acts/mistake.ts";
import { anyBurn, anyTransfer } from "./acts/move.ts";
import { anyUnpairedSpend } from "./acts/unpaired-spend.ts";
import { Chance } from "./chance.ts";
import { FOUNDING_HEIGHT, minerOf } from "./founding.ts";
import { OPENING } from "./opening.ts";
import { reorganise } from "./reorganisation.ts";
import type { Stage } from "./stage.ts";

/** An act: true where something was sent. */
type Act = (stage: Stage, chance: Chance, height: number) => Promise<boolean>;

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
  { weight: 1, acts: 0 },
  { weight: 10, acts: 1 },
  { weight: 7, acts: 2 },
  { weight: 1, acts: 4 },
];
/** A reorganisation follows every tip whose height has this rest; the first one soon after the opening. */
const REORG_EVERY = 19;
const REORG_REST = 9;
const UNPAIRED_EVERY = 17;
const UNPAIRED_REST = 8;
const OPENING_BLOCK_MS = 700;
const VISIBLE_MS = 10_000;

/** What the director needs beside the stage. */
export interface Direction {
  readonly node: PearlNode;
  readonly stage: Stage;
  readonly seed: string;
  readonly blockMs: number;
  readonly signal: AbortSignal;
  /** Called once when the opening is over, or at once where it was over before. */
  readonly opened: () => void;
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
async function oneAct(stage: Stage, chance: Chance, height: number): Promise<void> {
  for (let tries = 4; tries > 0; tries -= 1) {
    if (await chance.weighted(ACTS)?.act(stage, chance, height)) return;
  }
}

/** Sends what belongs into the next block. Every failure is one act's own. */
async function fillBlock({ stage, node, signal, note }: Direction, chance: Chance): Promise<void> {
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

/** Plays until the signal ends it. */
export async function direct(direction: Direction): Promise<void> {
  const { node, stage, signal, note } = direction;
  let isOpen = false;
  while (!signal.aborted) {
    const { height, hash, arrival } = node.chain.tip;
    if (!(await stage.index.hasReached(height, hash, VISIBLE_MS, signal)) && !signal.aborted) {
      note(`the service does not show block ${height} after ${VISIBLE_MS / 1000} seconds`);
    }
    const inOpening = height < FOUNDING_HEIGHT + OPENING.length;
    if (!inOpening && !isOpen) {
      isOpen = true;
      direction.opened();
    }
    await pause(inOpening ? Math.min(OPENING_BLOCK_MS, direction.blockMs) : direction.blockMs, signal);
    if (signal.aborted) return;
    // The order of arrival tells two blocks of one height apart, and is the same after a restart.
    const chance = new Chance(`${direction.seed}/${height}/${arrival}`);
    if (!inOpening && height % REORG_EVERY === REORG_REST) {
      reorganise(node, stage.cast, chance, chance.between(1, 3));
      continue;
    }
    await fillBlock(direction, chance);
    if (!signal.aborted) node.generate(1, { miningScript: minerOf(stage.cast, height + 1).key.script });
  }
}

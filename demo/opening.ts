// The first blocks of a new folder: a fixed sequence that shows every kind of thing once, so that whoever has just
// started the demo sees all of it within seconds.

import type { Random } from "../testkit/random.ts";
import { cancel } from "./acts/cancel.ts";
import { deploy } from "./acts/deploy.ts";
import { anyFill, fill } from "./acts/fill.ts";
import { listSome } from "./acts/list.ts";
import { mint } from "./acts/mint.ts";
import { sendTooMuch } from "./acts/mistake.ts";
import { anyBurn, anyTransfer } from "./acts/move.ts";
import { activeListings, type Listing } from "./acts/offers.ts";
import { anyUnpairedSpend } from "./acts/unpaired-spend.ts";
import type { Stage } from "./stage.ts";
import { findToken, PLANNED_TOKENS } from "./tokens.ts";

/** What is sent for one block; `height` is that block's. */
export type Scene = (stage: Stage, chance: Random, height: number) => Promise<void>;

/** The token that the printed commands ask about: the first of the plan. */
export const FIRST_TICK = "GRAIN";

const deploys: Scene = async (stage) => {
  const [first, second] = PLANNED_TOKENS;
  if (first !== undefined) await deploy(stage, stage.cast.named("Ada"), first);
  if (second !== undefined) await deploy(stage, stage.cast.named("Ben"), second);
};

const mints: Scene = async (stage) => {
  await mint(stage, stage.cast.named("Ada"), FIRST_TICK, 3);
  await mint(stage, stage.cast.named("Ben"), FIRST_TICK, 1);
  await mint(stage, stage.cast.named("Cleo"), FIRST_TICK, 2);
  await mint(stage, stage.cast.named("Dan"), "PEBBLE", 1);
};

const moves: Scene = async (stage, chance) => {
  await anyTransfer(stage, chance);
  await anyTransfer(stage, chance);
  await anyBurn(stage, chance);
};

const listings: Scene = async (stage, chance, height) => {
  const grain = await findToken(stage, FIRST_TICK);
  if (grain === null) return;
  await listSome(stage, chance, stage.cast.named("Ada"), grain, [null, null]);
  await listSome(stage, chance, stage.cast.named("Ben"), grain, [height + 3]);
  await listSome(stage, chance, stage.cast.named("Cleo"), grain, [null, null]);
};

/** What is offered for ever: Ben's listing stays, to show what expires. */
async function lasting(stage: Stage): Promise<Listing[]> {
  const ben = stage.cast.named("Ben").address;
  return (await activeListings(stage, FIRST_TICK)).filter(({ owner }) => owner !== ben);
}

const batch: Scene = async (stage, chance) => {
  const grain = await findToken(stage, FIRST_TICK);
  const offered = await lasting(stage);
  const [cheapest] = offered;
  const elsewhere = offered.find(({ owner }) => owner !== cheapest?.owner);
  const wanted = [cheapest, elsewhere].filter((listing) => listing !== undefined);
  await fill(stage, stage.cast.named("Edda"), wanted);
  if (grain !== null) await sendTooMuch(stage, chance, stage.cast.named("Dan"), grain);
};

const changesOfMind: Scene = async (stage) => {
  await cancel(stage, (await lasting(stage)).slice(-1));
  await mint(stage, stage.cast.named("Gita"), FIRST_TICK, 1);
};

const lostPayment: Scene = async (stage, chance) => {
  await anyUnpairedSpend(stage, chance);
  await mint(stage, stage.cast.named("Finn"), FIRST_TICK, 1);
};

const more: Scene = async (stage, chance) => {
  const grain = await findToken(stage, FIRST_TICK);
  if (grain !== null) await listSome(stage, chance, stage.cast.named("Gita"), grain, [null]);
  await anyFill(stage, chance);
};

/** The opening, one scene for each block after the founding. */
export const OPENING: readonly Scene[] = [
  deploys,
  mints,
  moves,
  listings,
  batch,
  changesOfMind,
  lostPayment,
  more,
];

// Holds what every act works with: the node's and the index's clients, the purse and the people. It has the two ways in
// which everything reaches the chain: a plain transaction, and an inscription (commit and reveal).

import {
  buildCommit,
  buildPayment,
  buildReveal,
  coinOf,
  type CommittedInscription,
  type Funding,
  type SignedTx,
} from "../src/wallet/index.ts";
import type { Actor, Cast } from "./cast.ts";
import type { IndexClient } from "./index-client.ts";
import type { NodeClient } from "./node-client.ts";
import type { Purse } from "./purse.ts";
import { built } from "../testkit/builders/party.ts";

/** Marker of the envelope. */
export const MARKER = "prc-20";
/** Grains in a commit output: pays for its reveal at every fee rate of the demo. */
const COMMIT_GRAINS = 10_000n;
/** Fee rate of everything that the actors send, in grains per 1000 vbytes. */
const FEE_PER_KVB = 2_000n;

/** Everything that acts work with. */
export interface Stage {
  readonly cast: Cast;
  readonly node: NodeClient;
  readonly index: IndexClient;
  readonly purse: Purse;
}

/** Who pays, with the coins that are free at this moment. */
export function fundingOf(stage: Stage, actor: Actor): Funding {
  return {
    coins: stage.purse.funding(actor),
    changeScript: actor.key.script,
    feePerKvb: FEE_PER_KVB,
  };
}

/** A funding without coins: inputs that carry enough pay for themselves. */
export function withoutCoins(funding: Funding): Funding {
  return { ...funding, coins: [] };
}

/** Hands a transaction to the node. @throws Error with the node's words where it is refused. */
export async function send(stage: Stage, signed: SignedTx): Promise<void> {
  await stage.node.sendRawTransaction(signed.hex);
}

/** Sends the commit of these bodies and returns what their reveals need. */
export async function commit(
  stage: Stage,
  actor: Actor,
  bodies: readonly string[],
): Promise<CommittedInscription[]> {
  const inscriptions = bodies.map((body) => buildCommit(actor.key.outputKey, MARKER, body));
  const outputs = inscriptions.map(({ commitScript }) => ({ amount: COMMIT_GRAINS, script: commitScript }));
  const signed = built(buildPayment(outputs, fundingOf(stage, actor)));
  await send(stage, signed);
  return inscriptions.map((inscription, vout) => ({
    inscription,
    coin: coinOf(signed, vout),
    key: actor.key,
  }));
}

/** Inscribes the bodies, in this order, in one transaction. Commit and reveal go into the same block. */
export async function inscribe(stage: Stage, actor: Actor, bodies: readonly string[]): Promise<void> {
  const committed = await commit(stage, actor, bodies);
  await send(stage, built(buildReveal(committed, [], withoutCoins(fundingOf(stage, actor)))));
}

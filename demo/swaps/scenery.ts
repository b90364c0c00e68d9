// Holds what buyers and sellers work with: both chains, the contract, the service's interface, the stories, and the
// clocks by which they judge whether a window is open.

import type { PearlNode } from "../../testkit/doubles/pearl-node/index.ts";
import { medianTimePast } from "../chain-time.ts";
import { optionalText, type Row, text } from "../index-client.ts";
import type { Stage } from "../stage.ts";
import type { Escrow } from "./escrow.ts";
import type { EvmChain } from "./evm-chain.ts";
import type { People } from "./people.ts";
import type { StoryBook } from "./story.ts";
import type { SwapClient } from "./swap-client.ts";

/** Everything that swaps are made of. */
export interface Scenery {
  readonly stage: Stage;
  readonly node: PearlNode;
  readonly chain: EvmChain;
  readonly escrow: Escrow;
  readonly people: People;
  readonly service: SwapClient;
  /** Of the story: who swaps how much. */
  readonly seed: string;
  /** Of keys and secrets: another one for each EVM chain, so that a new chain meets no secret of a lost one. */
  readonly keySeed: string;
  readonly book: StoryBook;
}

/** *now* of S-05 as everybody can know it, unix seconds. */
export function present({ chain, node }: Pick<Scenery, "chain" | "node">): number {
  return Math.max(Math.floor(Date.now() / 1000), chain.tip.time, medianTimePast(node));
}

/** One of a row's `next_actions` (S-54). */
export interface NextAction {
  readonly role: string;
  readonly action: string;
  readonly optional: boolean;
  readonly notBefore: number | null;
  readonly notAfter: number | null;
  /** txid:vout of the lock output that it is about. */
  readonly outpoint: string | null;
  /** Grains. */
  readonly amountSat: string | null;
}

function time(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** The actions of a deal or bid row, in their order. */
export function nextActions(row: Row): readonly NextAction[] {
  const { next_actions: actions } = row;
  if (!Array.isArray(actions)) throw new Error("the row has no next_actions");
  return actions.map((one: unknown): NextAction => {
    const fields: Row = Object(one);
    return {
      role: text(fields, "role"),
      action: text(fields, "action"),
      optional: fields["optional"] === true,
      notBefore: time(fields["not_before"]),
      notAfter: time(fields["not_after"]),
      outpoint: optionalText(fields, "outpoint"),
      amountSat: optionalText(fields, "amount_sat"),
    };
  });
}

/** Whether the action's window is open: refunds by the clock of their own chain (S-05), all else by *now*. */
export function isOpenNow(scenery: Scenery, { action, notBefore, notAfter }: NextAction): boolean {
  const now = present(scenery);
  if (notAfter !== null && now > notAfter) return false;
  if (notBefore === null) return true;
  if (action === "refund_usdc") return scenery.chain.tip.time >= notBefore;
  if (action === "refund_pearl") return medianTimePast(scenery.node) > notBefore;
  return now >= notBefore;
}

// How both chains stand, as their followers last heard: readiness is judged from it, and readers in other processes are
// told.

import type { NodeCounts } from "../follow/ports.ts";
import type { BlockHash } from "../primitives/brands.ts";
import type { ChainWitness } from "../swap/facts.ts";
import type { ChainCheckpoint } from "./ledger/ports.ts";

/** How the EVM side stands, without asking anybody. */
export interface EvmStanding {
  /** Latest head known; -1 before the first answer. */
  readonly headHeight: number;
  readonly headTime: number;
  /** `Clock.monotonicMs` of the last answer of an RPC; null before the first (S-05). */
  readonly answeredAtMonotonicMs: number | null;
  /** `Clock.monotonicMs` at which the head was last seen to change; null before the first answer. */
  readonly headChangedAtMonotonicMs: number | null;
  /**
   * Whether a final block is in force (S-07): the one URL has answered twice, or two of several give the same hash; and
   * none that was is denied and shown by nobody.
   */
  readonly agreed: boolean;
  /** A final block was replaced, and nobody has lifted the alarm: new actions stay stopped (S-05). */
  readonly finalReplaced: boolean;
}

/** A branch to which the PEARL node has gone, and which the ledger does not have. */
export interface NodeFork {
  /** The last block that the node's chain shares with the applied one. */
  readonly height: number;
  /**
   * The tip of the applied chain that it has left. `time` null: with it whatever may be applied on it up to this height, which
   * is not read yet.
   */
  readonly left: { readonly height: number; readonly time: number | null };
  /**
   * The tip with which the branch is being stored, to whoever stores it: the rows that its events carry are of this one. Null
   * before that, and to whoever is told.
   */
  readonly taken: { readonly height: number; readonly time: number } | null;
}

/** How the PEARL side stands, without asking anybody. */
export interface PearlStanding {
  /** The node's tip; -1 before the first answer. */
  readonly nodeHeight: number;
  /** Where the node's chain has left the applied one; null: it has not. It means nothing once another chain is applied. */
  readonly fork: NodeFork | null;
  readonly nodeTipTime: number;
  /** `Clock.monotonicMs` of the node's last answer about its chain; null before the first (S-05). */
  readonly answeredAtMonotonicMs: number | null;
  /** `Clock.monotonicMs` at which the node's tip was last seen to change; null before the first answer. */
  readonly tipChangedAtMonotonicMs: number | null;
  /**
   * `Clock.monotonicMs` since when the ledger has not once had the node's tip; null where it has it, and before the first
   * answer.
   */
  readonly lackingSinceMonotonicMs: number | null;
  /** Connections of the node at the last look; null where that failed for 30 s, and before the first. */
  readonly connections: number | null;
  /** Mean interval of the last 144 blocks in seconds (S-02); null while unknown. */
  readonly blockIntervalS: number | null;
  /** What the other nodes that answer show of the chain that ends with `applied`; null where none is configured (S-09). */
  readonly witnesses: readonly ChainWitness[] | null;
  /** The newest applied block when this was told; null where none is known. */
  readonly applied: { readonly height: number; readonly hash: BlockHash } | null;
  /** Whether all of the mempool was read since the start. */
  readonly isMempoolRead: boolean;
  /** For `details` and `/health`. */
  readonly nodes: NodeCounts;
}

/**
 * What other nodes show of the chain with these newest blocks. Who is told of them by another process may have gone to another
 * chain since, or have still to: nobody is a witness of that one.
 */
export function witnessesOf(
  { witnesses, applied }: Pick<PearlStanding, "witnesses" | "applied">,
  newest: () => readonly ChainCheckpoint[],
): readonly ChainWitness[] | null {
  if (witnesses === null) return null;
  if (applied === null) return [];
  const own = newest().find(({ height }) => height === applied.height);
  return own?.hash === applied.hash ? witnesses : [];
}

// What is wrong with the EVM side, as /health shows it (H-20).

import type { Condition } from "../../follow/conditions.ts";
import type { EvmStatus } from "../../follow/serving.ts";
import type { EvmStanding } from "../standings.ts";

/** Confirmations below which EVM_CONFIRMATIONS is warned of: more than the deepest reorganisations seen (7) reach. */
const SOUND_CONFIRMATIONS = 12;
/** Seconds that finality may be behind the head: with more, little is left of the 83 min that a small deal has to lock. */
export const SOUND_FINALITY_LAG_S = 3600;

/** What is wrong with EVM_CONFIRMATIONS on a network with money on it; empty where it is sound. */
export function confirmationsConditions(confirmations: number | "finalized"): readonly Condition[] {
  if (confirmations === "finalized" || confirmations >= SOUND_CONFIRMATIONS) return [];
  const sentence =
    `EVM_CONFIRMATIONS is ${confirmations}: a reorganisation that is deeper takes the USDC of a deal away after the ` +
    `PEARL is locked. Leave it out where the chain has the finalized tag; else set ${SOUND_CONFIRMATIONS} or more.`;
  return [{ code: "EVM_CONFIRMATIONS_LOW", sentence }];
}

/** What the EVM side's conditions are told from. */
interface EvmSituation {
  readonly status: EvmStatus;
  /** Whether it is the database that keeps the EVM index from going on. */
  readonly isStoreTrouble: boolean;
  readonly standing: EvmStanding;
  /** RPCs configured. */
  readonly rpcs: number;
  /** ESCROW_FIRST_BLOCK. */
  readonly firstBlock: number;
  /** Events that one RPC shows and another denies. */
  readonly disputes: number;
  /** A log that all RPCs give and that cannot be; null where there is none. */
  readonly impossible: string | null;
  /** Seconds that finality is behind the head, where that is too many; else null. */
  readonly finalityLagS: number | null;
  /** The block above which nothing has become final here for long, though the RPCs call more final; null: it does. */
  readonly unsettledAbove: number | null;
  /** Whether the escrow's owner has paused it. */
  readonly isEscrowPaused: boolean;
}

/** What is wrong with the EVM side now (H-20). */
export function evmConditions(now: EvmSituation): readonly Condition[] {
  const { status, standing, rpcs, firstBlock, disputes, impossible, finalityLagS } = now;
  const conditions: Condition[] = [];
  if (status.indexingStatus === "stalled" && status.height >= 0 && status.height < firstBlock) {
    const sentence =
      `ESCROW_FIRST_BLOCK is ${firstBlock}, and the EVM chain's newest block is ${status.height}: nothing is read, and ` +
      "swaps stand still. Set it to the block in which the contract was created on this chain.";
    conditions.push({ code: "EVM_STALLED", sentence });
  } else if (now.isStoreTrouble) {
    const sentence =
      `The database does not take what is to be written of the EVM side (its index is at ${status.indexedHeight}), so ` +
      "swaps stand still. Check that its disk has room and its permissions; the log has the error.";
    conditions.push({ code: "STORE_SILENT", sentence });
  } else if (status.indexingStatus === "stalled") {
    const where = `its index is at ${status.indexedHeight}, the RPCs were last seen at ${status.height}`;
    const advice = "The log says which RPC fails and why; check EVM_RPC_URLS.";
    const sentence = `The EVM side does not get on (${where}), so swaps stand still. ${advice}`;
    conditions.push({ code: "EVM_STALLED", sentence });
  }
  if (rpcs > 1 && standing.answeredAtMonotonicMs !== null && !standing.agreed) {
    const sentence =
      "No two EVM RPCs agree on what is final, or fewer than two answer: no new swap action is offered. " +
      "The log says what each of them says; check EVM_RPC_URLS.";
    conditions.push({ code: "EVM_RPCS_DISAGREE", sentence });
  }
  if (disputes > 0) {
    const sentence =
      `One EVM RPC denies ${disputes} event${disputes === 1 ? "" : "s"} that another one shows: their orders wait until ` +
      "two agree. The log names them; replace the RPC that is wrong, or add a third.";
    conditions.push({ code: "EVM_RPCS_DISAGREE", sentence });
  }
  if (impossible !== null) {
    const sentence =
      "Every EVM RPC gives a log that the escrow cannot have made after what is indexed, and the index stands still. " +
      "Check ESCROW_FIRST_BLOCK and ESCROW_ADDRESS; where they are right, run strand reindex.";
    conditions.push({ code: "EVM_LOGS_IMPOSSIBLE", sentence });
  }
  if (finalityLagS !== null) {
    const sentence =
      `The EVM chain's final block is ${Math.floor(finalityLagS / 60)} minutes older than its newest, or it has none: ` +
      "deals become final so late that there may be no time left to lock. Where the chain never calls a block final, set " +
      "EVM_CONFIRMATIONS to a number.";
    conditions.push({ code: "EVM_FINALITY_LAGS", sentence });
  }
  if (now.unsettledAbove !== null) {
    const sentence =
      `Above block ${now.unsettledAbove} nothing becomes final on the EVM side, though the RPCs call more blocks final: each ` +
      "has to be read twice, by two of several RPCs, and that does not succeed. New swap actions wait. The log says why " +
      "(second reading); add an RPC with larger limits to EVM_RPC_URLS, or replace the one that is named.";
    conditions.push({ code: "EVM_FINALITY_LAGS", sentence });
  }
  if (standing.finalReplaced) {
    const sentence =
      "An EVM block that was final was replaced: no new swap action is offered. Find out which chain is right, then " +
      "lift the alarm: strand alarms shows it with both hashes.";
    conditions.push({ code: "EVM_FINAL_BLOCK_REPLACED", sentence });
  }
  if (now.isEscrowPaused) {
    const sentence =
      "The escrow's owner has paused it: nobody can lock USDC or accept a bid, so neither is offered. Whatever ends an " +
      "order goes on: claims, refunds, cancels and withdrawals.";
    conditions.push({ code: "ESCROW_PAUSED", sentence });
  }
  return conditions;
}

// Implements the token protocol a second time, naively: it says what an index must say after given blocks. It is
// written from the text of the specification alone (rule ids P-nn), with libraries and nothing of src/, so that a
// mistake of the product shows as a difference. Clarity before speed; no undo: a reorganisation is replayed.
import { Transaction } from "bitcoinjs-lib";
import { toHex } from "../../bytes.ts";
import {
  balanceEffects,
  closeEffect,
  displayedHash,
  initialDigest,
  nextDigest,
  operationEffect,
} from "./digest.ts";
import { readOperation } from "./envelope.ts";
import type { RecordedOperation } from "./envelope.ts";
import { ReferenceLedger } from "./ledger.ts";
import type { LedgerRow } from "./ledger.ts";
import { applyList, applySend, closeAnchorAt, namedListing } from "./market.ts";
import { hasFieldTypeFault, isKnownOp, tickOfInvalid } from "./outcome.ts";
import type { Outcome, InputPlace, RuleInput } from "./outcome.ts";
import { takeSnapshot } from "./snapshot.ts";
import type { ReferenceSnapshot } from "./snapshot.ts";
import { emptyState } from "./state.ts";
import type { ReferenceNetwork, OperationRow, ReferenceParams, State, TransactionView } from "./state.ts";
import { applyBurn, applyDeploy, applyMint, applyTransfer } from "./token-operations.ts";
import { parseAddress } from "./values.ts";

export type { LedgerRow } from "./ledger.ts";
export type { BalanceRow, ListingRow, ReferenceSnapshot, StatsRow, TokenRow } from "./snapshot.ts";
export type { ListingState, OperationRow, ReferenceParams } from "./state.ts";

/** One block of the best chain. `hash` as displayed; `transactions` raw, in block order, coinbase first. */
export interface ReferenceBlock {
  height: number;
  hash: string;
  time: number;
  transactions: Uint8Array[];
}

/** The state after the blocks applied so far. */
export class ReferenceIndex {
  readonly #network: ReferenceNetwork;
  readonly #state: State = emptyState();
  readonly #ledger = new ReferenceLedger();
  #tip: { height: number; hash: string } | null = null;
  #digest: Uint8Array;

  /** Throws on parameters that P-01 refuses at start. */
  constructor(params: ReferenceParams) {
    this.#network = checkParams(params);
    this.#digest = initialDigest(this.#network);
  }

  /**
   * Applies the next block (the first one at the start height). Throws when the height is another one, the hash
   * is no displayed hash or a transaction does not parse; no bytes in a leaf, annex or body make it throw.
   */
  apply(block: ReferenceBlock): void {
    const expected = this.#tip === null ? this.#network.startHeight : this.#tip.height + 1;
    if (block.height !== expected) throw new Error(`expected block ${expected}, got ${block.height}`);
    displayedHash(block.hash);
    const transactions = block.transactions.map((raw, txIndex) => viewOf(raw, block.height, txIndex));

    const effects: Buffer[] = [];
    for (const tx of transactions.slice(1)) {
      for (const index of tx.inputs.keys()) {
        // P-64: first the closing, then the operation of this input.
        effects.push(...this.#close({ tx, index }));
        effects.push(...this.#operate({ tx, index }));
      }
    }
    this.#digest = nextDigest(this.#digest, block.hash, effects);
    this.#tip = { height: block.height, hash: block.hash };
  }

  /** D of the last applied block, or D(start - 1) before any; 64 hex digits. */
  digest(): string {
    return toHex(this.#digest);
  }

  /** A deep copy of everything, in canonical order. */
  snapshot(): ReferenceSnapshot {
    return takeSnapshot(this.#state, this.#tip, this.digest(), this.#network.startHeight);
  }

  /** Every change of what an address holds, in chain order. */
  ledger(): LedgerRow[] {
    this.#ledger.assertComplete(this.#state);
    return this.#ledger.rows.map((row) => ({ ...row }));
  }

  /** P-63 and its effects (P-81). */
  #close(place: InputPlace): Buffer[] {
    const closing = closeAnchorAt(place, this.#state, this.#network);
    if (closing === null) return [];
    const { listing, kind } = closing;
    this.#ledger.note(this.#state, {
      height: place.tx.height,
      txid: place.tx.txid,
      vout: place.index,
      cause: kind === "cancelled" ? "cancel" : "invalid_spend",
      tick: listing.tick,
      listing_id: listing.id,
      addresses: [listing.owner],
    });
    return [
      closeEffect(place.tx.txid, place.index, listing, kind),
      ...balanceEffects(this.#state, listing.tick, [listing.owner]),
    ];
  }

  /** P-14: records the operation of this input, if it carries one, and its effects (P-81). */
  #operate(place: InputPlace): Buffer[] {
    const { hrp, marker } = this.#network;
    const op = readOperation(place.tx.inputs[place.index]?.witness ?? [], marker, hrp);
    if (op === null) return [];
    // The listing that a send names exists or not at the moment the input is reached.
    const named = op.op === "send" ? namedListing(op, this.#state) : null;
    const outcome = applyOperation({ op, place, state: this.#state, network: this.#network });
    const common = {
      height: place.tx.height,
      tx_index: place.tx.txIndex,
      txid: place.tx.txid,
      vout: place.index,
      op: op.op,
      payload_json: op.payload,
      from: op.sender,
    };
    if ("reason" in outcome) {
      const tick = named?.tick ?? tickOfInvalid(op);
      const refused = { valid: 0, reason: outcome.reason, to: null, amount: null } as const;
      return [this.#record({ ...common, ...refused, tick, listing_id: named?.id ?? null })];
    }
    const { tick, amount, to, touched, createdListing } = outcome.effect;
    this.#ledger.note(this.#state, {
      height: place.tx.height,
      txid: place.tx.txid,
      vout: place.index,
      cause: op.op === "send" ? "fill" : op.op,
      tick,
      listing_id: createdListing ?? named?.id ?? null,
      addresses: touched,
    });
    const recorded = this.#record({
      ...common,
      tick,
      valid: 1,
      reason: null,
      to,
      amount: amount === null ? null : String(amount),
      listing_id: createdListing ?? named?.id ?? null,
    });
    return [recorded, ...balanceEffects(this.#state, tick, touched)];
  }

  #record(row: OperationRow): Buffer {
    this.#state.operations.push(row);
    return operationEffect(row);
  }
}

/** P-24, P-23, then the rules of the kind; changes the state where the operation is valid. */
function applyOperation(scene: RuleInput): Outcome {
  const op: RecordedOperation = scene.op;
  if (!isKnownOp(op.op)) return { reason: "OP_UNKNOWN" };
  if (hasFieldTypeFault(op)) return { reason: "FIELD_TYPE" };
  if (op.op === "deploy") return applyDeploy(scene);
  if (op.op === "mint") return applyMint(scene);
  if (op.op === "transfer") return applyTransfer(scene);
  if (op.op === "burn") return applyBurn(scene);
  if (op.op === "list") return applyList(scene);
  return applySend(scene);
}

/** P-01 and section 1: the parameters, or an exception that names the bad one. */
function checkParams(params: ReferenceParams): ReferenceNetwork {
  const { hrp, startHeight, feeBps } = params;
  displayedHash(params.genesisHash);
  if (!Number.isInteger(startHeight) || startHeight < 1) throw new Error(`bad start height ${startHeight}`);
  if (!Number.isInteger(feeBps) || feeBps < 0 || feeBps > 10_000) throw new Error(`bad fee rate ${feeBps}`);
  if (feeBps > 0 && params.feeAddress === null) throw new Error("a fee rate needs a fee address");
  const feeAddress = params.feeAddress === null ? null : parseAddress(params.feeAddress, hrp);
  if (params.feeAddress !== null && feeAddress === null)
    throw new Error(`bad fee address ${params.feeAddress}`);
  return { ...params, marker: params.marker ?? "prc-20", feeAddress };
}

function viewOf(raw: Uint8Array, height: number, txIndex: number): TransactionView {
  const tx = Transaction.fromBuffer(raw);
  return {
    height,
    txIndex,
    txid: tx.getId(),
    inputs: tx.ins.map((input) => ({
      spends: `${toHex(input.hash.toReversed())}:${input.index}`,
      witness: input.witness,
    })),
    outputs: tx.outs.map((output) => ({ script: toHex(output.script), value: output.value })),
  };
}

// Computes what one block changes: the single synchronous pass over its operations and closings, in the order of P-10
// and P-64, above the state that was loaded for it. Out comes one write set, with digest and totals.

import type { ScannedBlock, TransactionView } from "../chain/block-shapes.ts";
import type { Hex32 } from "../primitives/brands.ts";
import type { Sha256 } from "../primitives/hashing.ts";
import { closeListing } from "./closings.ts";
import { BlockDigest } from "./digest.ts";
import type { BlockContext, ListingSignatures, Site, Verdict } from "./operation.ts";
import { Overlay } from "./overlay.ts";
import type { BlockReading, ReadInput, ReadTransaction, RecordedOperation } from "./read-block.ts";
import type { ProtocolRules } from "./rules.ts";
import type { BlockChanges, ListingRow, OperationRow, Totals, WorkingTotals } from "./state.ts";
import type { StateView } from "./state-view.ts";

/** Everything that decides a block. `reading` was made from `block`, `view` holds the keys that it declares. */
export interface BlockInput {
  readonly block: ScannedBlock;
  readonly reading: BlockReading;
  readonly rules: ProtocolRules;
  readonly view: StateView;
  readonly signatures: ListingSignatures;
  /** Digest and totals at the end of the block before. */
  readonly previous: { readonly digest: Hex32; readonly totals: Totals };
  readonly sha256: Sha256;
}

/**
 * Applies one block to the state. Pure: the same input gives the same changes. Throws only on a bug of ours (a key
 * that was not declared, a signature that was not verified, a block below the start height).
 */
export function applyBlock(input: BlockInput): BlockChanges {
  if (input.block.height < input.rules.startHeight) throw new Error("block is below the start height");
  if (input.reading.height !== input.block.height) throw new Error("reading belongs to another block");
  const pass = new BlockPass(input);
  for (const transaction of input.reading.transactions) pass.transaction(transaction);
  return pass.finish();
}

class BlockPass {
  readonly #input: BlockInput;
  readonly #context: BlockContext;
  readonly #overlay: Overlay;
  readonly #digest: BlockDigest;
  readonly #totals: WorkingTotals;
  readonly #operations: OperationRow[] = [];

  constructor(input: BlockInput) {
    const { block, rules, signatures, sha256, previous } = input;
    this.#input = input;
    this.#overlay = new Overlay(input.view);
    this.#digest = new BlockDigest(previous.digest, block.hash);
    this.#totals = { ...previous.totals };
    this.#context = {
      rules,
      height: block.height,
      time: block.time,
      overlay: this.#overlay,
      signatures,
      sha256,
    };
  }

  transaction({ view, inputs }: ReadTransaction): void {
    for (let i = 0; i < inputs.length; i++) {
      const input = inputs[i];
      if (input !== undefined) this.#inputOf(view, input, inputs[i + 1]);
    }
  }

  finish(): BlockChanges {
    const { block, sha256 } = this.#input;
    return {
      height: block.height,
      hash: block.hash,
      previousHash: block.previousHash,
      time: block.time,
      digest: this.#digest.finish(sha256),
      totals: this.#totals,
      operations: this.#operations,
      ...this.#overlay.changes(),
    };
  }

  /** First the closing of P-63, then the operation of the same input (P-64). */
  #inputOf(transaction: TransactionView, input: ReadInput, next: ReadInput | undefined): void {
    const { spends, recorded } = input;
    const listing = spends === null ? null : this.#overlay.openListingAt(spends);
    if (listing === null && recorded === null) return;
    const site: Site = { transaction, inputIndex: input.index, place: this.#totals.nextPlace };
    this.#totals.nextPlace += 1;
    if (listing !== null) this.#close(listing, site, next);
    if (recorded !== null) this.#record(recorded, site);
  }

  #close(listing: ListingRow, site: Site, next: ReadInput | undefined): void {
    const totals = this.#totals;
    const digest = this.#digest;
    const closing = closeListing(listing, site, next, this.#context);
    totals.listsOpen -= 1;
    if (closing.kind === "filled") {
      totals.listsFilled += 1;
      totals.feePaidSat += listing.protocolFeeSat;
      totals.sellerPaidSat += listing.sellerNetSat;
      return;
    }
    if (closing.kind === "cancelled") totals.listsCancelled += 1;
    else totals.listsInvalidSpent += 1;
    digest.closing(site.transaction.txid, site.inputIndex, listing, closing.kind);
    digest.balance(closing.owner);
  }

  #record(recorded: RecordedOperation, site: Site): void {
    const { operation } = recorded;
    const digest = this.#digest;
    const totals = this.#totals;
    // Before judging: an invalid send shows the listing that existed when its input was reached (P-62, P-81).
    const id = operation?.listingId ?? null;
    const named = id === null ? null : this.#overlay.listing(id);
    const verdict = this.#judge(recorded, site);
    totals.eventsTotal += 1;
    const row = this.#row(recorded, site, verdict, named);
    this.#operations.push(row);
    digest.operation(row);
    if (typeof verdict === "string") return;
    if (verdict.first !== null) digest.balance(verdict.first);
    if (verdict.second !== null) digest.balance(verdict.second);
    totals.eventsValid += 1;
    if (recorded.op === "deploy") totals.tokensDeployed += 1;
    else if (recorded.op === "list") totals.listsOpen += 1;
  }

  #judge({ operation }: RecordedOperation, site: Site): Verdict {
    if (operation === null) return "OP_UNKNOWN";
    if (operation.mistyped) return "FIELD_TYPE";
    return operation.apply(site, this.#context);
  }

  /** Amount and recipient of an invalid operation are empty (P-81). */
  #row(recorded: RecordedOperation, site: Site, verdict: Verdict, named: ListingRow | null): OperationRow {
    const { transaction, inputIndex, place } = site;
    const effect = typeof verdict === "string" ? null : verdict;
    return {
      place,
      height: this.#context.height,
      txIndex: transaction.txIndex,
      txid: transaction.txid,
      vout: inputIndex,
      op: recorded.op,
      tick: named?.tick ?? recorded.operation?.tick ?? "",
      valid: effect !== null,
      reason: typeof verdict === "string" ? verdict : null,
      payloadJson: recorded.text,
      from: recorded.sender,
      to: effect?.to ?? null,
      amount: effect?.amount ?? null,
      listingId: effect?.listingId ?? named?.id ?? null,
      filledOwner: effect?.filledOwner ?? null,
    };
  }
}

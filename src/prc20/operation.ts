// The contract of the files in operations/: what a token operation is to the rest of the core. Fields are read once
// without state, keys are declared before the block, and the pass judges once. Nothing here knows a single operation.

import type { InterestingInput, TransactionView } from "../chain/block-shapes.ts";
import type { ListingId, PearlAddress, RawAmount, Tick } from "../primitives/brands.ts";
import type { Sha256 } from "../primitives/hashing.ts";
import type { KeyCollector } from "./declared-keys.ts";
import type { BalanceCell, Overlay } from "./overlay.ts";
import type { Fields } from "./payload.ts";
import type { Reason } from "./reasons.ts";
import type { ProtocolRules } from "./rules.ts";
import type { Place } from "./state.ts";

/** What an operation is read from: its payload's fields and who signed it. */
export interface OperationSource {
  readonly fields: Fields;
  /** The sender (P-15). */
  readonly sender: PearlAddress;
  /** The sender's output key K, hex. */
  readonly keyHex: string;
  /** The annex of the input (P-11), or null. */
  readonly annex: InterestingInput["annex"];
  /** bech32m prefix of the network. */
  readonly hrp: string;
}

/** Where an operation stands while it is judged. */
export interface Site {
  readonly transaction: TransactionView;
  readonly inputIndex: number;
  readonly place: Place;
}

/** What is the same for all operations of a block while it is judged. */
export interface BlockContext {
  readonly rules: ProtocolRules;
  readonly height: number;
  readonly time: number;
  readonly overlay: Overlay;
  /** Answers to the checks of P-53 that were made before the pass. */
  readonly signatures: ListingSignatures;
  readonly sha256: Sha256;
}

/** Whether the published signature of a list operation verifies; undefined where it was not checked. */
export interface ListingSignatures {
  get(list: Operation): boolean | undefined;
}

/** What a valid operation did, as its row and the digest need it (P-81). */
export interface Effect {
  /** What was credited, moved, burned or locked. */
  readonly amount: RawAmount | null;
  readonly to: PearlAddress | null;
  /** The listing that was created or filled. */
  readonly listingId: ListingId | null;
  /** Owner of the listing that was filled. */
  readonly filledOwner: PearlAddress | null;
  /** The touched balances: the debited or unlocked one first, each address once. */
  readonly first: BalanceCell | null;
  readonly second: BalanceCell | null;
}

/** A reason, or the effect that has been applied to the overlay. */
export type Verdict = Reason | Effect;

/** One operation as inscribed. Its fields are read, its validity is not yet known. */
export interface Operation {
  /** A field that P-23 names for this operation is present and no string. */
  readonly mistyped: boolean;
  /** The canonical form of a well-formed `tick` field, else "" (P-81). */
  readonly tick: Tick | "";
  /** The listing that a send names (P-51), else null. */
  readonly listingId: ListingId | null;
  /** Who would receive units or money, as far as the payload tells; null where it names nobody. */
  readonly recipient: PearlAddress | null;
  /** Declares the rows that `apply` may read, as far as they follow from the operation alone. */
  declare(keys: KeyCollector): void;
  /**
   * Judges in the order of the specification and, where nothing is broken, changes the overlay.
   * Is asked only where `mistyped` is false (P-23).
   */
  apply(site: Site, context: BlockContext): Verdict;
}

/** The entry of one operation in the registry. */
export interface OperationKind {
  /** The payload's `op`. */
  readonly name: string;
  /** Rules of the specification that the file implements. */
  readonly rules: readonly string[];
  /** Fields that the specification names for it (P-23). */
  readonly fields: readonly string[];
  read(source: OperationSource): Operation;
}

// What a book of the ledger says while it changes: which facts are to be stored or forgotten, and whose rows may differ.

import type { Bytes32, ScriptHex } from "../../primitives/brands.ts";
import type { FactKind } from "./fact-fields.ts";
import type { Chain } from "../../swap/facts.ts";

/** The block that changed a row (H-47). */
export interface CausingBlock {
  readonly chain: Chain;
  readonly height: number;
  readonly hash: string;
}

/** Hears what follows from a change of the books by one block, or by none. */
export interface BookChange {
  /** Whether facts are loaded: what was computed before they were stored is not computed again. */
  readonly isLoading: boolean;
  store<Value>(kind: FactKind<Value>, value: Value): void;
  forget<Value>(kind: FactKind<Value>, key: string): void;
  /** The rows of this order or take may change. */
  touch(order: Bytes32): void;
  /** The row of this ask may change. */
  touchAsk(ask: Bytes32): void;
  /** The outputs of this script are others: the rows of its orders may change. */
  touchScript(script: ScriptHex): void;
}

/** Facts that are loaded: they are stored already, and nobody is told. */
export const LOADING: BookChange = {
  isLoading: true,
  store: () => undefined,
  forget: () => undefined,
  touch: () => undefined,
  touchAsk: () => undefined,
  touchScript: () => undefined,
};

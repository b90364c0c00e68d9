// Describes what an index must show after a chapter of the scenario: plain rows with decimal strings for raw units and
// grains, addresses in bech32m, and block heights as numbers.

/** A recorded operation (P-14). `amount` and `to` are null where P-81 leaves them empty. */
export interface ExpectedOperation {
  readonly txid: string;
  /** Input index, the `vout` of the row (P-10). */
  readonly vout: number;
  readonly height: number;
  readonly op: string;
  readonly valid: boolean;
  readonly reason: string | null;
  readonly tick: string;
  readonly amount: string | null;
  readonly from: string;
  readonly to: string | null;
}

/** A token (P-40, P-41). */
export interface ExpectedToken {
  readonly tick: string;
  readonly max: string;
  readonly lim: string;
  readonly pre: string;
  readonly dec: string;
  readonly minted: string;
  readonly burned: string;
  readonly deployer: string;
  readonly deployTxid: string;
  readonly height: number;
}

/** A holder: balance + locked > 0 (P-31). */
export interface ExpectedBalance {
  readonly address: string;
  readonly tick: string;
  readonly balance: string;
  readonly locked: string;
}

/** A listing (P-50 to P-70). */
export interface ExpectedListing {
  readonly id: string;
  readonly tick: string;
  readonly amount: string;
  readonly price: string;
  readonly protocolFee: string;
  readonly sellerNet: string;
  readonly owner: string;
  readonly seller: string;
  readonly exp: string | null;
  readonly state: "open" | "filled" | "cancelled" | "invalid_spent" | "expired_open";
  /** The transaction that spent the anchor. */
  readonly closedBy: { readonly txid: string; readonly height: number } | null;
}

/** The whole state at a tip: tokens by ticker, balances by address, listings by id, each ascending. */
export interface Expected {
  readonly height: number;
  /** Block hash in display order. */
  readonly tip: string;
  readonly tokens: readonly ExpectedToken[];
  readonly balances: readonly ExpectedBalance[];
  readonly listings: readonly ExpectedListing[];
  /** In chain order. */
  readonly operations: readonly ExpectedOperation[];
}

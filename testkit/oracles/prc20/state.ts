// Holds what the reference remembers between inputs: the state of section 4, in plain Maps.

/** What the reference is configured with: the consensus parameters of P-01. */
export interface ReferenceParams {
  /** bech32m prefix of the network */
  hrp: string;
  /** genesis block hash as displayed, 64 hex digits */
  genesisHash: string;
  /** first block whose operations count, at least 1 */
  startHeight: number;
  /** protocol fee of the token market in basis points, 0 to 10000 */
  feeBps: number;
  /** where the protocol fee is paid; may be null only when feeBps is 0 */
  feeAddress: string | null;
  /** envelope marker and `p` value; "prc-20" where absent */
  marker?: string;
}

/** The parameters with the default filled in and the fee address in lower case. */
export interface ReferenceNetwork {
  hrp: string;
  genesisHash: string;
  startHeight: number;
  feeBps: number;
  feeAddress: string | null;
  marker: string;
}

/** Section 4: a deployed token. Raw units. `transfers` counts valid transfer operations. */
export interface Token {
  tick: string;
  dec: string;
  max: bigint;
  lim: bigint;
  pre: bigint;
  minted: bigint;
  burned: bigint;
  cid: string | null;
  deployer: string;
  deployTxid: string;
  deployHeight: number;
  transfers: number;
}

/** P-70's close kinds and `open`. (Expiry is no state: P-65.) */
export type ListingState = "open" | "filled" | "cancelled" | "invalid_spent";

/** Section 4: a listing. Amount in raw units; price, protocolFee, sellerNet in grains. */
export interface Listing {
  id: string;
  tick: string;
  amount: bigint;
  owner: string;
  sellerAddress: string;
  price: bigint;
  protocolFee: bigint;
  sellerNet: bigint;
  exp: string | null;
  /** P-51: the anchor is output `vout` of transaction `txid`, which is the creating one. */
  txid: string;
  vout: number;
  createdHeight: number;
  /** the 64 signature bytes of the annex, hex */
  signature: string;
  /** P-54, hex */
  policyHash: string;
  state: ListingState;
  /** the transaction that spent the anchor, its height and the spending input's index (a of P-63) */
  close: { txid: string; height: number; input: number } | null;
  /** who received the units, once filled */
  buyer: string | null;
}

/** One recorded operation with the values of P-81's last paragraph. */
export interface OperationRow {
  height: number;
  tx_index: number;
  txid: string;
  vout: number;
  op: string;
  tick: string;
  valid: 0 | 1;
  reason: string | null;
  payload_json: string;
  from: string;
  to: string | null;
  amount: string | null;
  listing_id: string | null;
}

/** Spendable and locked raw units of one address and ticker. */
export interface Holding {
  balance: bigint;
  locked: bigint;
}

/** Everything of section 4, and the rows. */
export interface State {
  /** by canonical ticker */
  tokens: Map<string, Token>;
  /** ticker -> address -> holding */
  holdings: Map<string, Map<string, Holding>>;
  /** by id */
  listings: Map<string, Listing>;
  /** anchors of open listings: "txid:vout" -> listing id */
  anchors: Map<string, string>;
  operations: OperationRow[];
}

/** The state before the start height. */
export function emptyState(): State {
  return { tokens: new Map(), holdings: new Map(), listings: new Map(), anchors: new Map(), operations: [] };
}

/** The holding of an address, created as zeros where there is none yet. */
export function holdingOf(state: State, address: string, tick: string): Holding {
  let ofTick = state.holdings.get(tick);
  if (ofTick === undefined) {
    ofTick = new Map();
    state.holdings.set(tick, ofTick);
  }
  let holding = ofTick.get(address);
  if (holding === undefined) {
    holding = { balance: 0n, locked: 0n };
    ofTick.set(address, holding);
  }
  return holding;
}

/** One input of a transaction. `spends` is the spent outpoint as "txid:vout". */
export interface InputView {
  spends: string;
  witness: Uint8Array[];
}

/** One transaction, as far as the rules look at it. Scripts in hex, values in grains. */
export interface TransactionView {
  height: number;
  txIndex: number;
  txid: string;
  inputs: InputView[];
  outputs: { script: string; value: bigint }[];
}

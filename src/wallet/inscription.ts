// Puts an operation into a witness, in two steps: a commit output whose Taproot tree has one leaf (the envelope of
// P-12), and a reveal input that spends it by that leaf. This file writes the body, one JSON object of strings (P-13,
// P-23), and makes the leaf, the commit output and the reveal's witness parts.

import { concatBytes, equalBytes, taprootNumsKey, taprootTweakPubkey } from "@scure/btc-signer/utils.js";
import { p2trScript, type SigningKey } from "./keys.ts";
import { tapLeafHash } from "./signature-hash.ts";

/** Longest push that consensus lets a script hold, also in a branch that is not run. */
const MAX_PUSH = 520;
/** Bounds of a body, P-12. */
const MIN_BODY = 2;
const MAX_BODY = 4096;

/** Everything that a reveal needs of a commit output, beside the coin itself. */
export interface Inscription {
  /** The text that is inscribed. */
  readonly body: string;
  /** K: the 32-byte output key of the sender, who has to sign the reveal (P-15). */
  readonly senderKey: Uint8Array;
  /** The leaf of P-12. */
  readonly leafScript: Uint8Array;
  /** BIP341 control block, 33 bytes. */
  readonly controlBlock: Uint8Array;
  /** The output script to pay to: `OP_1 <tweaked key>`. */
  readonly commitScript: Uint8Array;
}

/** Who may spend a commit output without its leaf: the sender (`sender`) or nobody (`nobody`, a NUMS point). */
export type InternalKey = "sender" | "nobody";

/** Direct push, PUSHDATA1 or PUSHDATA2: never an OP_n, which P-12 does not accept as a push. */
function push(data: Uint8Array): Uint8Array {
  const size = data.length;
  if (size < 0x4c) return concatBytes(Uint8Array.of(size), data);
  if (size < 0x100) return concatBytes(Uint8Array.of(0x4c, size), data);
  return concatBytes(Uint8Array.of(0x4d, size & 0xff, size >> 8), data);
}

/**
 * The leaf `<K> CHECKSIG FALSE IF <marker> "application/json" 0 <body pushes> ENDIF` (P-12).
 * @throws RangeError for a key that has not 32 bytes, a marker of 0 or over 75 bytes, or a body outside
 * 2 to 4096 bytes of UTF-8.
 */
export function inscriptionLeaf(senderKey: Uint8Array, marker: string, body: string): Uint8Array {
  const text = new TextEncoder();
  const markerBytes = text.encode(marker);
  const bodyBytes = text.encode(body);
  if (senderKey.length !== 32) throw new RangeError("the sender's key has 32 bytes");
  if (markerBytes.length < 1 || markerBytes.length > 75) throw new RangeError("a marker has 1 to 75 bytes");
  if (bodyBytes.length < MIN_BODY || bodyBytes.length > MAX_BODY) {
    throw new RangeError(`a body has ${MIN_BODY} to ${MAX_BODY} bytes, this one ${bodyBytes.length}`);
  }
  const pushes: Uint8Array[] = [];
  for (let at = 0; at < bodyBytes.length; at += MAX_PUSH)
    pushes.push(push(bodyBytes.slice(at, at + MAX_PUSH)));
  return concatBytes(
    push(senderKey),
    Uint8Array.of(0xac, 0x00, 0x63),
    push(markerBytes),
    push(text.encode("application/json")),
    Uint8Array.of(0x00),
    ...pushes,
    Uint8Array.of(0x68),
  );
}

/**
 * The commit output for an operation of the address with output key `senderKey`. With the internal key `sender`
 * (the default) the owner could also spend it by the key path; with `nobody` only the leaf spends it.
 * @throws RangeError as `inscriptionLeaf`.
 */
export function buildCommit(
  senderKey: Uint8Array,
  marker: string,
  body: string,
  internalKey: InternalKey = "sender",
): Inscription {
  const leafScript = inscriptionLeaf(senderKey, marker, body);
  const internal = internalKey === "sender" ? senderKey : taprootNumsKey();
  const [tweaked, parity] = taprootTweakPubkey(internal, tapLeafHash(leafScript));
  return {
    body,
    senderKey,
    leafScript,
    controlBlock: concatBytes(Uint8Array.of(0xc0 | parity), internal),
    commitScript: p2trScript(tweaked),
  };
}

/** Whether this key is the sender that the inscription names: only its signature reveals it. */
export function revealedBy(inscription: Inscription, key: SigningKey): boolean {
  return equalBytes(inscription.senderKey, key.outputKey);
}

/** The fields of each operation, as P-40 to P-60 name them: decimal strings, bech32m addresses, tickers. */
export interface BodyFields {
  readonly deploy: {
    readonly tick: string;
    readonly max: string;
    readonly lim?: string;
    readonly pre?: string;
    readonly dec?: string;
    readonly cid?: string;
    readonly to?: string;
  };
  readonly mint: { readonly tick: string; readonly amt?: string; readonly to?: string };
  readonly transfer: { readonly tick: string; readonly amt: string; readonly to: string };
  readonly burn: { readonly tick: string; readonly amt: string };
  readonly list: {
    readonly tick: string;
    readonly amt: string;
    readonly price: string;
    readonly pay?: string;
    readonly exp?: string;
    readonly seller?: string;
  };
  readonly send: { readonly id: string; readonly to?: string };
}

/** The body of an operation. Nothing is checked: whether it is valid is for the chain's state to say. */
export function operationBody<Kind extends keyof BodyFields>(
  marker: string,
  op: Kind,
  fields: BodyFields[Kind],
): string {
  return JSON.stringify({ p: marker, op, ...fields });
}

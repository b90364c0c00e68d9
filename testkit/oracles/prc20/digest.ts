// Hashes what belongs into the digest, in the order of section 7 (P-80, P-81).
import { sha256 } from "../../bytes.ts";
import { holdingOf } from "./state.ts";
import type { ReferenceNetwork, OperationRow, State } from "./state.ts";

/** P-80: D(start - 1), 32 bytes. */
export function initialDigest(network: ReferenceNetwork): Uint8Array {
  return sha256(
    lengthPrefixed("prc20-digest/1"),
    lengthPrefixed(displayedHash(network.genesisHash)),
    lengthPrefixed(network.marker),
    lengthPrefixed(String(network.startHeight)),
    lengthPrefixed(String(network.feeBps)),
    lengthPrefixed(network.feeAddress ?? ""),
  );
}

/** P-80: D(h) from D(h - 1), the block's displayed hash and its effects in order. */
export function nextDigest(previous: Uint8Array, blockHash: string, effects: Uint8Array[]): Uint8Array {
  return sha256(previous, displayedHash(blockHash), ...effects);
}

/** P-81: the effect of a recorded operation, valid or not. */
export function operationEffect(row: OperationRow): Buffer {
  return effect([
    "op",
    displayedHash(row.txid),
    String(row.vout),
    row.valid === 1 ? "1" : "0",
    row.reason ?? "",
    row.op,
    row.tick,
    row.amount ?? "",
    row.from,
    row.to ?? "",
  ]);
}

/** P-81: the effect of a closing other than by a valid send. */
export function closeEffect(
  txid: string,
  input: number,
  listing: { id: string; amount: bigint; owner: string },
  kind: "cancelled" | "invalid_spent",
): Buffer {
  return effect([
    "close",
    displayedHash(txid),
    String(input),
    listing.id,
    kind,
    String(listing.amount),
    listing.owner,
  ]);
}

/** P-81: one "balance" per address, in the order given, each address once, with the values of now. */
export function balanceEffects(state: State, tick: string, addresses: string[]): Buffer[] {
  return [...new Set(addresses)].map((address) => {
    const { balance, locked } = holdingOf(state, address, tick);
    return effect(["balance", address, tick, String(balance), String(locked)]);
  });
}

function effect(fields: (string | Uint8Array)[]): Buffer {
  return Buffer.concat(fields.map(lengthPrefixed));
}

/** LP(x) of P-80: the length of x as 4 bytes big-endian, then x. Text is UTF-8. */
function lengthPrefixed(x: string | Uint8Array): Buffer {
  const bytes = typeof x === "string" ? Buffer.from(x, "utf8") : Buffer.from(x);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The bytes of a 64-digit hash as it is displayed (P-80: "32 bytes as displayed"). Throws on other text. */
export function displayedHash(hex: string): Buffer {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new Error(`not a displayed hash: ${hex}`);
  return Buffer.from(hex, "hex");
}

// Decides one stored operation again from its own inscribed text, apart from the chain around it. The digest of P-81 does
// not speak of texts, nor of the terms of tokens and listings: of rows that somebody else has made, this tells whether they
// say what their text says. What only the state shows (was there enough, was the ticker free) is taken as stored.

import type { ScannedBlock, TransactionView } from "../chain/block-shapes.ts";
import { LISTING_HASH_TYPE } from "../chain/taproot-sighash.ts";
import { addressOfKey, keyOfAddress, parseAddress, scriptHexOfAddress } from "../primitives/address.ts";
import { AMOUNT_MAX } from "../primitives/amount.ts";
import type { BlockHash, Hex32, PearlAddress, RawAmount } from "../primitives/brands.ts";
import type { Sha256, VerifySchnorr } from "../primitives/hashing.ts";
import { hexToBytes } from "../primitives/hex.ts";
import { isSameValue } from "../primitives/same-value.ts";
import { listingSignatureJobs } from "./listing-signatures.ts";
import { readTransaction, type ReadTransaction, type RecordedOperation } from "./read-block.ts";
import type { ProtocolRules } from "./rules.ts";
import { type ListingRow, type OperationRow, type TokenRow, ZERO_TOTALS } from "./state.ts";
import type { StateView } from "./state-view.ts";
import { applyBlock } from "./transition.ts";

/** The rows that one stored operation has made. */
export interface StoredEffect {
  readonly operation: OperationRow;
  /** Time of its block. */
  readonly time: number;
  /** The token of its ticker, null where there is none. */
  readonly token: TokenRow | null;
  /** The listing that it opened, null where it is none or opened none. */
  readonly listing: ListingRow | null;
}

/** What deciding needs beside the rows. */
export interface DecidingTools {
  readonly rules: ProtocolRules;
  readonly sha256: Sha256;
  readonly verifySchnorr: VerifySchnorr;
}

const ANNEX_PREFIX = "50";
const ANNEX_END = LISTING_HASH_TYPE.toString(16);
const NO_HASH = "00".repeat(32);

/**
 * Whether the rows of an operation say what its inscribed text says: its name and ticker, of a valid one amount and
 * recipient, of a deploy the token's terms, of a list the listing's, by the seller's own signature (P-53). The text must not
 * be longer than P-12 lets it be.
 */
export function saysItsText(stored: StoredEffect, tools: DecidingTools): boolean {
  const { operation: row } = stored;
  const read = readAgain(stored, tools.rules);
  const recorded = read?.inputs[0]?.recorded ?? null;
  if (read === null || recorded === null || !isValue(stored.listing?.anchorAmountSat ?? 0n)) return false;
  if (row.op === "send" || !row.valid) return isNamed(row, recorded);
  const changes = decided(stored, read, tools);
  const [again] = changes.operations;
  if (again === undefined || !isSameValue(again, row)) return false;
  const [listing] = changes.listings;
  if (row.op === "list") return isSameValue(listing?.after ?? null, withoutEnd(stored.listing));
  const [token] = changes.tokens;
  return row.op !== "deploy" || isSameValue(termsOf(token?.after ?? null), termsOf(stored.token));
}

/** The transaction as far as the operation's row tells; null where its text makes no recorded operation (P-14). */
function readAgain(stored: StoredEffect, rules: ProtocolRules): ReadTransaction | null {
  const { operation: row, listing } = stored;
  if (parseAddress(row.from, rules.hrp) !== row.from) return null;
  const body = new TextEncoder().encode(row.payloadJson);
  const annex = listing === null ? null : hexToBytes(ANNEX_PREFIX + listing.signatureHex + ANNEX_END);
  const envelope = { keyHex: keyOfAddress(row.from), body };
  const output = { valueSat: listing?.anchorAmountSat ?? 0n, scriptHex: scriptHexOfAddress(row.from) };
  const view: TransactionView = {
    txIndex: row.txIndex,
    txid: row.txid,
    inputCount: row.vout + 1,
    outputCount: row.vout + 1,
    interesting: [{ index: row.vout, envelope, annex, mayCloseListing: false }],
    outpoint: () => null,
    output: (index) => (index === row.vout ? output : null),
  };
  return readTransaction(view, rules, (keyHex) => addressOfKey(keyHex, rules.hrp));
}

/** What an operation whose effect is not decided again has of its text (P-23, P-24, P-62, P-81). */
function isNamed(row: OperationRow, { op, operation }: RecordedOperation): boolean {
  if (op !== row.op || (operation === null) !== (row.reason === "OP_UNKNOWN")) return false;
  if (operation === null) return row.tick === "" && row.listingId === null;
  if (operation.mistyped !== (row.reason === "FIELD_TYPE")) return false;
  if (row.valid) return operation.listingId === row.listingId && operation.recipient === row.to;
  if (row.to !== null || row.amount !== null || row.filledOwner !== null) return false;
  // A send has its listing, and by it its ticker, only where that existed.
  if (op === "send") return row.listingId === null || row.listingId === operation.listingId;
  return operation.tick === row.tick && row.listingId === null;
}

/** The block that would hold this operation alone, above a state that lets it pass. */
function decided(
  { operation: row, time, token }: StoredEffect,
  read: ReadTransaction,
  { rules, sha256, verifySchnorr }: DecidingTools,
): ReturnType<typeof applyBlock> {
  const { height } = row;
  const reading = { height, transactions: [read] };
  const asked = listingSignatureJobs(reading, rules, sha256);
  const answers = asked.jobs.map(({ key, message, signature }) => verifySchnorr(key, message, signature));
  const hash = NO_HASH as BlockHash;
  const block: ScannedBlock = {
    height,
    hash,
    previousHash: hash,
    time,
    transactionCount: 2,
    transactions: [],
  };
  const totals = { ...ZERO_TOTALS, nextPlace: row.place };
  const previous = { digest: NO_HASH as Hex32, totals };
  const view = allowing(row, token);
  return applyBlock({ block, reading, rules, view, signatures: asked.answered(answers), previous, sha256 });
}

/** A state in which everybody has enough; a mint gets what the row says, or less where its text asks for less. */
function allowing({ op, amount }: OperationRow, token: TokenRow | null): StateView {
  const all = { balance: AMOUNT_MAX as RawAmount, locked: 0n as RawAmount };
  const minted = ((token?.max ?? 0n) - (amount ?? 0n)) as RawAmount;
  const before = token === null || op !== "mint" ? token : { ...token, minted };
  return {
    token: () => (op === "deploy" ? null : before),
    balance: (address: PearlAddress, tick) => ({ address, tick, ...all }),
    listing: () => null,
    openListingAt: () => null,
  };
}

/** What a token has from its deploy and keeps. */
function termsOf(token: TokenRow | null): unknown {
  if (token === null) return null;
  const { tick, dec, max, lim, pre, cid, deployer, deployTxid, deployHeight, deployPlace } = token;
  return { tick, dec, max, lim, pre, cid, deployer, deployTxid, deployHeight, deployPlace };
}

function withoutEnd(listing: ListingRow | null): ListingRow | null {
  return listing === null ? null : { ...listing, close: null };
}

/** Values of outputs have 64 bits, and the message of P-53 has no more of them. */
function isValue(sat: bigint): boolean {
  return BigInt.asUintN(64, sat) === sat;
}

// What a store is told of a bundle that closes: which facts are its own, by which names it is found, and how lists find its
// orders and asks.

import type { Bytes32, Outpoint } from "../../primitives/brands.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import type { OrderFacts } from "../../swap/facts.ts";
import { scriptsOfKey } from "../../swap/keys.ts";
import { isAskMatch, ZERO_BYTES32 } from "../../swap/terms.ts";
import type { Books } from "./books.ts";
import { type Bundle, evmHeightOf, movesOf, namesOf, pearlHeightOf } from "./bundles.ts";
import type { ClosedAsk, ClosedBundle, ClosedOrder } from "./closed-port.ts";
import type { CountedOrder } from "./closed-book.ts";
import {
  ADDRESSES,
  ASK,
  BLOCK_FACTS,
  EVENT,
  eventKey,
  INPUTS,
  ORIGIN,
  SCRIPT,
  SECRET,
  secretKey,
  SIGHTING,
} from "./fact-kinds.ts";
import type { OrderEntry } from "./order-book.ts";

type FactKey = ClosedBundle["facts"][number];

/** Everything that a store is told of the bundle, as it stands in these books. */
export function closedBundle(books: Books, bundle: Bundle, id: number, crypto: SwapCrypto): ClosedBundle {
  const orders: ClosedOrder[] = [];
  for (const hash of bundle.orders) {
    const entry = books.orders.entries.get(hash);
    if (entry !== undefined) orders.push(closedOrder(books, entry, crypto));
  }
  return {
    id,
    evmHeight: evmHeightOf(books, bundle),
    pearlHeight: pearlHeightOf(books, bundle),
    facts: [...ordersFacts(books, bundle), ...outputsFacts(books, bundle)],
    names: [...new Set(namesOf(books, bundle))],
    moves: uniqueMoves(books, bundle),
    orders,
    asks: closedAsks(books, bundle, crypto),
  };
}

function uniqueMoves(books: Books, bundle: Bundle): ClosedBundle["moves"] {
  const moves = Array.from(
    movesOf(books, bundle),
    (move) => [`${move.order} ${move.transaction}`, move] as const,
  );
  return [...new Map(moves).values()];
}

/** What closed orders count as. */
export function countedOrders(books: Books, hashes: Iterable<Bytes32>): readonly CountedOrder[] {
  return [...hashes].flatMap((hash) => {
    const facts = books.orders.entries.get(hash)?.facts;
    return facts === undefined ? [] : [counted(facts)];
  });
}

function counted({ closed, accepted, terms }: OrderFacts): CountedOrder {
  const { usdcAmount: usdc, pearlAmountSat: sat } = terms;
  if (closed === null) throw new Error("swap ledger: an order was to close that the contract has not closed");
  const isDeal = accepted !== null;
  switch (closed.kind) {
    case "claimed":
      return { bid: "SETTLED", deal: isDeal ? "SETTLED" : null, usdc, sat, settledAt: closed.place.time };
    case "refunded":
      return { bid: "USDC_REFUNDED", deal: isDeal ? "USDC_REFUNDED" : null, usdc, sat, settledAt: null };
    case "cancelled":
      break;
  }
  return { bid: "BID_CANCELLED", deal: null, usdc, sat, settledAt: null };
}

function closedOrder(books: Books, { facts }: OrderEntry, crypto: SwapCrypto): ClosedOrder {
  const { orderHash: hash, terms, accepted, locked } = facts;
  const addresses = books.records.addresses.get(hash);
  const ask = books.records.asks.get(terms.askId);
  const shown = [
    addresses?.buyerPearlAddress,
    ask?.terms.sellerPearlAddress ?? addresses?.sellerPearlAddress,
  ].filter((address) => address !== null && address !== undefined);
  const keys = [terms.buyerPearlKey, accepted?.sellerPearlKey ?? terms.sellerPearlKey];
  return {
    hash,
    createdAt: locked.time,
    isAskMatch: isAskMatch(terms),
    ...counted(facts),
    buyerEvm: terms.buyer,
    sellerEvm: accepted?.seller ?? terms.seller,
    pearl: pearlTexts(shown, keys, crypto),
  };
}

function closedAsks(books: Books, { orders, asks }: Bundle, crypto: SwapCrypto): readonly ClosedAsk[] {
  return [...orders].flatMap((hash) => {
    const terms = books.orders.entries.get(hash)?.facts.terms;
    const ask = terms === undefined ? undefined : books.records.asks.get(terms.askId);
    if (terms === undefined || ask === undefined || !asks.has(ask.askId)) return [];
    const { seller, sellerPearlAddress, sellerPearlKey, usdcAmount, pearlAmountSat } = ask.terms;
    return {
      askId: ask.askId,
      createdAt: ask.createdAt,
      sellerEvm: seller,
      buyerEvm: terms.buyer,
      pearl: pearlTexts([sellerPearlAddress], [sellerPearlKey], crypto),
      usdc: usdcAmount,
      sat: pearlAmountSat,
    };
  });
}

/** The zero key is nobody's. */
function pearlTexts(
  addresses: readonly string[],
  keys: readonly Bytes32[],
  crypto: SwapCrypto,
): readonly string[] {
  const scripts = keys.filter((key) => key !== ZERO_BYTES32).flatMap((key) => scriptsOfKey(key, crypto));
  return [...new Set([...addresses, ...scripts, ...keys.filter((key) => key !== ZERO_BYTES32)])];
}

function* ordersFacts({ orders, records, secrets }: Books, bundle: Bundle): Generator<FactKey> {
  for (const hash of bundle.orders) {
    const facts = orders.entries.get(hash)?.facts;
    if (facts === undefined) continue;
    const { locked, accepted, closed } = facts;
    for (const place of [locked, accepted?.place, closed?.place])
      if (place !== undefined) yield EVENT.at(eventKey({ place }));
    if (records.addresses.has(hash)) yield ADDRESSES.at(hash);
    if (records.origins.has(hash)) yield ORIGIN.at(hash);
  }
  for (const ask of bundle.asks) yield ASK.at(ask);
  for (const hashlock of bundle.hashlocks) {
    for (const shower of secrets.entries.get(hashlock)?.shownBy ?? [])
      yield SECRET.at(secretKey({ hashlock, shower }));
  }
}

function* outputsFacts({ locks }: Books, { scripts, transactions }: Bundle): Generator<FactKey> {
  for (const script of scripts) {
    yield SCRIPT.at(script);
    for (const outpoint of locks.byScript.of(script)) {
      const entry = locks.entries.get(outpoint);
      if (entry === undefined) continue;
      if (entry.mined !== null) yield BLOCK_FACTS.output.at(outpoint);
      if (entry.spend !== null) yield BLOCK_FACTS.spend.at(outpoint);
      if (entry.isSighted) yield SIGHTING.at(outpoint);
    }
  }
  const needed = new Set<Outpoint>();
  for (const txid of transactions) {
    yield INPUTS.at(txid);
    for (const input of locks.conflicts.inputsOf(txid)) needed.add(input);
  }
  // Stored where another transaction than a lock transaction spends it.
  for (const input of needed) yield BLOCK_FACTS.inputSpend.at(input);
}

// Questions about closed deals, answered by looking at every bundle.

import {
  bareName,
  type ClosedBundle,
  type ClosedQuestion,
  type ListPlace,
  type ListStart,
} from "../../src/swaps/ledger/closed-port.ts";

/** Whether the bundle itself is asked for. */
export function isAsked(question: ClosedQuestion, { names, evmHeight, pearlHeight }: ClosedBundle): boolean {
  if (question.kind === "named") {
    const asked = new Set(question.names.map(bareName));
    return names.some((name) => asked.has(bareName(name)));
  }
  if (question.kind !== "above") return false;
  return (question.chain === "evm" ? evmHeight : pearlHeight) > question.height;
}

interface Filters {
  readonly buyerEvm: string | null;
  readonly sellerEvm: string | null;
  readonly pearl: readonly string[] | null;
}

interface Filtered {
  readonly buyerEvm: string;
  readonly sellerEvm: string;
  readonly pearl: readonly string[];
}

function fits(row: Filtered, { buyerEvm, sellerEvm, pearl }: Filters): boolean {
  if (buyerEvm !== null && row.buyerEvm !== buyerEvm) return false;
  if (sellerEvm !== null && row.sellerEvm !== sellerEvm) return false;
  return pearl === null || row.pearl.some((text) => pearl.includes(text));
}

/** The rows of a bundle that a question finds, in no order and without a page. */
export function rowsOf(
  question: ClosedQuestion,
  { orders, asks, moves }: ClosedBundle,
): readonly ListPlace[] {
  switch (question.kind) {
    case "named":
    case "above":
      return [];
    case "orders":
      return orders
        .filter((row) => {
          const status = question.list === "bid" ? row.bid : row.deal;
          if (status === null || (question.list === "bid" && row.isAskMatch && !question.includeAskMatches))
            return false;
          return (
            (question.statuses.length === 0 || question.statuses.includes(status)) && fits(row, question)
          );
        })
        .map(placed);
    case "asks":
      return asks
        .filter((row) => fits(row, question))
        .map(({ askId: hash, createdAt, usdc, sat }) => ({ hash, createdAt, usdc, sat }));
    case "moved": {
      const moved = moves.filter(
        ({ transaction }) => bareName(transaction) === bareName(question.transaction),
      );
      return orders.filter(({ hash }) => moved.some(({ order }) => order === hash)).map(placed);
    }
    case "settled":
      return orders.filter(({ settledAt }) => settledAt !== null && settledAt > question.after).map(placed);
    case "shown":
      break;
  }
  return [...orders.map((row) => ({ ...placed(row), pearl: row.pearl })), ...asks.map(askPlaced)]
    .filter(({ pearl }) => pearl.some((text) => question.pearl.includes(text)))
    .map(placed);
}

function placed({ hash, createdAt, usdc, sat }: ListPlace): ListPlace {
  return { hash, createdAt, usdc, sat };
}

function askPlaced({ askId: hash, createdAt, usdc, sat, pearl }: ClosedBundle["asks"][number]) {
  return { hash, createdAt, usdc, sat, pearl };
}

interface Found {
  readonly bundle: ClosedBundle;
  readonly rows: readonly ListPlace[];
}

/** The rows of a page in their order, each with its bundle. */
export function inListOrder(
  question: ClosedQuestion,
  found: readonly Found[],
): readonly { readonly row: ListPlace; readonly bundle: ClosedBundle }[] {
  const all = found.flatMap(({ bundle, rows }) => rows.map((row) => ({ row, bundle })));
  if (question.kind === "shown") return all.slice(0, 1);
  if (question.kind === "moved") return movedPage(question, all);
  if (question.kind !== "orders" && question.kind !== "asks") return all;
  const isPrice = question.kind === "asks" && question.sort === "price";
  const turn = question.start?.direction === "prev" ? -1 : 1;
  const compare = (a: ListPlace, b: ListPlace): number => turn * (isPrice ? byPrice(a, b) : byAge(a, b));
  return all
    .filter(({ row }) => isBehind(question.start, row, compare))
    .toSorted((a, b) => compare(a.row, b.row))
    .slice(0, question.limit);
}

function movedPage<One extends { readonly row: ListPlace }>(
  { start, limit }: Extract<ClosedQuestion, { readonly kind: "moved" }>,
  all: readonly One[],
): readonly One[] {
  const turn = start?.direction === "prev" ? -1 : 1;
  const compare = (one: string, other: string): number => turn * (one === other ? 0 : one < other ? -1 : 1);
  return all
    .filter(({ row }) => start === null || compare(row.hash, start.order) >= 0)
    .toSorted((one, other) => compare(one.row.hash, other.row.hash))
    .slice(0, limit);
}

function isBehind(
  start: ListStart | null,
  row: ListPlace,
  compare: (a: ListPlace, b: ListPlace) => number,
): boolean {
  return start === null || compare(row, start.place) > 0;
}

/** Newest first. */
function byAge(a: ListPlace, b: ListPlace): number {
  return b.createdAt - a.createdAt || (a.hash === b.hash ? 0 : a.hash > b.hash ? -1 : 1);
}

/** Cheapest first, then oldest. */
function byPrice(a: ListPlace, b: ListPlace): number {
  const [left, right] = [a.usdc * b.sat, b.usdc * a.sat];
  if (left !== right) return left < right ? -1 : 1;
  return a.createdAt - b.createdAt || (a.hash === b.hash ? 0 : a.hash < b.hash ? -1 : 1);
}

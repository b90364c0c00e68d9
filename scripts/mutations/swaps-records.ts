// Breaks of what people told the service: takes, addresses, asks (S-34, S-42, S-55).

import { type Break, inFile } from "./break.ts";

/** All of them. */
export const SWAPS_RECORDS: readonly Break[] = [
  ...inFile("src/swaps/ledger/record-book.ts", [
    {
      rule: "S-42",
      find: "const KEPT_S = 7 * 86_400;",
      replace: "const KEPT_S = 6 * 86_400;",
      why: "dead takes go a day early",
    },
    {
      rule: "S-42",
      find: "if (take !== undefined && take.expiresAt > now) yield hash;",
      replace: "if (take !== undefined) yield hash;",
      why: "dead takes are counted as live ones",
    },
    {
      rule: "S-42",
      find: "outdated.length >= excess && take.expiresAt + KEPT_S > now",
      replace: "take.expiresAt + KEPT_S > now",
      why: "TAKE_MAX does nothing",
    },
    {
      rule: "S-55",
      find: "(isFixed ? null : given.buyerPearlAddress)",
      replace: "given.buyerPearlAddress",
      why: "the address of a take is replaced by whoever comes later",
    },
    {
      rule: "S-55",
      find: "given.sellerPearlAddress ?? known?.sellerPearlAddress",
      replace: "known?.sellerPearlAddress ?? given.sellerPearlAddress",
      why: "the first stranger's accept-lock decides the seller's address",
    },
    {
      rule: "S-42",
      find: "this.takes.delete(take.dealHash);\n    this",
      replace: "this",
      why: "a renewed take keeps its old place among the oldest",
    },
  ]),
];

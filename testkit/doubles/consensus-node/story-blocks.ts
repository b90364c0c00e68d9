// Writes out by hand the blocks of the scenario's first chapters: the deploys, mints, moves and listings of three
// actors, and the terms of the six listings.

import { operationBody } from "../../../src/wallet/index.ts";
import {
  type DraftedBlock,
  inscribed,
  listed,
  listedWithBadAnnex,
  type StoryListing,
  together,
} from "./drafts.ts";
import type { ExpectedListing } from "./expected.ts";
import { type Participant, keyFromName, MARKER, type Session } from "./session.ts";

/** Who is paid the protocol fee. */
export const TREASURY = keyFromName("treasury", "plain");

/** The chain and who acts on it. */
export interface Cast {
  readonly session: Session;
  readonly alice: Participant;
  readonly bob: Participant;
  readonly carol: Participant;
}

/** Two deploys of one ticker; the first one mined is the valid one (here: Alice's). */
export function deploys({ session, alice, bob }: Cast) {
  const aliceBody = operationBody(MARKER, "deploy", {
    tick: "GOLD",
    max: "1000000",
    lim: "1000",
    pre: "5000",
    dec: "2",
  });
  const bobBody = operationBody(MARKER, "deploy", { tick: "gold", max: "2000000", pre: "7", dec: "0" });
  return {
    aliceDeploys: inscribed(
      session,
      alice,
      [aliceBody],
      [{ op: "deploy", reason: null, amount: "5000", to: alice.address }],
    ),
    bobDeploys: inscribed(
      session,
      bob,
      [bobBody],
      [{ op: "deploy", reason: "TICK_TAKEN", amount: null, to: null }],
    ),
  };
}

/** Mints, two of them invalid. */
export function mints({ session, bob, carol }: Cast): DraftedBlock {
  return together(
    inscribed(
      session,
      bob,
      [operationBody(MARKER, "mint", { tick: "GOLD" })],
      [{ op: "mint", reason: null, amount: "1000", to: bob.address }],
    ),
    inscribed(
      session,
      carol,
      [
        operationBody(MARKER, "mint", { tick: "gold", amt: "400" }),
        operationBody(MARKER, "mint", { tick: "GOLD", amt: "1001" }),
        operationBody(MARKER, "mint", { tick: "LEAD" }),
      ],
      [
        { op: "mint", reason: null, amount: "400", to: carol.address },
        { op: "mint", reason: "AMT_OVER_LIMIT", amount: null, to: null },
        { op: "mint", reason: "TICK_UNKNOWN", amount: null, to: null, tick: "LEAD" },
      ],
    ),
  );
}

/** A transfer, a burn, and a transfer of more than there is. */
export function moves({ session, alice, bob, carol }: Cast): DraftedBlock {
  return together(
    inscribed(
      session,
      alice,
      [operationBody(MARKER, "transfer", { tick: "GOLD", amt: "700", to: carol.address })],
      [{ op: "transfer", reason: null, amount: "700", to: carol.address }],
    ),
    inscribed(
      session,
      bob,
      [
        operationBody(MARKER, "burn", { tick: "GOLD", amt: "50" }),
        operationBody(MARKER, "transfer", { tick: "GOLD", amt: "951", to: alice.address }),
      ],
      [
        { op: "burn", reason: null, amount: "50", to: null },
        { op: "transfer", reason: "BALANCE_INSUFFICIENT", amount: null, to: null },
      ],
    ),
  );
}

/** Six good listings (0 to 5, see `listingRows`) and two bad ones. */
export function lists({ session, alice, bob, carol }: Cast, exp: string) {
  const byAlice = listed(
    session,
    alice,
    [
      { amt: "1000", price: "100000", sellerNet: 99_000n, fee: 1_000n, paidTo: alice },
      { amt: "500", price: "20000", sellerNet: 20_000n, fee: 0n, paidTo: alice },
      { amt: "300", price: "50000", sellerNet: 49_500n, fee: 500n, paidTo: alice },
    ],
    TREASURY.script,
  );
  const byBob = listed(
    session,
    bob,
    [
      { amt: "200", price: "60000", sellerNet: 59_400n, fee: 600n, paidTo: carol },
      { amt: "100", price: "40000", sellerNet: 39_600n, fee: 400n, paidTo: bob, exp },
    ],
    TREASURY.script,
  );
  const byCarol = listed(
    session,
    carol,
    [
      { amt: "700", price: "70000", sellerNet: 69_300n, fee: 700n, paidTo: carol },
      { amt: "401", price: "70000", sellerNet: 69_300n, fee: 700n, paidTo: carol },
    ],
    TREASURY.script,
    [null, "BALANCE_INSUFFICIENT"],
  );
  const bad = listedWithBadAnnex(session, bob, {
    amt: "1",
    price: "50000",
    sellerNet: 49_500n,
    fee: 500n,
    paidTo: bob,
  });
  return {
    draft: together(byAlice.draft, byBob.draft, byCarol.draft, bad),
    listings: [...byAlice.listings, ...byBob.listings, ...byCarol.listings.slice(0, 1)],
  };
}

/** The listings of the story in the order 0 to 5; `ends[k]` is how listing k stands. Sorted by id. */
export function listingRows(
  cast: Cast,
  made: readonly StoryListing[],
  exp: string,
  ends: readonly Pick<ExpectedListing, "state" | "closedBy">[],
): ExpectedListing[] {
  const { alice, bob, carol } = cast;
  const terms = [
    {
      amount: "1000",
      price: "100000",
      protocolFee: "1000",
      sellerNet: "99000",
      owner: alice,
      seller: alice,
      exp: null,
    },
    {
      amount: "500",
      price: "20000",
      protocolFee: "0",
      sellerNet: "20000",
      owner: alice,
      seller: alice,
      exp: null,
    },
    {
      amount: "300",
      price: "50000",
      protocolFee: "500",
      sellerNet: "49500",
      owner: alice,
      seller: alice,
      exp: null,
    },
    {
      amount: "200",
      price: "60000",
      protocolFee: "600",
      sellerNet: "59400",
      owner: bob,
      seller: carol,
      exp: null,
    },
    { amount: "100", price: "40000", protocolFee: "400", sellerNet: "39600", owner: bob, seller: bob, exp },
    {
      amount: "700",
      price: "70000",
      protocolFee: "700",
      sellerNet: "69300",
      owner: carol,
      seller: carol,
      exp: null,
    },
  ];
  const told = terms.map((term, index) => {
    const listing = made[index];
    const end = ends[index];
    if (listing === undefined || end === undefined) throw new Error(`listing ${index} is not told`);
    return {
      ...term,
      ...end,
      id: listing.id,
      tick: "GOLD",
      owner: term.owner.address,
      seller: term.seller.address,
    };
  });
  return told.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

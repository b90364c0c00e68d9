// What has closed: its facts are not loaded, and are found by what they have to do with, by lists and by heights.

import { ABOVE_INTEGERS, BELOW_INTEGERS } from "../../src/primitives/integer-ends.ts";
import assert from "node:assert/strict";
import type { Bytes32, EvmAddress } from "../../src/primitives/brands.ts";
import type {
  ClosedAnswer,
  ClosedAsk,
  ClosedBundle,
  ClosedOrder,
  ClosedQuestion,
  ListPlace,
} from "../../src/swaps/ledger/closed-port.ts";
import type { SwapStore } from "../../src/swaps/ledger/ports.ts";
import { HIGHEST_HASH, LOWEST_HASH } from "../../src/swaps/usecases/pages.ts";
import { hash32 } from "./chain-facts.ts";
import { fact, IDENTITY, keys, type On, swapTransaction } from "./swap-drafts.ts";

const [ALICE, BOB] = ["a", "b"].map((digit) => `0x${digit.repeat(40)}` as EvmAddress);

function nameOf(text: string): Bytes32 {
  return `0x${hash32(text)}` as Bytes32;
}

/** What two bundles are called. */
const SHARED = nameOf("shared");

function order(name: string, createdAt: number, changes: Partial<ClosedOrder> = {}): ClosedOrder {
  return {
    hash: nameOf(name),
    createdAt,
    isAskMatch: false,
    bid: "SETTLED",
    deal: "SETTLED",
    buyerEvm: ALICE ?? ("" as EvmAddress),
    sellerEvm: BOB ?? ("" as EvmAddress),
    pearl: [`prl ${name}`, `5120${name}`],
    usdc: 2n ** 127n,
    sat: 7n,
    settledAt: createdAt + 5,
    ...changes,
  };
}

function ask(name: string, createdAt: number, usdc: bigint, sat: bigint): ClosedAsk {
  const [sellerEvm = "" as EvmAddress, buyerEvm = "" as EvmAddress] = [BOB, ALICE];
  return { askId: nameOf(name), createdAt, sellerEvm, buyerEvm, pearl: [`prl ${name}`], usdc, sat };
}

function bundle(id: number, changes: Partial<ClosedBundle>): ClosedBundle {
  return {
    id,
    evmHeight: 10 * id,
    pearlHeight: 100 * id,
    facts: [],
    names: [`bundle ${id}`],
    moves: [],
    orders: [],
    asks: [],
    ...changes,
  };
}

function factsOf(name: string): ClosedBundle["facts"] {
  return [
    { kind: "secret", key: name },
    { kind: "event", key: name },
    { kind: "inputSpend", key: "that was never stored" },
  ];
}

/** A store with three closed bundles and an open fact. */
async function closedStore(swaps: SwapStore): Promise<void> {
  await swaps.initialise(IDENTITY);
  const put = ["a", "b", "c", "open"].flatMap((name) => [
    fact("event", name, "evm", 10),
    fact("secret", name, null, null, `{"of":"${name}"}`),
  ]);
  await swaps.commit(
    swapTransaction({ put: [...put, fact("closed", "state", null, null, '{"version":1}')] }),
  );
  const close = [
    bundle(1, {
      facts: factsOf("a"),
      names: [nameOf("order of 1"), SHARED, "script of 1"],
      orders: [order("one", 500), order("two", 700, { bid: "BID_CANCELLED", deal: null, settledAt: null })],
      asks: [ask("x", 400, 2n ** 128n - 1n, 10_000n), ask("y", 401, 3n, 2_100_000_000_000_000_000n)],
    }),
    bundle(2, {
      facts: factsOf("b"),
      names: ["bundle 2", SHARED],
      orders: [order("three", 600, { isAskMatch: true, buyerEvm: BOB ?? ("" as EvmAddress) })],
      asks: [ask("z", 402, 6n, 4_200_000_000_000_000_000n)],
    }),
    bundle(3, {
      facts: factsOf("c"),
      orders: [order("four", 500, { bid: "USDC_REFUNDED", deal: "USDC_REFUNDED" })],
    }),
  ];
  await swaps.commit(swapTransaction({ close }));
}

const ORDERS = {
  kind: "orders",
  list: "bid",
  statuses: [],
  includeAskMatches: true,
  start: null,
  limit: 10,
  buyerEvm: null,
  sellerEvm: null,
  pearl: null,
} as const satisfies ClosedQuestion;
const ASKS = {
  kind: "asks",
  sort: "created",
  start: null,
  limit: 10,
  buyerEvm: null,
  sellerEvm: null,
  pearl: null,
} as const satisfies ClosedQuestion;

/** A place that no row has. */
function placeAt(place: { createdAt: number; hash: string; usdc?: bigint }): ListPlace {
  return { usdc: 0n, sat: 1n, ...place, hash: place.hash as Bytes32 };
}

async function rows(swaps: SwapStore, ...questions: readonly ClosedQuestion[]): Promise<readonly string[]> {
  const names = new Map(["one", "two", "three", "four", "x", "y", "z"].map((name) => [nameOf(name), name]));
  const answer = await swaps.closed(questions);
  return answer.rows.map((found) => found.map(({ hash }) => names.get(hash)).join(" "));
}

/** Registers the cases. */
export function closedCases(on: On): void {
  on("facts of what has closed are not loaded, and come back with it where they stood", async (open) => {
    const { swaps } = await open();
    await closedStore(swaps);
    assert.deepEqual(await keys(swaps), ["event/open", "secret/open", "closed/state"]);
    const found = async (question: ClosedQuestion) =>
      (await swaps.closed([question])).bundles.map(({ id, facts }) => [
        id,
        facts.map(({ key }) => key).join(),
      ]);
    assert.deepEqual(await found({ kind: "named", names: [SHARED, SHARED.slice(2), "nothing"] }), [
      [1, "a,a"],
      [2, "b,b"],
    ]);
    assert.deepEqual(await found({ kind: "named", names: ["script of 1"] }), [[1, "a,a"]]);
    assert.deepEqual(await found({ kind: "named", names: [] }), []);
    const above = { kind: "above", limit: 9 } as const;
    assert.deepEqual(await found({ ...above, chain: "evm", height: 20 }), [[3, "c,c"]]);
    assert.deepEqual(await found({ ...above, chain: "pearl", height: 300 }), []);
    for (const limit of [1, 2, 3])
      assert.equal((await found({ ...above, chain: "pearl", height: 0, limit })).length, limit);
    const { state, bundles } = await swaps.closed([{ kind: "named", names: ["bundle 3"] }]);
    assert.equal(state, '{"version":1}');
    assert.deepEqual(bundles[0]?.facts[1], fact("secret", "c", null, null, '{"of":"c"}'));
    const again = (await open()).swaps;
    await again.commit(swapTransaction({ open: [1, 3] }));
    assert.deepEqual(await keys(again), [
      "event/a",
      "secret/a",
      "event/c",
      "secret/c",
      "event/open",
      "secret/open",
      "closed/state",
    ]);
    assert.deepEqual(
      (await again.closed([{ kind: "named", names: ["script of 1", "bundle 3", SHARED] }])).bundles.map(
        ({ id }) => id,
      ),
      [2],
    );
    assert.deepEqual(await rows(again, ORDERS, ASKS), ["three", "z"]);
    await assert.rejects(again.commit(swapTransaction({ open: [1] })), /bundle/);
  });

  on("lists of what has closed have an order, filters and pages in both directions", async (open) => {
    const { swaps } = await open();
    await closedStore(swaps);
    const [first, second] = nameOf("one") > nameOf("four") ? ["one", "four"] : ["four", "one"];
    assert.deepEqual(await rows(swaps, ORDERS), [`two three ${first} ${second}`]);
    assert.deepEqual(
      await rows(
        swaps,
        { ...ORDERS, includeAskMatches: false },
        { ...ORDERS, list: "deal" },
        { ...ORDERS, statuses: ["USDC_REFUNDED", "BID_CANCELLED"] },
        { ...ORDERS, list: "deal", statuses: ["USDC_REFUNDED", "BID_CANCELLED"] },
        { ...ORDERS, buyerEvm: BOB ?? null },
        { ...ORDERS, sellerEvm: ALICE ?? null },
        { ...ORDERS, pearl: ["nothing", "5120two"] },
        { ...ORDERS, limit: 1 },
      ),
      [`two ${first} ${second}`, `three ${first} ${second}`, "two four", "four", "three", "", "two", "two"],
    );
    const place = { hash: nameOf("three"), createdAt: 600, usdc: 0n, sat: 1n };
    const [next, prev] = (["next", "prev"] as const).map((direction) => ({ direction, place }));
    assert.deepEqual(
      await rows(swaps, { ...ORDERS, start: next ?? null }, { ...ORDERS, start: prev ?? null }),
      [`${first} ${second}`, "two"],
    );
    assert.deepEqual(await rows(swaps, ASKS, { ...ASKS, sort: "price" }, { ...ASKS, pearl: ["prl z"] }), [
      "z y x",
      "y z x",
      "z",
    ]);
    const cheapest = { hash: nameOf("y"), createdAt: 401, usdc: 3n, sat: 2_100_000_000_000_000_000n };
    assert.deepEqual(
      await rows(
        swaps,
        { ...ASKS, sort: "price", start: { direction: "next", place: cheapest } },
        {
          ...ASKS,
          sort: "price",
          start: { direction: "prev", place: { ...cheapest, hash: nameOf("z"), createdAt: 402 } },
        },
        { ...ASKS, sort: "price", start: { direction: "next", place: { ...cheapest, sat: 0n } } },
      ),
      ["z x", "y", ""],
    );
    const oldest = placeAt({ createdAt: BELOW_INTEGERS, hash: LOWEST_HASH });
    const dearest = placeAt({ createdAt: ABOVE_INTEGERS, hash: HIGHEST_HASH, usdc: 10n ** 39n - 1n });
    assert.deepEqual(
      await rows(
        swaps,
        { ...ORDERS, start: { direction: "prev", place: oldest } },
        { ...ORDERS, start: { direction: "next", place: dearest } },
        { ...ASKS, sort: "price", start: { direction: "prev", place: dearest } },
        { ...ASKS, sort: "price", start: { direction: "next", place: oldest } },
      ),
      [`${second} ${first} three two`, `two three ${first} ${second}`, "x z y", "y z x"],
      "from the ends of the lists",
    );
    assert.deepEqual(
      await rows(
        swaps,
        { kind: "settled", after: 505 },
        { kind: "shown", pearl: ["prl y"] },
        { kind: "shown", pearl: ["?"] },
      ),
      ["three", "y", ""],
    );
    const page = await swaps.closed([{ ...ORDERS, limit: 2 }]);
    assert.deepEqual(
      page.bundles.map(({ id }) => id),
      [1, 2],
      "a page has the facts of its rows",
    );
    assert.equal(page.rows[0]?.[0]?.usdc, 2n ** 127n);
  });

  on(
    "an order of an ask that was never accepted is no deal, and found by each of its addresses once",
    async (open) => {
      const { swaps } = await open();
      await closedStore(swaps);
      const odd = order("five", 900, { isAskMatch: true, bid: "BID_CANCELLED", deal: null, settledAt: null });
      await swaps.commit(swapTransaction({ close: [bundle(4, { orders: [odd] })] }));
      const list = { ...ORDERS, limit: 1 };
      const five = nameOf("five");
      const found = async (question: ClosedQuestion) =>
        (await swaps.closed([question])).rows[0]?.filter(({ hash }) => hash === five).length;
      assert.equal(await found({ ...list, includeAskMatches: false }), 0);
      assert.equal(await found({ ...list, list: "deal" }), 0);
      assert.equal(await found({ ...list, statuses: ["BID_CANCELLED"] }), 1);
      assert.equal(await found({ ...list, limit: 10, pearl: odd.pearl }), 1);
    },
  );

  on("an address that ten thousand orders show is found with a party, and by price", async (open) => {
    const { swaps } = await open();
    await closedStore(swaps);
    const pearl = ["prl busy", "5120busy"];
    const busy = Array.from({ length: 10_000 }, (_, at) => order(`busy ${at}`, 1_000 + at, { pearl }));
    const ofBob = ["five", "six", "seven"].map((name, at) =>
      order(name, 5_000 + at, { pearl: at === 1 ? [] : pearl, buyerEvm: BOB ?? ("" as EvmAddress) }),
    );
    const asks = [ask("p", 900, 9n, 1n), ask("q", 901, 8n, 1n), ask("r", 902, 7n, 1n)].map((one, at) => ({
      ...one,
      pearl: at === 1 ? [] : pearl,
    }));
    await swaps.commit(swapTransaction({ close: [bundle(4, { orders: [...busy, ...ofBob], asks })] }));
    const list = { ...ORDERS, pearl, buyerEvm: BOB ?? null };
    const found = async (question: ClosedQuestion) => {
      const names = new Map(["five", "six", "seven", "p", "q", "r"].map((name) => [nameOf(name), name]));
      return (await swaps.closed([question])).rows[0]?.map(({ hash }) => names.get(hash)).join(" ");
    };
    assert.equal(await found(list), "seven five");
    const place = { hash: nameOf("seven"), createdAt: 5_002, usdc: 0n, sat: 1n };
    assert.equal(await found({ ...list, start: { direction: "next", place } }), "five");
    assert.equal(await found({ ...list, pearl: ["prl three"] }), "");
    assert.equal(await found({ ...ASKS, sort: "price", pearl }), "r p");
    const { usdc, sat } = { usdc: 9n, sat: 1n };
    const last = { hash: nameOf("p"), createdAt: 900, usdc, sat };
    assert.equal(
      await found({ ...ASKS, sort: "price", pearl, start: { direction: "prev", place: last } }),
      "r",
    );
  });

  on("A-174: what fits a party is looked for page by page among rows of it that do not fit", async (open) => {
    const { swaps } = await open();
    await closedStore(swaps);
    const [pearl, buyerEvm] = [["prl busy"], BOB ?? ("" as EvmAddress)];
    const busy = Array.from({ length: 10_000 }, (_, at) => order(`busy ${at}`, 1_000 + at, { pearl }));
    const others = Array.from({ length: 2_500 }, (_, at) => order(`other ${at}`, 2_000 + at, { buyerEvm }));
    const orders = [...busy, ...others, order("last", 100, { pearl, buyerEvm })];
    await swaps.commit(swapTransaction({ close: [bundle(4, { orders })] }));
    const seen: Bytes32[] = [];
    for (let place: ListPlace | null = null, isFirst = true; isFirst || place !== null; isFirst = false) {
      const start: { readonly direction: "next"; readonly place: ListPlace } | null =
        place === null ? null : { direction: "next", place };
      const answer: ClosedAnswer = await swaps.closed([{ ...ORDERS, pearl, buyerEvm, start }]);
      seen.push(...(answer.rows[0] ?? []).map(({ hash }) => hash));
      place = answer.until[0] ?? null;
    }
    assert.deepEqual(seen, [nameOf("last")]);
  });

  on("a name finds its own bundle, whatever other names end or begin with", async (open) => {
    const { swaps } = await open();
    await swaps.initialise(IDENTITY);
    const ends = "badc0ffee1234".padStart(40, "0");
    const named = (at: number): string => `0x${String(at).padStart(4, "0").padEnd(24, "f")}${ends}`;
    const close = Array.from({ length: 40 }, (_, at) => bundle(at + 1, { names: [named(at)] }));
    await swaps.commit(swapTransaction({ close }));
    const found = async (name: string) =>
      (await swaps.closed([{ kind: "named", names: [name] }])).bundles.map(({ id }) => id);
    assert.deepEqual(await found(named(7)), [8]);
    assert.deepEqual(await found(named(41)), [], "what has the end of them all, and is none of them");
    assert.deepEqual(await found(`${named(7)}0`), []);
  });

  on("the orders that a transaction moved are pages in both directions", async (open) => {
    const { swaps } = await open();
    await swaps.initialise(IDENTITY);
    const transaction = nameOf("batch");
    const hashes = Array.from({ length: 9 }, (_, at) => nameOf(`moved ${at}`)).toSorted();
    const close = hashes.map((hash, at) =>
      bundle(at + 1, {
        orders: [{ ...order("moved", 500), hash, pearl: [] }],
        moves: [
          { order: hash, transaction },
          { order: hash, transaction: nameOf(`own ${at}`) },
        ],
      }),
    );
    await swaps.commit(swapTransaction({ close }));
    const page = async (at: number | null, direction: "next" | "prev", limit: number, name = transaction) => {
      const start = at === null ? null : { direction, order: hashes[at] ?? name };
      const question = { kind: "moved", transaction: name, start, limit } as const;
      const { rows: answers, bundles } = await swaps.closed([question]);
      const found = answers[0]?.map(({ hash }) => hashes.indexOf(hash)) ?? [];
      assert.deepEqual(
        new Set(bundles.map(({ id }) => id - 1)),
        new Set(found),
        "the bundles of the page and no other",
      );
      return found;
    };
    assert.deepEqual(await page(null, "next", 3), [0, 1, 2]);
    assert.deepEqual(await page(2, "next", 3), [2, 3, 4]);
    assert.deepEqual(await page(4, "prev", 3), [4, 3, 2]);
    assert.deepEqual(await page(null, "next", 99, nameOf("own 5")), [5]);
    const asPearl = transaction.slice(2) as Bytes32;
    assert.deepEqual(await page(7, "next", 99, asPearl), [7, 8], "as either chain writes it");
    await swaps.commit(swapTransaction({ open: [8] }));
    assert.deepEqual(await page(6, "next", 99), [6, 8]);
  });

  on("what closes in a transaction that fails is not closed", async (open) => {
    const { swaps } = await open();
    await closedStore(swaps);
    const put = [fact("event", "d", "evm", 1)];
    const close = [bundle(4, { facts: [{ kind: "event", key: "d" }] }), bundle(1, {})];
    await assert.rejects(swaps.commit(swapTransaction({ put, close, open: [2] })));
    assert.deepEqual(await rows(swaps, ASKS), ["z y x"]);
    assert.deepEqual((await swaps.closed([{ kind: "named", names: ["bundle 4"] }])).bundles, []);
  });

  on("a wipe of the index opens what has closed: what no chain shows stays, and is loaded", async (open) => {
    const store = await open();
    await closedStore(store.swaps);
    await store.wipe();
    assert.deepEqual(await keys(store.swaps), ["secret/a", "secret/b", "secret/c", "secret/open"]);
    assert.deepEqual(await rows(store.swaps, ORDERS, ASKS), ["", ""]);
    assert.equal((await store.swaps.closed([])).state, null);
  });
}

// The ledger keeps what people told the service for as long as S-42 says, and tells what changes with it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PearlAddress } from "../../primitives/brands.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import {
  alarmLog,
  ask,
  bytes32,
  evmAddress,
  evmPlace,
  ledgerParts,
  START,
  take,
  terms,
} from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  scene,
  evm,
  ORDER,
  locked,
  type Scene,
  statuses,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { MemorySwapStore } from "../../../testkit/doubles/memory-swap-store.ts";
import { SwapLedger } from "./ledger.ts";
import { NO_CHANGE } from "./ports.ts";

const kept = (ledgerNow: SwapLedger) =>
  ["a", "b", "c", "d"].filter((name) => ledgerNow.subject(bytes32(`order ${name}`)) !== null);

describe("records of the ledger", () => {
  test("S-42: dead takes keep their addresses for seven days; an indexed order keeps them for ever", async () => {
    const made = await scene();
    const { ledger, store } = made;
    const one = ask("s");
    await ledger.write({ asks: [one], takes: [take("a", one, START), take("b", one, START)] });
    assert.equal(ledger.liveTakes(one.askId, START + 1199), 2);
    // A clock that was set back by decades costs no walk over their seconds.
    assert.equal(ledger.liveTakes(one.askId, 1), 2);
    assert.equal(ledger.liveTakes(one.askId, START + 1200), 0);
    await ledger.applyEvm(
      evm(10, [{ ...locked("a", 10), terms: take("a", one, START).terms } as EscrowEvent]),
    );
    made.now = START + 1200;
    await ledger.passTime();
    assert.deepEqual(
      statuses(store).filter((text) => text.startsWith("deal")).length,
      4,
      "posted, locked or told again, died",
    );
    made.now = START + 1200 + 7 * 86_400 - 1;
    await ledger.passTime();
    assert.notEqual(ledger.subject(bytes32("order b")), null);
    made.now += 1;
    await ledger.passTime();
    assert.equal(ledger.subject(bytes32("order b")), null);
    assert.equal(ledger.subject(ORDER)?.take, null);
    assert.match(
      store.events.at(-1)?.data ?? "",
      /"take_expires_at":null,"expired"/,
      "H-39: the order's row shows the take no more, and that is told",
    );
    assert.equal(ledger.subject(ORDER)?.buyerPearlAddress, "rprl1buyera");
    assert.equal(ledger.subject(ORDER)?.sellerPearlAddress, "rprl1sellers");
  });

  test("S-42: of few takes beside each other the one that has just died is none that lives", async () => {
    const { ledger } = await scene();
    const one = ask("s");
    await ledger.write({ takes: [take("a", one, START), take("b", one, START + 10)] });
    assert.deepEqual(
      [1199, 1200, 1209, 1210].map((s) => ledger.liveTakes(one.askId, START + s)),
      [2, 1, 1, 0],
    );
  });

  test("S-42: beyond the bound the oldest takes go; one that lives anew is young", async () => {
    const { ledger, store } = await scene(new MemorySwapStore(), 3);
    const one = ask("s");
    for (const [index, name] of ["a", "b", "c"].entries())
      await ledger.write({ takes: [take(name, one, START + index)] });
    await ledger.write({ takes: [take("a", one, START + 10)] });
    await ledger.write({ takes: [take("d", one, START + 11)] });
    assert.deepEqual(kept(ledger), ["a", "c", "d"]);
    const again = (await scene(store, 3)).ledger;
    assert.deepEqual(kept(again), ["a", "c", "d"]);
    await again.write({ takes: [take("b", one, START + 12)] });
    assert.deepEqual(kept(again), ["a", "b", "d"]);
  });

  test("S-66: the hashlock of a living take stays known when an older take with it goes beyond the bound", async () => {
    const { ledger } = await scene(new MemorySwapStore(), 1);
    const older = take("a", ask("s"), START);
    const { hashlock } = older.terms;
    await ledger.write({ takes: [older] });
    await ledger.write({ takes: [{ ...older, dealHash: bytes32("another deal"), createdAt: START + 1 }] });
    assert.equal(ledger.subject(older.dealHash), null);
    assert.ok(ledger.knowsHashlock(hashlock));
    await ledger.write({ takes: [take("b", ask("s"), START + 2)] });
    assert.ok(!ledger.knowsHashlock(hashlock));
  });

  test("S-55: an address from accept-lock, or from a take after the order, is replaced by any later one", async () => {
    const { ledger, store } = await scene();
    await ledger.applyEvm(evm(10, [locked("a", 10)]));
    const give = (buyer: string | null, seller: string | null) =>
      ledger.write({
        addresses: [
          {
            orderHash: ORDER,
            buyerPearlAddress: buyer as PearlAddress | null,
            sellerPearlAddress: seller as PearlAddress | null,
            isBuyerFromTake: false,
          },
        ],
      });
    const shown = () => {
      const subject = ledger.subject(ORDER);
      return [subject?.buyerPearlAddress, subject?.sellerPearlAddress, subject?.isBuyerAddressFromTake];
    };
    await give("rprl1x", null);
    await give("rprl1y", "rprl1s");
    await give(null, "rprl1t");
    assert.deepEqual(shown(), ["rprl1y", "rprl1t", false]);
    const one = ask("s");
    await ledger.write({ takes: [take("a", one, START)] });
    assert.deepEqual(shown(), ["rprl1buyera", "rprl1t", false]);
    await give("rprl1z", null);
    assert.deepEqual(shown(), ["rprl1z", "rprl1t", false]);
    assert.deepEqual((await scene(store)).ledger.subject(ORDER), ledger.subject(ORDER));
    // A reorganisation takes the order away and brings it again: that is nobody's later word.
    await ledger.applyEvm(evm(10, [], { rewindTo: 9 }));
    assert.equal(ledger.subject(ORDER)?.buyerPearlAddress, "rprl1buyera");
    await ledger.applyEvm(evm(11, [locked("a", 11)]));
    assert.deepEqual(shown(), ["rprl1z", "rprl1t", false]);
  });

  test("S-55: the address of a take that was there before its order is never replaced", async () => {
    const { ledger, store } = await scene();
    const one = ask("s");
    const posted = take("a", one, START);
    await ledger.write({ takes: [posted] });
    await ledger.applyEvm(evm(10, [locked("a", 10)]));
    const other = "rprl1z" as PearlAddress;
    const given = { orderHash: ORDER, buyerPearlAddress: other, sellerPearlAddress: null };
    await ledger.write({ addresses: [{ ...given, isBuyerFromTake: false }] });
    await ledger.write({ takes: [{ ...posted, createdAt: START + 1, buyerPearlAddress: other }] });
    const { buyerPearlAddress, isBuyerAddressFromTake } = ledger.subject(ORDER) ?? {};
    assert.deepEqual([buyerPearlAddress, isBuyerAddressFromTake], ["rprl1buyera", true]);
    assert.deepEqual((await scene(store)).ledger.subject(ORDER), ledger.subject(ORDER));
  });

  test("S-55: the address of a take that anybody may have posted fills a gap for ever, and goes on to be replaceable", async () => {
    const one = ask("s");
    const posted = take("a", one, START);
    const other = { ...posted, buyerPearlAddress: "rprl1z" as PearlAddress };
    const order = locked("a", 10);
    const cases = [
      // Two words about the address before the order is known.
      async ({ ledger }: Scene) => {
        await ledger.write({ takes: [posted] });
        await ledger.write({ takes: [other] });
        await ledger.applyEvm(evm(10, [order]));
      },
      // A take after its order, which lives anew.
      async ({ ledger }: Scene) => {
        await ledger.applyEvm(evm(10, [order]));
        await ledger.write({ takes: [other] });
        await ledger.write({ takes: [{ ...other, createdAt: START + 1 }] });
      },
    ];
    for (const tell of cases) {
      const made = await scene();
      await tell(made);
      made.now = START + 3000 + 7 * 86_400;
      await made.ledger.passTime();
      const { take: left, buyerPearlAddress, isBuyerAddressFromTake } = made.ledger.subject(ORDER) ?? {};
      assert.deepEqual([left, buyerPearlAddress, isBuyerAddressFromTake], [null, "rprl1z", false]);
    }
  });

  test("asks change with fee, revocation, order and time; each is told", async () => {
    const made = await scene();
    const { ledger, store } = made;
    const one = ask("s");
    await ledger.write({ asks: [one] });
    const feeRecipient = evmAddress("fees");
    await ledger.applyEvm(evm(1, [{ kind: "FeeSet", place: evmPlace(1), feeBps: 200, feeRecipient }]));
    assert.deepEqual(ledger.fee(), { feeBps: 200, feeRecipient });
    const { seller } = one.terms;
    await ledger.applyEvm(evm(2, [{ kind: "AsksRevoked", place: evmPlace(2), seller, nonceBelow: 4n }]));
    assert.equal(ledger.minAskNonce(seller), 4n);
    await ledger.applyEvm(evm(2, [], { rewindTo: 1 }));
    assert.equal(ledger.minAskNonce(seller), 0n);
    await ledger.applyEvm(evm(3, [{ kind: "FeeSet", place: evmPlace(3), feeBps: 100, feeRecipient }]));
    await ledger.applyEvm(evm(3, [], { rewindTo: 2 }));
    const order: EscrowEvent = {
      kind: "OrderLocked",
      place: evmPlace(4),
      orderHash: ORDER,
      terms: take("a", one, 0).terms,
    };
    await ledger.applyEvm(evm(4, [order]));
    assert.equal(ledger.orderOfAsk(one.askId), ORDER);
    await ledger.applyEvm(evm(4, [], { rewindTo: 3 }));
    made.now = one.terms.expiry;
    await ledger.passTime();
    await ledger.write({ asks: [{ ...one, balanceCheckedAt: START + 60, updatedAt: START + 60 }] });
    const told = statuses(store).filter((text) => text.startsWith("ask"));
    const [open, paused] = ["ask ASK_OPEN", "ask ASK_PAUSED"];
    assert.deepEqual(told, [
      paused,
      open,
      "ask ASK_CANCELLED",
      open,
      paused,
      open,
      "ask ASK_TAKEN",
      open,
      "ask ASK_CANCELLED",
    ]);
  });

  test("S-33: the ten thousandth revocation of a seller costs what the first one did, and all are undone alike", async () => {
    const store = new MemorySwapStore();
    // What is measured is the ledger, and the store in memory looks through all that it has.
    store.commit = () => Promise.resolve();
    const { ledger } = await scene(store);
    const one = ask("s", { terms: { ...ask("s").terms, nonce: 2n ** 200n } });
    await ledger.write({ asks: [one] });
    const { seller } = one.terms;
    const before = process.cpuUsage();
    for (let block = 1; block <= 6; block += 1) {
      const events: EscrowEvent[] = Array.from({ length: 8000 }, (_, i) => ({
        kind: "AsksRevoked",
        place: evmPlace(block, i),
        seller,
        nonceBelow: BigInt(8000 * block + i),
      }));
      await ledger.applyEvm(evm(block, events));
    }
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 5e6, `${(user + system) / 1e6} s of a processor`);
    assert.equal(ledger.minAskNonce(seller), 55_999n);
    await ledger.applyEvm(evm(4, [], { rewindTo: 3 }));
    assert.equal(ledger.minAskNonce(seller), 31_999n);
  });

  test("S-21: a pause of the escrow is known from its block on, after a restart, and not where it is undone", async () => {
    const { ledger, store } = await scene();
    const account = evmAddress("owner");
    const said = (kind: "Paused" | "Unpaused", block: number, logIndex = 0): EscrowEvent => ({
      kind,
      place: evmPlace(block, logIndex),
      account,
    });
    await ledger.applyEvm(evm(1, [locked("a", 1)]));
    const shown = () => [ledger.isPaused(), ledger.subject(ORDER)?.isEscrowPaused];
    assert.deepEqual(shown(), [false, false]);
    await ledger.applyEvm(evm(2, [said("Paused", 2)]));
    assert.deepEqual(shown(), [true, true]);
    assert.equal((await scene(store)).ledger.isPaused(), true);
    await ledger.applyEvm(evm(3, [said("Unpaused", 3), said("Paused", 3, 1), said("Unpaused", 3, 2)]));
    assert.deepEqual(shown(), [false, false]);
    await ledger.applyEvm(evm(3, [], { rewindTo: 2 }));
    assert.deepEqual(shown(), [true, true]);
    await ledger.applyEvm(evm(2, [], { rewindTo: 1 }));
    assert.deepEqual(shown(), [false, false]);
    // A database that was begun before pauses were stored knows the end of one alone.
    await ledger.applyEvm(evm(4, [said("Unpaused", 4)]));
    assert.equal((await scene(store)).ledger.isPaused(), false);
  });

  test("hashlocks of orders and live takes are known; another order of the same buyer is told of", async () => {
    const made = await scene();
    const { ledger } = made;
    const one = ask("s");
    const { hashlock, buyer } = terms("a");
    assert.equal(ledger.knowsHashlock(hashlock), false);
    await ledger.write({ asks: [one], takes: [take("a", one, START)] });
    assert.equal(ledger.knowsHashlock(hashlock), true);
    made.now = START + 1200;
    assert.equal(ledger.knowsHashlock(hashlock), false);
    await ledger.applyEvm(evm(10, [{ ...locked("z", 10), terms: terms("a") } as EscrowEvent]));
    assert.equal(ledger.knowsHashlock(hashlock), true);
    assert.equal(ledger.isHashlockUsed(buyer, hashlock, null), true);
    assert.equal(ledger.isHashlockUsed(buyer, hashlock, bytes32("order z")), false);
    assert.equal(ledger.subject(ORDER)?.hashlockUsedByBuyer, true);
  });

  test("S-26: another identity is refused; a damaged fact is named", async () => {
    const { store, ledger } = await scene();
    await ledger.write({ asks: [ask("s")] });
    const parts = ledgerParts(alarmLog());
    await assert.rejects(SwapLedger.open({ ...parts, store, identity: { ...parts.identity, chainId: 1 } }));
    const fact = store.facts[0];
    assert.ok(fact);
    const damaged = new MemorySwapStore();
    const body = fact.body.replace("250000000", "2.5");
    await damaged.commit({ ...NO_CHANGE, put: [{ ...fact, body }] });
    await assert.rejects(
      SwapLedger.open({ ...parts, store: damaged }),
      /stored ask .* usdcAmount is not an amount/,
    );
  });
});

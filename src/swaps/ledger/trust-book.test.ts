// Which events are above the final height, for the second reading (S-08), and which are disputed (S-07), over final heights
// and reorganisations.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { EscrowEvent } from "../../swap/facts.ts";
import { evmAddress, evmPlace } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  evm,
  locked,
  ORDER,
  type Scene,
  scene,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";

const ACCEPTED = accepted("a", 11);

/** One event in each of the blocks 10 to 12. */
async function threeEvents(): Promise<Scene> {
  const made = await scene();
  await made.ledger.applyEvm(evm(12, [locked("a", 10), ACCEPTED, locked("b", 12)]));
  return made;
}

/** The blocks of the unsettled events from one height to another. */
function unsettled({ ledger }: Scene, from = 0, to = 99): readonly number[] {
  return ledger.unsettled(from, to).map(({ place }) => place.block);
}

test("S-08: events are unsettled in the blocks that are asked for, both ends with them", async () => {
  const made = await threeEvents();
  assert.deepEqual(unsettled(made), [10, 11, 12]);
  assert.deepEqual(unsettled(made, 11, 11), [11]);
  assert.deepEqual(unsettled(made, 10, 11), [10, 11]);
  assert.deepEqual(unsettled(made, 11, 12), [11, 12]);
});

test("S-08: events are unsettled above the final height, and up to the block that a reorganisation leaves", async () => {
  const made = await threeEvents();
  await made.ledger.applyEvm(evm(13, [], { finalHeight: 10 }));
  assert.deepEqual(unsettled(made), [11, 12]);
  await made.ledger.applyEvm(evm(14, [], { rewindTo: 11, finalHeight: 10 }));
  assert.deepEqual(unsettled(made), [11]);
});

test("S-07: a dispute goes with its block, and not with the one above it", async () => {
  const made = await threeEvents();
  const { ledger } = made;
  const disputed = (): boolean => ledger.subject(ORDER)?.order?.disputed === true;
  await ledger.applyEvm(evm(13, [], { finalHeight: 11, disputed: [ACCEPTED] }));
  assert.deepEqual(ledger.disputes(), [ACCEPTED]);
  await ledger.applyEvm(evm(14, [], { rewindTo: 11, finalHeight: 11 }));
  assert.deepEqual(ledger.disputes(), [ACCEPTED]);
  assert.ok(disputed());
  await ledger.applyEvm(evm(15, [accepted("a", 15)], { rewindTo: 10 }));
  assert.deepEqual(ledger.disputes(), []);
  assert.ok(!disputed());
});

test("S-07: whoever looks at the disputes at each poll is given the same list until there are others", async () => {
  const { ledger } = await threeEvents();
  assert.equal(ledger.disputes(), ledger.disputes());
  await ledger.applyEvm(evm(13, [], { finalHeight: 12, disputed: [ACCEPTED] }));
  const disputes = ledger.disputes();
  assert.deepEqual(disputes, [ACCEPTED]);
  await ledger.applyEvm(evm(14, []));
  assert.equal(ledger.disputes(), disputes);
  await ledger.applyEvm(evm(15, [], { undisputed: [ACCEPTED] }));
  assert.deepEqual(ledger.disputes(), []);
  await assert.rejects(ledger.applyEvm(evm(16, [accepted("a", 16)], { disputed: [ACCEPTED] })));
  assert.deepEqual(ledger.disputes(), []);
});

test("S-08: what is read again after a reorganisation is not final until it was read twice", async () => {
  const { ledger } = await threeEvents();
  await ledger.applyEvm(evm(13, [], { finalHeight: 12 }));
  await ledger.applyEvm(evm(14, [locked("b", 12)], { rewindTo: 10 }));
  assert.equal(ledger.tips().evm.finalHeight, 10);
  assert.deepEqual(
    ledger.unsettled(0, 99).map(({ place }) => place.block),
    [12],
  );
});

test("S-08: who asks for the newest of thousands of unsettled events, or undoes it, looks at few of the others", async () => {
  const { ledger } = await scene();
  let looks = 0;
  const events = Array.from({ length: 4000 }, (_, index): EscrowEvent => {
    const place = evmPlace(10 + index);
    return {
      kind: "AsksRevoked",
      seller: evmAddress("s"),
      nonceBelow: BigInt(index),
      get place() {
        looks += 1;
        return place;
      },
    };
  });
  const newest = 9 + events.length;
  await ledger.applyEvm(evm(newest, events));
  looks = 0;
  assert.equal(ledger.unsettled(newest, newest).length, 1);
  await ledger.applyEvm(evm(newest, [], { rewindTo: newest - 1 }));
  assert.ok(looks < 100, `${looks} looks at events`);
  assert.equal(ledger.unsettled(0, newest).length, events.length - 1);
});

// In a block full of listings, some with annexes that are wrong in every way, exactly the good ones are open when the
// signatures are verified by the pool's workers as in the service.

import assert from "node:assert/strict";
import { test } from "node:test";
import { signSchnorr } from "tiny-secp256k1";
import { sha256, sha256d } from "../../src/adapters/system/hashes.ts";
import { SignaturePool } from "../../src/adapters/system/signature-pool.ts";
import { NETWORKS } from "../../src/chain/networks.ts";
import { scanBlock } from "../../src/chain/scan-block.ts";
import { checkConservation } from "../../src/prc20/conservation.ts";
import { recogniseEnvelope } from "../../src/prc20/envelope.ts";
import { listingSignatureJobs } from "../../src/prc20/listing-signatures.ts";
import { readBlock } from "../../src/prc20/read-block.ts";
import type { BlockChanges } from "../../src/prc20/state.ts";
import { firstKeys } from "../../src/prc20/state-keys.ts";
import { LoadedView } from "../../src/prc20/state-view.ts";
import { applyBlock } from "../../src/prc20/transition.ts";
import { addressOfKey } from "../../src/primitives/address.ts";
import type { BlockHash } from "../../src/primitives/brands.ts";
import type { MadeBlock } from "../../testkit/builders/chain-maker/make-block.ts";
import type { AnnexPlan, Draft } from "../../testkit/builders/chain-maker/draft.ts";
import type { Actor } from "../../testkit/builders/chain-maker/ledger.ts";
import { bodyOf, verdicts, Workshop } from "./workshop.ts";

const LISTINGS = 2_000;
const PER_TRANSACTION = 100;
const PRICE = 50_000n;
const NET = 49_500n;

type Edit = NonNullable<AnnexPlan["edit"]>;

/** An annex with another byte in one place. */
function at(index: number, byte: number): Edit {
  return (annex) => {
    const copy = annex.slice();
    copy[index] = byte;
    return copy;
  };
}

/** Ways to spoil an annex; each must be ANCHOR_SIG_INVALID. */
function waysToSpoil(other: Actor): readonly Edit[] {
  return [
    (annex) => at(1, (annex[1] ?? 0) ^ 1)(annex),
    (annex) => at(64, (annex[64] ?? 0) ^ 0x80)(annex),
    at(65, 0x81),
    at(65, 0x00),
    (annex) => annex.slice(0, 65),
    (annex) => Uint8Array.of(...annex, 0),
    (annex) => Uint8Array.of(0x50, ...annex),
    () => Uint8Array.of(0x50),
    () => Uint8Array.of(0x50, ...new Uint8Array(64), 0x83),
    (annex) => Uint8Array.of(0x50, ...new Uint8Array(32).fill(0xff), ...annex.slice(33)),
    (annex) => Uint8Array.of(...annex.slice(0, 33), ...new Uint8Array(32).fill(0xff), 0x83),
    (annex) => Uint8Array.of(0x50, ...signSchnorr(sha256(annex), other.secret), 0x83),
    (annex) => Uint8Array.of(...annex.slice(0, 1), ...annex.slice(33, 65), ...annex.slice(1, 33), 0x83),
  ];
}

/** Adds a listing whose annex is good or spoiled, with its anchor at the same index. */
function list(draft: Draft, actor: Actor, plan: Partial<AnnexPlan>): void {
  const annex = { signer: actor, sellerScript: actor.script, sellerNet: NET, ...plan };
  draft.reveal(actor, bodyOf({ op: "list", tick: "A", amt: "2", price: `${PRICE}` }), { annex });
  draft.pay(actor.script, 1_000n);
}

/** The block, and how many of its listings are good. */
function makeListings(workshop: Workshop, actor: Actor, other: Actor): { block: MadeBlock; good: number } {
  const spoils = waysToSpoil(other);
  const plans: readonly Partial<AnnexPlan>[] = [
    ...spoils.map((edit) => ({ edit })),
    { signer: other },
    { sellerNet: NET + 1n },
    { sellerNet: NET - 1n },
    { sellerScript: other.script },
  ];
  let good = 0;
  const body = Array.from({ length: LISTINGS / PER_TRANSACTION }, () => {
    const draft = workshop.draft();
    for (let i = 0; i < PER_TRANSACTION; i += 1) {
      const bad = workshop.random.oneIn(3);
      if (!bad) good += 1;
      list(draft, actor, bad ? workshop.random.pick(plans) : {});
    }
    return draft.finish();
  });
  return { block: workshop.make(body), good };
}

/** As the service decides a block, with the real pool. */
async function decide(workshop: Workshop, block: MadeBlock, pool: SignaturePool): Promise<BlockChanges> {
  const { rules } = workshop;
  const { state } = workshop.core;
  const expected = {
    hash: block.hash as BlockHash,
    height: block.height,
    previousHash: block.previousHash as BlockHash,
  };
  const scanned = scanBlock(block.raw, expected, {
    network: NETWORKS.simnet,
    sha256d,
    recognise: recogniseEnvelope(rules.marker),
    anchors: { mayBeAnchor: () => false },
  });
  assert.ok(scanned.ok);
  const reading = readBlock(scanned.value, rules, (key) => addressOfKey(key, rules.hrp));
  const view = new LoadedView();
  const keys = firstKeys(reading);
  view.add(keys, state.load(keys));
  const asked = listingSignatureJobs(reading, rules, sha256);
  const signatures = asked.answered(await pool.verifyAll(asked.jobs));
  return applyBlock({ block: scanned.value, reading, rules, view, signatures, previous: state.tip, sha256 });
}

test("2,000 listings with good and bad annexes, verified by workers", async (t) => {
  const workshop = new Workshop(31);
  const [actor, other] = [workshop.actor(), workshop.actor()];
  workshop.apply([workshop.operation(actor, { op: "deploy", tick: "A", max: "100000", pre: "100000" })]);
  const { block, good } = makeListings(workshop, actor, other);
  const pool = new SignaturePool({ workers: 2 });
  try {
    const started = performance.now();
    const changes = await decide(workshop, block, pool);
    t.diagnostic(`${LISTINGS} listings: ${(performance.now() - started).toFixed(0)} ms`);
    assert.deepEqual(verdicts(changes), { ANCHOR_SIG_INVALID: LISTINGS - good, valid: good });
    assert.ok(good > LISTINGS / 2 && good < LISTINGS - 500, `${good} good ones`);
    assert.equal(changes.listings.length, good);
    assert.deepEqual(checkConservation(changes), []);
    assert.deepEqual(changes.digest, workshop.core.apply(block).digest, "one by one, by another library");
    const [row] = workshop.core.state.rows().balances;
    assert.deepEqual([row?.balance, row?.locked], [100_000n - 2n * BigInt(good), 2n * BigInt(good)]);
  } finally {
    await pool.close();
  }
});

test("a key that is no point cannot sign, so its listing is refused without an exception", async () => {
  const workshop = new Workshop(32);
  const owner = workshop.actor();
  const key = new Uint8Array(32).fill(0xff);
  const ghost = { ...owner, key, script: Uint8Array.of(0x51, 0x20, ...key) };
  const deploy = workshop.operation(ghost, { op: "deploy", tick: "A", max: "9", pre: "9" });
  assert.deepEqual(verdicts(workshop.apply([deploy])), { valid: 1 });
  const draft = workshop.draft();
  for (let i = 0; i < 30; i += 1) list(draft, ghost, {});
  const block = workshop.make([draft.finish()]);
  const pool = new SignaturePool({ workers: 1 });
  try {
    assert.deepEqual(verdicts(await decide(workshop, block, pool)), { ANCHOR_SIG_INVALID: 30 });
  } finally {
    await pool.close();
  }
  workshop.core.apply(block);
  workshop.assertReferenceAgrees();
});

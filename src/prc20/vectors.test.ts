// The rules say what the specification says. The golden vectors were written by hand from its text: leaf scripts,
// chains of operations with the effects that must follow, and the digest over exactly these effects.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import {
  actorAddress,
  blockOfVector,
  actorKey,
  VECTOR_RULES,
  type VectorBlock,
} from "../../test/vectors/prc20/vector-chain.ts";
import { bytesOf, toHex, sha256 } from "../../testkit/bytes.ts";
import { digestOfWords, startDigest } from "../../test/vectors/prc20/vector-digest.ts";
import { assertState, type ChainVector, hex32, judgeBlock } from "../../test/vectors/prc20/vector-run.ts";
import {
  type EnvelopeVector,
  rawTransactionOf,
  scriptBytes,
} from "../../test/vectors/prc20/vector-witness.ts";
import { scanTransaction } from "../chain/scan-transaction.ts";
import type { Sha256d } from "../primitives/hashing.ts";
import { initialDigest } from "./digest.ts";
import { recogniseEnvelope } from "./envelope.ts";
import { MemoryState } from "../../testkit/builders/core-index/memory-state.ts";
import { readTransaction } from "./read-block.ts";
import { REASON_RULES, REASONS } from "./reasons.ts";
import type { BlockChanges } from "./state.ts";

const FOLDER = new URL("../../test/vectors/prc20/", import.meta.url);
const CHAIN_FILES = ["deploy", "mint-transfer-burn", "list", "send", "closings"];

function textOf(name: string): string {
  return readFileSync(new URL(`${name}.json`, FOLDER), "utf8");
}

const presets: Record<string, readonly VectorBlock[]> = JSON.parse(textOf("presets"));
const chains = CHAIN_FILES.flatMap((file): readonly ChainVector[] => JSON.parse(textOf(file)));
const envelopes: readonly EnvelopeVector[] = JSON.parse(textOf("envelope"));

const sha256d: Sha256d = (bytes) => sha256(sha256(bytes));
const recognise = recogniseEnvelope(VECTOR_RULES.marker);

function blocksOf(vector: ChainVector): readonly VectorBlock[] {
  const preset = presets[vector.base];
  if (preset === undefined) throw new Error(`no preset ${vector.base}`);
  return [...preset, ...(vector.blocks ?? [{ txs: vector.txs ?? [], effects: vector.effects ?? [] }])];
}

describe("golden vectors of operations and closings", () => {
  for (const vector of chains) {
    test(`${vector.name} [${vector.rules.join(" ")}]`, () => {
      const rules = { ...VECTOR_RULES, feeBps: vector.feeBps ?? VECTOR_RULES.feeBps };
      const state = new MemoryState(hex32(startDigest(rules)));
      let digest = startDigest(rules);
      let last: BlockChanges | null = null;
      for (const [index, written] of blocksOf(vector).entries()) {
        const block = blockOfVector(written, index, rules);
        last = judgeBlock(block, state, rules);
        assert.deepEqual(
          effectsOf(last),
          written.effects.filter((effect) => effect.startsWith("op ")).length,
        );
        digest = digestOfWords(digest, block.hash, written.effects);
        assert.deepEqual(last.operations.map(verdictOf), verdictsOf(written));
        assert.equal(last.digest, digest, "the effects are not those of the vector");
        state.apply(last);
      }
      assert.notEqual(last, null);
      if (last !== null && vector.state !== undefined) assertState(vector.state, state, last);
    });
  }
});

function effectsOf(changes: BlockChanges): number {
  return changes.operations.length;
}

/** Said apart from the digest, so that a failure names the operation. */
function verdictOf(row: BlockChanges["operations"][number]): string {
  return `${row.vout} ${row.reason ?? "valid"} ${row.op} ${row.tick || "-"} ${row.amount ?? "-"}`;
}

function verdictsOf(block: VectorBlock): string[] {
  const words = block.effects.map((effect) => effect.split(" ")).filter(([kind]) => kind === "op");
  return words.map(([, , index, verdict, op, tick, amount]) => `${index} ${verdict} ${op} ${tick} ${amount}`);
}

describe("golden vectors of leaf scripts and bodies", () => {
  for (const vector of envelopes) {
    test(`${vector.name} [${vector.rules.join(" ")}]`, () => {
      const anchors = { mayBeAnchor: () => false };
      const scanned = scanTransaction(rawTransactionOf(vector), { sha256d, recognise, anchors });
      assert.ok(scanned.ok);
      const view = scanned.value;
      const read = view === null ? null : readTransaction(view, VECTOR_RULES, actorAddress);
      const recorded = read?.inputs[0]?.recorded ?? null;
      assert.equal(recorded?.op ?? null, vector.expect);
      if (vector.expect === null) return;
      const input = view?.interesting[0];
      assert.equal(input?.envelope?.keyHex, vector.key ?? actorKey("alice"));
      const annex = input?.annex ?? null;
      assert.equal(annex === null ? undefined : toHex(annex), vector.annex);
      if (vector.text !== undefined) assert.equal(recorded?.text, vector.text);
    });
  }

  test("every leaf that ends early, by any number of bytes, carries nothing [P-12]", () => {
    const leaf = scriptBytes(["head", 'push {"p":"prc-20","op":"mint"}', "ENDIF"]);
    assert.notEqual(recognise(leaf, 0, leaf.length), null);
    for (let end = 0; end < leaf.length; end++) assert.equal(recognise(leaf, 0, end), null, `${end} bytes`);
  });

  test("every leaf with one byte of its frame changed carries nothing [P-12]", () => {
    const leaf = scriptBytes(["head", 'push {"p":"prc-20","op":"mint"}', "ENDIF"]);
    const frame = leaf.length - 28;
    for (const at of [0, ...Array.from({ length: frame - 33 }, (_, i) => 33 + i), leaf.length - 1]) {
      const changed = Uint8Array.from(leaf);
      changed[at] = (changed[at] ?? 0) ^ 0x80;
      assert.equal(recognise(changed, 0, changed.length), null, `byte ${at}`);
    }
  });
});

describe("a real transaction of Pearl's simnet", () => {
  const expected: { raw: string; txid: string; key: string; text: string } = JSON.parse(
    textOf("simnet-reveal"),
  );
  const raw = bytesOf(expected.raw);

  test("it carries no operation under the marker prc-20 [P-12 P-01]", () => {
    const scanned = scanTransaction(raw, { sha256d, recognise, anchors: { mayBeAnchor: () => false } });
    assert.deepEqual(scanned, { ok: true, value: null });
  });

  test("it carries a mint under the marker prl-20 [P-12 P-13 P-15]", () => {
    const rules = { ...VECTOR_RULES, marker: "prl-20" };
    const context = {
      sha256d,
      recognise: recogniseEnvelope("prl-20"),
      anchors: { mayBeAnchor: () => false },
    };
    const scanned = scanTransaction(raw, context);
    assert.ok(scanned.ok && scanned.value !== null);
    assert.equal(scanned.value.txid, expected.txid);
    assert.equal(scanned.value.interesting[0]?.envelope?.keyHex, expected.key);
    const read = readTransaction(scanned.value, rules, (keyHex) => {
      assert.equal(keyHex, expected.key);
      return actorAddress("alice");
    });
    const recorded = read?.inputs[0]?.recorded;
    assert.equal(recorded?.op, "mint");
    assert.equal(recorded?.text, expected.text);
    assert.equal(recorded?.operation?.tick, "PRLS");
  });
});

const ascii = (text: string) => toHex(new TextEncoder().encode(text));
const prefixed = (field: string) => (field.length / 2).toString(16).padStart(8, "0") + field;
const startOf = (changed: Partial<typeof VECTOR_RULES>) =>
  initialDigest({ ...VECTOR_RULES, ...changed }, sha256);

describe("the digest before the first block", () => {
  test("it is the hash of the parameters that are consensus [P-80 P-01]", () => {
    assert.equal(startOf({}), startDigest(VECTOR_RULES));
    const bytes = [
      ascii("prc20-digest/1"),
      VECTOR_RULES.genesisHash,
      ascii("prc-20"),
      ascii("7"),
      ascii("0"),
      "",
    ];
    const byHand = toHex(sha256(bytesOf(bytes.map(prefixed).join(""))));
    assert.equal(startOf({ startHeight: 7, feeBps: 0, feeAddress: null }), byHand);
  });

  test("each of them changes it [P-01]", () => {
    const others = [
      startOf({}),
      startOf({ marker: "prc-21" }),
      startOf({ startHeight: 2 }),
      startOf({ feeBps: 101 }),
      startOf({ feeAddress: actorAddress("bob") }),
      startOf({ genesisHash: "00".repeat(32) }),
    ];
    assert.equal(new Set(others).size, others.length);
  });
});

describe("what the vectors cover", () => {
  const effects = [...Object.values(presets).flat(), ...chains.flatMap(blocksOf)].flatMap(
    (block) => block.effects,
  );

  test("every reason code has a vector [P-14]", () => {
    const seen = new Set(effects.map((effect) => effect.split(" ")[3]));
    assert.deepEqual(
      REASONS.filter((reason) => !seen.has(reason)),
      [],
    );
  });

  test("every effect has a vector [P-81]", () => {
    const seen = new Set(effects.map((effect) => effect.split(" ")).map((words) => effectKind(words)));
    const kinds = [
      "deploy",
      "mint",
      "transfer",
      "burn",
      "list",
      "send",
      "cancelled",
      "invalid_spent",
      "balance",
    ];
    assert.deepEqual(
      kinds.filter((kind) => !seen.has(kind)),
      [],
    );
  });

  test("each part of P-11, P-12 and P-13 refuses in at least five vectors", () => {
    for (const rule of ["P-11", "P-12", "P-13"]) {
      const refusals = envelopes.filter((vector) => vector.expect === null && vector.rules.includes(rule));
      assert.ok(refusals.length >= 5, `${rule}: ${refusals.length}`);
    }
  });

  test("the rules of every reason code have vectors", () => {
    const cited = new Set([...chains, ...envelopes].flatMap((vector) => vector.rules));
    const rules = new Set(Object.values(REASON_RULES).flat());
    assert.deepEqual(
      [...rules].filter((rule) => !cited.has(rule)),
      [],
    );
  });
});

function effectKind(words: readonly string[]): string | undefined {
  if (words[0] === "balance") return "balance";
  if (words[0] === "close") return words[4];
  return words[3] === "valid" ? words[4] : "invalid";
}

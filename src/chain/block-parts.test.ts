// The small parts of the scanner, each alone: genesis headers, certificates of every version, BIP34 at its edges, merkle
// roots, the anchor filter and the follower's decisions.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { hash as digest } from "node:crypto";
import { describe, test } from "node:test";
import * as fc from "../../testkit/properties.ts";
import type { BlockHash, Outpoint } from "../primitives/brands.ts";
import { displayHex, hexToBytes } from "../primitives/hex.ts";
import { AnchorFilter } from "./anchor-filter.ts";
import { certificateEnd, findHeader } from "./certificate.ts";
import { planFollow } from "./follow-plan.ts";
import { scriptStartsWithHeight } from "./header.ts";
import { oneByOne } from "../primitives/hashing.ts";
import { merkleRoot } from "./merkle.ts";
import { NETWORKS } from "./networks.ts";
import { scanBlock } from "./scan-block.ts";

const once = (bytes: Uint8Array): Buffer => digest("sha256", bytes, "buffer");
const sha256d = (bytes: Uint8Array): Uint8Array => new Uint8Array(once(once(bytes)));
const bytesOf = (hex: string): Uint8Array => {
  const bytes = hexToBytes(hex.replaceAll(/\s/g, ""));
  assert.ok(bytes !== null);
  return bytes;
};
const uint32 = (value: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes.toString("hex");
};
/** A length and that many bytes. */
const blob = (length: number): string => uint32(length) + "cd".repeat(length);

/** Our root over the leaves. */
const rootOf = (leaves: readonly Uint8Array[]) => {
  const room = new Uint8Array(32 * (leaves.length + 1));
  for (const [i, leaf] of leaves.entries()) room.set(leaf, 32 * i);
  return merkleRoot(room, leaves.length, oneByOne(sha256d));
};

/** An outpoint's bytes. */
const wire = (txid: string, vout: number): Uint8Array =>
  new Uint8Array([...Buffer.from(txid, "hex").toReversed(), ...Buffer.from(uint32(vout), "hex")]);

const pointAt = (height: number, hash: string) => ({ height, hash: hash as BlockHash });

const context = { sha256d, recognise: () => null, anchors: { mayBeAnchor: () => false } };

const GENESIS_COINBASE =
  "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffffea04ffff001d01044ce1546865206e61746976652063757272656e637920666f72206d616368696e657320616e642068756d616e732e20546f74616c20322e31653920506561726c732c2043756d756c617469766520656d697373696f6e20682f28682b363530323236292c205754454d4120336d3134732037642c20426974636f696e20626c6f636b20233934363834322077697468204d5450203137373732373035323420697320303030303030303030303030303030303030303033613932323138363165633734313134323764643234663937396662393161336238663732363565316462632effffffff010000000000000000016a00000000";
const GENESIS_ROOT = "302f59c6f1239648bd38eddf16b22acc8c8df3c96de2e4f552bd2f38371675c1";
const reversed = (hex: string): string => Buffer.from(Buffer.from(hex, "hex").toReversed()).toString("hex");

function genesisHeader(root: string, time: number, bits: number): string {
  return `01000000${"00".repeat(32)}${reversed(root)}${uint32(time)}${uint32(bits)}${"00".repeat(32)}`;
}

describe("genesis", () => {
  const pearl = [
    ["mainnet", 1777280400, 0x1b00ffff],
    ["simnet", 1776675600, 0x1e010000],
    ["regtest", 1776675600, 0x1e010000],
    ["signet", 1776675600, 0x1d0fffff],
  ] as const;
  for (const [name, time, bits] of pearl) {
    test(`the whole genesis block of ${name}, certificate included, is accepted as height 0`, () => {
      const network = NETWORKS[name];
      const header = genesisHeader(GENESIS_ROOT, time, bits);
      const certificate = `01000000${reversed(network.genesisHash)}${"00".repeat(164)}04000000deadbeef`;
      const raw = bytesOf(`${certificate}${header}01${GENESIS_COINBASE}`);
      assert.equal(raw.length, 612);
      const expected = { hash: network.genesisHash, height: 0, previousHash: null };
      const result = scanBlock(raw, expected, { ...context, network });
      assert.ok(result.ok, JSON.stringify(result));
      assert.equal(result.value.time, time);
      assert.equal(result.value.previousHash, "00".repeat(32));
      assert.equal(result.value.transactionCount, 1);
    });
  }

  test("the header hashes of both testnets", () => {
    const root = "7aa0a7ae1e223414cb807e40cd57e667b718e42aaf9306db9102fe28912b7b4e";
    for (const [name, time] of [
      ["testnet", 1782810515],
      ["testnet2", 1776675600],
    ] as const) {
      const header = bytesOf(genesisHeader(root, time, 0x1b00ffff));
      assert.equal(displayHex(sha256d(header)), NETWORKS[name].genesisHash);
    }
  });

  test("litecoin's regtest genesis header of 80 bytes", () => {
    const root = "97ddfbbae6be97fd6cdf3e7ca13232a3afff2353e29badfab7f73011edd4ced9";
    const header = bytesOf(
      `01000000${"00".repeat(32)}${reversed(root)}${uint32(1296688602)}ffff7f20${uint32(0)}`,
    );
    assert.equal(displayHex(sha256d(header)), NETWORKS["litecoin-regtest"].genesisHash);
  });
});

describe("certificates", () => {
  const h = "ab".repeat(32);
  const whole: readonly (readonly [string, string])[] = [
    ["0", "00000000"],
    ["1", `01000000${h}${"00".repeat(164)}${blob(4)}`],
    ["2", `02000000${h}${blob(4807)}${blob(60_000)}`],
    ["2, smallest", `02000000${h}${blob(0)}${blob(0)}`],
    ["3", `03000000${h}${blob(10)}${blob(20)}`],
    ["4", `04000000${h}${blob(0)}${blob(1)}`],
    ["4, largest", `04000000${h}${blob(131_072)}${blob(131_072)}`],
    ["5", `05000000${h}${blob(30)}00`],
    ["5, two ancestors", `05000000${h}${blob(30)}02${"ee".repeat(216)}`],
  ];
  for (const [name, text] of whole) {
    test(`version ${name} is skipped by its rule`, () => {
      const certificate = bytesOf(text);
      assert.equal(certificateEnd(certificate), certificate.length);
      assert.equal(certificateEnd(bytesOf(`${text}0102`)), certificate.length);
      for (const cut of [1, 2, 3, 4]) assert.equal(certificateEnd(certificate.slice(0, -cut)), -1);
    });
  }

  test("blobs above their limits and unknown versions", () => {
    const broken = [
      `01000000${h}${"00".repeat(164)}${blob(60_001)}`,
      `02000000${h}${blob(4808)}${blob(1)}`,
      `03000000${h}${blob(1)}${blob(60_001)}`,
      `02000000${h}${blob(4807)}${blob(60_001)}`,
      `04000000${h}${blob(131_073)}${blob(1)}`,
      `04000000${h}${blob(1)}ffffffff`,
      `05000000${h}${blob(30)}03${"ee".repeat(324)}`,
      "",
      "010000",
    ];
    for (const text of broken) assert.equal(certificateEnd(bytesOf(text)), -1);
    assert.equal(certificateEnd(bytesOf("06000000")), -2);
    assert.equal(certificateEnd(bytesOf("ffffffff")), -2);
  });

  const network = NETWORKS.simnet;
  const previousHash = "11".repeat(32) as BlockHash;
  const header = bytesOf(`00000020${previousHash}${"5c".repeat(72)}`);
  const wantedHash = displayHex(sha256d(header)) as BlockHash;

  test("behind an unknown version the header is found by its hash, with and without a known parent", () => {
    for (const length of [0, 1, 3, 5000]) {
      const certificate = bytesOf(`07000000${"0f".repeat(length)}`);
      const raw = new Uint8Array([...certificate, ...header, 1]);
      for (const previous of [previousHash, null]) {
        const found = findHeader(raw, { hash: wantedHash, previousHash: previous }, network, sha256d);
        assert.deepEqual(found, { ok: true, value: certificate.length });
      }
      const absent = findHeader(raw, { hash: "33".repeat(32) as BlockHash, previousHash }, network, sha256d);
      assert.ok(!absent.ok && absent.error.code === "HEADER_NOT_FOUND");
    }
  });

  test("a known version in a later format is searched too; without a header its rule's fault is named", () => {
    const later = new Uint8Array([...bytesOf(`05000000${h}${blob(9)}ff00`), ...header]);
    const found = findHeader(later, { hash: wantedHash, previousHash }, network, sha256d);
    assert.deepEqual(found, { ok: true, value: later.length - 108 });
    const absent = findHeader(later, { hash: "33".repeat(32) as BlockHash, previousHash }, network, sha256d);
    assert.ok(!absent.ok && absent.error.code === "BAD_CERTIFICATE");
  });

  test("a network without certificates has its header at the start, and nowhere else", () => {
    const litecoin = NETWORKS["litecoin-regtest"];
    const short = header.slice(0, 80);
    const wanted = { hash: displayHex(sha256d(short)) as BlockHash, previousHash };
    assert.deepEqual(findHeader(short, wanted, litecoin, sha256d), { ok: true, value: 0 });
    const moved = findHeader(new Uint8Array([0, ...short]), wanted, litecoin, sha256d);
    assert.ok(!moved.ok && moved.error.code === "HASH_MISMATCH");
    const cut = findHeader(short.slice(0, 79), wanted, litecoin, sha256d);
    assert.ok(!cut.ok && cut.error.code === "TRUNCATED");
  });
});

test("BIP34 heights at every edge of their encoding", () => {
  const pushes: readonly (readonly [number, string])[] = [
    [1, "51"],
    [1, "0101"],
    [16, "60"],
    [16, "0110"],
    [17, "0111"],
    [127, "017f"],
    [128, "028000"],
    [255, "02ff00"],
    [256, "020001"],
    [32767, "02ff7f"],
    [32768, "03008000"],
    [65535, "03ffff00"],
    [8388607, "03ffff7f"],
    [8388608, "0400008000"],
    [2147483647, "04ffffff7f"],
  ];
  for (const [height, text] of pushes) {
    const script = bytesOf(`${text}00`);
    assert.ok(scriptStartsWithHeight(script, 0, script.length, height), `${height}`);
    assert.ok(!scriptStartsWithHeight(script, 0, script.length, height + 1), `${height + 1}`);
    assert.ok(!scriptStartsWithHeight(script, 0, text.length / 2 - 1, height), `${height} cut`);
  }
  for (const [height, text] of [
    [17, "02110000"],
    [17, "61"],
    [128, "0180"],
    [0x50, "50"],
  ] as const) {
    const script = bytesOf(`${text}00`);
    assert.ok(!scriptStartsWithHeight(script, 0, script.length, height), text);
  }
});

test("merkle roots equal a plain recursive one, and repeated tails are noticed", () => {
  const plain = (level: readonly Uint8Array[]): Uint8Array => {
    if (level.length === 1) return level[0] ?? new Uint8Array(0);
    const up: Uint8Array[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i] ?? new Uint8Array(0);
      up.push(sha256d(new Uint8Array([...left, ...(level[i + 1] ?? left)])));
    }
    return plain(up);
  };
  for (let count = 1; count <= 33; count += 1) {
    const leaves = Array.from({ length: count }, (_, i) => sha256d(Uint8Array.of(i)));
    assert.deepEqual(rootOf(leaves), { root: plain(leaves), mutated: false });
  }
  const six = Array.from({ length: 6 }, (_, i) => sha256d(Uint8Array.of(i)));
  const eight = [...six, ...six.slice(4)];
  assert.deepEqual(rootOf(eight), { root: rootOf(six).root, mutated: true });
});

describe("AnchorFilter", () => {
  test("is a multi-set without false negatives, like a counting map", () => {
    const txids = Array.from({ length: 5 }, (_, i) => Buffer.from(sha256d(Uint8Array.of(i))).toString("hex"));
    const action = fc.record({
      add: fc.boolean(),
      txid: fc.nat(4),
      vout: fc.constantFrom(0, 1, 255, 4_294_967_295),
    });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 400, size: "max" }), fc.integer(), (actions, seed) => {
        const filter = new AnchorFilter(seed);
        const counts = new Map<string, number>();
        for (const { add, txid, vout } of actions) {
          const outpoint = `${txids[txid]}:${vout}` as Outpoint;
          const count = counts.get(outpoint) ?? 0;
          if (add && count % 2 === 0) filter.add(outpoint);
          else if (add) filter.addWire(wire(txids[txid] ?? "", vout), vout);
          else if (count > 0) filter.delete(outpoint);
          counts.set(outpoint, Math.max(0, count + (add ? 1 : -1)));
        }
        let size = 0;
        for (const [outpoint, count] of counts) {
          const [txid = "", vout = ""] = outpoint.split(":");
          size += count;
          // 20 outpoints of 2^32 prints: an accidental hit would be one run in many millions.
          const bytes = new Uint8Array([9, ...wire(txid, Number(vout))]);
          assert.equal(filter.mayBeAnchor(bytes, 1), count > 0);
        }
        assert.equal(filter.size, size);
        filter.clear();
        assert.equal(filter.size, 0);
      }),
    );
  });

  test("grows, empties again, and hardly ever says yes to a stranger", () => {
    const filter = new AnchorFilter(7);
    const outpoints = Array.from({ length: 20_000 }, (_, i) => {
      const txid = Buffer.from(sha256d(Buffer.from(uint32(i), "hex"))).toString("hex");
      return [txid, i % 3] as const;
    });
    for (const [txid, vout] of outpoints) filter.add(`${txid}:${vout}` as Outpoint);
    for (const [txid, vout] of outpoints) assert.ok(filter.mayBeAnchor(wire(txid, vout), 0));
    const strangers = outpoints.filter(([txid, vout]) => filter.mayBeAnchor(wire(txid, vout + 3), 0));
    assert.ok(strangers.length <= 2, `${strangers.length} of 20000`);
    for (const [txid, vout] of outpoints.slice(0, 19_999)) filter.delete(`${txid}:${vout}` as Outpoint);
    const [last] = outpoints.slice(-1);
    assert.ok(last !== undefined && filter.size === 1 && filter.mayBeAnchor(wire(...last), 0));
    assert.equal(
      outpoints.slice(0, 19_999).filter(([txid, vout]) => filter.mayBeAnchor(wire(txid, vout), 0)).length,
      0,
    );
  });
});

const plan = (
  ours: [number, string],
  node: [number, string],
  ourLower: string | null,
  nodeLower: string | null,
) =>
  planFollow({
    ours: pointAt(...ours),
    node: pointAt(...node),
    ourHashAtLower: ourLower as BlockHash | null,
    nodeHashAtLower: nodeLower as BlockHash | null,
  });

describe("planFollow (P-90)", () => {
  test("each case", () => {
    assert.deepEqual(plan([5, "e"], [5, "e"], "e", "e"), { kind: "current" });
    assert.deepEqual(plan([5, "e"], [8, "h"], "e", "e"), { kind: "append", from: 6, to: 8 });
    assert.deepEqual(plan([5, "e"], [3, "c"], "c", "c"), { kind: "wait" });
    assert.deepEqual(plan([5, "e"], [8, "h"], "e", "x"), { kind: "search", below: 4 });
    assert.deepEqual(plan([5, "e"], [5, "x"], "e", "x"), { kind: "search", below: 4 });
    assert.deepEqual(plan([5, "e"], [3, "x"], "c", "x"), { kind: "search", below: 2 });
    assert.deepEqual(plan([5, "e"], [8, "h"], "e", null), { kind: "ask-again" });
    assert.deepEqual(plan([5, "e"], [5, "x"], "e", "e"), { kind: "ask-again" });
    assert.deepEqual(plan([5, "e"], [6, "e"], "e", "e"), { kind: "ask-again" });
  });
});

// Blocks, transactions, scripts and bodies, as a node or a stranger's transaction brings them.

import { sha256d } from "../../../src/adapters/system/hashes.ts";
import { swapCrypto } from "../../../src/adapters/system/swap-crypto.ts";
import { NETWORKS } from "../../../src/chain/networks.ts";
import { scanBlock, type ScanContext } from "../../../src/chain/scan-block.ts";
import { scanTransaction } from "../../../src/chain/scan-transaction.ts";
import { openBlock } from "../../../src/chain/watch-block.ts";
import { readWholeTransaction, type WholeTransaction } from "../../../src/chain/watch-transaction.ts";
import { recogniseEnvelope } from "../../../src/prc20/envelope.ts";
import { OPERATION_KINDS, readOperation } from "../../../src/prc20/operations/registry.ts";
import { readPayload } from "../../../src/prc20/payload.ts";
import { readBlock } from "../../../src/prc20/read-block.ts";
import { MARKER, type ProtocolRules } from "../../../src/prc20/rules.ts";
import { addressOfKey } from "../../../src/primitives/address.ts";
import type { BlockHash, Bytes32, PearlAddress } from "../../../src/primitives/brands.ts";
import { concatBytes } from "../../../src/primitives/bytes.ts";
import { preimagesIn, spentLeafHash } from "../../../src/swap/spend-leaf.ts";
import { bodyOf, Workshop } from "../../hostile/workshop.ts";
import { bytesOf, type FuzzTarget, hold } from "../target.ts";

const NETWORK = NETWORKS.simnet;
const ZEROS = new Uint8Array(32);
const ZERO_HASH = "00".repeat(32) as BlockHash;
const HEIGHT = 1;
const recognise = recogniseEnvelope(MARKER);
const RULES: ProtocolRules = {
  hrp: NETWORK.hrp,
  genesisHash: NETWORK.genesisHash,
  marker: MARKER,
  startHeight: 1,
  feeBps: 100,
  feeAddress: addressOfKey("ab".repeat(32), NETWORK.hrp),
};
/** Every hash is zero: bytes that no fuzzer could make fit their hashes come past the checks that compare hashes. */
const BLIND: ScanContext = {
  network: NETWORK,
  sha256d: () => ZEROS,
  recognise,
  anchors: { mayBeAnchor: () => true },
};
const EXPECTED = { hash: ZERO_HASH, height: HEIGHT, previousHash: null };

const SENDER = addressOfKey("cd".repeat(32), NETWORK.hrp);

function sampleTransactions(seed: number): readonly Uint8Array[] {
  return sampleBlock(seed).transactions;
}

function sampleBlock(seed: number): {
  readonly raw: Uint8Array;
  readonly transactions: readonly Uint8Array[];
} {
  const workshop = new Workshop(seed);
  const actor = workshop.actor();
  const listing = workshop.draft();
  listing.reveal(actor, bodyOf({ op: "list", tick: "A", amt: "1", price: "5000" }), {
    annex: { signer: actor, sellerScript: actor.script, sellerNet: 5000n },
  });
  listing.pay(actor.script, 1000n);
  return workshop.make([
    workshop.operation(actor, { op: "deploy", tick: "A", max: "9", lim: "3", dec: "2" }),
    workshop.operation(actor, { op: "mint", tick: "A", amt: "3" }),
    listing.finish(),
  ]);
}

/** The block with zeros where it names hashes, so that it is read to its end. */
function withoutHashes(raw: Uint8Array): Uint8Array {
  const bytes = raw.slice();
  const header = 45;
  bytes.fill(0, header + 36, header + 68);
  const commitment = Buffer.from(bytes).indexOf("6a24aa21a9ed", "hex");
  if (commitment >= 0) bytes.fill(0, commitment + 6, commitment + 38);
  return bytes;
}

/** Reads everything that a transaction offers. */
function readAll(transaction: WholeTransaction, size: number): void {
  let bytes = 0;
  for (let index = 0; index < transaction.inputCount; index += 1) {
    const witness = transaction.witness(index);
    hold(transaction.outpoint(index) !== null, "an outpoint for every input");
    for (const item of witness) bytes += item.length;
    spentLeafHash(witness, `0x${"11".repeat(32)}` as Bytes32, swapCrypto);
    hold(preimagesIn(witness, () => true, sha256d).length <= witness.length, "a preimage is an item");
  }
  hold(bytes <= size, "the witnesses lie within the transaction");
  for (let index = 0; index < transaction.outputCount; index += 1)
    hold(transaction.output(index) !== null, "an output for every index");
  hold(transaction.output(transaction.outputCount) === null, "no output beyond the last");
}

/** Latin-1: pieces of an envelope, of a commitment, numbers whose encoding has several lengths. */
const SCRIPT_WORDS = [
  "\x06prc-20",
  "\x10application/json",
  "\xac\x00\x63",
  "\x68",
  "\x6a\x24\xaa\x21\xa9\xed",
  "\x51\x20",
  "\x50",
].concat(["\xfd\xfd\x00", "\xfe\x00\x00\x01\x00", "\xff\x00\x00\x00\x00\x01\x00\x00\x00", "\x00\x01"]);
const BODY_WORDS = [
  "p",
  "op",
  "tick",
  "max",
  "lim",
  "dec",
  "pre",
  "amt",
  "to",
  "price",
  "id",
  "cid",
  "nonce",
  "expiry",
]
  .map((name) => `"${name}":`)
  .concat([
    '"prc-20"',
    '"1"',
    '"340282366920938463463374607431768211455"',
    '"-1"',
    "null",
    "1e9",
    '"\\u0041"',
    SENDER,
  ]);

const block: FuzzTarget = {
  name: "block",
  what: "a block of the node: certificate, header, transactions, commitment, operations in it",
  maxBytes: 8192,
  words: SCRIPT_WORDS,
  seeds: () => [0, 1, 2].map((seed) => withoutHashes(sampleBlock(seed).raw)),
  run(input) {
    const scanned = scanBlock(input, EXPECTED, BLIND);
    const opened = openBlock(input, EXPECTED, BLIND);
    hold(scanned.ok === opened.ok, "the index and the swap watch agree on what is a block");
    if (!scanned.ok || !opened.ok) return;
    const reading = readBlock(scanned.value, RULES, (key) => addressOfKey(key, NETWORK.hrp));
    let transactions = 0;
    for (const transaction of opened.value.transactions()) {
      readAll(transaction, input.length);
      transactions += 1;
    }
    hold(transactions === scanned.value.transactionCount, "both read the same number of transactions");
    for (const { view, inputs } of reading.transactions)
      for (const { index } of inputs) hold(index < view.inputCount, "an operation is at an input");
  },
};

const transaction: FuzzTarget = {
  name: "transaction",
  what: "a transaction of the mempool, for the index and for the swaps",
  maxBytes: 8192,
  words: SCRIPT_WORDS,
  seeds: () => [3, 4].flatMap((seed) => sampleTransactions(seed).slice(0, 3)),
  run(input) {
    const context = { sha256d, recognise, anchors: { mayBeAnchor: () => true } };
    const scanned = scanTransaction(input, context);
    const whole = readWholeTransaction(input, sha256d);
    if (whole.ok) readAll(whole.value, input.length);
    if (!scanned.ok || scanned.value === null) return;
    hold(whole.ok, "what the index reads, the swaps read");
    hold(whole.value.txid === scanned.value.txid, "both give it the same id");
  },
};

/** Reads a body as every operation, whatever it says it is. */
function readBody(body: Uint8Array): void {
  const payload = readPayload(body, MARKER);
  if (payload === null) return;
  const source = {
    fields: payload.fields,
    sender: SENDER satisfies PearlAddress,
    keyHex: "cd".repeat(32),
    annex: null,
    hrp: NETWORK.hrp,
  };
  for (const { name } of OPERATION_KINDS)
    hold(readOperation(name, source) !== null, `${name} is an operation`);
}

const envelope: FuzzTarget = {
  name: "envelope",
  what: "a leaf script, and the body of its operation read as each of the operations",
  maxBytes: 5000,
  words: [...SCRIPT_WORDS, ...BODY_WORDS],
  seeds: () => [
    ...OPERATION_KINDS.map(({ name }) =>
      bytesOf(
        bodyOf({
          op: name,
          tick: "GOLD",
          max: "21",
          lim: "1",
          amt: "1",
          dec: "2",
          price: "5000",
          to: SENDER,
        }),
      ),
    ),
    ...sampleTransactions(5)
      .slice(1)
      .flatMap((raw) => {
        const read = readWholeTransaction(raw, sha256d);
        if (!read.ok) return [];
        const { value } = read;
        return Array.from(
          { length: value.inputCount },
          (_, index) => value.witness(index).at(-2) ?? [],
        ).flat();
      }),
  ],
  run(input) {
    const found = recognise(input, 0, input.length);
    if (found !== null) {
      hold(found.body.length <= input.length, "the body lies within the script");
      readBody(found.body);
    }
    readBody(input);
    // The same bytes in the middle of others are the same script.
    const inside = recognise(concatBytes(ZEROS, input, ZEROS), 32, 32 + input.length);
    hold((inside === null) === (found === null), "what stands around a script does not matter");
  },
};

/** Borders to the PEARL chain. */
export const CHAIN_TARGETS: readonly FuzzTarget[] = [block, transaction, envelope];

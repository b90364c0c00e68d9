// Makes the benchmark's blocks: deterministic, Pearl-shaped, with P-12 envelopes, valid addresses, true merkle roots
// and witness commitments, and listings whose anchor signatures verify. It uses libraries, not our own code. The first
// block of a chain deploys the tickers.

import { hash } from "node:crypto";
import { bech32m } from "@scure/base";
import { Transaction } from "bitcoinjs-lib";
import { signSchnorr, xOnlyPointFromScalar } from "tiny-secp256k1";
import type { PearlAddress } from "../src/primitives/brands.ts";
import { SIMNET } from "../testkit/doubles/pearl-node/network.ts";

/** Hash of the block below the first one. */
export const GENESIS = SIMNET.genesisHash;
const HRP = "rprl";
/** Keys that can sign listings; the others are points only. */
const SECRETS = 64;
/** Bytes of the proof in a certificate. */
const PROOF_BYTES = 60_000;
const TICKS = Array.from({ length: 40 }, (_, i) => `B${i.toString(36).toUpperCase().padStart(3, "0")}`);

/**
 * What a block holds: operations of a kind and plain payments. `token`: mints and transfers; `list`: lists; `market`:
 * a mint, two lists and a fill in turn, and each payment takes a listing back.
 */
export interface Recipe {
  readonly operations: number;
  readonly payments: number;
  readonly kind: "token" | "list" | "market";
}

/** An open listing whose anchor can be spent. */
interface OpenListing {
  readonly txid: Buffer;
  readonly who: number;
  readonly tick: string;
  readonly price: number;
}

const hash256 = (bytes: Uint8Array): Buffer => hash("sha256", hash("sha256", bytes, "buffer"), "buffer");

/** Ids are shown the other way round than they are stored. */
const reversed = (bytes: Uint8Array): Buffer => Buffer.from(bytes.toReversed());

class Stream {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }
  word(): number {
    // xorshift32: enough for shuffling keys and amounts
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state;
  }
  below(n: number): number {
    return this.word() % n;
  }
  bytes(n: number): Buffer {
    const out = Buffer.allocUnsafe(n);
    for (let i = 0; i < n; i += 1) out[i] = this.word() & 0xff;
    return out;
  }
}

const compact = (n: number): Buffer =>
  n < 253
    ? Buffer.of(n)
    : n < 65536
      ? Buffer.of(253, n & 255, n >> 8)
      : Buffer.of(254, n & 255, (n >> 8) & 255, (n >> 16) & 255, n >>> 24);
const push = (bytes: Uint8Array): Buffer =>
  bytes.length < 76
    ? Buffer.concat([Buffer.of(bytes.length), bytes])
    : bytes.length < 256
      ? Buffer.concat([Buffer.of(0x4c, bytes.length), bytes])
      : Buffer.concat([Buffer.of(0x4d, bytes.length & 255, bytes.length >> 8), bytes]);
const u32 = (n: number): Buffer => {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(n >>> 0);
  return out;
};
const u64 = (n: bigint): Buffer => {
  const out = Buffer.alloc(8);
  out.writeBigUInt64LE(n);
  return out;
};

interface Made {
  readonly raw: Buffer;
  readonly txid: Buffer;
  readonly wtxid: Buffer;
}

function transaction(
  inputs: readonly {
    readonly coin: Buffer;
    readonly script?: Buffer;
    readonly witness: readonly Uint8Array[];
  }[],
  outputs: readonly { readonly value: bigint; readonly script: Uint8Array }[],
): Made {
  const core = Buffer.concat([
    compact(inputs.length),
    ...inputs.flatMap((input) => [
      input.coin,
      compact(input.script?.length ?? 0),
      input.script ?? Buffer.alloc(0),
      u32(0xfffffffd),
    ]),
    compact(outputs.length),
    ...outputs.flatMap((output) => [u64(output.value), compact(output.script.length), output.script]),
  ]);
  const witness = Buffer.concat(
    inputs.flatMap((input) => [
      compact(input.witness.length),
      ...input.witness.flatMap((item) => [compact(item.length), item]),
    ]),
  );
  const raw = Buffer.concat([u32(2), Buffer.of(0, 1), core, witness, u32(0)]);
  return { raw, txid: hash256(Buffer.concat([u32(2), core, u32(0)])), wtxid: hash256(raw) };
}

function root(leaves: readonly Buffer[]): Buffer {
  let level = [...leaves];
  while (level.length > 1) {
    const next: Buffer[] = [];
    for (let i = 0; i < level.length; i += 2)
      next.push(hash256(Buffer.concat([level[i] as Buffer, (level[i + 1] ?? level[i]) as Buffer])));
    level = next;
  }
  return level[0] as Buffer;
}

const p2tr = (key: Uint8Array): Buffer => Buffer.concat([Buffer.of(0x51, 0x20), key]);

/** Makes the blocks of a workload one after the other; keys, tickers and balances are the generator's own. */
export class Generator {
  readonly #stream: Stream;
  readonly #keys: readonly Buffer[];
  readonly #addresses: readonly string[];
  readonly #secrets: readonly Buffer[];
  readonly #owned: { readonly who: number; readonly tick: string }[] = [];
  /** What holders of secrets have minted in blocks of a market. */
  readonly #forSale: { readonly who: number; readonly tick: string }[] = [];
  #open: OpenListing[] = [];
  readonly feeAddress: PearlAddress;
  previous = GENESIS;
  height = 0;
  operations = 0;
  transactions = 0;

  constructor(seed: number, keys: number) {
    this.#stream = new Stream(seed);
    this.#secrets = Array.from({ length: SECRETS }, () => {
      const secret = this.#stream.bytes(32);
      secret[0] = (secret[0] as number) & 0x7f;
      return secret;
    });
    this.#keys = Array.from({ length: keys }, (_, i) =>
      i < SECRETS ? Buffer.from(xOnlyPointFromScalar(this.#secrets[i] as Buffer)) : this.#stream.bytes(32),
    );
    this.#addresses = this.#keys.map((key) => bech32m.encode(HRP, [1, ...bech32m.toWords(key)]));
    this.feeAddress = this.#addresses[0] as PearlAddress;
  }

  /** The next block: the first one of a chain deploys the tickers. */
  next(recipe: Recipe): {
    readonly raw: Buffer;
    readonly hash: string;
    readonly previous: string;
    readonly height: number;
  } {
    const made = this.height === 0 ? TICKS.map((tick) => this.#deploy(tick)) : [];
    this.height += 1;
    const total = recipe.operations + recipe.payments - made.length;
    const wanted = recipe.operations - made.length;
    for (let i = 0; i < total; i += 1) {
      if ((i * 7919) % total >= wanted)
        made.push(recipe.kind === "market" ? this.#takeBack() : this.#payment());
      else if (recipe.kind === "market") made.push(this.#trade(this.operations % 4));
      else if (recipe.kind === "list") made.push(this.#list());
      else made.push(this.#operation());
    }
    return this.#block(made);
  }

  #deploy(tick: string): Made {
    const most = (2n ** 128n - 1n).toString();
    return this.#reveal(0, `{"p":"prc-20","op":"deploy","tick":"${tick}","max":"${most}","lim":"1000000"}`);
  }

  #operation(): Made {
    const stream = this.#stream;
    const who = stream.below(this.#keys.length);
    const owned = this.#owned;
    if (stream.below(10) < 7 || owned.length < 1000) {
      const tick = TICKS[stream.below(TICKS.length)] as string;
      if (owned.length < 200_000) owned.push({ who, tick });
      return this.#reveal(
        who,
        `{"p":"prc-20","op":"mint","tick":"${tick}","amt":"${1000 + stream.below(9)}"}`,
      );
    }
    const from = owned[stream.below(owned.length)] as { who: number; tick: string };
    const to = this.#addresses[stream.below(this.#addresses.length)] as string;
    // One transfer in twenty asks for more than anybody holds.
    const amount = stream.below(20) === 0 ? 5_000_000_000 + stream.below(300) : 1 + stream.below(300);
    return this.#reveal(
      from.who,
      `{"p":"prc-20","op":"transfer","tick":"${from.tick}","amt":"${amount}","to":"${to}"}`,
    );
  }

  #reveal(who: number, payload: string, annex?: Uint8Array, coin = this.#coin(), payee = who): Made {
    this.operations += 1;
    const key = this.#keys[who] as Buffer;
    const leaf = Buffer.concat([
      push(key),
      Buffer.of(0xac, 0, 0x63),
      push(Buffer.from("prc-20")),
      push(Buffer.from("application/json")),
      Buffer.of(0),
      push(Buffer.from(payload)),
      Buffer.of(0x68),
    ]);
    const control = Buffer.concat([Buffer.of(0xc0), this.#stream.bytes(32)]);
    const witness = [this.#stream.bytes(64), leaf, control, ...(annex === undefined ? [] : [annex])];
    return transaction(
      [{ coin, witness }],
      [
        { value: 546n, script: p2tr(this.#keys[payee] as Buffer) },
        {
          value: 10_000n + BigInt(this.#stream.below(1_000_000)),
          script: p2tr(this.#keys[this.#stream.below(this.#keys.length)] as Buffer),
        },
      ],
    );
  }

  /** A list by somebody who minted the ticker; only chains of few keys have their secrets. */
  #list(owned = this.#owned): Made {
    const stream = this.#stream;
    const { who, tick } = owned[stream.below(owned.length)] as { who: number; tick: string };
    const secret = this.#secrets[who];
    if (secret === undefined) throw new Error(`a chain with listings has at most ${SECRETS} keys`);
    const price = 40_000 + stream.below(1_000_000);
    const body = `{"p":"prc-20","op":"list","tick":"${tick}","amt":"1","price":"${price}"}`;
    const coin = this.#coin();
    const key = this.#keys[who] as Buffer;
    // Same draws again for the witness: the id does not depend on it, so the annex can be signed afterwards.
    const plain = this.#reveal(who, body, undefined, coin);
    this.operations -= 1;
    const outputs = Transaction.fromBuffer(plain.raw).outs;
    const fill = new Transaction();
    fill.version = 2;
    fill.addInput(plain.txid, 0, 0xffffffff);
    const fee = Math.floor(price / 100) < 333 ? 0 : Math.floor(price / 100);
    fill.addOutput(p2tr(key), BigInt(price - fee));
    const message = fill.hashForWitnessV1(0, [p2tr(key)], [546n], 0x83);
    const annex = Buffer.concat([Buffer.of(0x50), signSchnorr(message, secret), Buffer.of(0x83)]);
    const leaf = Transaction.fromBuffer(plain.raw).ins[0]?.witness ?? [];
    this.operations += 1;
    if (owned === this.#forSale) this.#open.push({ txid: plain.txid, who, tick, price });
    return transaction(
      [{ coin, witness: [...leaf, annex] }],
      outputs.map((output) => ({ value: output.value, script: output.script })),
    );
  }

  #trade(turn: number): Made {
    if (turn === 3 && this.#open.length > 0) return this.#fill();
    if (turn > 0 && this.#forSale.length > 0) return this.#list(this.#forSale);
    const who = this.#stream.below(SECRETS);
    const tick = TICKS[this.#stream.below(TICKS.length)] as string;
    if (this.#forSale.length < 10_000) this.#forSale.push({ who, tick });
    return this.#reveal(who, `{"p":"prc-20","op":"mint","tick":"${tick}","amt":"100000"}`);
  }

  /** Pays the seller of the oldest open listing and says so. */
  #fill(): Made {
    const { coin, listing } = this.#anchor();
    this.operations += 1;
    const buyer = this.#keys[this.#stream.below(this.#keys.length)] as Buffer;
    const id = `list:${reversed(listing.txid).toString("hex")}:0`;
    const leaf = Buffer.concat([
      push(buyer),
      Buffer.of(0xac, 0, 0x63),
      push(Buffer.from("prc-20")),
      push(Buffer.from("application/json")),
      Buffer.of(0),
      push(Buffer.from(`{"p":"prc-20","op":"send","id":"${id}"}`)),
      Buffer.of(0x68),
    ]);
    const control = Buffer.concat([Buffer.of(0xc0), this.#stream.bytes(32)]);
    const { price } = listing;
    return transaction(
      [
        { coin, witness: [this.#stream.bytes(65)] },
        { coin: this.#coin(), witness: [this.#stream.bytes(64), leaf, control] },
      ],
      [
        { value: BigInt(price), script: p2tr(this.#keys[listing.who] as Buffer) },
        { value: BigInt(price), script: p2tr(this.#keys[0] as Buffer) },
      ],
    );
  }

  /** The owner of the oldest open listing spends its anchor. */
  #takeBack(): Made {
    if (this.#open.length === 0) return this.#payment();
    const { coin, listing } = this.#anchor();
    const script = p2tr(this.#keys[listing.who] as Buffer);
    return transaction([{ coin, witness: [this.#stream.bytes(64)] }], [{ value: 500n, script }]);
  }

  #anchor(): { readonly coin: Buffer; readonly listing: OpenListing } {
    const [listing, ...others] = this.#open;
    if (listing === undefined) throw new Error("no listing is open");
    this.#open = others;
    return { coin: Buffer.concat([listing.txid, u32(0)]), listing };
  }

  #payment(): Made {
    const stream = this.#stream;
    const inputs = Array.from({ length: 1 + stream.below(3) }, () => ({
      coin: this.#coin(),
      witness: [stream.bytes(64)],
    }));
    const outputs = Array.from({ length: 1 + stream.below(3) }, () => ({
      value: 1000n + BigInt(stream.below(1_000_000_000)),
      script: p2tr(this.#keys[stream.below(this.#keys.length)] as Buffer),
    }));
    return transaction(inputs, outputs);
  }

  #coin(): Buffer {
    return Buffer.concat([this.#stream.bytes(32), u32(this.#stream.below(4))]);
  }

  #block(body: readonly Made[]): { raw: Buffer; hash: string; previous: string; height: number } {
    const height = this.height;
    const script =
      height <= 16
        ? Buffer.of(0x50 + height, 0)
        : push(Buffer.from(u32(height).subarray(0, height < 128 ? 1 : height < 32768 ? 2 : 3)));
    const witnessRoot = root([Buffer.alloc(32), ...body.map((made) => made.wtxid)]);
    const commitment = hash256(Buffer.concat([witnessRoot, Buffer.alloc(32)]));
    const coinbase = transaction(
      [
        {
          coin: Buffer.concat([Buffer.alloc(32), u32(0xffffffff)]),
          script: Buffer.concat([script, Buffer.of(0)]),
          witness: [Buffer.alloc(32)],
        },
      ],
      [
        { value: 322_964_134_063n, script: p2tr(this.#keys[0] as Buffer) },
        { value: 0n, script: Buffer.concat([Buffer.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed), commitment]) },
      ],
    );
    const all = [coinbase, ...body];
    this.transactions += all.length;
    const previous = this.previous;
    const header = Buffer.concat([
      u32(0x20000000),
      reversed(Buffer.from(previous, "hex")),
      root(all.map((made) => made.txid)),
      u32(1_776_675_600 + height * 194),
      u32(0x1e010000),
      Buffer.alloc(32),
    ]);
    const id = hash256(header);
    const certificate = Buffer.concat([
      u32(1),
      id,
      Buffer.alloc(164),
      u32(PROOF_BYTES),
      this.#stream.bytes(64),
      Buffer.alloc(PROOF_BYTES - 64),
    ]);
    this.previous = reversed(id).toString("hex");
    return {
      raw: Buffer.concat([certificate, header, compact(all.length), ...all.map((made) => made.raw)]),
      hash: this.previous,
      previous,
      height,
    };
  }
}

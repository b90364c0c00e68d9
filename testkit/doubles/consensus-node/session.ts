// Gives the test chain its actors, with real keys and an exact list of their own coins, kept from the transactions that
// are mined. Amounts are never read from the node's floating-point JSON.

import { createHash } from "node:crypto";
import { Transaction } from "bitcoinjs-lib";
import {
  bip86Key,
  buildCommit,
  buildPayment,
  type Coin,
  type CommittedInscription,
  coinOf,
  type Funding,
  plainKey,
  type SigningKey,
  type SignedTx,
} from "../../../src/wallet/index.ts";
import type { ConsensusNode } from "./consensus-node.ts";
import { built } from "../../builders/party.ts";

/** Marker of the operations that the sessions inscribe. */
export const MARKER = "prc-20";
/** What a commit output is given: enough for the fee of its reveal. */
const COMMIT_AMOUNT = 6_000n;
const FEE_PER_KVB = 1_000n;
const MATURITY = 100;

/** Somebody with a key, an address and coins. */
export interface Participant {
  readonly name: string;
  readonly key: SigningKey;
  readonly address: string;
  /** Unspent outputs of the key, anchors of listings left out. */
  coins: Coin[];
}

/** A chain in use. */
export interface Session {
  readonly node: ConsensusNode;
  readonly actors: readonly Participant[];
  /** Pays an actor's fees and takes the change; the largest coin goes first. */
  funding(actor: Participant): Funding;
  /** Pays for the commit outputs of these bodies. The coins of the actor are updated at once. */
  commit(
    actor: Participant,
    bodies: readonly string[],
  ): { signed: SignedTx; committed: CommittedInscription[] };
  /** Takes a transaction into the books: spent coins go, outputs to actors come. */
  book(signed: SignedTx): void;
  /** Keeps an output out of the coins (the anchor of a listing). */
  reserve(coin: Coin): void;
  /** Remembers everybody's coins; the returned function brings them back (after a reorganisation). */
  checkpoint(): () => void;
}

/** A key from a name: the same in every run. */
export function keyFromName(name: string, kind: "plain" | "bip86"): SigningKey {
  const secret = Uint8Array.from(createHash("sha256").update(`strand litecoind ${name}`).digest());
  return kind === "plain" ? plainKey(secret) : bip86Key(secret);
}

async function coinbaseCoin(node: ConsensusNode, blockHash: string): Promise<Coin> {
  const [bytes] = (await node.block(blockHash)).transactions;
  const coinbase = bytes === undefined ? null : Transaction.fromBuffer(bytes);
  const output = coinbase?.outs[0];
  if (coinbase === null || output === undefined) throw new Error(`block ${blockHash} has no coinbase output`);
  return { txid: coinbase.getId(), vout: 0, amount: output.value, script: output.script };
}

const outPoint = ({ txid, vout }: { readonly txid: string; readonly vout: number }) => `${txid}:${vout}`;

function funding(actor: Participant): Funding {
  const largestFirst = actor.coins.toSorted((a, b) =>
    a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0,
  );
  return {
    coins: largestFirst.map((coin) => ({ coin, key: actor.key })),
    changeScript: actor.key.script,
    feePerKvb: FEE_PER_KVB,
  };
}

/** Gives every actor one mature coinbase: one block each, then the maturity. */
export async function openSession(
  node: ConsensusNode,
  names: readonly (readonly [string, "plain" | "bip86"])[],
): Promise<Session> {
  const actors = names.map(([name, kind]): Participant => {
    const key = keyFromName(name, kind);
    return { name, key, address: node.addressOf(key), coins: [] };
  });
  for (const actor of actors) {
    const [hash] = await node.mineEmpty(1, actor.address);
    if (hash === undefined) throw new Error("no block was mined");
    actor.coins.push(await coinbaseCoin(node, hash));
  }
  await node.mineEmpty(MATURITY, node.addressOf(keyFromName("miner", "plain")));
  const reserved = new Set<string>();

  function book(signed: SignedTx): void {
    const spent = new Set(signed.tx.inputs.map(outPoint));
    for (const actor of actors) {
      const own = Buffer.from(actor.key.script);
      const gained = signed.tx.outputs
        .map((_, vout) => coinOf(signed, vout))
        .filter((coin) => own.equals(coin.script) && !reserved.has(outPoint(coin)));
      actor.coins = [...actor.coins.filter((coin) => !spent.has(outPoint(coin))), ...gained];
    }
  }

  function commit(actor: Participant, bodies: readonly string[]) {
    const inscriptions = bodies.map((body) => buildCommit(actor.key.outputKey, MARKER, body));
    const outputs = inscriptions.map(({ commitScript }) => ({ amount: COMMIT_AMOUNT, script: commitScript }));
    const signed = built(buildPayment(outputs, funding(actor)));
    book(signed);
    const committed = inscriptions.map((inscription, vout) => ({
      inscription,
      coin: coinOf(signed, vout),
      key: actor.key,
    }));
    return { signed, committed };
  }

  function checkpoint(): () => void {
    const then = actors.map((actor) => [...actor.coins]);
    return () => {
      for (const [index, actor] of actors.entries()) actor.coins = [...(then[index] ?? [])];
    };
  }

  return {
    node,
    actors,
    funding,
    commit,
    book,
    reserve: (coin) => void reserved.add(outPoint(coin)),
    checkpoint,
  };
}

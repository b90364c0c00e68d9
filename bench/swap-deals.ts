// Writes deals to a store of swaps: synthetic orders with one lock output each, as both chains would have shown them.

import { systemClock } from "../src/adapters/system/clock.ts";
import { swapCrypto } from "../src/adapters/system/swap-crypto.ts";
import type { BlockHash, EvmAddress, Outpoint, Txid } from "../src/primitives/brands.ts";
import type { EscrowEvent, PearlBlockFact, Sighting } from "../src/swap/facts.ts";
import type { ClosingBounds } from "../src/swaps/ledger/closing.ts";
import { SwapLedger } from "../src/swaps/ledger/ledger.ts";
import type { SwapStore } from "../src/swaps/ledger/ports.ts";
import {
  bytes32,
  CHAIN_ID,
  digest,
  rulesFor,
  secretOf,
  sellerOfDeal,
  START,
  termsOfDeal,
} from "./swap-orders.ts";
import { syncedBy } from "../testkit/builders/swap-ledger/ledger-facts.ts";

const DEALS_PER_BLOCK = 50;
const HOT_DEALS = 100;
/** The escrow of these deals. */
export const escrow = `0x${"1".repeat(40)}` as EvmAddress;
/** Its rules. */
export const rules = rulesFor(escrow);

const quiet = (): void => undefined;

/** A ledger over a store that has them; with `closing` deals leave its memory. */
export function openLedger(store: SwapStore, closing?: ClosingBounds): Promise<SwapLedger> {
  return SwapLedger.open({
    ...(closing === undefined ? {} : { closing }),
    store,
    identity: { network: "simnet", chainId: CHAIN_ID, escrow },
    crypto: swapCrypto,
    rules,
    clock: systemClock,
    log: { info: quiet, warn: quiet, error: quiet, debug: quiet },
    evmConfirmations: null,
    takeMax: 100_000,
    contextOf: syncedBy(systemClock),
  });
}

function eventsOf(deal: number, block: number, logIndex: number): readonly EscrowEvent[] {
  const blockHash = bytes32(`evm ${block}`);
  const place = { block, blockHash, time: START + 12 * block, txHash: bytes32(`evm tx ${deal}`), logIndex };
  const terms = termsOfDeal(deal, place.time, "bid");
  const orderHash = bytes32(`order ${deal}`);
  const { seller, key } = sellerOfDeal(deal);
  return [
    { kind: "OrderLocked", place, orderHash, terms },
    {
      kind: "OrderAccepted",
      place: { ...place, logIndex: logIndex + 1 },
      orderHash,
      seller,
      sellerPearlKey: key,
    },
  ];
}

function htlcOf(
  ledger: SwapLedger,
  deal: number,
  height: number,
): { sighting: Sighting; fact: PearlBlockFact } {
  const subject = ledger.subject(bytes32(`order ${deal}`));
  const script = subject?.script ?? null;
  if (subject === null || script === null) throw new Error(`deal ${deal} has no script`);
  const txid = digest(`lock ${deal}`) as Txid;
  const output = { txid, vout: 0, amountSat: subject.terms.pearlAmountSat, script, coinbase: false };
  const blockHash = digest(`pearl ${height}`) as BlockHash;
  const place = { height, blockHash, time: START + 194 * height, txIndex: 1 + (deal % DEALS_PER_BLOCK) };
  const inputs = [`${digest(`coin ${deal}`)}:1` as Outpoint];
  return { sighting: { ...output, inputs }, fact: { kind: "output", place, ...output } };
}

/** The PEARL block of a height. */
export function pearlTip(height: number) {
  const time = START + 194 * height;
  return { height, hash: digest(`pearl ${height}`) as BlockHash, time, medianTimePast: time - 1_000 };
}

/** Writes the deals; the last `HOT_DEALS` have their lock in the newest blocks. */
export async function writeDeals(store: SwapStore, deals: number): Promise<void> {
  const ledger = await openLedger(store);
  const blocks = Math.ceil(deals / DEALS_PER_BLOCK);
  for (let first = 0; first < blocks; first += 100) {
    const events: EscrowEvent[] = [];
    const last = Math.min(first + 100, blocks) - 1;
    for (
      let deal = first * DEALS_PER_BLOCK;
      deal < Math.min((last + 1) * DEALS_PER_BLOCK, deals);
      deal += 1
    ) {
      const at = deal % DEALS_PER_BLOCK;
      events.push(...eventsOf(deal, Math.floor(deal / DEALS_PER_BLOCK), 2 * at));
    }
    const tip = { height: last, hash: bytes32(`evm ${last}`), time: START + 12 * last };
    const judged = { kind: "raise", finalHeight: last, events: [] } as const;
    await ledger.applyEvm({ rewind: null, events, checkpoints: [], tip, judged });
  }
  for (let first = 0; first < blocks; first += 100) {
    const last = Math.min(first + 100, blocks) - 1;
    const locks: ReturnType<typeof htlcOf>[] = [];
    for (
      let deal = first * DEALS_PER_BLOCK;
      deal < Math.min((last + 1) * DEALS_PER_BLOCK, deals);
      deal += 1
    ) {
      // Old locks are old: a start finds only the newest ones waiting for confirmations.
      const height = deal < deals - HOT_DEALS ? Math.floor(deal / DEALS_PER_BLOCK) : blocks + 100;
      locks.push(htlcOf(ledger, deal, Math.min(height, last === blocks - 1 ? blocks + 100 : last)));
    }
    await ledger.applyPearl({
      rewindTo: null,
      facts: locks.map(({ fact }) => fact),
      sightings: locks.map(({ sighting }) => sighting),
      secrets: [],
      checkpoints: [],
      tip: pearlTip(last === blocks - 1 ? blocks + 100 : last),
      leftOut: [],
      reached: {
        kind: "scripts",
        scripts: locks.flatMap(({ fact }) => (fact.kind === "output" ? [fact.script] : [])),
        fromTime: 0,
        fromHeight: 0,
      },
    });
  }
}

/** Ends deals 0 to `count`: all are claimed on both chains, both chains move on by a day, and the deals leave memory. */
export async function endDeals(store: SwapStore, count: number): Promise<void> {
  const ledger = await openLedger(store, { afterS: 86_400, pearlBlocks: 144, heldMs: 0 });
  let { height: evmHeight } = ledger.tips().evm;
  let { height: pearlHeight } = ledger.tips().pearl;
  const moveEvm = async (to: number, events: readonly EscrowEvent[]): Promise<void> => {
    evmHeight = to;
    const tip = { height: to, hash: bytes32(`evm ${to}`), time: START + 12 * to };
    const judged = { kind: "raise", finalHeight: to, events: [] } as const;
    await ledger.applyEvm({ rewind: null, events, checkpoints: [], tip, judged });
  };
  const movePearl = async (to: number, facts: readonly PearlBlockFact[]): Promise<void> => {
    pearlHeight = to;
    const found = { facts, sightings: [], secrets: [], checkpoints: [], leftOut: [], reached: null };
    await ledger.applyPearl({ ...found, rewindTo: null, tip: pearlTip(to) });
  };
  for (let first = 0; first < count; first += 2_000) {
    const deals = Array.from({ length: Math.min(2_000, count - first) }, (_, at) => first + at);
    await movePearl(
      pearlHeight + 1,
      deals.map((deal) => spendOf(deal, pearlHeight + 1)),
    );
    await moveEvm(
      evmHeight + 1,
      deals.map((deal, at) => claimOf(deal, evmHeight + 1, at)),
    );
  }
  await movePearl(pearlHeight + 700, []);
  await moveEvm(evmHeight + 8_000, []);
  while (await ledger.close());
}

function claimOf(deal: number, block: number, logIndex: number): EscrowEvent {
  const blockHash = bytes32(`evm ${block}`);
  const place = {
    block,
    blockHash,
    time: START + 12 * block,
    txHash: bytes32(`evm claim ${deal}`),
    logIndex,
  };
  const { secret } = secretOf(deal);
  return { kind: "OrderClaimed", place, orderHash: bytes32(`order ${deal}`), secret, sellerNet: 1n, fee: 0n };
}

function spendOf(deal: number, height: number): PearlBlockFact {
  const blockHash = digest(`pearl ${height}`) as BlockHash;
  const place = { height, blockHash, time: START + 194 * height, txIndex: 1 };
  const outpoint = `${digest(`lock ${deal}`)}:0` as Outpoint;
  const txid = digest(`claim ${deal}`) as Txid;
  return { kind: "spend", place, outpoint, txid, path: "claim", outputScripts: [] };
}

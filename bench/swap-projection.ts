// Measures how long it takes to say how 100,000 deals stand. Subjects with facts of every status and both profiles go
// through the pure rules: status, both legs and next actions first, then whole rows, then their JSON.
// node swap-projection.ts DEALS -> one JSON line.

import { loadavg } from "node:os";
import type {
  BlockHash,
  Bytes32,
  EvmAddress,
  Outpoint,
  PearlAddress,
  ScriptHex,
  Txid,
} from "../src/primitives/brands.ts";
import { dealStatus } from "../src/swap/statuses.ts";
import type {
  ChainTips,
  EvmPlace,
  HtlcOutput,
  JudgedOrder,
  PearlPlace,
  PreimageFact,
} from "../src/swap/facts.ts";
import { evmLeg, pearlLeg } from "../src/swap/order-state.ts";
import { LockOutputs } from "../src/swap/lock-outputs.ts";
import { nextActions } from "../src/swap/next-actions.ts";
import type { TakeRecord } from "../src/swap/records.ts";
import { dealRow } from "../src/swap/rows.ts";
import { htlcAddressOf } from "../src/swap/htlc-script.ts";
import type { SwapSubject } from "../src/swap/subject.ts";
import type { Terms } from "../src/swap/terms.ts";
import { type BestRound, bestOf } from "./rounds.ts";
import {
  address,
  bytes32,
  digest,
  rulesFor,
  secretOf,
  sellerOfDeal,
  START,
  termsOfDeal,
} from "./swap-orders.ts";
import { syncedAt } from "../testkit/builders/swap-ledger/ledger-facts.ts";

/** What this program prints. */
export interface ProjectionLine {
  readonly deals: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly actions: number;
  readonly judged: BestRound;
  readonly rows: BestRound;
  readonly json: BestRound;
  readonly jsonMegabytes: number;
  readonly load: number;
}

/** How a deal stands; each number of the pattern of 20 has one. */
const KINDS = [
  "take",
  "accepted",
  "final",
  "final",
  "mempool",
  "shallow",
  "shallow",
  "locked",
  "locked",
  "locked",
  "two",
  "claimed-pearl",
  "claimed-pearl",
  "settled",
  "settled",
  "settled",
  "settled",
  "pearl-refunded",
  "refunded",
  "refunded",
] as const;
type Kind = (typeof KINDS)[number];

const ROUNDS = 5;
const escrow = `0x${"1".repeat(40)}` as EvmAddress;
const rules = rulesFor(escrow);
const tips: ChainTips = {
  evm: { height: 2_000_000, time: START + 86_400, finalHeight: 1_999_900, need: null },
  pearl: { height: 200_000, time: START + 86_400, medianTimePast: START + 85_400 },
};
const context = syncedAt(tips, START + 86_400);

function evmPlace(block: number, name: string): EvmPlace {
  return { block, blockHash: bytes32(`evm ${block}`), time: START + 10, txHash: bytes32(name), logIndex: 1 };
}

function pearlPlace(height: number, txIndex: number): PearlPlace {
  return { height, blockHash: digest(`pearl ${height}`) as BlockHash, time: START + 20, txIndex };
}

function orderOf(kind: Kind, deal: number, hash: Bytes32, terms: Terms): JudgedOrder | null {
  if (kind === "take") return null;
  const block = kind === "accepted" ? 1_999_990 : 1_000_000 + deal;
  const { seller, key } = sellerOfDeal(deal);
  const accepted = { place: evmPlace(block, `accept ${deal}`), seller, sellerPearlKey: key };
  const place = evmPlace(block + 5, `close ${deal}`);
  const sound = { credited: null, disputed: false, isEndUnshown: false };
  const order = { orderHash: hash, terms, locked: evmPlace(block, `lock ${deal}`), accepted, ...sound };
  if (kind === "settled") {
    const { secret } = secretOf(deal);
    const fee = terms.usdcAmount / 50n;
    return { ...order, closed: { kind: "claimed", place, secret, sellerNet: terms.usdcAmount - fee, fee } };
  }
  if (kind === "refunded") return { ...order, closed: { kind: "refunded", place, amount: terms.usdcAmount } };
  return { ...order, closed: null };
}

function outputsOf(kind: Kind, deal: number, { pearlAmountSat }: Terms): readonly HtlcOutput[] {
  const txid = digest(`lock ${deal}`) as Txid;
  const height = kind === "shallow" ? 199_999 : 100_000 + (deal % 90_000);
  const mined = pearlPlace(height, 3);
  const base = { txid, vout: 0, amountSat: pearlAmountSat, coinbase: false, conflictHeight: null };
  const lock: HtlcOutput = { ...base, mined, inMempool: false, spend: null };
  const spentBy = (path: "claim" | "refund"): HtlcOutput => ({
    ...lock,
    spend: {
      txid: digest(`${path} ${deal}`) as Txid,
      path,
      outputScripts: null,
      mined: pearlPlace(height + 5, 4),
    },
  });
  switch (kind) {
    case "take":
    case "accepted":
    case "final":
    case "refunded":
      return [];
    case "mempool":
      return [{ ...lock, mined: null, inMempool: true }];
    case "two": {
      const dust = { ...lock, txid: digest(`dust ${deal}`) as Txid, vout: 1, amountSat: 10_000n };
      return [dust, lock];
    }
    case "claimed-pearl":
    case "settled":
      return [spentBy("claim")];
    case "pearl-refunded":
      return [spentBy("refund")];
    default:
      return [lock];
  }
}

function secretFact(kind: Kind, deal: number, hash: Bytes32): PreimageFact | null {
  if (kind !== "settled" && kind !== "claimed-pearl") return null;
  const outpoint = `${digest(`lock ${deal}`)}:0` as Outpoint;
  const spend = { by: "spend", outpoint, txid: digest(`claim ${deal}`) as Txid, script: null } as const;
  const claim = { by: "claim", orderHash: hash, txHash: bytes32(`close ${deal}`) } as const;
  return { ...secretOf(deal), shownBy: kind === "settled" ? [spend, claim] : [spend] };
}

function subjectOf(deal: number): SwapSubject {
  const kind = KINDS[deal % KINDS.length] ?? "locked";
  const hash = bytes32(`order ${deal}`);
  const terms = termsOfDeal(deal, START, "ask", bytes32(`key ${deal}`));
  const buyerAddress = htlcAddressOf(`5120${digest(`payee ${deal}`)}`, rules.hrp) as PearlAddress;
  const take: TakeRecord = {
    dealHash: hash,
    terms,
    buyerPearlAddress: buyerAddress,
    createdAt: START,
    expiresAt: context.now + 600,
    isAddressReplaceable: false,
  };
  return {
    hash,
    terms,
    order: orderOf(kind, deal, hash, terms),
    take: deal % 2 === 0 || kind === "take" ? take : null,
    ask: null,
    script: `5120${digest(`script ${deal}`)}` as ScriptHex,
    keysValid: true,
    isCovered: true,
    outputs: LockOutputs.of(outputsOf(kind, deal, terms)),
    secret: secretFact(kind, deal, hash),
    hashlockUsedByBuyer: false,
    isEscrowPaused: false,
    buyerPearlAddress: buyerAddress,
    isBuyerAddressFromTake: deal % 2 === 0 || kind === "take",
    buyerScripts: [`5120${digest(`payee ${deal}`)}` as ScriptHex],
    sellerPearlAddress: htlcAddressOf(`5120${digest(address(`seller ${deal}`))}`, rules.hrp),
    origin: null,
  };
}

function judge(subjects: readonly SwapSubject[]): { statuses: Record<string, number>; actions: number } {
  const statuses: Record<string, number> = {};
  let actions = 0;
  for (const subject of subjects) {
    const status = dealStatus(subject, context, rules);
    const evm = evmLeg(subject.order, tips);
    const pearl = pearlLeg(subject.outputs.lock(subject.terms.pearlAmountSat), tips);
    if (evm.state === "cancelled" || pearl.state === "refund_seen")
      throw new Error("a leg that was not made");
    statuses[status] = (statuses[status] ?? 0) + 1;
    actions += nextActions(subject, context, rules).length;
  }
  return { statuses, actions };
}

/** The best of some rounds: the first ones also compile the code. */
function best(work: () => unknown): BestRound {
  const rounds = Array.from({ length: ROUNDS }, (): BestRound => {
    const cpu = process.cpuUsage();
    const started = performance.now();
    work();
    const { user, system } = process.cpuUsage(cpu);
    return { ms: performance.now() - started, cpuMs: (user + system) / 1000 };
  });
  return bestOf(rounds, "less", ({ ms }) => ms);
}

const deals = Number(process.argv[2] ?? "100000");
const subjects = Array.from({ length: deals }, (_, deal) => subjectOf(deal));
const found = judge(subjects);
let letters = 0;
const line: ProjectionLine = {
  deals: Object.values(found.statuses).reduce((sum, count) => sum + count, 0),
  ...found,
  judged: best(() => judge(subjects)),
  rows: best(() => {
    for (const subject of subjects) {
      if (dealRow(subject, context, rules) === null) throw new Error(`no row of ${subject.hash}`);
    }
  }),
  json: best(() => {
    letters = 0;
    for (const subject of subjects) letters += JSON.stringify(dealRow(subject, context, rules)).length;
  }),
  jsonMegabytes: letters / 1e6,
  load: loadavg()[0] ?? Number.NaN,
};
console.log(JSON.stringify(line));

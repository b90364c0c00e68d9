// Makes the rows that the token, holder, balance, statistics and digest endpoints must show, naively from the
// reference's snapshot (interface 2.3 to 2.6, H-30, H-31, H-37, H-38).

import type { BalanceRow, TokenRow } from "../prc20/index.ts";
import { blockAt, comparePlaces, percent, placeOf, tipOf, type Truth, withPoint } from "./truth.ts";
import { compareBig, compareText, type JsonRow } from "../../rows.ts";

function commonFields(token: TokenRow): JsonRow {
  const { tick, dec, max, lim, minted, pre, cid, burned, transfers } = token;
  return {
    tick,
    dec,
    max,
    lim,
    minted,
    pre,
    cid,
    burned,
    supply: String(BigInt(minted) - BigInt(burned)),
    mint_progress: percent(BigInt(minted), BigInt(max)),
    transfers,
    state: minted === max ? "minted_out" : "minting",
  };
}

/** tokenlist, `prefix` in any letter case. */
export function tokenlist(truth: Truth, prefix = ""): JsonRow[] {
  // Two deploys of one transaction are two inputs, and only valid ones made a token.
  const deploys = truth.snapshot.operations.filter((row) => row.op === "deploy" && row.valid === 1);
  return deploys
    .toReversed()
    .filter((row) => row.tick.startsWith(prefix.toUpperCase()))
    .map((row) => {
      const token = tokenOf(truth, row.tick);
      if (token === undefined) throw new Error(`no token ${row.tick}`);
      return { ...commonFields(token), holders: token.holders };
    });
}

/** address/{address}/ledger, newest first. */
export function ledger(truth: Truth, holder: string, tick?: string): JsonRow[] {
  return truth.ledger
    .filter((row) => row.address === holder && (tick === undefined || row.tick === tick))
    .map(({ address: _, ...row }) => ({ ...row, time: blockAt(truth, row.height).time }))
    .toReversed();
}

/** The token of a ticker. */
export function tokenOf(truth: Truth, tick: string): TokenRow | undefined {
  return truth.snapshot.tokens.find((token) => token.tick === tick);
}

/** token/{tick}. */
export function tokenRows(truth: Truth, tick: string): JsonRow[] {
  const token = tokenOf(truth, tick);
  if (token === undefined) return [];
  const { deployer, deploy_txid, deploy_height } = token;
  return [{ ...commonFields(token), deployer, deploy_txid, deploy_height }];
}

/** token/{tick}/holders. */
export function holders(truth: Truth, tick: string): JsonRow[] {
  const token = tokenOf(truth, tick);
  if (token === undefined) return [];
  const circulating = BigInt(token.minted) - BigInt(token.burned);
  return truth.snapshot.balances
    .filter((row) => row.tick === tick)
    .map((row) => ({ row, total: BigInt(row.balance) + BigInt(row.locked) }))
    .toSorted((a, b) => compareBig(b.total, a.total) || compareText(a.row.address, b.row.address))
    .map(({ row, total }) => ({
      address: row.address,
      balance: row.balance,
      locked: row.locked,
      total: String(total),
      share: percent(total, circulating),
    }));
}

/** Raw units for display: no zeros at the end, no point when whole. */
function normalized(raw: string, dec: string): string {
  const digits = Number(dec);
  if (digits === 0) return raw;
  let text = withPoint(BigInt(raw), digits);
  while (text.endsWith("0")) text = text.slice(0, -1);
  return text.endsWith(".") ? text.slice(0, -1) : text;
}

function balanceFields(truth: Truth, row: Pick<BalanceRow, "tick" | "balance" | "locked">): JsonRow {
  const dec = tokenOf(truth, row.tick)?.dec ?? "";
  return {
    tick: row.tick,
    dec,
    balance: row.balance,
    balance_normalized: normalized(row.balance, dec),
    locked: row.locked,
    locked_normalized: normalized(row.locked, dec),
    total: String(BigInt(row.balance) + BigInt(row.locked)),
  };
}

/** address/{address}/tokenlist. */
export function balancesOf(truth: Truth, address: string): JsonRow[] {
  return truth.snapshot.balances
    .filter((row) => row.address === address)
    .toSorted((a, b) => compareText(a.tick, b.tick))
    .map((row) => balanceFields(truth, row));
}

/** address/{address}/token/{tick}. */
export function balanceRows(truth: Truth, address: string, tick: string): JsonRow[] {
  if (tokenOf(truth, tick) === undefined) return [];
  const found = truth.snapshot.balances.find((row) => row.address === address && row.tick === tick);
  return [balanceFields(truth, found ?? { tick, balance: "0", locked: "0" })];
}

/** balances?addresses=...&tick=... */
export function balancesOfMany(truth: Truth, addresses: readonly string[], tick: string | null): JsonRow[] {
  return [...new Set(addresses)].flatMap((address) => {
    const rows = tick === null ? balancesOf(truth, address) : balanceRows(truth, address, tick);
    return rows.map((row) => ({ address, ...row }));
  });
}

/** stats. */
export function statsRows(truth: Truth): JsonRow[] {
  const { stats } = truth.snapshot;
  const { height, digest } = tipOf(truth);
  const { marker = "prc-20", startHeight, feeBps, feeAddress } = truth.params;
  return [
    {
      ...stats,
      total_protocol_fee_paid_pearl: withPoint(BigInt(stats.total_protocol_fee_paid_sat), 8),
      total_seller_paid_pearl: withPoint(BigInt(stats.total_seller_paid_sat), 8),
      digest: { height, value: digest },
      parameters: {
        marker,
        start_height: startHeight,
        protocol_fee_bps: feeBps,
        protocol_address: (feeAddress ?? "").toLowerCase(),
      },
    },
  ];
}

/** digest/{height}. */
export function digestRows(truth: Truth, height: number): JsonRow[] {
  return truth.blocks
    .filter((block) => block.height === height)
    .map((block) => ({ height, block_hash: block.hash, value: block.digest }));
}

/** blocks; the first of the truth's blocks is the one before the start. */
export function blockRows(truth: Truth): JsonRow[] {
  return truth.blocks
    .slice(1)
    .map(({ height, hash, time, digest }) => {
      const operations = truth.snapshot.operations.filter((row) => row.height === height);
      const valid_operations = operations.filter((row) => row.valid === 1).length;
      return { height, block_hash: hash, time, digest, operations: operations.length, valid_operations };
    })
    .toReversed();
}

/** The fills of a token in chain order, as far as candles need them. */
function fillsOf(truth: Truth, tick: string) {
  return truth.snapshot.listings
    .filter((listing) => listing.tick === tick && listing.state === "filled")
    .map((listing) => ({
      listing,
      place: placeOf(truth, listing.close_txid ?? "", listing.close_input ?? 0),
      time: truth.blocks.find((block) => block.height === listing.close_height)?.time ?? 0,
    }))
    .toSorted((a, b) => comparePlaces(a.place, b.place));
}

/** token/{tick}/candles?interval=... */
export function candles(truth: Truth, tick: string, interval: "1h" | "4h" | "1d"): JsonRow[] {
  const seconds = { "1h": 3600, "4h": 14_400, "1d": 86_400 }[interval];
  const dec = BigInt(tokenOf(truth, tick)?.dec ?? "0");
  const fills = fillsOf(truth, tick);
  const starts = new Set(fills.map(({ time }) => time - (time % seconds)));
  return [...starts]
    .toSorted((a, b) => a - b)
    .map((start) => {
      const inside = fills.filter(({ time }) => time >= start && time < start + seconds);
      // The largest unit price has the largest rounded-down text too, so rounding first changes no extreme.
      const prices = inside.map(
        ({ listing }) => (BigInt(listing.price) * 10n ** dec * 10n ** 8n) / BigInt(listing.amount),
      );
      const sorted = prices.toSorted(compareBig);
      const sum = (field: "amount" | "price") =>
        String(inside.reduce((total, { listing }) => total + BigInt(listing[field]), 0n));
      return {
        start,
        open: withPoint(prices[0] ?? 0n, 8),
        high: withPoint(sorted.at(-1) ?? 0n, 8),
        low: withPoint(sorted[0] ?? 0n, 8),
        close: withPoint(prices.at(-1) ?? 0n, 8),
        volume: sum("amount"),
        volume_sat: sum("price"),
        fills: inside.length,
      };
    });
}

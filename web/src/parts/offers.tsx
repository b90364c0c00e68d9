// Offers of swaps: asks (PEARL for sale) and bids (USDC waiting for a seller), by price, with how much stands at that
// price or a better one.

import { judgingTime, useNow } from "../clock.ts";
import { barLength, quotient, usdcPrice, wholeUnits } from "../format.ts";
import { health } from "../live.ts";
import { pathTo } from "../paths.ts";
import { useStore } from "../store.ts";
import type { AskRow, BidRow } from "../wire.ts";
import { askWords } from "../words.ts";
import { AddressId, Badge, breakable, None, Pearl, Time, Usdc } from "./basics.tsx";
import { BidState } from "./rows.tsx";
import { type Column, Table } from "./table.tsx";
import type { ComponentChildren } from "preact";

const PEARL_UNIT = 10n ** 8n;

/** USDC for one whole PEARL, six digits, rounded down. */
export function usdcPerPearl({
  usdc_amount,
  pearl_amount_sat,
}: Pick<BidRow, "usdc_amount" | "pearl_amount_sat">): string {
  return quotient(BigInt(usdc_amount) * PEARL_UNIT, BigInt(pearl_amount_sat) * 1_000_000n, 6);
}

/** PEARL for USDC that sums up to each row, for the bars of depth. */
function depths(rows: readonly { readonly pearl_amount_sat: string }[]): readonly bigint[] {
  let sum = 0n;
  return rows.map(({ pearl_amount_sat }) => (sum += BigInt(pearl_amount_sat)));
}

function Depth({ sat, of, tone }: { sat: bigint; of: bigint; tone: "ask" | "bid" }) {
  return (
    <span class="depth">
      <meter class={tone} min={0} max={100} value={barLength(sat, of)} aria-label="Depth" />{" "}
      {breakable(wholeUnits(String(sat), 8, 2))}
    </span>
  );
}

/**
 * Asks in the order in which they are given, which the caption names. `short` leaves out who, `withDepth` is for open ones,
 * `withState` for lists in which others stand, too.
 */
export function AskTable({
  rows,
  caption,
  empty,
  withDepth = false,
  withState = false,
  short = false,
}: {
  rows: readonly AskRow[];
  caption: string;
  empty: ComponentChildren;
  withDepth?: boolean;
  withState?: boolean;
  short?: boolean;
}) {
  const sums = depths(rows);
  const all = sums.at(-1) ?? 0n;
  const columns: Column<AskRow>[] = [
    {
      head: "Price",
      numeric: true,
      cell: ({ ask_id, price_usdc }) => <a href={pathTo.ask(ask_id)}>{breakable(usdcPrice(price_usdc))}</a>,
    },
    { head: "PEARL", numeric: true, cell: ({ pearl_amount_sat }) => <Pearl sat={pearl_amount_sat} /> },
    { head: "For", numeric: true, cell: ({ usdc_amount }) => <Usdc raw={usdc_amount} /> },
  ];
  if (withDepth)
    columns.push({
      head: "Depth, PEARL",
      numeric: true,
      cell: (_row, index) => <Depth sat={sums[index] ?? 0n} of={all} tone="ask" />,
    });
  if (withState) columns.push({ head: "State", cell: (ask) => <AskState ask={ask} /> });
  if (!short) columns.push({ head: "Seller", cell: ({ seller_evm }) => <AddressId address={seller_evm} /> });
  columns.push({ head: "Until", cell: ({ expiry }) => <Time at={expiry} clock={judgingTime} /> });
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={rows}
      keyOf={({ ask_id }) => ask_id}
      empty={empty}
      {...(short ? {} : { needs: 46 })}
    />
  );
}

/**
 * Bids in the order in which they are given, which the caption names. `withDepth` is for those that anybody can accept, the
 * best price first: until when, instead of whose they are and how they stand.
 */
export function BidTable({
  rows,
  caption,
  empty,
  withDepth = false,
}: {
  rows: readonly BidRow[];
  caption: string;
  empty: ComponentChildren;
  withDepth?: boolean;
}) {
  const sums = depths(rows);
  const all = sums.at(-1) ?? 0n;
  const columns: Column<BidRow>[] = [
    {
      head: "Price",
      numeric: true,
      cell: (bid) => <a href={pathTo.swap(bid.order_hash)}>{breakable(usdcPrice(usdcPerPearl(bid)))}</a>,
    },
    { head: "PEARL", numeric: true, cell: ({ pearl_amount_sat }) => <Pearl sat={pearl_amount_sat} /> },
    { head: "For", numeric: true, cell: ({ usdc_amount }) => <Usdc raw={usdc_amount} /> },
  ];
  if (withDepth)
    columns.push({
      head: "Depth, PEARL",
      numeric: true,
      cell: (_row, index) => <Depth sat={sums[index] ?? 0n} of={all} tone="bid" />,
    });
  columns.push(
    ...(withDepth
      ? [UNTIL_ACCEPTED]
      : [
          { head: "Buyer", cell: ({ buyer_evm }: BidRow) => <AddressId address={buyer_evm} /> },
          { head: "Seller", cell: ({ seller_evm }: BidRow) => <SellerOf seller={seller_evm} /> },
          { head: "State", cell: (bid: BidRow) => <BidState bid={bid} /> },
        ]),
  );
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={rows}
      keyOf={({ order_hash }) => order_hash}
      empty={empty}
      {...(withDepth ? {} : { needs: 46 })}
    />
  );
}

const UNTIL_ACCEPTED: Column<BidRow> = {
  head: "Until",
  cell: ({ deadlines: { accept_bid_by: until } }) =>
    until === null ? <None /> : <Time at={until} clock={judgingTime} />,
};

/** Who accepted a bid, or the only one who can. */
function SellerOf({ seller }: { seller: string | null }) {
  return seller === null ? <None why="anybody" /> : <AddressId address={seller} />;
}

/** Exact order by quotient, the highest price first; older ones first where equal. */
export function byPrice(a: BidRow, b: BidRow): number {
  const difference =
    BigInt(b.usdc_amount) * BigInt(a.pearl_amount_sat) - BigInt(a.usdc_amount) * BigInt(b.pearl_amount_sat);
  if (difference !== 0n) return difference > 0n ? 1 : -1;
  return a.created_at - b.created_at || (a.order_hash < b.order_hash ? -1 : 1);
}

/** The service's words where the escrow's owner keeps it from opening and accepting orders: no status says so (S-52). */
export function PausedEscrow() {
  const message = useStore(
    health,
    (body) => body?.conditions.find(({ code }) => code === "ESCROW_PAUSED")?.message ?? null,
  );
  return message === null ? null : (
    <p class="notice bad" role="alert">
      {message}
    </p>
  );
}

/** State of an ask, and whether its seller has the PEARL. */
export function AskState({ ask }: { ask: AskRow }) {
  const { tone, label, sentence } = useNow((now) => askWords(ask, now));
  return (
    <>
      <Badge tone={tone} title={sentence}>
        {label}
      </Badge>{" "}
      {ask.funded ? null : <Badge tone="bad">not funded</Badge>}
    </>
  );
}

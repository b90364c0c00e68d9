// Columns of rows that several pages show: operations, listings, tokens, markets, blocks, deals.

import { useAnswer } from "../answers.ts";
import type {
  BidRow,
  Envelope,
  ListingRow,
  OpenListingRow,
  OperationRow,
  DealRow,
  MempoolRow,
  StatsRow,
  SummaryRow,
  TokenListRow,
} from "../wire.ts";
import { pathTo } from "../paths.ts";
import { useNow } from "../clock.ts";
import { floorChange, grouped, percent } from "../format.ts";
import { bidWords, dealWords, LISTING_WORDS, operationWords, reasonWords } from "../words.ts";
import {
  AddressId,
  Badge,
  Bar,
  Id,
  None,
  Pearl,
  Time,
  TokenAmount,
  TransactionId,
  UnitPrice,
  Usdc,
} from "./basics.tsx";
import { type Column, Table } from "./table.tsx";
import { useDecimals } from "./decimals.ts";
import type { ComponentChildren } from "preact";

/** A longer ticker goes on in the next line where a table has no room for it. */
const MOST_IN_ONE_PIECE = 8;

/** A ticker that leads to its token. */
export function Tick({ tick }: { tick: string }) {
  return tick === "" ? (
    <None why="no ticker" />
  ) : (
    <a class="tick" href={pathTo.token(tick)}>
      {tick.slice(0, MOST_IN_ONE_PIECE)}
      {tick.length > MOST_IN_ONE_PIECE ? <wbr /> : null}
      {tick.slice(MOST_IN_ONE_PIECE)}
    </a>
  );
}

/** Units of the token that a row names; its decimals are asked for once. */
export function Units({ raw, tick, bare = false }: { raw: string | null; tick: string; bare?: boolean }) {
  const decimals = useDecimals(raw === null ? null : tick);
  return raw === null ? <None /> : <TokenAmount raw={raw} decimals={decimals} tick={bare ? "" : tick} />;
}

/** A block's height that leads to the block. */
export function Height({ height }: { height: number }) {
  return <a href={pathTo.block(height)}>{height}</a>;
}

/**
 * A height of the index that leads to its block, where there is a page of that: the index begins with the block before its
 * first one, of which there is none. Below 0 the index has no height that anybody knows.
 */
export function IndexHeight({ height, isGrouped = false }: { height: number; isGrouped?: boolean }) {
  const stats = useAnswer<Envelope<StatsRow>>("/api/v1/prc20/stats", "block").value?.result[0];
  const text = isGrouped ? grouped(String(height)) : String(height);
  if (height < 0) return <None why="none known" />;
  // Before it is known where the index begins, nobody knows either whether there is a page.
  const hasPage = stats !== undefined && height > stats.last_processed_height - stats.blocks_indexed;
  return hasPage ? <a href={pathTo.block(height)}>{text}</a> : <span>{text}</span>;
}

function Verdict({ row }: { row: OperationRow }) {
  if (row.valid === 1) return <Badge tone="good">valid</Badge>;
  const words = reasonWords(row.reason ?? "");
  return (
    <span>
      <Badge tone="bad">refused</Badge> <span class="why">{words}</span>
    </span>
  );
}

const KIND: Column<OperationRow> = {
  head: "Operation",
  cell: ({ txid, vout, op }) => (
    <a class="kind" href={pathTo.operation(txid, vout)}>
      {operationWords(op)}
    </a>
  ),
};
const OPERATION_COLUMNS: readonly Column<OperationRow>[] = [
  KIND,
  { head: "Token", cell: ({ tick }) => <Tick tick={tick} /> },
  { head: "Amount", numeric: true, cell: ({ amount, tick }) => <Units raw={amount} tick={tick} bare /> },
  { head: "From", cell: ({ from }) => <AddressId address={from} /> },
  { head: "To", cell: ({ to }) => <AddressId address={to} /> },
  { head: "Result", cell: (row) => <Verdict row={row} /> },
  { head: "Block", numeric: true, cell: ({ block_height }) => <Height height={block_height} /> },
  { head: "Time", cell: ({ time }) => <Time at={time} /> },
];

const WHO_AND_WHEN: readonly string[] = ["From", "To", "Time"];

/** Operations of blocks. `short` leaves out who and where, `brief` on a phone alone. */
export function OperationTable({
  rows,
  caption,
  empty,
  short = false,
  brief = false,
}: {
  rows: readonly OperationRow[];
  caption: string;
  empty: ComponentChildren;
  short?: boolean;
  brief?: boolean;
}) {
  const columns = short
    ? OPERATION_COLUMNS.filter(({ head }) => !WHO_AND_WHEN.includes(head))
    : OPERATION_COLUMNS.map((column) => ({ ...column, minor: brief && WHO_AND_WHEN.includes(column.head) }));
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={rows}
      keyOf={(row) => `${row.txid}:${row.vout}`}
      empty={empty}
      {...(short ? {} : { needs: 60 })}
    />
  );
}

const MEMPOOL_COLUMNS: readonly Column<MempoolRow>[] = [
  { head: "Operation", cell: ({ op }) => operationWords(op) },
  { head: "Token", cell: ({ tick }) => <Tick tick={tick} /> },
  { head: "From", cell: ({ from }) => <AddressId address={from} /> },
  { head: "To", cell: ({ to }) => <AddressId address={to} /> },
  { head: "Transaction", cell: ({ txid }) => <TransactionId txid={txid} /> },
];

/** Operations that no block has yet. */
export function MempoolTable({ rows, empty }: { rows: readonly MempoolRow[]; empty: ComponentChildren }) {
  return (
    <Table
      caption="Operations that wait for a block"
      columns={MEMPOOL_COLUMNS}
      rows={rows}
      keyOf={(row) => `${row.txid}:${row.vout}`}
      empty={empty}
    />
  );
}

/** State of a listing. */
export function ListingState({ state }: { state: ListingRow["lifecycle_state"] }) {
  const { tone, label, sentence } = LISTING_WORDS[state];
  return (
    <Badge tone={tone} title={sentence}>
      {label}
    </Badge>
  );
}

const PRICE_COLUMNS: readonly Column<OpenListingRow>[] = [
  {
    head: "Listing",
    cell: ({ id }) => <Id id={id} what="listing id" href={pathTo.listing(id)} />,
  },
  { head: "Amount", numeric: true, cell: ({ amount, tick }) => <Units raw={amount} tick={tick} /> },
  { head: "Unit price", numeric: true, cell: ({ unit_price_sat }) => <UnitPrice decimal={unit_price_sat} /> },
  { head: "Price", numeric: true, cell: ({ price }) => <Pearl sat={price} /> },
  { head: "Seller", cell: ({ owner }) => <AddressId address={owner} /> },
];

/** Open listings, in the order in which they are given. */
export function OpenListingTable({
  rows,
  caption,
  empty,
}: {
  rows: readonly OpenListingRow[];
  caption: string;
  empty: ComponentChildren;
}) {
  const columns: readonly Column<OpenListingRow>[] = [
    ...PRICE_COLUMNS,
    { head: "Since block", numeric: true, cell: ({ created_height }) => <Height height={created_height} /> },
  ];
  return (
    <Table caption={caption} columns={columns} rows={rows} keyOf={({ id }) => id} empty={empty} needs={48} />
  );
}

/** Listings in any state. */
export function ListingTable({
  rows,
  caption,
  empty,
}: {
  rows: readonly ListingRow[];
  caption: string;
  empty: ComponentChildren;
}) {
  const columns: readonly Column<ListingRow>[] = [
    ...PRICE_COLUMNS,
    { head: "State", cell: ({ lifecycle_state }) => <ListingState state={lifecycle_state} /> },
    { head: "Buyer", cell: ({ buyer }) => <AddressId address={buyer} /> },
    {
      head: "When",
      cell: ({ closed_at, created_height }) =>
        closed_at === null ? (
          <span class="sentence">
            since block <Height height={created_height} />
          </span>
        ) : (
          <Time at={closed_at} />
        ),
    },
  ];
  return (
    <Table caption={caption} columns={columns} rows={rows} keyOf={({ id }) => id} empty={empty} needs={72} />
  );
}

/** Tokens. `short` leaves out what says least. */
export function TokenTable({
  rows,
  empty,
  short = false,
}: {
  rows: readonly TokenListRow[];
  empty: ComponentChildren;
  short?: boolean;
}) {
  const all: readonly Column<TokenListRow>[] = [
    { head: "Token", cell: ({ tick }) => <Tick tick={tick} /> },
    {
      head: "Minted",
      cell: ({ mint_progress, tick }) => (
        <span class="progress">
          <Bar percent={Number(mint_progress)} label={`Minted of ${tick}`} /> {percent(mint_progress)}
        </span>
      ),
    },
    {
      head: "Supply",
      numeric: true,
      cell: ({ supply, dec }) => <TokenAmount raw={supply} decimals={Number(dec)} />,
    },
    {
      head: "Maximum",
      numeric: true,
      cell: ({ max, dec }) => <TokenAmount raw={max} decimals={Number(dec)} />,
    },
    { head: "Holders", numeric: true, cell: ({ holders }) => grouped(String(holders)) },
    { head: "Transfers", numeric: true, cell: ({ transfers }) => grouped(String(transfers)) },
  ];
  const columns = short ? all.filter(({ head }) => head !== "Transfers" && head !== "Supply") : all;
  return (
    <Table
      caption="Tokens, newest first"
      columns={columns}
      rows={rows}
      keyOf={({ tick }) => tick}
      empty={empty}
      {...(short ? {} : { needs: 48 })}
    />
  );
}

/** Change of a market's floor in a day, with its sign. */
export function Change({ market }: { market: SummaryRow }) {
  const percentText = floorChange(market);
  if (percentText === null) return <None why="no change known" />;
  const isLess = percentText.startsWith("-");
  return <span class={isLess ? "down" : "up"}>{`${isLess ? "" : "+"}${percent(percentText)}`}</span>;
}

/** Markets. `short` leaves out the counts. */
export function MarketTable({
  rows,
  empty,
  short = false,
}: {
  rows: readonly SummaryRow[];
  empty: ComponentChildren;
  short?: boolean;
}) {
  const all: readonly Column<SummaryRow>[] = [
    { head: "Token", cell: ({ tick }) => <Tick tick={tick} /> },
    {
      head: "Floor",
      numeric: true,
      cell: ({ floor_unit_price_sat, best_listing_id }) =>
        best_listing_id === null ? (
          <None why="nothing for sale" />
        ) : (
          <a href={pathTo.listing(best_listing_id)}>
            <UnitPrice decimal={floor_unit_price_sat} />
          </a>
        ),
    },
    {
      head: "24 h",
      numeric: true,
      cell: (market) => <Change market={market} />,
    },
    { head: "Volume 24 h", numeric: true, cell: ({ volume_24h_sat }) => <Pearl sat={volume_24h_sat} /> },
    { head: "Sales 24 h", numeric: true, cell: ({ fills_24h }) => grouped(String(fills_24h)) },
    {
      head: "For sale",
      numeric: true,
      cell: ({ open_count, expired_open_count }) => grouped(String(open_count - expired_open_count)),
    },
  ];
  const columns = short ? all.filter(({ head }) => !["Sales 24 h", "For sale"].includes(head)) : all;
  return (
    <Table
      caption="Markets by volume of a day"
      columns={columns}
      rows={rows}
      keyOf={({ tick }) => tick}
      empty={empty}
      {...(short ? {} : { needs: 48 })}
    />
  );
}

/** State of a deal. */
function DealState({ deal }: { deal: DealRow }) {
  const { tone, label, sentence } = dealWords(deal);
  return (
    <Badge tone={tone} title={sentence}>
      {label}
    </Badge>
  );
}

/** Deals. `short` leaves out who and when. */
export function DealTable({
  rows,
  caption,
  empty,
  short = false,
}: {
  rows: readonly DealRow[];
  caption: string;
  empty: ComponentChildren;
  short?: boolean;
}) {
  const all: readonly Column<DealRow>[] = [
    {
      head: "Swap",
      cell: ({ deal_hash }) => <Id id={deal_hash} what="deal hash" href={pathTo.swap(deal_hash)} />,
    },
    { head: "State", cell: (deal) => <DealState deal={deal} /> },
    { head: "PEARL", numeric: true, cell: ({ pearl_amount_sat }) => <Pearl sat={pearl_amount_sat} /> },
    { head: "USDC", numeric: true, cell: ({ usdc_amount }) => <Usdc raw={usdc_amount} /> },
    { head: "Buyer", cell: ({ buyer_evm }) => <AddressId address={buyer_evm} /> },
    { head: "Seller", cell: ({ seller_evm }) => <AddressId address={seller_evm} /> },
    { head: "Began", cell: ({ created_at }) => <Time at={created_at} /> },
  ];
  const columns = short ? all.filter(({ head }) => !["Buyer", "Seller", "Began"].includes(head)) : all;
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={rows}
      keyOf={({ deal_hash }) => deal_hash}
      empty={empty}
      {...(short ? {} : { needs: 60 })}
    />
  );
}

/** State of a bid. */
export function BidState({ bid }: { bid: BidRow }) {
  const { tone, label, sentence } = useNow((now) => bidWords(bid, now));
  return (
    <Badge tone={tone} title={sentence}>
      {label}
    </Badge>
  );
}

// One address: what it holds, every change of it, its listings, its swaps. EVM addresses have swaps alone.

import { type Answer, useAnswer } from "../answers.ts";
import { type Place, pathTo, withQuery } from "../paths.ts";
import type { AddressSwaps, BalanceRow, Envelope, LedgerRow, ListingRow } from "../wire.ts";
import { CAUSE_WORDS } from "../words.ts";
import { Await, ClosingId, Empty, Id, None, Panel, TokenAmount, TransactionId } from "../parts/basics.tsx";
import { Title } from "../parts/layout.tsx";
import { AskTable, BidTable } from "../parts/offers.tsx";
import { DealTable, Height, ListingTable, Tick, Units } from "../parts/rows.tsx";
import { cursorOf, Paged, Pager, Table, Views } from "../parts/table.tsx";
import { shortened, visible } from "../format.ts";
import { useDecimals } from "../parts/decimals.ts";
import { UnknownThing } from "./unknown.tsx";

const VIEWS = [
  ["balances", "Balances"],
  ["ledger", "Ledger"],
  ["listings", "Listings"],
  ["swaps", "Swaps"],
] as const;

/** The page of `/address/{address}`. */
export function AddressPage({ place }: { place: Place }) {
  const address = place.parts["address"] ?? "";
  if (/^0x[0-9a-fA-F]{40}$/.test(address)) return <EvmAddress address={address} />;
  return <PearlAddress key={address} address={address.toLowerCase()} place={place} />;
}

/** The address as it was given: the case of its letters is its checksum, and a wrong letter is somebody else's (S-06). */
function EvmAddress({ address }: { address: string }) {
  const answer = useAnswer<AddressSwaps>(`/api/v1/swaps/address/${address}`, "swap");
  if (answer.failure?.status === 400)
    return (
      <UnknownThing title="No such address">
        <code>{visible(address)}</code> is no EVM address: a letter is wrong, or written small or great where
        it has to be the other.
      </UnknownThing>
    );
  return (
    <>
      <Title text={`Address ${shortened(address)}`}>EVM address</Title>
      <p class="lead">
        <Id id={address} what="address" whole />
      </p>
      <SwapsOf answer={answer} />
    </>
  );
}

function PearlAddress({ address, place }: { address: string; place: Place }) {
  const view = place.query.get("view") ?? "balances";
  const balances = useAnswer<Envelope<BalanceRow>>(
    `/api/v1/prc20/address/${encodeURIComponent(address)}/tokenlist?limit=100${view === "balances" ? cursorOf(place) : ""}`,
    "operation",
    "listing",
  );
  // A link to a page of a list may be too old, and says nothing of the address.
  if (balances.failure?.status === 400 && balances.failure.code !== "CURSOR_INVALID")
    return (
      <UnknownThing title="No such address">
        <code>{visible(address)}</code> is no address of this network: it has another prefix, or a letter is
        wrong.
      </UnknownThing>
    );
  return (
    <>
      <Title text={`Address ${shortened(address)}`}>Address</Title>
      <p class="lead">
        <Id id={address} what="address" whole />
      </p>
      <Views place={place} views={VIEWS} present={view} />
      {view === "ledger" ? (
        <Ledger address={address} place={place} />
      ) : view === "listings" ? (
        <Listings address={address} place={place} />
      ) : view === "swaps" ? (
        <Swaps address={address} />
      ) : (
        <>
          <Panel title="Balances">
            <Paged answer={balances} what="balances" place={place}>
              {(rows) => <BalanceTable rows={rows} />}
            </Paged>
          </Panel>
          <Panel title="Last changes" more={<a href={pathTo.address(address, "ledger")}>The whole ledger</a>}>
            <Ledger address={address} place={place} limit={10} />
          </Panel>
        </>
      )}
    </>
  );
}

function BalanceTable({ rows }: { rows: readonly BalanceRow[] }) {
  return (
    <Table
      caption="Balances by token"
      rows={rows}
      keyOf={({ tick }) => tick}
      empty="This address holds no token."
      columns={[
        { head: "Token", cell: ({ tick }) => <Tick tick={tick} /> },
        {
          head: "Free",
          numeric: true,
          cell: ({ balance, dec }) => <TokenAmount raw={balance} decimals={Number(dec)} />,
        },
        {
          head: "Locked in listings",
          numeric: true,
          cell: ({ locked, dec }) =>
            locked === "0" ? <None /> : <TokenAmount raw={locked} decimals={Number(dec)} />,
        },
        {
          head: "Together",
          numeric: true,
          cell: ({ total, dec }) => <TokenAmount raw={total} decimals={Number(dec)} />,
        },
      ]}
    />
  );
}

function Ledger({ address, place, limit }: { address: string; place: Place; limit?: number }) {
  const tick = limit === undefined ? (place.query.get("tick") ?? "") : "";
  const filter = tick === "" ? "" : `&tick=${encodeURIComponent(tick)}`;
  const cursor = limit === undefined ? cursorOf(place) : "";
  const answer = useAnswer<Envelope<LedgerRow>>(
    `/api/v1/prc20/address/${address}/ledger?limit=${limit ?? 25}${filter}${cursor}`,
    "operation",
    "listing",
  );
  return (
    <Await answer={answer} what="the ledger">
      {({ result, next, prev }) => (
        <>
          {tick === "" ? null : (
            <p>
              Only <Tick tick={tick} />.{" "}
              <a href={withQuery(place, { tick: "", next: "", prev: "" })}>All tokens</a>
            </p>
          )}
          <LedgerTable
            rows={result}
            filterPath={(own) =>
              limit === undefined ? withQuery(place, { tick: own, next: "", prev: "" }) : pathTo.token(own)
            }
          />
          {limit === undefined ? <Pager place={place} next={next} prev={prev} /> : null}
        </>
      )}
    </Await>
  );
}

/** Causes that are no operations. */
const CLOSINGS: readonly LedgerRow["cause"][] = ["cancel", "invalid_spend"];

/** Changes of balances. `filterPath` says where a ticker leads. */
function LedgerTable({
  rows,
  filterPath,
}: {
  rows: readonly LedgerRow[];
  filterPath: (tick: string) => string;
}) {
  return (
    <Table
      caption="Changes of balances, newest first"
      needs={64}
      rows={rows}
      keyOf={(row) => `${row.txid}:${row.vout}:${row.cause}:${row.tick}`}
      empty="Nothing has changed the balances of this address yet."
      columns={[
        {
          head: "What",
          cell: ({ cause, listing_id }) =>
            listing_id === null ? (
              CAUSE_WORDS[cause]
            ) : (
              <a href={pathTo.listing(listing_id)}>{CAUSE_WORDS[cause]}</a>
            ),
        },
        {
          head: "Token",
          cell: ({ tick }) => (
            <a class="tick" href={filterPath(tick)}>
              {tick}
            </a>
          ),
        },
        { head: "Free", numeric: true, cell: (row) => <Delta raw={row.balance_delta} tick={row.tick} /> },
        { head: "Locked", numeric: true, cell: (row) => <Delta raw={row.locked_delta} tick={row.tick} /> },
        {
          head: "Free after it",
          numeric: true,
          cell: (row) => <Units raw={row.balance} tick={row.tick} bare />,
        },
        {
          head: "Locked after it",
          numeric: true,
          cell: (row) => <Units raw={row.locked} tick={row.tick} bare />,
        },
        {
          head: "Transaction",
          cell: ({ txid, cause }) =>
            CLOSINGS.includes(cause) ? <ClosingId txid={txid} /> : <TransactionId txid={txid} />,
        },
        { head: "Block", numeric: true, cell: ({ height }) => <Height height={height} /> },
      ]}
    />
  );
}

function Delta({ raw, tick }: { raw: string; tick: string }) {
  const decimals = useDecimals(tick);
  if (raw === "0") return <None why="unchanged" />;
  const isLess = raw.startsWith("-");
  return (
    <span class={isLess ? "down" : "up"}>
      {isLess ? "" : "+"}
      <TokenAmount raw={raw} decimals={decimals} />
    </span>
  );
}

function Listings({ address, place }: { address: string; place: Place }) {
  const answer = useAnswer<Envelope<ListingRow>>(
    `/api/v1/prc20/address/${address}/listings?limit=25${cursorOf(place)}`,
    "listing",
    // No event tells that a listing has expired.
    "block",
  );
  return (
    <Await answer={answer} what="listings">
      {({ result, next, prev }) => (
        <>
          <ListingTable
            rows={result}
            caption="Listings of this address, newest first"
            empty="This address has listed nothing for sale."
          />
          <Pager place={place} next={next} prev={prev} />
        </>
      )}
    </Await>
  );
}

function Swaps({ address }: { address: string }) {
  const answer = useAnswer<AddressSwaps>(`/api/v1/swaps/address/${address}`, "swap");
  return <SwapsOf answer={answer} />;
}

/** So many of each the answer has at most, the newest (H-43). */
const MOST_OF_EACH = 100;

function SwapsOf({ answer }: { answer: Answer<AddressSwaps> }) {
  if (answer.failure?.code === "SWAPS_DISABLED") return <Empty>This service shows no swaps.</Empty>;
  return (
    <Await answer={answer} what="swaps">
      {({ deals, asks, bids }) => (
        <>
          {[deals, asks, bids].some(({ length }) => length >= MOST_OF_EACH) ? (
            <p class="notice">At most the newest {MOST_OF_EACH} of each kind are shown here.</p>
          ) : null}
          <Panel title="Swaps">
            <DealTable
              rows={deals}
              caption="Swaps of this address, newest first"
              empty="No swap of this address."
            />
          </Panel>
          <Panel title="Asks">
            <AskTable
              withState
              rows={asks}
              caption="Asks of this address, newest first"
              empty="This address offers no PEARL."
            />
          </Panel>
          <Panel title="Bids">
            <BidTable
              rows={bids}
              caption="Bids of this address, newest first"
              empty="No bid of this address."
            />
          </Panel>
        </>
      )}
    </Await>
  );
}

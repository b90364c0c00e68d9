// The book of swaps by price, and the lists of deals, asks and bids.

import { type Answer, useAnswer, useWholeList, type WholeList } from "../answers.ts";
import { useNow } from "../clock.ts";
import { counted, pearl, usdc, usdcPrice } from "../format.ts";
import { type Place, pathTo } from "../paths.ts";
import type { AskRow, BidRow, DealRow, SwapStats } from "../wire.ts";
import { canBeAccepted } from "../words.ts";
import { Await, Empty, None, Panel } from "../parts/basics.tsx";
import { Title } from "../parts/layout.tsx";
import { AskTable, BidTable, byPrice, PausedEscrow, usdcPerPearl } from "../parts/offers.tsx";
import { DealTable } from "../parts/rows.tsx";
import { cursorOf, Paged, Views } from "../parts/table.tsx";

const VIEWS = [
  ["book", "Book"],
  ["deals", "Swaps"],
  ["asks", "All asks"],
  ["bids", "All bids"],
] as const;

interface SwapList<Row> {
  readonly result: readonly Row[];
  readonly next: string | null;
  readonly prev: string | null;
}

/** The page of `/swaps`. */
export function SwapsPage({ place }: { place: Place }) {
  const view = place.query.get("view") ?? "book";
  const stats = useAnswer<SwapStats>("/api/v1/swaps/stats", "swap");
  if (stats.failure?.code === "SWAPS_DISABLED")
    return (
      <>
        <Title text="Swaps" />
        <Empty>This service does not follow an escrow, so that it shows no swaps.</Empty>
      </>
    );
  return (
    <>
      <Title text="Swaps">Swaps of PEARL and USDC</Title>
      <PausedEscrow />
      <Await answer={stats} what="swaps">
        {(totals) => <Totals stats={totals} />}
      </Await>
      <Views place={place} views={VIEWS} present={view} />
      {view === "deals" ? (
        <Deals place={place} />
      ) : view === "asks" ? (
        <AllAsks place={place} />
      ) : view === "bids" ? (
        <AllBids place={place} />
      ) : (
        <Book />
      )}
    </>
  );
}

const OPEN_ASKS = "/api/v1/swaps/asks?status=ASK_OPEN&sort=price&limit=25";
const OPEN_BIDS = "/api/v1/swaps/bids?status=BID_OPEN&limit=100";

/**
 * The bids that anybody can accept now, the best price first. An order stands in the list of open bids until its buyer
 * takes the USDC back, however late it is and whatever its terms are; and one that names its seller is for him alone.
 */
function useBook(): Answer<WholeList<BidRow>> {
  const answer = useWholeList<BidRow>(OPEN_BIDS, "swap");
  const all = answer.value;
  // Of the rows alone the moment says which ones count: a text, so that nothing is drawn while it stays the same.
  const hashes = useNow((now) =>
    (all?.result ?? [])
      .filter((bid) => bid.seller_evm === null && canBeAccepted(bid, now))
      .map(({ order_hash }) => order_hash)
      .join(),
  );
  if (all === null) return answer;
  const result = all.result.filter(({ order_hash }) => hashes.includes(order_hash)).toSorted(byPrice);
  return { ...answer, value: { ...all, result } };
}

/**
 * What a trader looks at first: the prices on both sides, the newest one that was agreed on and paid, and how much was
 * traded. The list of deals goes by their beginnings (H-40), and nothing says when one was settled.
 */
function Totals({ stats }: { stats: SwapStats }) {
  const ask = useAnswer<SwapList<AskRow>>(OPEN_ASKS, "swap").value;
  const bid = useBook().value;
  const last = useAnswer<SwapList<DealRow>>("/api/v1/swaps/deals?status=SETTLED&limit=1", "swap").value;
  return (
    <dl class="numbers">
      <Price name="Cheapest ask" list={ask} pathOf={({ ask_id }) => pathTo.ask(ask_id)} />
      <Price
        name={bid?.isCut === true ? "Best of the newest bids" : "Best bid"}
        list={bid}
        pathOf={({ order_hash }) => pathTo.swap(order_hash)}
      />
      <Price name="Last begun and settled" list={last} pathOf={({ deal_hash }) => pathTo.swap(deal_hash)} />
      <div>
        <dt>Volume 24 h</dt>
        <dd>
          {usdc(stats.last_24h.settled_usdc_volume)} USDC
          <small>
            {pearl(stats.last_24h.settled_pearl_volume_sat)} PEARL in{" "}
            {counted(stats.last_24h.settled_count, "swap")}
          </small>
        </dd>
      </div>
      <div>
        <dt>Ever settled</dt>
        <dd>
          {counted(stats.settled_count, "swap")}
          <small>
            {pearl(stats.settled_pearl_volume_sat)} PEARL for {usdc(stats.settled_usdc_volume)} USDC
          </small>
        </dd>
      </div>
    </dl>
  );
}

/** The price of a list's first row; a list that is not known yet is not an empty one. */
function Price<Row extends Pick<DealRow, "usdc_amount" | "pearl_amount_sat">>({
  name,
  list,
  pathOf,
}: {
  name: string;
  list: { readonly result: readonly Row[] } | null;
  pathOf: (row: Row) => string;
}) {
  const first = list?.result[0];
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {list === null ? (
          "…"
        ) : first === undefined ? (
          <None />
        ) : (
          <a href={pathOf(first)}>{usdcPrice(usdcPerPearl(first))}</a>
        )}
        <small>
          {first === undefined ? "for one PEARL" : `for one PEARL, ${pearl(first.pearl_amount_sat)} in all`}
        </small>
      </dd>
    </div>
  );
}

function Book() {
  const asks = useAnswer<SwapList<AskRow>>(OPEN_ASKS, "swap");
  const bids = useBook();
  return (
    <>
      <div class="columns">
        <Panel title="Bids: USDC for PEARL">
          <Await answer={bids} what="bids">
            {({ result, isCut }) => (
              <>
                {isCut ? (
                  <p class="notice bad">
                    There are more bids than are read here: a better one may be missing.
                  </p>
                ) : null}
                <BidTable
                  withDepth
                  rows={result}
                  caption="Bids, best price first"
                  empty="No bid waits for a seller."
                />
              </>
            )}
          </Await>
        </Panel>
        <Panel title="Asks: PEARL for USDC">
          <Await answer={asks} what="asks">
            {({ result }) => (
              <AskTable
                rows={result}
                caption="Asks, cheapest first"
                withDepth
                short
                empty="Nobody offers PEARL at the moment."
              />
            )}
          </Await>
        </Panel>
      </div>
      <p class="quiet">
        An ask is backed by the balance that its seller's address had when it was last looked up; a bid by
        USDC in the escrow. Bids that name their seller, and those that it is too late to accept, stand in the
        list of all bids. Prices are USDC for one PEARL, as the buyer pays them; the seller's fee goes off
        what he receives.
      </p>
    </>
  );
}

function Deals({ place }: { place: Place }) {
  const answer = useAnswer<SwapList<DealRow>>(`/api/v1/swaps/deals?limit=25${cursorOf(place)}`, "swap");
  return (
    <Paged answer={answer} what="swaps" place={place}>
      {(rows) => <DealTable rows={rows} caption="Swaps, newest first" empty="There has been no swap yet." />}
    </Paged>
  );
}

function AllAsks({ place }: { place: Place }) {
  const answer = useAnswer<SwapList<AskRow>>(
    `/api/v1/swaps/asks?include_unfunded=true&limit=25${cursorOf(place)}`,
    "swap",
  );
  return (
    <Paged answer={answer} what="asks" place={place}>
      {(rows) => (
        <AskTable rows={rows} caption="Asks, newest first" withState empty="Nobody has offered PEARL yet." />
      )}
    </Paged>
  );
}

function AllBids({ place }: { place: Place }) {
  const answer = useAnswer<SwapList<BidRow>>(`/api/v1/swaps/bids?limit=25${cursorOf(place)}`, "swap");
  return (
    <Paged answer={answer} what="bids" place={place}>
      {(rows) => <BidTable rows={rows} caption="Bids, newest first" empty="Nobody has bid for PEARL yet." />}
    </Paged>
  );
}

// The book of swaps by price, and the lists of deals, asks and bids.

import { useAnswer } from "../answers.ts";
import { counted, pearl, trimmed, usdc } from "../format.ts";
import { type Place, pathTo } from "../paths.ts";
import type { AskRow, BidRow, DealRow, SwapStats } from "../wire.ts";
import { Await, Empty, None, Panel } from "../parts/basics.tsx";
import { Title } from "../parts/layout.tsx";
import { AskTable, BidTable, byPrice, usdcPerPearl } from "../parts/offers.tsx";
import { DealTable } from "../parts/rows.tsx";
import { cursorOf, Pager, Views } from "../parts/table.tsx";

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

/** What a trader looks at first: the prices on both sides, the last one paid, and how much was traded. */
function Totals({ stats }: { stats: SwapStats }) {
  const ask = useAnswer<SwapList<AskRow>>(OPEN_ASKS, "swap").value?.result[0];
  const bid = useAnswer<SwapList<BidRow>>(OPEN_BIDS, "swap").value?.result.toSorted(byPrice)[0];
  const last = useAnswer<SwapList<DealRow>>("/api/v1/swaps/deals?status=SETTLED&limit=1", "swap").value
    ?.result[0];
  return (
    <dl class="numbers">
      <Price name="Cheapest ask" href={ask === undefined ? null : pathTo.ask(ask.ask_id)} of={ask} />
      <Price name="Best bid" href={bid === undefined ? null : pathTo.swap(bid.order_hash)} of={bid} />
      <Price name="Newest settled" href={last === undefined ? null : pathTo.swap(last.deal_hash)} of={last} />
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

function Price({
  name,
  of,
  href,
}: {
  name: string;
  of: Pick<DealRow, "usdc_amount" | "pearl_amount_sat"> | undefined;
  href: string | null;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {of === undefined || href === null ? <None /> : <a href={href}>{trimmed(usdcPerPearl(of))} USDC</a>}
        <small>
          {of === undefined ? "for one PEARL" : `for one PEARL, ${pearl(of.pearl_amount_sat)} in all`}
        </small>
      </dd>
    </div>
  );
}

function Book() {
  const asks = useAnswer<SwapList<AskRow>>(OPEN_ASKS, "swap");
  const bids = useAnswer<SwapList<BidRow>>(OPEN_BIDS, "swap");
  return (
    <>
      <div class="columns">
        <Panel title="Bids: USDC for PEARL">
          <Await answer={bids} what="bids">
            {({ result }) => (
              <BidTable
                withDepth
                rows={result.toSorted(byPrice)}
                caption="Bids, best price first"
                empty="No bid waits for a seller."
              />
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
        USDC in the escrow. Prices are USDC for one PEARL.
      </p>
    </>
  );
}

function Deals({ place }: { place: Place }) {
  const answer = useAnswer<SwapList<DealRow>>(`/api/v1/swaps/deals?limit=25${cursorOf(place)}`, "swap");
  return (
    <Await answer={answer} what="swaps">
      {({ result, next, prev }) => (
        <>
          <DealTable rows={result} caption="Swaps, newest first" empty="There has been no swap yet." />
          <Pager place={place} next={next} prev={prev} />
        </>
      )}
    </Await>
  );
}

function AllAsks({ place }: { place: Place }) {
  const answer = useAnswer<SwapList<AskRow>>(
    `/api/v1/swaps/asks?include_unfunded=true&limit=25${cursorOf(place)}`,
    "swap",
  );
  return (
    <Await answer={answer} what="asks">
      {({ result, next, prev }) => (
        <>
          <AskTable
            rows={result}
            caption="Asks, newest first"
            withState
            empty="Nobody has offered PEARL yet."
          />
          <Pager place={place} next={next} prev={prev} />
        </>
      )}
    </Await>
  );
}

function AllBids({ place }: { place: Place }) {
  const answer = useAnswer<SwapList<BidRow>>(`/api/v1/swaps/bids?limit=25${cursorOf(place)}`, "swap");
  return (
    <Await answer={answer} what="bids">
      {({ result, next, prev }) => (
        <>
          <BidTable rows={result} caption="Bids, newest first" empty="Nobody has bid for PEARL yet." />
          <Pager place={place} next={next} prev={prev} />
        </>
      )}
    </Await>
  );
}

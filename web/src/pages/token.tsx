// One token: what it is, what it costs, who holds it, what is for sale, what was sold, what happened to it.

import { useAnswer } from "../answers.ts";
import { counted, grouped, percent, satAtUnitPrice, visible } from "../format.ts";
import { type Place, pathTo, withQuery } from "../paths.ts";
import type {
  Envelope,
  HolderRow,
  ListingRow,
  OpenListingRow,
  OperationRow,
  SummaryRow,
  TokenRow,
} from "../wire.ts";
import { PriceChart } from "../parts/chart.tsx";
import {
  AddressId,
  Await,
  Badge,
  Bar,
  None,
  Panel,
  Pearl,
  TokenAmount,
  UnitPrice,
} from "../parts/basics.tsx";
import { Title } from "../parts/layout.tsx";
import { Change, ListingTable, OpenListingTable, OperationTable } from "../parts/rows.tsx";
import { type Column, cursorOf, Paged, Pager, Table, Views } from "../parts/table.tsx";
import { TokenFacts } from "./token-facts.tsx";
import { UnknownThing } from "./unknown.tsx";

const VIEWS = [
  ["overview", "Overview"],
  ["listings", "For sale"],
  ["history", "Market history"],
  ["holders", "Holders"],
  ["operations", "Operations"],
] as const;

/** The page of `/token/{tick}`. */
export function TokenPage({ place }: { place: Place }) {
  const asked = place.parts["tick"] ?? "";
  const isTicker = /^[a-zA-Z0-9]{1,16}$/.test(asked);
  const answer = useAnswer<Envelope<TokenRow>>(isTicker ? `/api/v1/prc20/token/${asked}` : null, "operation");
  const token = answer.value?.result[0];
  if (!isTicker || (answer.value !== null && token === undefined))
    return (
      // What anybody can write into a link is no heading.
      <UnknownThing title="No such token">
        There is no token of this ticker on this chain: <code>{visible(asked)}</code>. A ticker has 1 to 16
        letters and digits.
      </UnknownThing>
    );
  if (token === undefined)
    return (
      <>
        <Title text={asked.toUpperCase()} />
        <Await answer={answer} what="the token" rows={20}>
          {() => null}
        </Await>
      </>
    );
  return <KnownToken token={token} place={place} />;
}

function KnownToken({ token, place }: { token: TokenRow; place: Place }) {
  const view = place.query.get("view") ?? "overview";
  return (
    <>
      <Title text={`${token.tick} token`}>
        {token.tick}{" "}
        <Badge tone={token.state === "minting" ? "good" : "idle"}>
          {token.state === "minting" ? "minting" : "minted out"}
        </Badge>
      </Title>
      <Views place={place} views={VIEWS} present={view} />
      {view === "listings" ? (
        <Listings token={token} place={place} />
      ) : view === "history" ? (
        <History token={token} place={place} />
      ) : view === "holders" ? (
        <Holders token={token} place={place} />
      ) : view === "operations" ? (
        <Operations token={token} place={place} />
      ) : (
        <Overview token={token} place={place} />
      )}
    </>
  );
}

interface PartProps {
  readonly token: TokenRow;
  readonly place: Place;
  readonly limit?: number;
}

function Overview({ token, place }: PartProps) {
  return (
    <>
      <Market token={token} />
      <Panel title="Price" more={<IntervalLinks place={place} />}>
        <PriceChart tick={token.tick} interval={intervalOf(place)} decimals={Number(token.dec)} />
      </Panel>
      <Panel
        title="For sale, cheapest first"
        more={<a href={pathTo.token(token.tick, "listings")}>All that is for sale</a>}
      >
        <Listings token={token} place={place} limit={8} />
      </Panel>
      <div class="columns">
        <Panel title="Token">
          <TokenFacts token={token} />
        </Panel>
        <Panel title="Greatest holders" more={<a href={pathTo.token(token.tick, "holders")}>All holders</a>}>
          <Holders token={token} place={place} limit={8} />
        </Panel>
      </div>
      <Panel
        title="Latest operations"
        more={<a href={pathTo.token(token.tick, "operations")}>All operations</a>}
      >
        <Operations token={token} place={place} limit={8} />
      </Panel>
    </>
  );
}

function Market({ token }: { token: TokenRow }) {
  const answer = useAnswer<Envelope<SummaryRow>>(
    `/api/v1/prc20/market/${token.tick}/summary`,
    "listing",
    "block",
  );
  return (
    <Await answer={answer} what="the market" rows={2.5}>
      {({ result: [market] }) =>
        market === undefined ? null : (
          <dl class="numbers">
            <div>
              <dt>Cheapest</dt>
              <dd>
                {market.best_listing_id === null ? (
                  <None why="nothing for sale" />
                ) : (
                  <a href={pathTo.listing(market.best_listing_id)}>
                    <UnitPrice decimal={market.floor_unit_price_sat} />
                  </a>
                )}
                <small>
                  <Change market={market} /> in 24 h
                </small>
              </dd>
            </div>
            <div>
              <dt>Volume 24 h</dt>
              <dd>
                <Pearl sat={market.volume_24h_sat} />
                <small>{counted(market.fills_24h, "sale")}</small>
              </dd>
            </div>
            <div>
              <dt>All units at that price</dt>
              <dd>
                {market.best_listing_id === null ? (
                  <None why="nothing for sale" />
                ) : (
                  <AllUnits token={token} unitPriceSat={market.floor_unit_price_sat} />
                )}
                <small>supply times cheapest</small>
              </dd>
            </div>
            <div>
              <dt>For sale</dt>
              <dd>
                {grouped(String(market.open_count - market.expired_open_count))}
                <small>{`${grouped(String(market.expired_open_count))} expired`}</small>
              </dd>
            </div>
            <div>
              <dt>Ever sold</dt>
              <dd>
                {grouped(String(market.filled_count))}
                <small>
                  <Pearl sat={market.total_seller_paid_sat} /> to sellers
                </small>
              </dd>
            </div>
          </dl>
        )
      }
    </Await>
  );
}

/** What all units come to at a unit price. */
function AllUnits({ token, unitPriceSat }: { token: TokenRow; unitPriceSat: string }) {
  const sat = satAtUnitPrice(token.supply, Number(token.dec), unitPriceSat);
  return sat === null ? <None why="too small a price to tell" /> : <Pearl sat={sat} />;
}

function Listings({ token, place, limit }: PartProps) {
  const cursor = limit === undefined ? cursorOf(place) : "";
  const answer = useAnswer<Envelope<OpenListingRow>>(
    `/api/v1/prc20/market/${token.tick}?limit=${limit ?? 25}${cursor}`,
    "listing",
    "block",
  );
  return (
    <Await answer={answer} what="listings" rows={limit ?? 25}>
      {({ result, next, prev }) => (
        <>
          <OpenListingTable
            rows={result}
            caption="Listings, cheapest first"
            empty={`No ${token.tick} is for sale at the moment.`}
          />
          {limit === undefined ? <Pager place={place} next={next} prev={prev} /> : null}
        </>
      )}
    </Await>
  );
}

function History({ token, place }: PartProps) {
  const answer = useAnswer<Envelope<ListingRow>>(
    `/api/v1/prc20/market/${token.tick}/history?limit=25${cursorOf(place)}`,
    "listing",
    "block",
  );
  return (
    <Paged answer={answer} what="the history" place={place}>
      {(rows) => (
        <ListingTable
          rows={rows}
          caption="Listings of all states, newest change first"
          empty={`No ${token.tick} was ever listed.`}
        />
      )}
    </Paged>
  );
}

/** Units of expired listings are locked, too, and not for sale. */
const LOCKED = "Locked in listings";

function holderColumns(decimals: number): readonly Column<HolderRow>[] {
  return [
    { head: "Holder", cell: ({ address }) => <AddressId address={address} /> },
    {
      head: "Units",
      numeric: true,
      cell: ({ total }) => <TokenAmount raw={total} decimals={decimals} />,
    },
    {
      head: LOCKED,
      numeric: true,
      cell: ({ locked }) => (locked === "0" ? <None /> : <TokenAmount raw={locked} decimals={decimals} />),
    },
    {
      head: "Share",
      cell: ({ share }) => (
        <span class="progress">
          <Bar percent={Number(share)} label="Share" /> {percent(share)}
        </span>
      ),
    },
  ];
}

/** Holders; with a `limit` the greatest ones, without what they have locked. */
function Holders({ token, place, limit }: PartProps) {
  const cursor = limit === undefined ? cursorOf(place) : "";
  const columns = holderColumns(Number(token.dec));
  const answer = useAnswer<Envelope<HolderRow>>(
    `/api/v1/prc20/token/${token.tick}/holders?limit=${limit ?? 25}${cursor}`,
    "operation",
  );
  return (
    <Await answer={answer} what="holders" rows={limit ?? 25}>
      {({ result, next, prev }) => (
        <>
          <Table
            caption="Holders, the greatest first"
            {...(limit === undefined ? { needs: 44 } : {})}
            rows={result}
            keyOf={({ address }) => address}
            empty={`Nobody holds ${token.tick}.`}
            columns={limit === undefined ? columns : columns.filter(({ head }) => head !== LOCKED)}
          />
          {limit === undefined ? <Pager place={place} next={next} prev={prev} /> : null}
        </>
      )}
    </Await>
  );
}

function Operations({ token, place, limit }: PartProps) {
  const cursor = limit === undefined ? cursorOf(place) : "";
  const answer = useAnswer<Envelope<OperationRow>>(
    `/api/v1/prc20/oplist?tick=${token.tick}&limit=${limit ?? 25}${cursor}`,
    "operation",
  );
  return (
    <Await answer={answer} what="operations" rows={limit ?? 25}>
      {({ result, next, prev }) => (
        <>
          <OperationTable
            rows={result}
            caption={`Operations of ${token.tick}, newest first`}
            empty="None yet."
          />
          {limit === undefined ? <Pager place={place} next={next} prev={prev} /> : null}
        </>
      )}
    </Await>
  );
}

const INTERVALS = ["1h", "4h", "1d"] as const;

function intervalOf(place: Place): (typeof INTERVALS)[number] {
  const wanted = place.query.get("interval");
  return INTERVALS.find((one) => one === wanted) ?? "1h";
}

function IntervalLinks({ place }: { place: Place }) {
  const present = intervalOf(place);
  return (
    <nav class="small-ways" aria-label="Interval">
      {INTERVALS.map((interval) => (
        <a
          key={interval}
          href={withQuery(place, { interval })}
          aria-current={interval === present ? "true" : undefined}
        >
          {interval}
        </a>
      ))}
    </nav>
  );
}

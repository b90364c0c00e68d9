// The front page: what the chain does now, what is traded, what is new, which swaps are open.

import { useAnswer } from "../answers.ts";
import { counted, grouped, pearl, usdc } from "../format.ts";
import { contact, health } from "../live.ts";
import { useStore } from "../store.ts";
import type {
  AskRow,
  DealRow,
  Envelope,
  OperationRow,
  StatsRow,
  SummaryRow,
  SwapStats,
  TokenListRow,
} from "../wire.ts";
import { Await, Empty, Id, None, Panel } from "../parts/basics.tsx";
import { BlockList } from "../parts/blocks.tsx";
import { Title } from "../parts/layout.tsx";
import { DealTable, IndexHeight, MarketTable, OperationTable, TokenTable } from "../parts/rows.tsx";
import { AskTable } from "../parts/offers.tsx";

/** Deals that are under way: their USDC have come to nobody yet, also where the PEARL went back. */
const OPEN_DEALS = [
  "DEAL_OPEN",
  "USDC_LOCKED",
  "LOCK_SUBMITTED",
  "PEARL_LOCKED",
  "USDC_CLAIMABLE",
  "PEARL_REFUNDED",
]
  .map((status) => `status=${status}`)
  .join("&");

/** The front page. */
export function FrontPage() {
  return (
    <>
      <Title text="Strand">Tokens, markets and swaps of Pearl</Title>
      <Numbers />
      <Panel title="Last blocks" more={<a href="/blocks">All blocks</a>}>
        <BlockList />
      </Panel>
      <div class="columns">
        <Panel title="Markets by volume" more={<a href="/markets">All markets</a>}>
          <Markets />
        </Panel>
        <Panel title="Newest tokens" more={<a href="/tokens">All tokens</a>}>
          <NewestTokens />
        </Panel>
      </div>
      <Panel title="Latest operations" more={<a href="/operations">All operations</a>}>
        <LatestOperations />
      </Panel>
      <OpenSwaps />
    </>
  );
}

// Each list reads for itself: the answer of one draws none of the others again.

function Markets() {
  const markets = useAnswer<Envelope<SummaryRow>>("/api/v1/prc20/markets?limit=6", "listing", "block");
  return (
    <Await answer={markets} what="markets" rows={6}>
      {({ result }) => (
        <MarketTable short rows={result} empty="Nothing is for sale, and nothing was sold in 30 days." />
      )}
    </Await>
  );
}

function NewestTokens() {
  const tokens = useAnswer<Envelope<TokenListRow>>("/api/v1/prc20/tokenlist?limit=6", "operation");
  return (
    <Await answer={tokens} what="tokens" rows={6}>
      {({ result }) => (
        <TokenTable short rows={result} empty="No token has been deployed on this chain yet." />
      )}
    </Await>
  );
}

function LatestOperations() {
  const operations = useAnswer<Envelope<OperationRow>>("/api/v1/prc20/oplist?limit=8", "operation");
  return (
    <Await answer={operations} what="operations" rows={8}>
      {({ result }) => (
        <OperationTable
          brief
          rows={result}
          caption="Latest operations"
          empty="No operation has been seen on this chain yet."
        />
      )}
    </Await>
  );
}

function Numbers() {
  const body = useStore(health);
  // A node that is silent, too, leaves nothing to be behind of.
  const isCurrent = useStore(contact, ({ state }) => state === "live");
  const stats = useAnswer<Envelope<StatsRow>>("/api/v1/prc20/stats", "block").value?.result[0];
  const digest = body?.digest.value ?? null;
  return (
    <dl class="numbers">
      <div>
        <dt>Block</dt>
        <dd>
          {body === null ? "…" : <IndexHeight height={body.indexed_height} isGrouped />}
          <small>
            {body === null
              ? ""
              : body.lag > 0
                ? `${counted(body.lag, "block")} behind`
                : isCurrent
                  ? "up to date"
                  : ""}
          </small>
        </dd>
      </div>
      <div>
        <dt>Operations</dt>
        <dd>
          {stats === undefined ? "…" : grouped(String(stats.events_total))}
          <small>{stats === undefined ? "" : `${grouped(String(stats.events_valid))} valid`}</small>
        </dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>
          {stats === undefined ? "…" : grouped(String(stats.tokens_deployed))}
          <small>{stats === undefined ? "" : counted(stats.distinct_holders, "holder")}</small>
        </dd>
      </div>
      <div>
        <dt>For sale</dt>
        <dd>
          {stats === undefined ? "…" : grouped(String(stats.lists_open - stats.lists_expired_open))}
          <small>{stats === undefined ? "" : `${grouped(String(stats.lists_filled))} sold`}</small>
        </dd>
      </div>
      <div class="wide">
        <dt>State digest</dt>
        <dd class="hash">
          {digest === null ? <None /> : <Id id={digest} what="digest" />}
          <small>equal digests, equal indexes</small>
        </dd>
      </div>
    </dl>
  );
}

function OpenSwaps() {
  const asks = useAnswer<{ result: readonly AskRow[] }>(
    "/api/v1/swaps/asks?status=ASK_OPEN&sort=price&limit=5",
    "swap",
  );
  const deals = useAnswer<{ result: readonly DealRow[] }>(
    `/api/v1/swaps/deals?${OPEN_DEALS}&limit=5`,
    "swap",
  );
  const stats = useAnswer<SwapStats>("/api/v1/swaps/stats", "swap");
  if (asks.failure?.code === "SWAPS_DISABLED")
    return (
      <Panel title="Swaps">
        <Empty>This service does not follow an escrow, so that it shows no swaps.</Empty>
      </Panel>
    );
  const settled = stats.value;
  return (
    <>
      <div class="columns">
        <Panel title="PEARL for USDC, cheapest first" more={<a href="/swaps">The whole book</a>}>
          <Await answer={asks} what="asks" rows={5}>
            {({ result }) => (
              <AskTable
                short
                rows={result}
                caption="Asks, cheapest first"
                empty="Nobody offers PEARL for USDC at the moment."
              />
            )}
          </Await>
        </Panel>
        <Panel title="Swaps under way" more={<a href="/swaps?view=deals">All swaps</a>}>
          <Await answer={deals} what="swaps" rows={5}>
            {({ result }) => (
              <DealTable short rows={result} caption="Swaps under way" empty="No swap is under way." />
            )}
          </Await>
        </Panel>
      </div>
      {settled === null ? null : (
        <p class="quiet">
          {counted(settled.settled_count, "swap")} settled: {pearl(settled.settled_pearl_volume_sat)} PEARL
          for {usdc(settled.settled_usdc_volume)} USDC.
        </p>
      )}
    </>
  );
}

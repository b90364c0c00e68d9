// Endpoints of tokens: tokenlist, stats, token/{tick}, its holders and its candles. (interface §4.2, H-30, H-37, H-38)

import { Type } from "typebox";
import type { Tick } from "../../primitives/brands.ts";
import type { PageRequest, PageStart } from "../../index/pages.ts";
import { type CursorBinding, pageLinks, pageRequest } from "../cursor.ts";
import { ok } from "../../primitives/result.ts";
import { pageReading, type ReadDependencies, type ReadRoute, readRoute } from "../read-route.ts";
import { candleRow, holderRow, statsRow, tokenListRow, tokenRow } from "../rows/tokens.ts";
import { EXAMPLES } from "../schemas/examples.ts";
import { booleanFilter, pageParameters, tickParameter, tickPrefixFilter } from "../schemas/parameters.ts";
import {
  CandleRowSchema,
  HolderRowSchema,
  StatsRowSchema,
  TokenListRowSchema,
  TokenRowSchema,
} from "../schemas/tokens.ts";

const INTERVAL_S = { "1h": 3600, "4h": 14_400, "1d": 86_400 } as const;

const tokenlist = readRoute({
  name: "tokenlist",
  path: "/api/v1/prc20/tokenlist",
  summary: "Tokens, newest deploy first",
  params: Type.Object({}),
  query: Type.Object({ ...pageParameters, tick: tickPrefixFilter }),
  row: TokenListRowSchema,
  example: EXAMPLES.tokenListRow,
  async read({ queries }, _params, query) {
    const prefix = query.tick ?? null;
    return pageReading(
      query,
      { list: "tokens", scope: ["tokenlist", prefix] },
      (page) => queries.tokens(prefix, page),
      tokenListRow,
    );
  },
});

const stats = readRoute({
  name: "stats",
  path: "/api/v1/prc20/stats",
  summary: "Counts over the whole index",
  params: Type.Object({}),
  query: Type.Object({}),
  row: StatsRowSchema,
  example: EXAMPLES.statsRow,
  async read({ queries, rules }) {
    const { state, value } = await queries.stats();
    return ok({ state, rows: [statsRow(state, value, rules)] });
  },
});

const token = readRoute({
  name: "token",
  path: "/api/v1/prc20/token/{tick}",
  summary: "One token",
  params: Type.Object({ tick: tickParameter }),
  query: Type.Object({}),
  row: TokenRowSchema,
  example: EXAMPLES.tokenRow,
  async read({ queries }, params) {
    const { state, value } = await queries.token(params.tick);
    return ok({ state, rows: value === null ? [] : [tokenRow(value)] });
  },
});

const holders = readRoute({
  name: "holders",
  path: "/api/v1/prc20/token/{tick}/holders",
  summary: "Holders of a token, largest first",
  params: Type.Object({ tick: tickParameter }),
  query: Type.Object(pageParameters),
  row: HolderRowSchema,
  example: EXAMPLES.holderRow,
  async read({ queries }, params, query) {
    const { tick } = params;
    const binding: CursorBinding = { list: "holders", scope: ["holders", tick] };
    const page = pageRequest(query, binding);
    if (!page.ok) return page;
    const { state, value } = await queries.holders(tick, page.value);
    if (value === null) return ok({ state, rows: [] });
    const rows = value.page.rows.map((holder) => holderRow(holder, value.circulating));
    return ok({ state, rows, ...pageLinks(value.page, binding) });
  },
});

/** Beyond every candle, walking back. */
const THE_END: PageStart = { direction: "prev", key: [Number.MAX_SAFE_INTEGER] };

const candles = readRoute({
  name: "candles",
  path: "/api/v1/prc20/token/{tick}/candles",
  summary: "Prices and volume of a token's fills by interval of block time, oldest first",
  params: Type.Object({ tick: tickParameter }),
  query: Type.Object({
    ...pageParameters,
    interval: Type.Optional(
      Type.Union([Type.Literal("1h"), Type.Literal("4h"), Type.Literal("1d")], {
        default: "1h",
        description: "Length of the intervals.",
        "x-expected": "one of 1h, 4h, 1d",
      }),
    ),
    newest: booleanFilter("Begin with the last page, which has the newest intervals; `prev` walks back."),
  }),
  row: CandleRowSchema,
  example: EXAMPLES.candleRow,
  async read(deps, params, query) {
    const { tick } = params;
    const interval = query.interval ?? "1h";
    const binding: CursorBinding = { list: "candles", scope: ["candles", tick, interval] };
    const page = pageRequest(query, binding);
    if (!page.ok) return page;
    const isFirst = page.value.start === null;
    const asked = query.newest === "true" && isFirst ? { ...page.value, start: THE_END } : page.value;
    const { snapshot, dec } = await candlesWithDecimals(deps, tick, INTERVAL_S[interval], asked);
    const { state, value } = snapshot;
    if (value === null) return ok({ state, rows: [] });
    return ok({ state, rows: value.rows.map((row) => candleRow(row, dec)), ...pageLinks(value, binding) });
  },
});

/** Reads a page of candles and the decimals that hold for it: the same deploy must stand before and after. */
async function candlesWithDecimals(
  { queries }: ReadDependencies,
  tick: Tick,
  intervalS: number,
  page: PageRequest,
) {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const before = await queries.token(tick);
    const snapshot = await queries.candles(tick, intervalS, page);
    if (snapshot.value === null) return { snapshot, dec: "0" };
    const after = await queries.token(tick);
    const deploy = before.value;
    if (deploy !== null && deploy.deployTxid === after.value?.deployTxid)
      return { snapshot, dec: deploy.dec };
  }
  throw new Error(`the deploy of ${tick} changed five times while its candles were read`);
}

/** The token endpoints. */
export const TOKEN_ROUTES: readonly ReadRoute[] = [tokenlist, stats, token, holders, candles];

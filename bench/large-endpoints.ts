// What a large index is asked: one path of each endpoint of the PRC20 index, with rows that are there, and how long an
// answer takes that no cache holds.

import type { Envelope, HttpClient } from "./service.ts";

const API = "/api/v1/prc20";
/** The ticker that is asked for; as many as any other move it. */
const TICK = "B005";
/** Answers whose median counts. */
const ANSWERS = 9;

/** Milliseconds by endpoint. */
export type Times = ReadonlyMap<string, number>;

/** The paths, by the name of their endpoint. */
export async function endpoints(client: HttpClient): Promise<ReadonlyMap<string, string>> {
  const first = async (path: string): Promise<Readonly<Record<string, unknown>>> => {
    const { result } = await client.json<Envelope<Readonly<Record<string, unknown>>>>(path);
    return result[0] ?? {};
  };
  const holder = String((await first(`${API}/token/${TICK}/holders?limit=1`))["address"]);
  const txid = String((await first(`${API}/oplist?tick=${TICK}&limit=1`))["txid"]);
  const listing = await first(`${API}/market/${TICK}?limit=1`);
  const [id, seller] = [String(listing["id"]), String(listing["owner"])];
  const paths = [
    `tokenlist`,
    `stats`,
    `token/${TICK}`,
    `token/${TICK}/holders`,
    `token/${TICK}/candles?interval=1h`,
    `address/${holder}/tokenlist`,
    `address/${holder}/token/${TICK}`,
    `address/${holder}/history`,
    `address/${holder}/ledger`,
    `address/${seller}/listings`,
    `balances?addresses=${holder},${seller}`,
    `markets`,
    `market/quote/${id}`,
    `market/fill-template/${id}/${holder}`,
    `market/${TICK}`,
    `market/${TICK}/seller/${seller}`,
    `market/${TICK}/history`,
    `market/${TICK}/summary`,
    `listing/${id}`,
    `oplist`,
    `oplist?op=transfer&valid=0`,
    `oplist?tick=${TICK}`,
    `oplist?address=${holder}`,
    `op/${txid}`,
    `op/${txid}/0`,
    `mempool`,
    `blocks`,
    `block/10`,
    `digest/10`,
    `reorgs`,
  ];
  const shown = (path: string): string =>
    path.replace(holder, "{address}").replace(seller, "{seller}").replace(txid, "{txid}").replace(id, "{id}");
  return new Map(paths.map((path) => [shown(path).replace(`,${seller}`, ""), `${API}/${path}`]));
}

/** Asks each path once. */
export async function firstTimes({ json }: Asked, paths: ReadonlyMap<string, string>): Promise<Times> {
  const times = new Map<string, number>();
  for (const [name, path] of paths) {
    const started = performance.now();
    await json(path);
    times.set(name, performance.now() - started);
  }
  return times;
}

/** Asks each path some times with a parameter that is ignored, so that no kept answer is found; the medians. */
export async function warmTimes(asked: Asked, paths: ReadonlyMap<string, string>): Promise<Times> {
  const rounds: Times[] = [];
  for (let round = 0; round < ANSWERS; round += 1) {
    const apart = Array.from(
      paths,
      ([name, path]) => [name, `${path}${path.includes("?") ? "&" : "?"}n=${round}`] as const,
    );
    rounds.push(await firstTimes(asked, new Map(apart)));
  }
  const median = (name: string): number =>
    rounds.map((times) => times.get(name) ?? 0).toSorted((a, b) => a - b)[ANSWERS >> 1] ?? 0;
  return new Map(Array.from(paths.keys(), (name) => [name, median(name)]));
}

/** Who asks. */
export interface Asked {
  readonly json: (path: string) => Promise<unknown>;
}

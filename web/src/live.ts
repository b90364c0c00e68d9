// News of both chains as they happen: one stream of server-sent events for the whole page (H-39), and the service's
// health every some seconds, because a stream that hangs looks like a quiet one.

import { useEffect, useState } from "preact/hooks";
import { MEDIAN_BLOCKS, newestBlocksSaid, serverSaid } from "./clock.ts";
import { type Contact, contactOf } from "./contact.ts";
import { Store } from "./store.ts";
import { followEvents, MISSED, type News } from "./stream.ts";
import type { Health } from "./wire.ts";

/** What news can be about. */
export type Topic = "block" | "operation" | "listing" | "swap" | "mempool" | "health";

const HEALTH_EVERY_MS = 4_000;
const HEALTH_WITHIN_MS = 4_000;
/** A page that was seen all the time hears more often than this; one that slept, or whose browser did, has not. */
const HEARD_WITHIN_MS = 2 * (HEALTH_EVERY_MS + HEALTH_WITHIN_MS);
const SLEEP_LOOKED_FOR_EVERY_MS = 1_000;
/** News that come together are shown together. */
const GATHER_MS = 150;
/** News that follow each other are shown at most so often: a block and what it brings to both chains come in a row. */
const BETWEEN_NEWS_MS = 1_000;

/** Whether the page shows the present. */
export const contact = new Store<Contact>({ state: "connecting" });
/** The last answer of /health; null before the first. */
export const health = new Store<Health | null>(null);

const versions: Record<Topic, Store<number>> = {
  block: new Store(0),
  operation: new Store(0),
  listing: new Store(0),
  swap: new Store(0),
  mempool: new Store(0),
  health: new Store(0),
};
/** Grows at every reorganisation: what was known for ever may be another thing now. */
export const reorganisations = new Store(0);
/** Grows wherever news may have been missed: what was known may be another thing, and is asked for again. */
export const gaps = new Store(0);
const ALL_TOPICS = Object.keys(versions) as Topic[];

/** A number that grows whenever one of the topics has news. For use inside a component. */
export function versionOf(topics: readonly Topic[]): number {
  const sum = (): number => topics.reduce((total, topic) => total + versions[topic].value, 0);
  const [version, setVersion] = useState(sum);
  useEffect(() => {
    const update = (): void => setVersion(sum());
    update();
    const ends = topics.map((topic) => versions[topic].watch(update));
    return () => ends.forEach((end) => end());
  }, [topics.join()]);
  return version;
}

const gathered = new Set<Topic>();
let gathering: ReturnType<typeof setTimeout> | null = null;
let lastToldAt = Number.NEGATIVE_INFINITY;

function tell(...topics: readonly Topic[]): void {
  for (const topic of topics) gathered.add(topic);
  const wait = Math.max(GATHER_MS, lastToldAt + BETWEEN_NEWS_MS - performance.now());
  gathering ??= setTimeout(() => {
    gathering = null;
    lastToldAt = performance.now();
    const told = [...gathered];
    gathered.clear();
    for (const topic of told) versions[topic].set(versions[topic].value + 1);
    // What stands above every page says the new height with the rest of the page.
    if (told.includes("block") && !told.includes("health")) void askHealth();
  }, wait);
}

/** Topics that an event has news of. A block may change whatever is counted from the tip. */
const TOPICS_OF: Readonly<Record<string, readonly Topic[]>> = {
  block: ["block", "operation", "mempool", "swap"],
  operation: ["operation"],
  listing: ["listing"],
  reorg: ALL_TOPICS,
  reset: ALL_TOPICS,
  [MISSED.kind]: ALL_TOPICS,
  bid: ["swap"],
  ask: ["swap"],
  deal: ["swap"],
};

/** Begins to follow the service. Called once. */
export function followService(): void {
  followEvents(Object.keys(TOPICS_OF), hearNews);
  void askHealth();
  setInterval(() => void askHealth(), HEALTH_EVERY_MS);
  setInterval(wakeUp, SLEEP_LOOKED_FOR_EVERY_MS);
  document.addEventListener("visibilitychange", wakeUp);
  addEventListener("offline", () => cutOff());
  addEventListener("online", () => void askHealth());
}

/** When the service was heard last, before the first time when the page began. */
let heardAtMs = Date.now();

/** What a page that has slept shows is as old as its sleep: it is not called live until the service is heard again. */
function wakeUp(): void {
  if (document.visibilityState !== "visible" || Date.now() - heardAtMs < HEARD_WITHIN_MS) return;
  if (contact.value.state === "cut_off") return;
  cutOff();
  void askHealth();
}

/** Height of the newest block that the stream has told of. */
let toldHeight = -1;

function hearNews({ kind, height }: News): void {
  if (height !== null) toldHeight = height;
  if (kind === MISSED.kind) gaps.set(gaps.value + 1);
  else if (TOPICS_OF[kind] === ALL_TOPICS) reorganisations.set(reorganisations.value + 1);
  tell(...(TOPICS_OF[kind] ?? []));
}

async function askHealth(): Promise<void> {
  const askedAtMs = Date.now();
  try {
    const response = await fetch("/health", { signal: AbortSignal.timeout(HEALTH_WITHIN_MS) });
    // Whatever has another status is the word of a proxy about a service that is gone.
    if (!response.ok) return cutOff();
    serverSaid(response.headers.get("date"));
    hearHealth((await response.json()) as Health);
  } catch {
    // On a slow line one question may be given up just after a later one was answered.
    if (heardAtMs < askedAtMs) cutOff();
  }
}

/** Deadlines are judged by the time of blocks, too, which neither health nor the event of a block has (H-39). */
async function askNewestBlocks(): Promise<void> {
  try {
    const response = await fetch(`/api/v1/prc20/blocks?limit=${MEDIAN_BLOCKS}`);
    newestBlocksSaid((await response.json()) as object);
  } catch {
    // The block after it is asked about again.
  }
}

function hearHealth(body: Health): void {
  heardAtMs = Date.now();
  const wasCutOff = contact.value.state === "cut_off";
  const before = health.value;
  if (before?.indexed_height !== body.indexed_height) void askNewestBlocks();
  health.set(body);
  contact.set(contactOf(body));
  first ??= { pearl: body.indexed_height, evm: body.evm?.indexed_height ?? -1 };
  if (wasCutOff) hearNews(MISSED);
  else if (before === null) {
    tell("mempool", "health");
    readWhatWasMissed();
  } else if (before.indexed_height !== body.indexed_height && toldHeight !== body.indexed_height)
    // The stream is silent, as behind a proxy that keeps it back: whatever a block brings was not told of either, nor a
    // reorganisation before it.
    hearNews(MISSED);
  else if (
    before.indexed_height !== body.indexed_height ||
    before.evm?.indexed_height !== body.evm?.indexed_height
  )
    tell("block", "swap", "mempool", "health");
  else tell("mempool", "health");
}

/** Least heights of both indexes at which anything was read, and those of the first answer of /health. */
const lowest = { pearl: Number.POSITIVE_INFINITY, evm: Number.POSITIVE_INFINITY };
let first: { readonly pearl: number; readonly evm: number } | null = null;

/** Takes the heights that an answer of the API names (H-09). */
export function heightsSaid(headers: Headers): void {
  lowest.pearl = Math.min(lowest.pearl, heightIn(headers.get("x-indexed-height")));
  lowest.evm = Math.min(lowest.evm, heightIn(headers.get("x-evm-indexed-height")));
  readWhatWasMissed();
}

function heightIn(header: string | null): number {
  return header === null ? Number.POSITIVE_INFINITY : Number(header);
}

/**
 * The stream tells what comes after it was opened. A block that came before that, but after the page's first reads, is
 * seen by the heights: then everything is read once more.
 */
function readWhatWasMissed(): void {
  if (first === null || (lowest.pearl >= first.pearl && lowest.evm >= first.evm)) return;
  lowest.pearl = Number.POSITIVE_INFINITY;
  lowest.evm = Number.POSITIVE_INFINITY;
  first = { pearl: -1, evm: -1 };
  tell(...ALL_TOPICS);
}

function cutOff(): void {
  if (contact.value.state !== "cut_off") contact.set({ state: "cut_off", sinceMs: heardAtMs });
}

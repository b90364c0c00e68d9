// What all jobs on an index need: nodes, signatures, hashes and a list of what to close again; and the refusals of a node
// or a database that does not belong to the configuration.

import { availableParallelism } from "node:os";
import { sha256, sha256d } from "../adapters/system/hashes.ts";
import { openSha256Lanes } from "../adapters/system/sha256-lanes.ts";
import { SignaturePool } from "../adapters/system/signature-pool.ts";
import type { NamedNode } from "../follow/known-node.ts";
import { FollowedNode } from "../follow/pearl-nodes.ts";
import type { Clock, Log, PearlNode } from "../follow/ports.ts";
import { shownUrl } from "../follow/shown-url.ts";
import type { BlockIndexer, IndexingContext } from "../index/index-block.ts";
import { claimDatabase } from "../index/parameters.ts";
import type { FollowedStore } from "../index/ports.ts";
import { Closers, CommandRefused } from "./cli/ending.ts";
import type { Config } from "./config/config.ts";
import { addressOf, type NodeEndpoint } from "./config/read-node.ts";
import { MACHINE, type Outside } from "./outside.ts";

/** How long a start waits for the node to name its chain; a node that is down must not keep HTTP from serving. */
const IDENTITY_PATIENCE_MS = 1500;

/** What all jobs on an index need. */
export interface Foundation {
  readonly log: Log;
  readonly node: FollowedNode;
  readonly context: IndexingContext;
  readonly closers: Closers;
  readonly outside: Outside;
}

/** Opens the nodes and what judges blocks; `closers` end them. Nobody is asked yet. */
export function openFoundation(
  config: Config,
  log: Log,
  closers = new Closers(),
  outside: Outside = MACHINE,
): Foundation {
  const { network, rules } = config;
  const { clock, openNode } = outside;
  const signatures = new SignaturePool({ workers: Math.min(4, availableParallelism()) });
  closers.add(() => signatures.close());
  const open = (endpoint: NodeEndpoint, place: number): NamedNode => {
    const address = { ...addressOf(endpoint), network, pollMs: config.node.pollMs };
    const name = `${place + 1}: ${shownUrl(new URL(endpoint.url))}`;
    return { name, node: openNode({ ...address, clock, log }) };
  };
  const witnesses = config.node.witnesses.map((one, i) => open(one, i + 1));
  const node = new FollowedNode([open(config.node, 0), ...witnesses], clock, log);
  closers.add(() => node.close());
  const sha256dAll = openSha256Lanes(sha256d);
  const context = { network, rules, sha256, sha256d, sha256dAll, signatures };
  return { log, node, context, closers, outside };
}

/** Refuses a node of another chain. A node that does not answer yet is left to the follower. */
export async function checkNode(node: PearlNode, clock: Clock): Promise<void> {
  const asked = node.checkIdentity().then(
    () => null,
    (error: unknown) => error,
  );
  const patience = new AbortController();
  const error = await Promise.race([
    asked,
    clock.sleep(IDENTITY_PATIENCE_MS, patience.signal).then(() => null),
  ]);
  patience.abort();
  if (error instanceof Error && "code" in error && error.code === "WRONG_NETWORK") {
    throw new CommandRefused([error.message], { cause: error });
  }
}

/** Refuses a database that was built with other parameters (P-01). */
export async function checkDatabase(
  store: FollowedStore,
  indexer: BlockIndexer,
  name: string,
): Promise<void> {
  refuseOthers(await claimDatabase(store, indexer.parameters), name);
}

/** Refuses a database that differs, with what to do: take another `kind` than the one of that place. */
export function refuseOthers(differences: readonly string[], place: string, kind = "DATABASE_URL"): void {
  if (differences.length === 0) return;
  const advice = `choose another ${kind} than ${place}, or configure what it was built with`;
  throw new CommandRefused(differences.map((difference) => `${difference}; ${advice}`));
}

/** Runs `job` and, where it fails, closes everything that was opened. */
export async function closingOnFailure<Value>(closers: Closers, job: () => Promise<Value>): Promise<Value> {
  try {
    return await job();
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

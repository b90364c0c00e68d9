// Another service's word on a snapshot: the digest that it has at the snapshot's height. It is somebody else's machine, so
// what it answers is waited for and read within bounds.

import { shownValue } from "../adapters/json-rpc/rpc-answer.ts";
import type { SnapshotManifest } from "../adapters/store-sqlite/snapshot/manifest.ts";
import { sentenceOf } from "../follow/follower-errors.ts";
import { withoutLogin } from "../follow/url-login.ts";
import { CommandRefused } from "./cli/ending.ts";

/** How long it may take to answer. */
const ASK_MS = 20_000;
/** Bytes of its answer; one about a digest has some hundred. */
const MOST_BYTES = 64 * 1024;

/**
 * Another service names the same block and digest at the height: resolves with a sentence that says so. What is said of it
 * names its host and nothing else.
 */
export async function askOther(
  address: string,
  { height, hash, digest }: Pick<SnapshotManifest, "height" | "hash" | "digest">,
): Promise<string> {
  const { url, authorization } = withoutLogin(new URL(address));
  const { host } = url;
  // A service may stand behind a path of its proxy.
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/api/v1/prc20/digest/${height}`;
  let row: Readonly<Record<string, unknown>> = {};
  try {
    const response = await fetch(url, {
      headers: authorization === null ? {} : { authorization },
      signal: AbortSignal.timeout(ASK_MS),
    });
    if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    const body: unknown = JSON.parse(await shortText(response));
    const rows: unknown = Object(body).result;
    row = Object(Array.isArray(rows) ? rows[0] : null);
  } catch (cause) {
    throw new CommandRefused([`${host} does not answer for its digest: ${sentenceOf(cause)}`], { cause });
  }
  if (row["value"] === undefined)
    throw new CommandRefused([`${host} has no block ${height} yet: ask again later, or another one`]);
  if (row["value"] !== digest || row["block_hash"] !== hash)
    throw new CommandRefused([
      `the snapshot is wrong, or ${host} is: at ${height} it has block ${shownValue(row["block_hash"])} with ` +
        `digest ${shownValue(row["value"])}, the snapshot ${hash} with ${digest}`,
    ]);
  return "the digest is the other service's";
}

/** @throws where it is longer than an answer may be; the rest is not read then. */
async function shortText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    // Leaving the loop cancels the body.
    if (size > MOST_BYTES) throw new Error(`it says more than ${MOST_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

// From which EVM block on a database was read. ESCROW_FIRST_BLOCK says where reading begins and nothing else: lowered
// later it would change nothing, and orders of the blocks between would be missing for ever, without a word.

import { FactKind } from "./fact-fields.ts";
import { NO_CHANGE, type SwapStore } from "./ports.ts";

/** The block from which on the escrow's logs were read: of no chain's block, since no reorganisation takes it back. */
export const FIRST_BLOCK = new FactKind<number>("firstblock", {
  key: (height) => String(height),
  body: (height) => ({ height }),
  read: (fields) => fields.int("height"),
});

/**
 * Notes from which block on is read; `hasRead`: whether something was. Resolves with the block from which on the database
 * was read where that is a later one, so that blocks are missing; else with null. A database that an older version has
 * begun counts as read from here on.
 */
export async function claimFirstBlock(
  store: Pick<SwapStore, "keys" | "commit">,
  firstBlock: number,
  hasRead: boolean,
): Promise<number | null> {
  const [key] = await store.keys(FIRST_BLOCK.name);
  if (key !== undefined && hasRead) return Number(key) > firstBlock ? Number(key) : null;
  if (key === String(firstBlock)) return null;
  const remove = key === undefined ? [] : [{ kind: FIRST_BLOCK.name, key }];
  const put = [FIRST_BLOCK.row(firstBlock)];
  await store.commit({ ...NO_CHANGE, remove, put });
  return null;
}

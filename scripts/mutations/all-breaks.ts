// Lists all deliberate breaks, and says why a break cannot be made as it is written.

import { parseSync } from "oxc-parser";
import { BLOCK_VERIFICATION } from "./block-verification.ts";
import type { Break } from "./break.ts";
import { DIGEST_AND_UNDO } from "./digest-and-undo.ts";
import { HTTP_BREAKS } from "./http.ts";
import { LISTINGS } from "./listings.ts";
import { SENDS_AND_CLOSINGS } from "./sends-and-closings.ts";
import { STORE_BREAKS } from "./store.ts";
import { SWAPS_BYTES } from "./swaps-bytes.ts";
import { SWAPS_EVM } from "./swaps-evm.ts";
import { SWAPS_LEDGER } from "./swaps-ledger.ts";
import { SWAPS_PEARL } from "./swaps-pearl.ts";
import { SWAPS_PEARL_OTHERS } from "./swaps-pearl-others.ts";
import { SWAPS_POSTING } from "./swaps-posting.ts";
import { SWAPS_STATUS } from "./swaps-status.ts";
import { SWAPS_USECASES } from "./swaps-usecases.ts";
import { TOKEN_OPERATIONS } from "./token-operations.ts";
import { VALUES } from "./values.ts";
import { WHERE_OPERATIONS_ARE } from "./where-operations-are.ts";

/** Every break, in the order of the specification. */
export const ALL_BREAKS: readonly Break[] = [
  ...WHERE_OPERATIONS_ARE,
  ...VALUES,
  ...TOKEN_OPERATIONS,
  ...LISTINGS,
  ...SENDS_AND_CLOSINGS,
  ...DIGEST_AND_UNDO,
  ...BLOCK_VERIFICATION,
  ...STORE_BREAKS,
  ...HTTP_BREAKS,
  ...SWAPS_BYTES,
  ...SWAPS_POSTING,
  ...SWAPS_STATUS,
  ...SWAPS_LEDGER,
  ...SWAPS_EVM,
  ...SWAPS_PEARL,
  ...SWAPS_PEARL_OTHERS,
  ...SWAPS_USECASES,
];

/** The file's `text` with the break in it. Call only where `listFault` gives null. */
export function broken({ find, replace }: Break, text: string): string {
  const at = text.indexOf(find);
  return text.slice(0, at) + replace + text.slice(at + find.length);
}

/** Why the break cannot be made in its file's `text` as it is written, or null. */
export function listFault(one: Break, text: string): string | null {
  const found = text.split(one.find).length - 1;
  if (found !== 1) return `occurs ${found} times in ${one.file}, not once: ${one.find}`;
  const after = broken(one, text);
  if (after === text) return `changes nothing: ${one.find}`;
  const { errors } = parseSync(one.file, after);
  return errors.length === 0 ? null : `is no program any more: ${errors[0]?.message ?? ""}`;
}

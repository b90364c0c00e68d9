// Which lists of operations a filter asks for (H-36): each is a merge of a few index ranges, one for each kind.

import type { OperationFilter } from "../../index/queries.ts";
import type { Tick } from "../../primitives/brands.ts";
import { blockAtHeight } from "./block-reads.ts";
import { CellReader } from "./cells.ts";
import { ANY_TICK } from "./histories.ts";
import { isKnownOperation, kindsOf, namedKind } from "./kinds.ts";
import { firstRow, type Reading, together } from "./reading.ts";

/** What a filter asks for without its height: of all operations, or of the history of an address. */
export type AskedOperations =
  | { readonly of: "all" }
  | { readonly of: "name"; readonly nameId: number }
  | { readonly of: "kinds"; readonly kinds: readonly number[] }
  | { readonly of: "tick"; readonly tick: Tick; readonly kinds: readonly number[] }
  | {
      readonly of: "address";
      readonly id: number;
      readonly scope: Tick | typeof ANY_TICK;
      readonly kinds: readonly number[];
    };

/** The list that a filter without its height asks for; null where nothing can pass. */
export function* askedOperations(
  findAddress: (text: string) => Reading<number | null>,
  { tick, op, valid, address }: OperationFilter,
): Reading<AskedOperations | null> {
  const isUnknown = op !== undefined && !isKnownOperation(op);
  // An unknown operation is never valid and goes with no ticker (P-24).
  if (isUnknown && (valid === true || tick !== undefined)) return null;
  const nameId = isUnknown ? yield* findName(op) : null;
  if (isUnknown && nameId === null) return null;
  const kinds = nameId === null ? kindsOf(op ?? null, valid ?? null) : [namedKind(nameId)];
  if (address !== undefined) {
    const id = yield* findAddress(address);
    return id === null ? null : { of: "address", id, scope: tick ?? ANY_TICK, kinds };
  }
  if (nameId !== null) return { of: "name", nameId };
  if (tick !== undefined) return { of: "tick", tick, kinds };
  return op === undefined && valid === undefined ? { of: "all" } : { of: "kinds", kinds };
}

function* findName(op: string): Reading<number | null> {
  const row = yield* firstRow("SELECT id FROM op_name WHERE text = ?", op);
  return row === null ? null : new CellReader(row).int();
}

/** The places of a block, from the first one and before the next block's; null where the index does not hold it. */
export function* placesOf(
  height: number,
): Reading<{ readonly from: number; readonly before: number } | null> {
  const [block, parent] = yield* together([blockAtHeight(height), blockAtHeight(height - 1)]);
  if (block === undefined || block === null) return null;
  return { from: parent?.totals.nextPlace ?? 0, before: block.totals.nextPlace };
}

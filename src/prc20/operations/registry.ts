// The list of all operations, one line each; everything else asks here. A new operation is a file and a line.

import type { OperationSource, Operation, OperationKind } from "../operation.ts";
import { burn } from "./burn.ts";
import { deploy } from "./deploy.ts";
import { list } from "./list.ts";
import { mint } from "./mint.ts";
import { send } from "./send.ts";
import { transfer } from "./transfer.ts";

/** All operations, in the order of the specification. */
export const OPERATION_KINDS: readonly OperationKind[] = [deploy, mint, transfer, burn, list, send];

const BY_NAME: ReadonlyMap<string, OperationKind> = new Map(OPERATION_KINDS.map((kind) => [kind.name, kind]));

/** Reads the fields of a payload's operation; null where its `op` is unknown (P-24). `op` is compared exactly. */
export function readOperation(op: string, source: OperationSource): Operation | null {
  return BY_NAME.get(op)?.read(source) ?? null;
}

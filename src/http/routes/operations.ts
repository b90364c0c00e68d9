// Endpoints of operations: the list with its filters, those of one transaction, one of them, and the unconfirmed ones.
// (interface §4.2, H-36, H-38)

import { Type } from "typebox";
import type { PaddedText, Page, PageRequest } from "../../index/pages.ts";
import type { TipState } from "../../index/queries.ts";
import type { Txid } from "../../primitives/brands.ts";
import { firstIndex } from "../../primitives/elements.ts";
import type { MempoolOperation } from "../../follow/serving.ts";
import { type Askers, FairTurns } from "../askers.ts";
import { type CursorBinding, pageLinks, pageRequest } from "../cursor.ts";
import { Refusal } from "../errors.ts";
import { requestAddress } from "../parameters.ts";
import { type ReadDependencies, type ReadRoute, readRoute } from "../read-route.ts";
import { mempoolRow, OPERATION_FIELDS, operationRow } from "../rows/operations.ts";
import { EXAMPLES } from "../schemas/examples.ts";
import { MempoolRowSchema, OperationRowSchema } from "../schemas/operations.ts";
import {
  addressFilter,
  heightFilter,
  indexParameter,
  mempoolAddressFilter,
  opFilter,
  pageParameters,
  tickFilter,
  txidFilter,
  txidParameter,
  validFilter,
} from "../schemas/parameters.ts";
import { err, ok } from "../../primitives/result.ts";

const oplist = readRoute({
  name: "oplist",
  path: "/api/v1/prc20/oplist",
  summary: "Recorded operations, newest first",
  params: Type.Object({}),
  query: Type.Object({
    ...pageParameters,
    tick: tickFilter,
    op: opFilter,
    valid: validFilter,
    address: addressFilter,
    height: heightFilter,
  }),
  row: OperationRowSchema,
  example: EXAMPLES.operationRow,
  async read({ queries, rules }, _params, query) {
    const address =
      query.address === undefined ? ok(null) : requestAddress("address", query.address, rules.hrp);
    if (!address.ok) return address;
    const tick = query.tick ?? null;
    const op = query.op ?? null;
    const valid = query.valid ?? null;
    const height = query.height ?? null;
    const binding: CursorBinding = {
      list: "operations",
      scope: ["oplist", tick, op, valid, address.value, height === null ? null : String(height)],
    };
    const page = pageRequest(query, binding);
    if (!page.ok) return page;
    const filter = {
      ...(tick === null ? {} : { tick }),
      ...(op === null ? {} : { op }),
      ...(valid === null ? {} : { valid: valid === "1" }),
      ...(address.value === null ? {} : { address: address.value }),
      ...(height === null ? {} : { height }),
    };
    const { state, value } = await queries.operationsText(filter, page.value, OPERATION_FIELDS);
    return ok({ state, rows: value.rows, ...pageLinks(value, binding) });
  },
});

const operationsOf = readRoute({
  name: "operationsOfTransaction",
  path: "/api/v1/prc20/op/{txid}",
  summary: "All operations of a transaction, by input",
  params: Type.Object({ txid: txidParameter }),
  query: Type.Object({}),
  row: OperationRowSchema,
  example: EXAMPLES.operationRow,
  async read({ queries }, params, _query, askers) {
    const whole = await operationsInSteps(queries, params.txid, askers);
    return whole === null ? err(ALL_HAVE_LEFT) : ok(whole);
  },
});

/** Operations of a transaction that are read and written at once: of ten thousand each step lets others go on (H-11). */
const OPERATIONS_PER_STEP = 256;
/** How often the steps are begun anew because a block came between two of them; then there is one step. */
const MOST_ATTEMPTS = 4;

/** What nobody is told. */
const ALL_HAVE_LEFT = new Refusal("SERVICE_UNAVAILABLE", "Whoever asked for this has left.");

/** The line of the long answers that this thread makes. */
const longAnswers = new FairTurns();

/**
 * All operations of a transaction as of one state. Those that take several steps are made one after the other: side by side
 * they would all lie in memory half made, and none would be done before the others (H-11). Null where nobody waits any more.
 */
async function operationsInSteps(
  queries: ReadDependencies["queries"],
  txid: Txid,
  askers: Askers | undefined,
): Promise<WholeTransaction | null> {
  const short = await operationsOfOneState(queries, txid, OPERATIONS_PER_STEP, 1);
  if (short !== null) return short;
  const make = () => longTransaction(queries, txid);
  return askers === undefined ? make() : longAnswers.run(askers, make);
}

/** The same of a transaction that takes several steps. */
async function longTransaction(queries: ReadDependencies["queries"], txid: Txid): Promise<WholeTransaction> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const whole = await operationsOfOneState(queries, txid, OPERATIONS_PER_STEP);
    if (whole !== null) return whole;
  }
  const whole = await operationsOfOneState(queries, txid, Number.MAX_SAFE_INTEGER);
  if (whole === null) throw new Error(`one step over the operations of ${txid} saw two states`);
  return whole;
}

/** The rows as text, and the state that they are of. */
interface WholeTransaction {
  readonly state: TipState;
  readonly rows: PaddedText;
}

/** Reads `limit` operations at a time; null where the state changed between two steps, or `mostSteps` are not enough. */
async function operationsOfOneState(
  queries: ReadDependencies["queries"],
  txid: Txid,
  limit: number,
  mostSteps = Number.POSITIVE_INFINITY,
): Promise<WholeTransaction | null> {
  const texts: Buffer[] = [];
  let begun: TipState | null = null;
  for (let [after, step] = [-1, 0]; step < mostSteps; step += 1, await everybodyElse()) {
    const { state, value } = await queries.operationsOf(txid, null, { after, limit });
    begun ??= state;
    if (state.hash !== begun.hash || state.height !== begun.height) return null;
    const rows = value.map((row) => JSON.stringify(operationRow(row, state.height)));
    if (rows.length > 0) texts.push(Buffer.from(`${texts.length === 0 ? "" : ","}${rows.join(",")}`));
    const last = value.at(-1);
    if (last === undefined || value.length < limit) return { state, rows: wholeText(texts) };
    after = last.operation.place;
  }
  return null;
}

function wholeText(texts: readonly Buffer[]): PaddedText {
  const buffer = Buffer.concat(texts);
  return { buffer, from: 0, to: buffer.length };
}

/** Lets everybody else have a turn. */
function everybodyElse(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const operation = readRoute({
  name: "operation",
  path: "/api/v1/prc20/op/{txid}/{vout}",
  summary: "The operation of one input",
  params: Type.Object({ txid: txidParameter, vout: indexParameter }),
  query: Type.Object({}),
  row: OperationRowSchema,
  example: EXAMPLES.operationRow,
  async read({ queries }, params) {
    const { state, value } = await queries.operationsOf(params.txid, params.vout);
    return ok({ state, rows: value.map((row) => operationRow(row, state.height)) });
  },
});

const mempool = readRoute({
  name: "mempool",
  path: "/api/v1/prc20/mempool",
  summary: "Unconfirmed operations that the node holds, not judged, by transaction id",
  params: Type.Object({}),
  query: Type.Object({
    ...pageParameters,
    tick: tickFilter,
    address: mempoolAddressFilter,
    txid: txidFilter,
  }),
  row: MempoolRowSchema,
  example: EXAMPLES.mempoolRow,
  // It changes without a commit.
  cached: false,
  truncates: true,
  async read(deps, _params, query) {
    const { hrp } = deps.rules;
    const address = query.address === undefined ? ok(null) : requestAddress("address", query.address, hrp);
    if (!address.ok) return address;
    const tick = query.tick ?? null;
    const txid = query.txid ?? null;
    const filter = { txid, tick, address: address.value };
    const binding: CursorBinding = { list: "mempool", scope: ["mempool", txid, tick, address.value] };
    const page = pageRequest(query, binding);
    if (!page.ok) return page;
    const state = await deps.queries.state();
    const { truncated } = deps.mempool.snapshot();
    const value = mempoolPage(deps.mempool.matching(filter), page.value);
    return ok({ state, truncated, rows: value.rows.map(mempoolRow), ...pageLinks(value, binding) });
  },
});

/** A page of the sorted unconfirmed operations. */
function mempoolPage(sorted: readonly MempoolOperation[], page: PageRequest): Page<MempoolOperation> {
  const { limit, start } = page;
  let from = 0;
  let to = limit;
  if (start !== null) {
    const [txid = "", vout = 0] = start.key;
    const isBefore = (row: MempoolOperation) =>
      row.txid < txid || (row.txid === txid && row.vout < Number(vout));
    const at = firstIndex(sorted, (row) => !isBefore(row));
    const here = sorted[at];
    const afterKey = here !== undefined && here.txid === txid && here.vout === vout ? at + 1 : at;
    from = start.direction === "next" ? afterKey : Math.max(0, at - limit);
    to = start.direction === "next" ? afterKey + limit : at;
  }
  const rows = sorted.slice(from, to);
  // Where nothing is left on a page, its cursors stand before or after all ids, which are hex.
  const first = rows[0] ?? { txid: "~", vout: 0 };
  const last = rows.at(-1) ?? { txid: "!", vout: 0 };
  return {
    rows,
    next: to >= sorted.length ? null : [last.txid, last.vout],
    prev: from === 0 ? null : [first.txid, first.vout],
  };
}

/** The operation endpoints. */
export const OPERATION_ROUTES: readonly ReadRoute[] = [oplist, operationsOf, operation, mempool];

// The pages: every address that a person can open. All answer the same document (`page-shell.ts`); what differs is the
// title, and the status, which says whether the thing that the path names exists. The rows are asked for by the script
// in the browser. Where nobody can tell whether a thing exists, the status is 200 and the page says what is wrong.

import type { FastifyInstance } from "fastify";
import { type TObject, Type } from "typebox";
import type { OperationsPart } from "../../index/queries.ts";
import { parseAddress } from "../../primitives/address.ts";
import type { Txid } from "../../primitives/brands.ts";
import { type HttpContext, sendAnswer } from "../context.ts";
import type { HttpDependencies } from "../dependencies.ts";
import { absentPage, presentPage } from "../page-shell.ts";
import { listingIdOf, parameterReader, type ReadValues } from "../parameters.ts";
import { routerPath } from "../read-route.ts";
import {
  blockParameter,
  indexParameter,
  listingIdParameter,
  tickParameter,
  txidParameter,
} from "../schemas/parameters.ts";
import { hashOf, hashParameter } from "./swaps/swap-parameters.ts";
import { transactionHashOf, transactionParameter } from "./swaps/transactions.ts";

/** What tells whether a thing exists. */
type PageDependencies = Pick<HttpDependencies, "queries" | "rules" | "mempool" | "swaps">;

/** Whether there are any is seen by one: a transaction may have ten thousand. */
const FIRST_ONE: OperationsPart = { after: -1, limit: 1 };

/** Pages that are always there: path and title. */
const PLAIN_PAGES: readonly (readonly [path: string, title: string])[] = [
  ["/", "Tokens, markets and swaps of Pearl"],
  ["/tokens", "Tokens"],
  ["/markets", "Markets"],
  ["/operations", "Operations"],
  ["/blocks", "Blocks"],
  ["/mempool", "Mempool"],
  ["/swaps", "Swaps"],
  ["/status", "Status"],
  ["/search", "Search"],
];

/** The page of one thing. */
interface ThingDefinition<Params extends TObject> {
  /** Path with `{placeholders}`. */
  readonly path: string;
  /** What the thing is called where it does not exist. */
  readonly name: string;
  readonly params: Params;
  /** The title of a thing that exists. */
  title(params: ReadValues<Params>): string;
  /** One cheap read. Rejects where it cannot be told. */
  exists(deps: PageDependencies, params: ReadValues<Params>): boolean | Promise<boolean>;
}

/** A definition with its types closed over. */
interface ThingPage {
  readonly path: string;
  readonly name: string;
  /** The title and the test of existence; null for placeholders that name nothing. */
  find(raw: unknown): { readonly title: string; exists(deps: PageDependencies): Promise<boolean> } | null;
}

function thingPage<Params extends TObject>(definition: ThingDefinition<Params>): ThingPage {
  const { path, name, params } = definition;
  const read = parameterReader(params);
  return {
    path,
    name,
    find(raw) {
      const values = read(raw);
      if (!values.ok) return null;
      return {
        title: definition.title(values.value),
        exists: async (deps) => definition.exists(deps, values.value),
      };
    },
  };
}

/** A long id as a title shows it: its two ends. */
function ends(id: string): string {
  return id.length <= 24 ? id : `${id.slice(0, 12)}…${id.slice(-8)}`;
}

const token = thingPage({
  path: "/token/{tick}",
  name: "token",
  params: Type.Object({ tick: tickParameter }),
  title: ({ tick }) => `${tick} token`,
  exists: async ({ queries }, { tick }) => (await queries.token(tick)).value !== null,
});

const listing = thingPage({
  path: "/listing/{id}",
  name: "listing",
  params: Type.Object({ id: listingIdParameter }),
  title: ({ id }) => `Listing ${ends(id)}`,
  exists: async ({ queries }, { id }) => (await queries.listing(listingIdOf(id))).value !== null,
});

const address = thingPage({
  path: "/address/{address}",
  name: "address",
  params: Type.Object({ address: Type.String({ maxLength: 90 }) }),
  title: ({ address: text }) => `Address ${ends(text)}`,
  // Nobody can tell whether somebody has the key: every well-formed address exists.
  exists: ({ rules, swaps }, { address: text }) =>
    parseAddress(text, rules.hrp) !== null ||
    (swaps ? swaps.evmAddress(text) !== null : /^0x[0-9a-fA-F]{40}$/.test(text)),
});

const transaction = thingPage({
  path: "/tx/{txid}",
  name: "transaction",
  params: Type.Object({ txid: transactionParameter }),
  title: ({ txid }) => `Transaction ${ends(txid)}`,
  async exists({ queries, mempool, swaps }, params) {
    const hash = transactionHashOf(params.txid);
    const txid = hash.slice(2) as Txid;
    if (swaps && ((await swaps.knowsTransaction(hash)) || (await swaps.knowsTransaction(txid)))) return true;
    if (mempool.matching({ txid, tick: null, address: null }).length > 0) return true;
    return (await queries.operationsOf(txid, null, FIRST_ONE)).value.length > 0;
  },
});

const operation = thingPage({
  path: "/op/{txid}/{vout}",
  name: "operation",
  params: Type.Object({ txid: txidParameter, vout: indexParameter }),
  title: ({ txid, vout }) => `Operation ${ends(txid)}:${vout}`,
  exists: async ({ queries }, { txid, vout }) => (await queries.operationsOf(txid, vout)).value.length > 0,
});

const block = thingPage({
  path: "/block/{block}",
  name: "block",
  params: Type.Object({ block: blockParameter }),
  title: ({ block: at }) => `Block ${ends(String(at))}`,
  exists: async ({ queries }, { block: at }) => (await queries.block(at)).value !== null,
});

const swap = thingPage({
  path: "/swap/{hash}",
  name: "swap",
  params: Type.Object({ hash: hashParameter("Hash of an order or a take.") }),
  title: ({ hash }) => `Swap ${ends(hashOf(hash))}`,
  // Without a swap service nobody can tell; the page says that.
  exists: async ({ swaps }, { hash }) => !swaps || (await swaps.swap(hashOf(hash))).kind === "answer",
});

const ask = thingPage({
  path: "/ask/{id}",
  name: "ask",
  params: Type.Object({ id: hashParameter("Id of an ask.") }),
  title: ({ id }) => `Ask ${ends(hashOf(id))}`,
  exists: async ({ swaps }, { id }) => !swaps || (await swaps.ask(hashOf(id))).kind === "answer",
});

const THING_PAGES: readonly ThingPage[] = [token, listing, address, transaction, operation, block, swap, ask];

/** Adds the pages. */
export function registerPages(app: FastifyInstance, context: HttpContext): void {
  for (const [path, title] of PLAIN_PAGES) {
    const page = presentPage(title);
    app.get(path, async (request, reply) => sendAnswer(request, reply, page));
  }
  for (const one of THING_PAGES) {
    const { path, name } = one;
    const absent = absentPage(`No such ${name}`);
    app.get(routerPath(path), async (request, reply) => {
      const thing = one.find(request.params);
      if (thing === null) return sendAnswer(request, reply, absent);
      const exists = await thing.exists(context.deps).catch((error: unknown) => {
        context.deps.log.warn(
          { error, request_id: request.id },
          "nobody could tell whether a page's thing exists",
        );
        return true;
      });
      return sendAnswer(request, reply, exists ? presentPage(thing.title) : absent);
    });
  }
}

// Breaks of the HTTP layer: cursors that are bound to their list (H-06), values of rows, what may be filled, the cache.

import { type Break, inFile } from "./break.ts";
import { CLIENT_BREAKS } from "./http-clients.ts";

const cursor = inFile("src/http/cursor.ts", [
  {
    rule: "H-06",
    find: '["cursor/1", direction, binding.list, ...binding.scope, payload]',
    replace: '["cursor/1", binding.list, ...binding.scope, payload]',
    why: "a cursor forwards is one backwards",
  },
  {
    rule: "H-06",
    find: '["cursor/1", direction, binding.list, ...binding.scope, payload]',
    replace: '["cursor/1", direction, binding.list, payload]',
    why: "a cursor fits other filters",
  },
  {
    rule: "H-06",
    find: '["cursor/1", direction, binding.list, ...binding.scope, payload]',
    replace: '["cursor/1", direction, binding.list, ...binding.scope]',
    why: "the key in a cursor can be changed",
  },
  {
    rule: "H-06",
    find: 'if (bytes.toString("base64url") !== cursor) return null;',
    replace: "",
    why: "one cursor has many spellings",
  },
  {
    rule: "H-06",
    find: "if (query.next !== undefined && query.prev !== undefined) {",
    replace: "if (query.next === query.prev && query.next !== undefined) {",
    why: "next and prev together are taken",
  },
  {
    rule: "H-05",
    find: "const LIMIT_MAX = 100;",
    replace: "const LIMIT_MAX = 1000;",
    why: "pages may have 1000 rows",
  },
  {
    rule: "H-05",
    find: "const LIMIT_DEFAULT = 25;",
    replace: "const LIMIT_DEFAULT = 26;",
    why: "a page has 26 rows",
  },
]);

const marketRows = inFile("src/http/rows/market.ts", [
  {
    rule: "P-70",
    find: 'action_required: expired ? "spend_anchor" : null,',
    replace: "action_required: null,",
    why: "an expired listing asks for nothing",
  },
  {
    rule: "P-70",
    find: "close_kind: listing.close?.kind ?? null,",
    replace: "close_kind: lifecycle,",
    why: "an open listing has a close_kind",
  },
  {
    rule: "P-70",
    find: "exp: listing.exp?.toString() ?? null,\n    created_txid",
    replace: 'exp: listing.exp?.toString() ?? "0",\n    created_txid',
    why: "a listing without exp shows 0",
  },
  {
    rule: "H-32",
    find: 'fill_txid: listing.close?.kind === "filled" ? listing.close.txid : null,',
    replace: "fill_txid: listing.close?.txid ?? null,",
    why: "a cancelled listing has a fill_txid",
  },
  {
    rule: "P-66",
    find: "state.height - listing.createdHeight + 1",
    replace: "state.height - listing.createdHeight",
    why: "the quote shows one confirmation too few",
  },
  {
    rule: "H-34",
    find: "if (listing.protocolFeeSat > 0n) {",
    replace: "if (listing.protocolFeeSat >= 0n) {",
    why: "a fee of 0 is an output",
  },
  {
    rule: "P-53",
    find: "return `${listing.signatureHex}83`;",
    replace: "return listing.signatureHex;",
    why: "the published witness has no hash type",
  },
  {
    rule: "H-32",
    find: "buyer: filled ? close.buyer : null,",
    replace: "buyer: listing.owner,",
    why: "the owner is the buyer",
  },
  {
    rule: "H-32",
    find: "refunded_amount: close === null || filled ? null : listing.amount.toString(),",
    replace: "refunded_amount: close === null ? null : listing.amount.toString(),",
    why: "a filled listing was refunded",
  },
]);

const tokenRows = inFile("src/http/rows/tokens.ts", [
  {
    rule: "H-30",
    find: "supply: (token.minted - token.burned).toString(),",
    replace: "supply: token.minted.toString(),",
    why: "burned units are in the supply",
  },
  {
    rule: "H-31",
    find: "share: percentText(total, circulating),",
    replace: "share: percentText(holder.row.balance, circulating),",
    why: "locked units have no share",
  },
  {
    rule: "H-37",
    find: "Math.max(0, state.height - rules.startHeight + 1)",
    replace: "Math.max(0, state.height)",
    why: "the number of blocks starts at height 0",
  },
]);

const decimals = inFile("src/http/rows/decimal.ts", [
  {
    rule: "H-31",
    find: "fixedPoint(whole === 0n ? 0n : (part * 1_000_000n) / whole, 4)",
    replace: "(whole === 0n ? 0 : (Number(part) / Number(whole)) * 100).toFixed(4)",
    why: "percentages pass through floating point and are rounded",
  },
  {
    rule: "H-32",
    find: "return fixedPoint((quotient.priceSat * wholeToken(dec) * 100_000_000n) / quotient.amount, 8);",
    replace:
      "return ((Number(quotient.priceSat) * Number(wholeToken(dec))) / Number(quotient.amount)).toFixed(8);",
    why: "unit prices pass through floating point",
  },
  {
    rule: "H-33",
    find: "return (quotient.priceSat * wholeToken(dec)) / quotient.amount;",
    replace:
      "return BigInt(Math.floor((Number(quotient.priceSat) * Number(wholeToken(dec))) / Number(quotient.amount)));",
    why: "floor prices pass through floating point",
  },
  {
    rule: "H-33",
    find: "return fixedPoint(((now - then) * 1_000_000n) / then, 4);",
    replace: "return fixedPoint(((now - then) * 1_000_000n) / now, 4);",
    why: "the change is relative to now",
  },
]);

const routes = inFile("src/http/routes/market.ts", [
  {
    rule: "P-65",
    find: 'if (value === null || value.lifecycle === "open") return ok(value?.listing ?? null);',
    replace: "if (value === null || value.listing.close === null) return ok(value?.listing ?? null);",
    why: "an expired listing is offered for filling",
  },
  {
    rule: "P-65",
    find: 'if (value === null || value.lifecycle === "open") return ok(value?.listing ?? null);',
    replace: "return ok(value?.listing ?? null);",
    why: "a closed listing is offered for filling",
  },
]);

const values = inFile("src/http/parameters.ts", [
  {
    rule: "H-07",
    find: "return text.toUpperCase() as Tick;",
    replace: "return text as Tick;",
    why: "requests tell tickers apart by letter case",
  },
  {
    rule: "H-07",
    find: "return text.toLowerCase() as Txid;",
    replace: "return text as Txid;",
    why: "a transaction id in upper case is unknown",
  },
]);

const cache: Break[] = [
  ...inFile("src/http/response-cache.ts", [
    {
      rule: "H-09",
      find: "if (generation !== this.#generation || this.#seen === null || size > this.#maxBytes) return;",
      replace: "if (this.#seen === null || size > this.#maxBytes) return;",
      why: "an answer of an older state is kept for the newer one",
    },
    {
      rule: "H-09",
      find: "this.#generation += 1;\n    this.#answers.clear();",
      replace: "this.#generation += 1;",
      why: "answers of the old state are served for ever",
    },
    {
      rule: "H-09",
      find: "this.#seen.hash !== state.hash || this.#seen.height !== state.height",
      replace: "this.#seen.height !== state.height",
      why: "another block at the same height goes unnoticed",
    },
  ]),
  ...inFile("src/http/answer.ts", [
    {
      rule: "H-08",
      find: "if (opaque === answer.tag || opaque ===",
      replace: "if (opaque === undefined || opaque ===",
      why: "a client that has the answer gets it again",
    },
    {
      rule: "H-08",
      find: 'etag: `"${answer.tag}${encoding === "identity" ? "" : `-${encoding}`}"`',
      replace: 'etag: `"${answer.tag}"`',
      why: "two encodings have one tag",
    },
  ]),
];

const keys = inFile("src/app/config/redactor.ts", [
  {
    rule: "S-66",
    find: 'for (const label of hostname.split(".")) keep(label, parts, SHORTEST_PART);',
    replace: "",
    why: "a key in a subdomain is logged where it stands alone",
  },
  {
    rule: "S-66",
    find: "for (const form of formsOf(one)) keep(form, parts, SHORTEST_SECRET);",
    replace: "",
    why: "user and password of a URL are logged",
  },
]);

const documents = [
  ...inFile("src/http/openapi-schemas.ts", [
    {
      rule: "H-50",
      find: "made.items = false;",
      replace: "made.items = value;",
      why: "a tuple's items are a list, as no JSON Schema of today has them",
    },
    {
      rule: "H-50",
      find: "return name === undefined ? this.#written(schema) : { $ref: `#/components/schemas/${name}` };",
      replace: "return name === undefined ? this.#written(schema) : this.#written(schema);",
      why: "named shapes are written out everywhere",
    },
    {
      rule: "H-50",
      find: "const description = descriptionOf(schema) ?? FIELD_WORDS[name];",
      replace: "const description = descriptionOf(schema);",
      why: "fields stand without a word",
    },
  ]),
  ...inFile("src/http/routes/docs.ts", [
    {
      rule: "H-50",
      find: "\"script-src 'self'\",",
      replace: "\"script-src 'self' https:\",",
      why: "the page may load scripts from anywhere",
    },
  ]),
];

const pages = [
  ...inFile("src/http/rows/blocks.ts", [
    {
      rule: "A-113",
      find: "Math.max(0, reorg.oldTip.height - reorg.forkHeight)",
      replace: "Math.max(0, reorg.newTip.height - reorg.forkHeight)",
      why: "a reorganisation is as deep as the new branch is long",
    },
  ]),
  ...inFile("src/http/page-shell.ts", [
    {
      rule: "A-111",
      find: "\"script-src 'self'\",",
      replace: "\"script-src 'self' 'unsafe-inline'\",",
      why: "a script in the document would run",
    },
    {
      rule: "A-111",
      find: '> quality("application", "json")',
      replace: '>= quality("application", "json")',
      why: "a client without a wish gets a page for an unknown path",
    },
    {
      rule: "A-111",
      find: 'MACHINE_ROOTS.includes(path.split("/", 2)[1] ?? "")',
      replace: "MACHINE_ROOTS.includes(path)",
      why: "a browser's script gets a page instead of an error",
    },
    {
      rule: "A-111",
      find: "{ ...page, status: 404,",
      replace: "{ ...page, status: 200,",
      why: "what does not exist is a page like others",
    },
  ]),
  ...inFile("src/http/routes/page.ts", [
    {
      rule: "A-111",
      find: "swaps?.knowsTransaction(txid) === true || ",
      replace: "",
      why: "the transaction of a lock does not exist",
    },
    {
      rule: "A-111",
      find: "!swaps || swaps.swap(",
      replace: "!!swaps && swaps.swap(",
      why: "every swap is unknown where swaps are off",
    },
  ]),
  ...inFile("src/http/routes/assets.ts", [
    {
      rule: "A-111",
      find: "if (missing.length > 0) {",
      replace: "if (missing.length > 3) {",
      why: "a service without its pages starts",
    },
  ]),
];

const requests = [
  ...inFile("src/http/secret-check.ts", [
    {
      rule: "S-66",
      find: "if (authority === undefined) return target;",
      replace: "return target;",
      why: "a target in absolute form is no path",
    },
    {
      rule: "S-66",
      find: "if (service === null || target.length < 64) return false;",
      replace: 'if (service === null || !target.startsWith("/api/v1/swaps")) return false;',
      why: "paths outside the swap group may hold a secret",
    },
    {
      rule: "S-66",
      find: "request.raw.url = WITHHELD;",
      replace: "",
      why: "the target of a refused request is logged",
    },
    {
      rule: "S-66",
      find: "if (size > limit) return null;",
      replace: "",
      why: "a body of any size is searched",
    },
  ]),
  ...inFile("src/http/client-error.ts", [
    {
      rule: "H-03",
      find: 'return target === undefined ? "" : pathOf(originForm(target));',
      replace: 'return "";',
      why: "what the parser refuses is always answered in the envelope",
    },
    {
      rule: "H-10",
      find: '"x-request-id": requestId,',
      replace: "",
      why: "an answer to bytes that are no request has no id",
    },
  ]),
];

/** The HTTP layer. */
export const HTTP_BREAKS: readonly Break[] = [
  ...requests,
  ...documents,
  ...pages,
  ...keys,
  ...cursor,
  ...marketRows,
  ...tokenRows,
  ...decimals,
  ...routes,
  ...values,
  ...cache,
  ...CLIENT_BREAKS,
];

// Breaks of lists, pages and the HTTP of swaps: S-52, S-66, H-06, H-40 to H-47.

import { type Break, inFile } from "./break.ts";

const lists = [
  ...inFile("src/swaps/usecases/lists.ts", [
    {
      rule: "S-52",
      find: "(query.includeAskMatches || !order.isAskMatch) &&",
      replace: "",
      why: "the list of bids shows orders of asks",
    },
    { rule: "H-43", find: ".slice(0, MAX_OF_ADDRESS)", replace: "", why: "more than 100 rows of an address" },
  ]),
  ...inFile("src/swaps/usecases/parties.ts", [
    {
      rule: "H-40",
      find: "if (sellerEvm !== null && parties.sellerEvm !== sellerEvm) return false;",
      replace: "",
      why: "the filter seller_evm does nothing",
    },
    {
      rule: "H-40",
      find: "if (buyerEvm !== null && parties.buyerEvm !== buyerEvm) return false;",
      replace: "",
      why: "the filter buyer_evm does nothing",
    },
    {
      rule: "H-40",
      find: "return keys.has(parties.buyerPearlKey) || keys.has(parties.sellerPearlKey);",
      replace: "return false;",
      why: "keys do not find their address",
    },
    {
      rule: "H-40",
      find: "return keys.has(parties.buyerPearlKey) || keys.has(parties.sellerPearlKey);",
      replace: "return keys.has(parties.buyerPearlKey);",
      why: "a seller's key does not find its address",
    },
    {
      rule: "H-40",
      find: "parties.buyerPearlAddress === pearlAddress || parties",
      replace: "parties",
      why: "a buyer's address finds only what its key fits",
    },
    {
      rule: "H-40",
      find: "sellerEvm: accepted?.seller ?? terms.seller,",
      replace: "sellerEvm: terms.seller,",
      why: "who accepted a bid does not find it",
    },
  ]),
  ...inFile("src/swaps/usecases/lists.ts", [
    {
      rule: "H-06",
      find: "if (isBack) found.reverse();",
      replace: "",
      why: "a previous page is upside down",
    },
    {
      rule: "H-06",
      find: "const isPrev = isBack ? hasMore : start !== null;",
      replace: "const isPrev = isBack ? hasMore : true;",
      why: "the first page has a previous one",
    },
    {
      rule: "H-06",
      find: "next: isNext ? last.key : null",
      replace: "next: isNext ? first.key : null",
      why: "the next page begins behind the first row",
    },
  ]),
  ...inFile("src/swaps/usecases/order-index.ts", [
    {
      rule: "S-55",
      find: "if (timeA !== timeB) return timeA > timeB ? -1 : 1;\n  return hashA",
      replace: "return hashA",
      why: "orders and asks are listed by hash",
    },
    {
      rule: "S-52",
      find: "before?.createdAt === after.createdAt) this.#replace(after);",
      replace: "before?.createdAt === after.createdAt) continue;",
      why: "lists and counts stay with an order's first status",
    },
    {
      rule: "S-55",
      find: "slice(isOfCursor ? at + 1 : at)",
      replace: "slice(at)",
      why: "the row of the cursor stands on both pages",
    },
  ]),
  ...inFile("src/swaps/usecases/taproot-key-index.ts", [
    {
      rule: "S-14",
      find: "this.#known.has(key) && keyFitsAddress(key, address, this.#crypto)",
      replace: "this.#known.has(key)",
      why: "48 equal bits are enough",
    },
    {
      rule: "S-14",
      find: "others === undefined ? key : [others, key].flat()",
      replace: "key",
      why: "a key with the same 48 bits hides the one before it",
    },
    {
      rule: "H-40",
      find: "while (this.#makeOne());",
      replace: "",
      why: "a key that came after the preparation is not found",
    },
    {
      rule: "S-14",
      find: "[program, ...[",
      replace: "[...[",
      why: "a key that is itself the address's program is not found",
    },
  ]),
  ...inFile("src/swaps/usecases/dependencies.ts", [
    {
      rule: "S-32",
      find: "askMinUsdc > minUsdc ?",
      replace: "askMinUsdc < minUsdc ?",
      why: "the smaller minimum counts",
    },
  ]),
  ...inFile("src/swaps/usecases/swap-api.ts", [
    {
      rule: "H-44",
      find: "leastAskUsdc(limits, escrow).toString()",
      replace: "limits.askMinUsdc.toString()",
      why: "the setting's minimum is told though the contract wants more",
    },
  ]),
  ...inFile("src/swaps/usecases/read-fields.ts", [
    {
      rule: "H-46",
      find: "Object.hasOwn(body, name) ? body[name] : undefined",
      replace: "body[name]",
      why: "members that every object inherits are fields",
      equivalent: "no field has such a name",
    },
    {
      rule: "S-06",
      find: "if (isAbsent(given)) {",
      replace: "if (given === undefined) {",
      why: "null is no absent value",
    },
  ]),
];

const http = [
  ...inFile("src/http/routes/swaps/swap-route.ts", [
    {
      rule: "S-66",
      find: "if (Buffer.isBuffer(request.body) && (await service.holdsSecret(request.body))) {",
      replace: "if (false) {",
      why: "a body with a secret is let in",
    },
    {
      rule: "H-46",
      find: 'if (route.method === "POST") delete request.headers["if-none-match"];',
      replace: "",
      why: "a POST is answered by 304",
    },
    {
      rule: "S-62",
      find: "const headers = ERRORS[code].status === 503 ? retryAfter() : {};",
      replace: "const headers = {};",
      why: "a 503 lacks Retry-After",
    },
    {
      rule: "S-62",
      find: "return jsonAnswer(503, body, { ...headers, ...retryAfter() });",
      replace: "return jsonAnswer(200, body, headers);",
      why: "no verdict is answered with 200",
    },
    {
      rule: "S-40",
      find: 'result.kind === "answer" && result.created ? 201 : 200',
      replace: "200",
      why: "what is created is answered with 200",
    },
  ]),
  ...inFile("src/http/routes/swaps/swap-body.ts", [
    {
      rule: "H-46",
      find: "if (!isJson(contentType)) {",
      replace: "if (false) {",
      why: "any content type is read",
    },
    {
      rule: "H-46",
      find: "value === null || Array.isArray(value)",
      replace: "value === null",
      why: "an array is a body",
    },
  ]),
];

/** All of them. */
export const SWAPS_LISTS: readonly Break[] = [...lists, ...http];

// Breaks of HTTP: cursors, rows, what may be filled, the answers that are kept (H-05 to H-09, H-30 to H-37, P-66, P-70), and
// the bounds of one client.

import { type Break, inFile } from "./break.ts";

const cursor = inFile("src/http/cursor.ts", [
  {
    rule: "H-06",
    find: ", direction, binding.",
    replace: ", binding.",
    why: "a cursor forwards is one backwards",
  },
  {
    rule: "H-06",
    find: "...binding.scope, ",
    replace: "",
    why: "a cursor fits other filters",
  },
  {
    rule: "H-06",
    find: "scope, payload",
    replace: "scope",
    why: "the key in a cursor can be changed",
  },

  {
    rule: "H-06",
    find: "!== undefined && query.prev",
    replace: "=== query.prev && query.next",
    why: "next and prev together are taken",
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
    find: 'expired ? "spend_anchor" : ',
    replace: "",
    why: "an expired listing asks for nothing",
  },

  {
    rule: "P-70",
    find: "?? null,\n    created_txid",
    replace: '?? "0",\n    created_txid',
    why: "a listing without exp shows 0",
  },

  {
    rule: "H-32",
    find: "buyer: filled ? close.buyer : null,",
    replace: "buyer: listing.owner,",
    why: "the owner is the buyer",
  },
]);

const tokenRows = inFile("src/http/rows/tokens.ts", [
  {
    rule: "H-31",
    find: "percentText(total,",
    replace: "percentText(holder.row.balance,",
    why: "locked units have no share",
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
    find: "1_000_000n) / then, 4)",
    replace: "1_000_000n) / now, 4)",
    why: "the change is relative to now",
  },
]);

const routes = inFile("src/http/routes/market.ts", [
  {
    rule: "P-65",
    find: 'lifecycle === "open"',
    replace: "listing.close === null",
    why: "an expired listing is offered for filling",
  },
]);

const values = inFile("src/http/parameters.ts", [
  {
    rule: "H-05",
    find: "const LIMIT_MAX = 100;",
    replace: "const LIMIT_MAX = 1000;",
    why: "pages may have 1000 rows",
  },
  {
    rule: "H-07",
    find: ".toUpperCase()",
    replace: "",
    why: "requests tell tickers apart by letter case",
  },
  {
    rule: "H-07",
    find: "String(value).toLowerCase() as Txid",
    replace: "String(value) as Txid",
    why: "a transaction id in upper case is unknown",
  },
]);

const cache: Break[] = [
  ...inFile("src/http/answer.ts", [
    {
      rule: "H-08",
      find: "tagsIn(ifNoneMatch)?.has(tagIn(answer, encoding)) ?? false",
      replace: "false",
      why: "a client that has the answer gets it again",
    },
    {
      rule: "H-08",
      find: "has(tagIn(answer, encoding))",
      replace: "has(answer.tag)",
      why: "a client is told to use bytes in an encoding that it does not hold",
    },
    {
      rule: "H-08",
      find: "if (place === null) return null;",
      replace: "if (place === null) return tags;",
      why: "what is no list of entity tags is answered by 304",
    },
    {
      rule: "H-08",
      find: ": `${answer.tag}-${encoding}`",
      replace: ": answer.tag",
      why: "two encodings have one tag",
    },
  ]),
];

const documents = [
  ...inFile("src/http/routes/docs.ts", [
    {
      rule: "H-50",
      find: "\"script-src 'self'\",",
      replace: "\"script-src 'self' https:\",",
      why: "the page may load scripts from anywhere",
    },
  ]),
  ...inFile("src/http/routes/health.ts", [
    {
      rule: "H-20",
      find: "lag <= syncedLag;",
      replace: "lag < 0;",
      why: "a reader that has come to the tip says that it is behind",
    },
  ]),
];

const pages = [
  ...inFile("src/http/rows/blocks.ts", [
    {
      rule: "A-113",
      find: "reorg.oldTip.height",
      replace: "reorg.newTip.height",
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
      find: "{ ...page, status: 404,",
      replace: "{ ...page, status: 200,",
      why: "what does not exist is a page like others",
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
      find: "request.raw.url = WITHHELD;",
      replace: "",
      why: "the target of a refused request is logged",
    },
  ]),
  ...inFile("src/http/client-error.ts", [
    {
      rule: "H-10",
      find: '"x-request-id": requestId,',
      replace: "",
      why: "an answer to bytes that are no request has no id",
    },
  ]),
];

const clients: Break[] = [
  ...inFile("src/http/read-route.ts", [
    {
      rule: "H-05",
      find: "key: questionKey(definition, params.value, query.value),",
      replace: "key: JSON.stringify([definition.name, rawParams, rawQuery]),",
      why: "unknown parameters pass by the cache",
    },
  ]),
  ...inFile("src/http/client-key.ts", [
    {
      rule: "H-10",
      find: "const CLIENT_GROUPS = 4;",
      replace: "const CLIENT_GROUPS = 8;",
      why: "an IPv6 /64 is as many clients as it has addresses",
    },
    {
      rule: "H-10",
      find: "if (isMapped) return",
      replace: "if (isMapped && family === 4) return",
      why: "all IPv4 clients of a dual-stack socket are one",
    },
  ]),
  ...inFile("src/http/rate-limit.ts", [
    {
      rule: "H-10",
      find: "window, MAX_CLIENTS)",
      replace: "window, MAX_CLIENTS * 1000)",
      why: "the table of clients grows without bound",
    },
  ]),
  ...inFile("src/http/request-checks.ts", [
    {
      rule: "H-10",
      find: "isRead ? reads :",
      replace: "reads ??",
      why: "POST has no limit of its own",
    },
    {
      rule: "H-10",
      find: "(isRead && isHealthPath(",
      replace: "(!isRead && isHealthPath(",
      why: "health is limited",
    },
  ]),
];

const rudeness: Break[] = [
  ...inFile("src/http/events/pieces.ts", [
    {
      rule: "H-11",
      find: "const PLACES_PER_PIECE = 64;",
      replace: "const PLACES_PER_PIECE = 100_000;",
      why: "a block is rendered in one go",
    },
  ]),
  ...inFile("src/http/response-cache.ts", [
    {
      rule: "H-11",
      find: "return known.made;",
      replace: "",
      why: "an answer that many ask for at once is made for each of them",
    },
    {
      rule: "H-09",
      find: "this.#underWay.clear();",
      replace: "",
      why: "who asks after a commit is given what was read before it",
    },
    {
      rule: "H-09",
      find: "      this.#leaveUnderWay();\n    } else",
      replace: "    } else",
      why: "who has seen a commit that is not told yet is given what was read before it",
    },
  ]),
  ...inFile("src/http/answer.ts", [
    {
      rule: "H-11",
      find: "?? compressing.get(encoding);",
      replace: ";",
      why: "an answer that many ask for at once is compressed for each of them",
    },
    {
      rule: "H-11",
      find: "if (room?.enter(body.length) === false) return null;",
      replace: "room?.enter(body.length);",
      why: "any number of long answers wait in memory to be compressed",
    },
  ]),
  ...inFile("src/http/held-answers.ts", [
    {
      rule: "H-11",
      find: " / (this.#uses.get(body) ?? 1)",
      replace: "",
      why: "who is sent one answer many times loses all of them, by which nothing is free",
    },
  ]),
  ...inFile("src/http/askers.ts", [
    {
      rule: "H-11",
      find: "if (last < least)",
      replace: "if (next === null)",
      why: "who asks for many long answers keeps others waiting until all are made",
    },
    {
      rule: "H-11",
      find: "turn.begin(!turn.askers.haveLeft)",
      replace: "turn.begin(true)",
      why: "long answers are made for those who have left",
    },
  ]),
  ...inFile("src/http/events/hub.ts", [
    {
      rule: "H-11",
      find: "const REPLAY_LANES = 4;",
      replace: "const REPLAY_LANES = 40;",
      why: "any number of replays is read at once",
    },
    {
      rule: "H-11",
      find: "const MAX_REPLAYED = 100_000;",
      replace: "const MAX_REPLAYED = 10_000_000;",
      why: "a resume may read any number of events",
    },
    {
      rule: "H-11",
      find: "if (consumer.isInLine) return;",
      replace: "",
      why: "a replay that is taken fast has several turns at once",
    },
    {
      rule: "H-39",
      find: "    await this.#seeUpTo(highest);\n",
      replace: "",
      why: "who opens the stream and then reads is given an answer from before it began",
    },
    {
      rule: "H-09",
      find: "    if (piece !== null) await this.#seeUpTo(piece.lastId);\n",
      replace: "",
      why: "who is told of a block by an event is given an answer from before it",
    },
  ]),
  ...inFile("src/http/routes/events.ts", [
    {
      rule: "H-11",
      find: ">= MOST_OF_CLIENT)",
      replace: ">= this.#most)",
      why: "one client may have all streams",
    },
  ]),
];

/** All of them. */
export const HTTP_BREAKS: readonly Break[] = [
  ...requests,
  ...documents,
  ...pages,
  ...cursor,
  ...marketRows,
  ...tokenRows,
  ...decimals,
  ...routes,
  ...values,
  ...cache,
  ...clients,
  ...rudeness,
];

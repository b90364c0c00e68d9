// Breaks of what one client can do to the others: limits (H-10), connections and event streams (H-11), the cache.

import { type Break, inFile } from "./break.ts";

const clients: Break[] = [
  ...inFile("src/http/response-cache.ts", [
    {
      rule: "H-09",
      find: "if (this.#seen === null && generation === this.#generation) {",
      replace: "if (generation !== this.#generation) return;\n    if (this.#seen === null) {",
      why: "a late answer that shows a newer state than what is kept leaves that standing",
    },
    {
      rule: "H-09",
      find: "if (this.#seen?.height !== height) this.advance();",
      replace: "if (this.#seen !== null && height < this.#seen.height) this.advance();",
      why: "a refusal that shows a newer state leaves older answers standing",
    },
  ]),
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
      find: "this.#windows.delete(client);",
      replace: "",
      why: "a client that is loud all the time is forgotten first",
    },
    {
      rule: "H-10",
      find: "if (this.#windows.size > MAX_CLIENTS) {",
      replace: "if (this.#windows.size > MAX_CLIENTS * 1000) {",
      why: "the table of clients grows without bound",
    },
  ]),
  ...inFile("src/http/server.ts", [
    {
      rule: "H-10",
      find: "const limiter = isRead ? reads : posts;",
      replace: "const limiter = reads ?? posts;",
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
  ...inFile("src/http/one-at-a-time.ts", [
    {
      rule: "H-11",
      find: "this.#open?.request.complete === true || isHeldByParser(this.#socket)",
      replace: "isHeldByParser(this.#socket)",
      why: "all requests of a packet are started at once",
    },
    {
      rule: "H-11",
      find: "if (this.#socket.destroyed || this.#socket.writableEnded) {",
      replace: "if (this.#socket.destroyed && this.#held.length < 0) {",
      why: "what follows the last answer of a connection is still answered",
    },
  ]),
  ...inFile("src/http/connections.ts", [
    {
      rule: "H-11",
      find: "if (!isProxy && ofClient >= this.#perClient) return this.#turnAway(socket);",
      replace: "",
      why: "one client may have all connections",
    },
    {
      rule: "H-11",
      find: "oldest.socket.destroy();",
      replace: "",
      why: "there are more connections than allowed",
    },
    {
      rule: "H-11",
      find: "now - connection.sinceMs >= this.#stallMs",
      replace: "now < connection.sinceMs",
      why: "a connection that takes nothing stays for ever",
    },
  ]),
  ...inFile("src/http/events/pieces.ts", [
    {
      rule: "H-11",
      find: "const PLACES_PER_PIECE = 64;",
      replace: "const PLACES_PER_PIECE = 100_000;",
      why: "a block is rendered in one go",
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
      find: "await new Promise((resolve) => setImmediate(resolve));",
      replace: "",
      why: "a replay gives nobody else a turn",
    },
  ]),
  ...inFile("src/http/routes/events.ts", [
    {
      rule: "H-11",
      find: "if (own >= this.#mostPerClient) {",
      replace: "if (own >= this.#most) {",
      why: "one client may have all streams",
    },
  ]),
];

/** One client among many. */
export const CLIENT_BREAKS: readonly Break[] = [...clients, ...rudeness];

// What clients send: paths, queries, cursors, event ids, bodies, headers, texts that hold secrets.

import { parse } from "node:querystring";
import { clientKey } from "../../../src/http/client-key.ts";
import { type CursorBinding, decodeCursor, encodeCursor } from "../../../src/http/cursor.ts";
import { pathOf } from "../../../src/http/errors.ts";
import { eventIdOf } from "../../../src/http/events/hub.ts";
import { qualitiesIn } from "../../../src/http/answer.ts";
import { prefersHtml } from "../../../src/http/page-shell.ts";
import { READ_ROUTES } from "../../../src/http/routes/reads.ts";
import { bodyObject } from "../../../src/http/routes/swaps/swap-body.ts";
import { originForm } from "../../../src/http/secret-check.ts";
import { KEY_SHAPES, type ListName } from "../../../src/index/pages.ts";
import { swapCrypto } from "../../../src/adapters/system/swap-crypto.ts";
import { parseAddress } from "../../../src/primitives/address.ts";
import * as forms from "../../../src/swap/forms.ts";
import { preimageWindows } from "../../../src/swap/preimage-search.ts";
import { bytesOf, type FuzzTarget, hold, latin1, utf8 } from "../target.ts";

const LISTS = Object.keys(KEY_SHAPES) as ListName[];
const HEX64 = "0123456789abcdef".repeat(4);

const QUERY_WORDS = [
  "tick=",
  "&limit=",
  "&next=",
  "&prev=",
  "&op=",
  "&valid=",
  "&address=",
  "&height=",
  "&state=",
  "&status=",
  "%2C",
  "%",
  "list:",
  HEX64,
  "rprl1p",
];
const BODY_WORDS = [
  "null",
  "true",
  "-1",
  "1e400",
  '"0x',
  HEX64,
  '"115792089237316195423570985008687907853269984665640564039457584007913129639935"',
  '"\\ud800"',
  "9007199254740993",
];

const query: FuzzTarget = {
  name: "query",
  words: QUERY_WORDS,
  what: "placeholders and parameters of every PRC20 endpoint; the first byte chooses it",
  maxBytes: 2048,
  seeds: () =>
    READ_ROUTES.map((route, index) => {
      const example =
        "tick=GOLD&limit=5&valid=1&op=mint&height=7&state=open&interval=1h&next=&prev=&addresses=a,b";
      return Uint8Array.of(
        index,
        ...bytesOf(`tick=GOLD&txid=${HEX64}&vout=0&id=list:${HEX64}:0?${example}&${route.name}`),
      );
    }),
  run(input) {
    const route = READ_ROUTES[(input[0] ?? 0) % READ_ROUTES.length];
    const [params = "", asked = ""] = latin1(input.subarray(1)).split("?", 2);
    const question = route?.ask(parse(params), parse(asked));
    hold(question !== undefined, "there is a route");
    if (question.ok) hold(question.value.key.length > 0, "a question has a key");
    else hold(question.error.message.length > 0, "a refusal has words");
  },
};

const cursor: FuzzTarget = {
  name: "cursor",
  words: ['"', "[", "]", ",", "-1", "9007199254740992", '"a"'],
  what: "cursors of every list: text as it comes, and keys of any shape under a right checksum",
  maxBytes: 512,
  seeds: () =>
    LISTS.map((list, index) => {
      const key = KEY_SHAPES[list].map((kind) => (kind === "int" ? 7 : "ab12"));
      return Uint8Array.of(index, ...bytesOf(JSON.stringify(key)));
    }),
  run(input) {
    const list = LISTS[(input[0] ?? 0) % LISTS.length] ?? "operations";
    const binding: CursorBinding = { list, scope: ["x", null] };
    const text = latin1(input.subarray(1));
    hold(decodeCursor(text, "next", binding) === null, "no text without the checksum is a cursor");
    const key = jsonOf(text);
    if (!Array.isArray(key)) return;
    const signed = encodeCursor(key, "prev", binding);
    hold(decodeCursor(signed, "next", binding) === null, "a cursor of the other direction is none");
    const read = decodeCursor(signed, "prev", binding);
    if (read === null) return;
    hold(read.length === KEY_SHAPES[list].length, "a key has the parts of its list");
    hold(encodeCursor(read, "prev", binding) === signed, "what is read is what was written");
  },
};

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const FORMS: readonly ((value: unknown) => { readonly ok: boolean })[] = [
  (value) => forms.parseEvmAddress(value, swapCrypto.keccak256),
  forms.parseId,
  forms.parseHashlock,
  forms.parseTxid,
  (value) => forms.parsePearlAddress(value, "rprl"),
  forms.parsePearlSat,
  forms.parseUsdc,
  (value) => forms.parseNonce(value, forms.MAX_ASK_NONCE),
  forms.parseFeeBps,
  forms.parseVout,
  (value) => forms.parsePrintable(value),
  forms.parseOrigin,
  forms.parseTime,
];

const body: FuzzTarget = {
  name: "body",
  words: BODY_WORDS,
  what: "bodies of POST requests, and every form of a field read from each of their values",
  maxBytes: 4096,
  seeds: () =>
    [
      {
        usdc_amount: "2000000",
        pearl_amount_sat: 1,
        nonce: "0",
        deadline: 1_800_000_000,
        origin: "wallet/1.0",
      },
      { hashlock: `0x${HEX64}`, seller_evm: `0x${"Ab".repeat(20)}`, pearl_lock_txid: HEX64, vout: 0 },
      { address: "rprl1p", fee_bps: 100, client_id: "a", signature: `0x${"00".repeat(65)}` },
    ].map((value) => bytesOf(JSON.stringify(value))),
  run(input) {
    const text = utf8(input);
    const read = bodyObject(text, "application/json", false);
    if (!read.ok) return;
    for (const value of Object.values(read.value)) {
      for (const form of FORMS) form(value);
      if (typeof value !== "string") continue;
      forms.hexSignature(value, 96);
      forms.schnorrSignature(value);
    }
  },
};

const target: FuzzTarget = {
  name: "target",
  words: ["http://", "://", "q=", ";", ",", "*/*", "::", "ffff:", "%", "rprl1p", "RPRL1P", "text/html"],
  what: "request targets and headers: absolute form, paths, event ids, Accept, Accept-Encoding, X-Forwarded-For, addresses",
  maxBytes: 2048,
  seeds: () =>
    [
      "http://host:80/api/v1/prc20/stats?x=1",
      "/market/quote/list%3Aab",
      "text/html;q=0.9, application/json;q=0.8, */*;q=0",
      "gzip;q=1.0, br;q=0.5, identity;q=0",
      "2001:db8:1:2::7%eth0",
      "::ffff:1.2.3.4",
      "rprl1pqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqsz5gqqq",
    ].map(bytesOf),
  run(input) {
    const text = latin1(input);
    const origin = originForm(text);
    hold(originForm(origin) === origin || origin.includes("://"), "the origin form stays itself");
    pathOf(text);
    prefersHtml(text);
    for (const quality of qualitiesIn(text).values()) hold(Number.isFinite(quality), "a quality is a number");
    const id = eventIdOf(text);
    hold(id === null || (Number.isSafeInteger(id) && id >= 0), "an event id is an exact number");
    hold(clientKey(text).length <= 24, "a client's key is short");
    const address = parseAddress(text, "rprl");
    if (address !== null) hold(parseAddress(address, "rprl") === address, "an address reads as itself");
  },
};

const secrets: FuzzTarget = {
  name: "secrets",
  words: [HEX64, "%61", "\\u0061", "\\", "%", "%25"],
  what: "texts that may hold a preimage: plain, percent-encoded, in JSON escapes",
  maxBytes: 65_536,
  seeds: () =>
    [
      `/api/${HEX64}?x=${HEX64}00`,
      encodeURIComponent(HEX64),
      HEX64.split("")
        .map((digit) => `%${digit.charCodeAt(0).toString(16)}`)
        .join(""),
      `{"s":"${HEX64.split("")
        .map((digit) => `\\u00${digit.charCodeAt(0).toString(16)}`)
        .join("")}"}`,
      HEX64.repeat(80),
    ].map(bytesOf),
  run(input) {
    const windows = preimageWindows(input);
    const ends = [...latin1(input).matchAll(/[0-9a-fA-F]{64,}/g)].map(([run]) =>
      run.slice(-64).toLowerCase(),
    );
    const missing = new Set(ends);
    if (windows !== null) {
      const { bytes, offsets } = windows;
      hold(offsets.length <= input.length / 2 + 64, "at most about half as many windows as bytes");
      for (const offset of offsets) {
        hold(offset + 32 <= bytes.length, "a window lies within the bytes");
        if (missing.size > 0)
          missing.delete(Buffer.from(bytes.buffer, bytes.byteOffset + offset, 32).toString("hex"));
      }
    }
    hold(missing.size === 0, "the last 64 digits of every run are a window");
  },
};

/** Borders to clients. */
export const REQUEST_TARGETS: readonly FuzzTarget[] = [query, cursor, body, target, secrets];

// Bad input to every POST gets a 4xx in the error form, never a 500 and never a wrong success. A secret that is not
// public is refused before anything else is looked at, wherever and however it is written (S-66).

import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { SWAP_ROUTES } from "../../src/http/routes/swaps/index.ts";
import { checksumAddress } from "../../src/swap/forms.ts";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import type { EvmAddress } from "../../src/primitives/brands.ts";
import { fund, party, seededSecret, signAsk, times } from "../../testkit/worlds/swap-stage/parties.ts";
import type { JsonRow } from "../../testkit/rows.ts";
import {
  acceptedBid,
  actionBody,
  bidTerms,
  nowOf,
  originBody,
  payOutputs,
  postAsk,
  postTake,
  SWAPS,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { takeBody } from "../../testkit/builders/party.ts";

interface Post {
  readonly path: string;
  readonly body: JsonRow;
  readonly optional: boolean;
}

let stage: SwapStage;
let posts: readonly Post[] = [];
/** The secret of a live take that nobody has shown. */
let secret = "";

before(async () => {
  stage = await SwapStage.open();
  const [buyer, seller] = [party(stage, 1), party(stage, 2)];
  await payOutputs(stage, seller, 4, 1_000_000_000n);
  await fund(stage, buyer, 100_000_000n);
  await stage.caughtUp();
  const open = await postAsk(stage, seller, { nonce: 1n });
  ({ secret } = await postTake(stage, open.askId, buyer, 1));
  const hash = await acceptedBid(stage, { buyer, seller }, await bidTerms(stage, buyer, 2));
  const next = await signAsk(stage, seller, { nonce: 2n });
  const now = await nowOf(stage);
  const act = (action: "pause" | "resume" | "cancel"): Post => ({
    path: `/asks/${open.askId}/${action}`,
    body: actionBody(stage, seller, open.askId, action, now + 600),
    optional: false,
  });
  const outpoint = { pearl_lock_txid: "ab".repeat(32), pearl_lock_vout: 0 };
  posts = [
    {
      path: "/asks",
      body: { ...next.body, fee_bps: 200, settlement_mode: "x", seller_post_source: "y" },
      optional: false,
    },
    {
      path: `/asks/${open.askId}/take`,
      body: { ...takeBody(buyer, seededSecret(3).hashlock, await times(stage)), nonce: "1" },
      optional: false,
    },
    act("pause"),
    act("resume"),
    act("cancel"),
    { path: `/bids/${hash}/origin`, body: originBody(stage, buyer, hash, "web", "r"), optional: false },
    { path: `/deals/${hash}/accept-lock`, body: outpoint, optional: false },
    { path: `/deals/${hash}/verify-lock`, body: outpoint, optional: true },
    { path: `/verify-lock/${hash}`, body: outpoint, optional: true },
    { path: `/deals/${hash}/verify-refund`, body: { pearl_refund_txid: "ab".repeat(32) }, optional: true },
    { path: `/deals/${hash}/verify-evm-refund`, body: {}, optional: true },
  ];
});

after(() => stage?.close());

interface Sent {
  readonly status: number;
  readonly error: string;
  readonly text: string;
  readonly details: JsonRow;
}

/** Sends bytes as they are, with these headers alone. */
function send(
  method: string,
  path: string,
  body: Buffer | string,
  headers: Record<string, string> = { "content-type": "application/json" },
): Promise<Sent> {
  const bytes = Buffer.from(body);
  const { port } = stage.service;
  return new Promise((resolve, reject) => {
    const length = { "content-length": String(bytes.length) };
    const sent = request(
      { host: "127.0.0.1", port, method, path, headers: { ...length, ...headers }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const parsed: Record<string, unknown> = text === "" ? {} : JSON.parse(text);
          const details = Object(parsed["details"]);
          resolve({ status: response.statusCode ?? 0, error: String(parsed["error"]), text, details });
        });
      },
    );
    sent.on("error", reject);
    sent.end(bytes);
  });
}

const postTo = (path: string, body: Buffer | string, headers?: Record<string, string>): Promise<Sent> =>
  send("POST", SWAPS + path, body, headers);

describe("bodies of every POST", () => {
  test("all POST routes are here", () => {
    const routes = SWAP_ROUTES.filter(({ method }) => method === "POST").map(({ path }) => path);
    const shapes = posts.map(({ path }) => path.replace(/0x[0-9a-f]{64}/, "{}"));
    assert.deepEqual(
      shapes.toSorted(),
      routes.map((path) => path.slice(SWAPS.length).replace(/\{\w+\}/, "{}")).toSorted(),
    );
  });

  test("every field with values of every wrong type", async () => {
    const wrong = [
      true,
      false,
      [],
      {},
      [1],
      { a: 1 },
      -1,
      1.5,
      1e300,
      "",
      " ",
      "x".repeat(5000),
      "\u0000",
      "0x",
      "NaN",
      "-0",
    ];
    const free = new Set(["nonce", "pearl_lock_vout", "fee_bps"]);
    for (const { path, body } of posts) {
      for (const field of Object.keys(body)) {
        for (const value of wrong) {
          const answer = await postTo(path, JSON.stringify({ ...body, [field]: value }));
          const where = `${path} ${field}=${JSON.stringify(value).slice(0, 20)}: ${answer.status} ${answer.text}`;
          // A `ref` may be empty or a blank; so may the texts that are shown as given be a blank.
          const isText =
            ["ref", "settlement_mode", "seller_post_source"].includes(field) && typeof value === "string";
          if (isText && value.length <= 128 && !value.includes("\u0000")) continue;
          assert.ok(answer.status === 400 || answer.status === 401, where);
          if (answer.status === 401 || answer.error === "ASK_SELLER_SIGNATURE_INVALID") continue;
          assert.equal(answer.error, "INVALID_REQUEST", where);
          assert.ok(field in answer.details, where);
        }
        if (free.has(field)) continue;
        const number = await postTo(path, JSON.stringify({ ...body, [field]: 12 }));
        assert.ok(number.status === 400 || number.status === 401, `${path} ${field}: ${number.text}`);
      }
    }
  });

  test("required fields missing, all named at once; null counts as absent", async () => {
    for (const { path, body, optional } of posts) {
      if (optional) continue;
      const none = await postTo(path, "{}");
      const nulls = await postTo(
        path,
        JSON.stringify(Object.fromEntries(Object.keys(body).map((name) => [name, null]))),
      );
      assert.equal(none.status, 400, `${path}: ${none.text}`);
      assert.deepEqual(nulls, none);
      assert.ok(
        Object.values(none.details).every((sentence) => sentence === "is required"),
        none.text,
      );
    }
  });

  test("forms: JSON, media types, lengths, encodings", async () => {
    for (const { path, body, optional } of posts) {
      const text = JSON.stringify({ ...body, unknown: 1 });
      const cases: readonly [Buffer | string, Record<string, string>, number, string][] = [
        ["{", { "content-type": "application/json" }, 400, "INVALID_REQUEST"],
        ["[]", { "content-type": "application/json" }, 400, "INVALID_REQUEST"],
        ['"text"', { "content-type": "application/json" }, 400, "INVALID_REQUEST"],
        ["null", { "content-type": "application/json" }, 400, "INVALID_REQUEST"],
        ["12", { "content-type": "application/json" }, 400, "INVALID_REQUEST"],
        [`${text}x`, { "content-type": "application/json" }, 400, "INVALID_REQUEST"],
        [
          Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
          { "content-type": "application/json" },
          400,
          "INVALID_REQUEST",
        ],
        [
          gzipSync(text),
          { "content-type": "application/json", "content-encoding": "gzip" },
          400,
          "INVALID_REQUEST",
        ],
        ["[".repeat(30_000), { "content-type": "application/json" }, 400, "INVALID_REQUEST"],
        [`{"a":${"[".repeat(30_000)}`, { "content-type": "application/json" }, 400, "INVALID_REQUEST"],
        [text, { "content-type": "text/plain" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
        [text, { "content-type": "application/x-www-form-urlencoded" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
        [text, { "content-type": "nonsense" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
        [text, {}, 415, "UNSUPPORTED_MEDIA_TYPE"],
        [`{"a":"${"x".repeat(1_000_000)}"}`, { "content-type": "application/json" }, 413, "BODY_TOO_LARGE"],
        ["x".repeat(70_000), { "content-type": "text/plain" }, 413, "BODY_TOO_LARGE"],
      ];
      for (const [bytes, headers, status, error] of cases) {
        const answer = await postTo(path, bytes, headers);
        const where = `${path} ${JSON.stringify(headers)} ${bytes.toString().slice(0, 20)}: ${answer.status} ${answer.text.slice(0, 200)}`;
        assert.deepEqual([answer.status, answer.error], [status, error], where);
      }
      for (const headers of [{}, { "content-type": "application/json" }]) {
        const empty = await postTo(path, "", headers);
        assert.equal(empty.status, optional ? 200 : 400, `${path} empty: ${empty.text}`);
      }
      const bare = await postTo(path, "{}", {});
      assert.equal(bare.status, optional ? 200 : 415, `${path} bare {}: ${bare.text}`);
    }
  });

  test("unknown fields, __proto__ and constructor are ignored; of a field given twice the last counts", async () => {
    const verify = posts.find(({ path }) => path.startsWith("/verify-lock/"));
    const { path } = verify ?? { path: "" };
    const many = '{"__proto__":{"pearl_lock_txid":5},"constructor":5,"unknown":[1],"toString":null}';
    assert.equal((await postTo(path, many)).status, 200);
    const twice = `{"pearl_lock_txid":5,"pearl_lock_txid":null}`;
    assert.equal((await postTo(path, twice)).status, 200);
    assert.equal((await postTo(path, `{"pearl_lock_txid":null,"pearl_lock_txid":5}`)).status, 400);
    const one = await postTo(path, '{"pearl_lock_vout":0}');
    assert.deepEqual(Object.keys(one.details), ["pearl_lock_txid"]);
  });

  test("forms of addresses, keys, amounts, times, nonces", async () => {
    const { path, body }: Pick<Post, "path" | "body"> = posts[0] ?? { path: "", body: {} };
    const seller = party(stage, 2);
    const checksummed = checksumAddress(seller.evm as EvmAddress, swapCrypto.keccak256);
    const firstLetter = /[a-f]/i.exec(checksummed.slice(2))?.[0] ?? "";
    const flipped =
      firstLetter === firstLetter.toUpperCase() ? firstLetter.toLowerCase() : firstLetter.toUpperCase();
    const bad: Record<string, readonly unknown[]> = {
      seller_evm: [
        checksummed.replace(firstLetter, flipped),
        seller.evm.slice(2),
        `0X${seller.evm.slice(2)}`,
        `${seller.evm}0`,
        `0x${"0".repeat(40)}`,
      ],
      seller_pearl_pubkey: [
        `04${seller.pub.slice(2)}${seller.pub.slice(2)}`,
        `05${seller.pub.slice(2)}`,
        "00".repeat(32),
        "ff".repeat(32),
        seller.pub.slice(3),
      ],
      seller_pearl_address: [
        seller.evm,
        seller.address.slice(0, -1),
        seller.address.replace("rprl", "prl"),
        ` ${seller.address}`,
      ],
      pearl_amount_sat: ["9999", "2100000000000000001", "01", "+1", "1e5", "100000.0", "0x10", 100_000_000],
      usdc_amount: [(1n << 128n).toString(), "-1", "1_000_000", " 1000000", 5_000_000],
      expiry: [
        499_999_999,
        4_294_967_296,
        1_800_000_000_000,
        "1800000000000",
        -1,
        1_800_000_000.5,
        "1.8e9",
        "+1800000000",
        "01800000000",
      ],
      nonce: [-1, 1.5, 2 ** 53, (2n ** 256n - 1n).toString(), "-1", "01"],
      fee_bps: [501, -1, 200.5, "200"],
    };
    for (const [field, values] of Object.entries(bad)) {
      for (const value of values) {
        const answer = await postTo(path, JSON.stringify({ ...body, [field]: value }));
        const where = `${field}=${String(value)}: ${answer.text}`;
        assert.deepEqual([answer.status, answer.error], [400, "INVALID_REQUEST"], where);
        assert.deepEqual(Object.keys(answer.details), [field], where);
      }
    }
    assert.match(
      (await postTo(path, JSON.stringify({ ...body, expiry: 1_800_000_000_000 }))).text,
      /milliseconds/,
    );
    const good: readonly Record<string, unknown>[] = [
      { seller_evm: checksummed },
      { seller_evm: `0x${seller.evm.slice(2).toUpperCase()}` },
      { seller_pearl_pubkey: `0x03${seller.pub.slice(2)}` },
      { seller_pearl_pubkey: seller.pub.slice(2).toUpperCase() },
      { expiry: String(body["expiry"]) },
      { nonce: 2 },
      { fee_recipient: stage.escrow.feeRecipient },
      { unknown: { deep: [1] } },
    ];
    const ids = new Set<unknown>();
    for (const change of good) {
      const answer = await postTo(path, JSON.stringify({ ...body, ...change }));
      assert.ok(answer.status === 201 || answer.status === 200, `${JSON.stringify(change)}: ${answer.text}`);
      ids.add(Object(JSON.parse(answer.text)).ask_id);
    }
    assert.equal(ids.size, 1, "all of them are the same ask");
  });
});

async function refuse(what: string, answer: Promise<Sent>): Promise<void> {
  const { status, error, text } = await answer;
  assert.deepEqual([status, error], [400, "SECRET_REFUSED"], `${what}: ${status} ${text}`);
  assert.ok(!text.toLowerCase().includes(secret.slice(2, 20)), `${what} echoes`);
}

/** Every character in another way of writing it. */
function spelled(text: string, prefix: string): string {
  return text.replaceAll(/./g, (one) => `${prefix}${one.charCodeAt(0).toString(16)}`);
}

describe("S-66: a secret that is not public", () => {
  test("in bodies, however written, before every other check", async () => {
    const digits = secret.slice(2);
    const escaped = spelled(digits, "\\u00");
    const bodies: readonly [string, Buffer | string][] = [
      ["plain", `{"x":"${secret}"}`],
      ["without 0x", `{"x":"${digits}"}`],
      ["upper case", `{"x":"${digits.toUpperCase()}"}`],
      ["even offset", `{"x":"abcd${digits}ef"}`],
      ["last of an odd run", `{"x":"abc${digits}"}`],
      ["as a name", `{"${digits}":1}`],
      ["escaped", `{"x":"${escaped}"}`],
      ["escaped in what is no JSON", `{"x":"${escaped}`],
      ["escaped at the bottom", `${'{"a":['.repeat(2000)}"${escaped}"`],
      ["percent-encoded form", `x=%30x${spelled(digits, "%")}`],
      ["no JSON", digits],
      ["no UTF-8", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(digits)])],
    ];
    for (const { path } of posts) {
      for (const [name, body] of bodies) await refuse(`${path} ${name}`, postTo(path, body));
    }
    const first = posts[0]?.path ?? "";
    const plain = bodies[0]?.[1] ?? "";
    for (const type of ["text/plain", "nonsense", ""]) {
      await refuse(type, postTo(first, plain, type === "" ? {} : { "content-type": type }));
    }
    await refuse("an id that is none", postTo("/asks/5/take", plain));
    await refuse("unknown path", postTo("/no/such/path", plain));
    await refuse("405", send("PUT", `${SWAPS}/asks`, plain));
    await refuse("405 of a read", send("POST", `${SWAPS}/deals`, plain));
    await refuse("a body of a read", send("GET", `${SWAPS}/deals`, plain));
    await refuse("a broken path", send("POST", `${SWAPS}/deals/%zz/accept-lock`, plain));
    const odd = await postTo(first, `{"x":"a${digits}b"}`);
    assert.notEqual(odd.error, "SECRET_REFUSED", "an odd offset that is not the last is no secret");
  });

  test("in path and query", async () => {
    const digits = secret.slice(2);
    const encoded = spelled(digits, "%");
    for (const target of [
      `/deals/${secret}`,
      `/${secret}`,
      `/deals/${digits}/verify-lock`,
      `/no/such/${digits}/path`,
      `/deals/0x${encoded}`,
      `/deals?x=${digits}`,
      `/deals?${digits}`,
      `/deals?x=%zz&y=${encoded}`,
      `/bids?limit=0&next=${secret.toUpperCase().replace("X", "x")}`,
    ]) {
      for (const method of ["GET", "POST", "DELETE"]) {
        await refuse(`${method} ${target}`, send(method, SWAPS + target, "", {}));
      }
    }
  });

  test("a value that rows show is no secret, whatever hashlock a stranger makes of it", async () => {
    const open = await postAsk(stage, party(stage, 2), { nonce: 9n, pearlSat: 20_000n });
    const hashlock = `0x${Buffer.from(swapCrypto.sha256(Buffer.from(open.askId.slice(2), "hex"))).toString("hex")}`;
    const take = takeBody(party(stage, 4), hashlock, await times(stage));
    const taken = await postTo(`/asks/${open.askId}/take`, JSON.stringify(take));
    assert.equal(taken.status, 201, taken.text);
    assert.equal((await stage.http.get(`${SWAPS}/asks/${open.askId}`)).status, 200);
  });
});

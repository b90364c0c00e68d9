// Every part of every configured URL is a secret: user, password, subdomain, path, query. None of them reaches a log
// line, an error, /health, an answer or the command line's words, whatever the other side says.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { redactedLog } from "../../src/adapters/system/log.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { redactorOf } from "../../src/app/config/redactor.ts";
import { startService } from "../../src/app/main.ts";
import { shownUrl } from "../../src/follow/shown-url.ts";
import { runCli } from "../../src/app/cli.ts";
import { type RpcServer, serveRpc } from "../../testkit/doubles/rpc-server.ts";

const MARK = "hunter2";
const everyPart = (host: string, scheme = "https"): string =>
  `${scheme}://${MARK}user:${MARK}word@${host}/${MARK}path/v2/${MARK}%20key?${MARK}name=${MARK}value&k=${MARK}%2Fq`;
const NAMED = everyPart(`${MARK}label.${MARK}name.invalid`);

let port = 0;
/** Repeats what it was asked, as some gateways do, and refuses it. */
const echo = createServer((request, response) => {
  response.writeHead(404, { "content-type": "text/plain" });
  response.end(
    `Cannot ${request.method} ${request.url} for ${request.headers.authorization ?? "nobody"} (${NAMED})`,
  );
});
before(async () => {
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  ({ port } = echo.address() as AddressInfo);
});
after(() => echo.close());

function silent(text: string, where: string): void {
  const at = text.toLowerCase().indexOf(MARK);
  assert.equal(at, -1, `${where}: …${text.slice(Math.max(0, at - 120), at + 120)}…`);
  assert.ok(!text.includes(Buffer.from(`${MARK}user`).toString("base64").slice(0, 12)), where);
}

describe("the redactor", () => {
  const environment = {
    PEARL_RPC_URL: "http://127.0.0.1:1",
    PEARL_RPC_PASSWORD: `${MARK}pw`,
    EVM_RPC_URLS: `${NAMED},http://127.0.0.1:8545/${MARK}x`,
    PEARL_BALANCE_SOURCE: NAMED,
    PEARL_WITNESS_URLS: `https://${MARK}one.example:44107,https://${MARK}two.example/${MARK}witness`,
    PEARL_WITNESS_USER: "witness",
    PEARL_WITNESS_PASSWORD: "w/itn:ess",
    DATABASE_URL: "sqlite:./data/mainnet.db",
  };
  const redact = redactorOf(new Map(), environment);

  test("words of this program in a provider's URL are no keys, so that sentences and paths stay whole", () => {
    const urls = {
      EVM_RPC_URLS: `https://mainnet.provider.example/internal/${MARK}key?network=mainnet`,
      PEARL_RPC_URL: "https://pearld.strand.internal:44107",
    };
    const [redactUrls, sentence] = [
      redactorOf(new Map(), urls),
      "internal: /opt/strand/data/mainnet.db is not that of pearld; run `strand reindex`",
    ];
    assert.equal(redactUrls(sentence), sentence);
    for (const url of Object.values(urls))
      for (const secret of [url, new URL(url).hostname])
        assert.ok(!redactUrls(`to ${secret} of`).includes(secret), secret);
    silent(redactUrls(`GET /internal/${MARK}key`), "path");
    const login = { PEARL_BALANCE_SOURCE: "https://mainnet:internal@book.example" };
    assert.equal(redactorOf(new Map(), login)("mainnet, internal"), "…, …", "of a login every word is one");
  });

  test("takes every part out, whole or in pieces, and leaves addresses, files and ordinary words", () => {
    const texts = [
      NAMED,
      `getaddrinfo ENOTFOUND ${new URL(NAMED).hostname}`,
      `path /${MARK}path/v2/${MARK}%20key and ${MARK} key`.replace(` and ${MARK} key`, ` and ${MARK}path`),
      `${MARK}user ${MARK}word ${MARK}value ${MARK}/q ${MARK}pw`,
      `Basic ${Buffer.from(`${MARK}user:${MARK}word`).toString("base64")}`,
    ];
    for (const text of texts) silent(redact(text), text);
    const witnesses = `${environment.PEARL_WITNESS_URLS} refuse w/itn:ess of ${MARK}two and ${MARK}witness`;
    silent(redact(witnesses), "witnesses");
    assert.ok(!redact(witnesses).includes("w/itn:ess"), redact(witnesses));
    const login = Buffer.from("witness:w/itn:ess").toString("base64");
    assert.equal(redact(`for Basic ${login}`), "for Basic …");
    const plain = "the node at http://127.0.0.1:8545 answers HTTP 503; see ./data/mainnet.db (v2)";
    assert.equal(redact(plain), plain);
  });

  test("reaches errors, their causes, nested fields and messages of a log", () => {
    const lines: unknown[] = [];
    const line = (fields: Record<string, unknown>, message: string): void =>
      void lines.push({ fields, message });
    const log = redactedLog({ info: line, warn: line, error: line, debug: line }, redact);
    const error = new Error(`no answer of ${NAMED}`, {
      cause: Object.assign(new Error(NAMED), { hostname: NAMED }),
    });
    log.error({ error, urls: [NAMED], deep: { inner: NAMED }, count: 3n, [NAMED]: 1 }, `failed at ${NAMED}`);
    const text = JSON.stringify(lines, (_, value: unknown) =>
      typeof value === "bigint" ? `${value}` : value,
    );
    silent(text, "the log");
    assert.match(text, /no answer of/, "the error's message is told");
  });

  test("a URL's name for messages shows an address only", () => {
    for (const url of [NAMED, everyPart(`${MARK}.example`), everyPart(MARK)])
      silent(shownUrl(new URL(url)), url);
    assert.equal(shownUrl(new URL("http://127.0.0.1:8545/x?y")), "http://127.0.0.1:8545");
  });
});

describe("a service whose every URL is a secret", () => {
  test("logs, /health, metrics, answers and start errors hold nothing of them", async () => {
    const folder = mkdtempSync(join(tmpdir(), "strand-keys-"));
    const local = everyPart(`127.0.0.1:${port}`, "http");
    const read = readConfig({
      flags: new Map(),
      environment: {
        STRAND_NETWORK: "simnet",
        PEARL_RPC_URL: `http://127.0.0.1:${port}/${MARK}path`,
        PEARL_RPC_USER: `${MARK}user`,
        PEARL_RPC_PASSWORD: `${MARK}word`,
        PEARL_WITNESS_URLS: `http://127.0.0.1:${port}/${MARK}witness,http://localhost:${port}/?${MARK}key`,
        PEARL_WITNESS_USER: `${MARK}user`,
        PEARL_WITNESS_PASSWORD: `${MARK}pass`,
        PRC20_FEE_BPS: "0",
        EVM_RPC_URLS: `${local},${NAMED}`,
        EVM_CHAIN_ID: "31337",
        ESCROW_ADDRESS: `0x${"ab".repeat(20)}`,
        ESCROW_FIRST_BLOCK: "1",
        PEARL_BALANCE_SOURCE: local.replace(/\?.*/, ""),
        DATABASE_URL: `sqlite:${join(folder, "index.db")}`,
        PORT: "0",
        METRICS_PORT: "0",
        LOG_LEVEL: "debug",
        PEARL_RPC_ULR: NAMED,
      },
      readFile: () => null,
    });
    assert.ok(read.ok);
    const lines: string[] = [];
    const line = (fields: Record<string, unknown>, message: string): void => {
      lines.push(
        JSON.stringify({ fields, message }, (_, value: unknown) =>
          typeof value === "bigint" ? `${value}` : value,
        ),
      );
    };
    const service = await startService(read.value, {
      log: { info: line, warn: line, error: line, debug: line },
    });
    try {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const base = `http://127.0.0.1:${service.port}`;
      for (const path of [
        "/health",
        "/health/ready",
        "/api/v1/swaps/typed-data",
        "/api/v1/swaps/stats",
        "/openapi.json",
      ]) {
        silent(await (await fetch(base + path)).text(), path);
      }
      const verified = await fetch(`${base}/api/v1/swaps/verify-lock/0x${"cd".repeat(32)}`, {
        method: "POST",
      });
      silent(await verified.text(), "verify-lock");
      silent(await (await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)).text(), "metrics");
    } finally {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    }
    assert.ok(lines.length > 5, "there was something to say");
    for (const one of lines) silent(one, `a log line: ${one}`);
  });

  test("what is wrong with a configuration is said without its values, and help prints none", async () => {
    const wrong = [
      { PEARL_RPC_URL: NAMED },
      { PEARL_RPC_URL: `ftp://${MARK}` },
      { PEARL_RPC_URL: `http://${MARK}.example`, PEARL_RPC_USER: "u", PEARL_RPC_PASSWORD: MARK },
      { EVM_RPC_URLS: `${NAMED},${NAMED}` },
      { EVM_RPC_URLS: `https://ok.example,ws://${MARK}` },
      { PEARL_BALANCE_SOURCE: `${MARK}://x`, EVM_RPC_URLS: NAMED },
      { PEARL_WITNESS_URLS: NAMED },
      { PEARL_WITNESS_URLS: `https://ok.example,ftp://${MARK}` },
      {
        PEARL_WITNESS_URLS: `http://${MARK}.example`,
        PEARL_WITNESS_USER: "u",
        PEARL_WITNESS_PASSWORD: MARK,
      },
      { PEARL_WITNESS_PASSWORD: MARK },
      { DATABASE_URL: `postgres://${MARK}:${MARK}@h` },
    ];
    for (const environment of wrong) {
      const read = readConfig({
        flags: new Map(),
        environment: { PEARL_RPC_URL: "http://127.0.0.1:1", PRC20_FEE_BPS: "0", ...environment },
        readFile: () => null,
      });
      assert.equal(read.ok, false);
      silent(read.ok ? "" : read.error.join("\n"), Object.keys(environment).join());
    }
    const untouched = { ...process.env };
    const written: string[] = [];
    const write = process.stdout.write.bind(process.stdout);
    try {
      Object.assign(process.env, { PEARL_RPC_URL: NAMED, EVM_RPC_URLS: NAMED });
      process.stdout.write = (text) => written.push(String(text)) > 0;
      await runCli(["start", "--help"]);
    } finally {
      process.stdout.write = write;
      process.env = untouched;
    }
    assert.match(written.join(""), /PEARL_RPC_URL/);
    silent(written.join(""), "help");
  });
});

describe("strand deploy-escrow", () => {
  /** An RPC that tells its chain and tries calls, and then repeats what it was asked and with which key, as gateways do. */
  let rpc: RpcServer;
  before(async () => {
    rpc = await serveRpc((request) => {
      const answers: Readonly<Record<string, string>> = { eth_chainId: "0x7a69", eth_call: "0x" };
      if (request.calls.some(({ method }) => method in answers)) {
        request.answer(({ method }) => answers[method] ?? null);
        return;
      }
      const login = request.headers.authorization ?? "no login";
      request.send(403, `${request.path} with ${login} may not do that`, "text/plain");
    });
  });
  after(() => rpc.close());

  test("says nothing of its RPC's URL, whatever the RPC or the library repeats", async () => {
    const address = `0x${"12".repeat(20)}`;
    const at = new URL(rpc.url).host;
    for (const [url, sentence] of [
      [
        `http://${at}/${MARK}path/v2/${MARK}key?${MARK}name=${MARK}value`,
        /did not take the contract.*may not do that/,
      ],
      [everyPart(at, "http"), /./],
      [NAMED, /gives no chain id/],
    ] as const) {
      const words = ["--rpc", url, "--fee-recipient", address, "--from", address, "--dev-usdc"];
      const said: string[] = [];
      const write = process.stderr.write.bind(process.stderr);
      let code = 0;
      try {
        process.stderr.write = (text) => said.push(String(text)) > 0;
        code = await runCli(["deploy-escrow", ...words]);
      } finally {
        process.stderr.write = write;
      }
      assert.equal(code, 1);
      assert.match(said.join(""), sentence);
      silent(said.join(""), "deploy-escrow");
    }
  });
});

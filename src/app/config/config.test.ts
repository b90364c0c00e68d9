// Every setting is read, judged and named as people expect, with all problems at once and no secret in them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OTHER_CERTIFICATE, OWN_CERTIFICATE } from "../../../testkit/test-certificates.ts";
import { redactorOf } from "./redactor.ts";
import { readConfig, type Config } from "./config.ts";
import { flagOf, SETTING_LIST } from "./declaration.ts";

const ADDRESS = "prl1pxgjyem0fec8yhdx7qnhnxqyxxfyfnzw0vtcrzmc9s6k40ygvh5tqd6cty8";

interface Given {
  readonly flags?: Record<string, string>;
  readonly environment?: Record<string, string>;
  readonly files?: Record<string, string>;
}

function read(given: Given): ReturnType<typeof readConfig> {
  return readConfig({
    flags: new Map(Object.entries(given.flags ?? {})),
    environment: given.environment ?? {},
    readFile: (path) => given.files?.[path] ?? null,
  });
}

/** The least configuration that is complete, with something changed. */
function good(environment: Record<string, string> = {}, flags: Record<string, string> = {}): Config {
  const result = read({
    environment: { PEARL_RPC_URL: "http://127.0.0.1:44107", PRC20_FEE_BPS: "0", ...environment },
    flags,
    files: { "/ca.pem": OWN_CERTIFICATE },
  });
  if (!result.ok) throw new Error(result.error.join("\n"));
  return result.value;
}

function problems(
  environment: Record<string, string>,
  flags: Record<string, string> = {},
  files: Record<string, string> = {},
): readonly string[] {
  const result = read({
    environment: { PEARL_RPC_URL: "http://127.0.0.1:1", PRC20_FEE_BPS: "0", ...environment },
    flags,
    files,
  });
  assert.equal(result.ok, false);
  return result.ok ? [] : result.error;
}

const meant = (environment: Record<string, string>): readonly string[] => good(environment).misspelled;

const unused = (environment: Record<string, string>): string => good(environment).unused.join("\n");

/** What is wrong with a CA file of this text. */
function damagedIn(pem: string): string {
  const given = { PEARL_RPC_URL: "https://h.example", PEARL_RPC_CA: "/ca.pem" };
  return problems(given, {}, { "/ca.pem": pem }).join();
}

function fileOf(url: string): unknown {
  const { database } = good({ DATABASE_URL: url });
  return database.engine === "sqlite" ? database.file : null;
}

describe("configuration", () => {
  test("defaults are those of the declaration", () => {
    const config = good();
    assert.equal(config.network.name, "mainnet");
    assert.deepEqual(config.database, { engine: "sqlite", file: "./data/mainnet.db" });
    assert.equal(config.host, "127.0.0.1");
    assert.equal(config.port, 8080);
    assert.equal(config.metricsPort, null);
    assert.equal(config.undoBlocks, 1000);
    assert.equal(config.node.pollMs, 250);
    assert.equal(config.syncedLag, 1);
    assert.equal(config.rules.startHeight, 1);
    assert.equal(config.rateLimit, null);
    assert.equal(config.trustProxy, false);
    assert.equal(config.logLevel, "info");
  });

  test("a flag wins over the environment, and an empty value counts as absent", () => {
    assert.equal(good({ PORT: "9000" }, { "--port": "9001" }).port, 9001);
    assert.equal(good({ PORT: "" }).port, 8080);
    // As `--port "$PORT_OF_THIS_ONE"` with a variable that is not set.
    assert.equal(good({ PORT: "9000" }, { "--port": "" }).port, 9000);
    assert.equal(good({}, { "--port": "" }).port, 8080);
    assert.ok(problems({ PORT: "x" }, { "--port": "" }).some((line) => line.startsWith("PORT ")));
  });

  test("all problems are reported at once, each named as it was given", () => {
    const found = problems(
      { PORT: "x", UNDO_BLOCKS: "0", LOG_LEVEL: "inf", STRAND_NETWORK: "mainet" },
      { "--host": "a b" },
    );
    assert.equal(found.length, 5);
    assert.ok(found.some((line) => line.startsWith("PORT ")));
    assert.ok(found.some((line) => line.startsWith("--host ")));
    assert.ok(found.some((line) => line.includes("did you mean mainnet?")));
    assert.ok(found.some((line) => line.includes("did you mean info?")));
  });

  test("P-01: a fee without an address, a rate above 10000 and a start height of 0 are refused", () => {
    assert.match(problems({ PRC20_FEE_BPS: "100" }).join(), /PRC20_FEE_ADDRESS is missing/);
    assert.match(problems({ PRC20_FEE_BPS: "10001" }).join(), /PRC20_FEE_BPS/);
    assert.match(problems({ PRC20_START_HEIGHT: "0" }).join(), /PRC20_START_HEIGHT/);
  });

  test("P-01: the fee address must be one of the network", () => {
    const wrong = problems({ PRC20_FEE_BPS: "100", PRC20_FEE_ADDRESS: ADDRESS, STRAND_NETWORK: "simnet" });
    assert.match(wrong.join(), /begins with rprl1p/);
  });

  test("secrets never appear in a problem", () => {
    const found = problems({ PEARL_RPC_PASSWORD: "hunter2", PEARL_RPC_URL: "http://u:hunter2@example.org" });
    assert.ok(found.length >= 2);
    assert.ok(!found.join().includes("hunter2"));
  });

  test("a password goes over plain http to local nodes only", () => {
    const secret = { PEARL_RPC_USER: "u", PEARL_RPC_PASSWORD: "p" };
    for (const url of ["http://localhost:1/", "http://10.1.2.3:1/", "http://pearld:1/", "http://[::1]:1/"]) {
      assert.equal(good({ ...secret, PEARL_RPC_URL: url }).node.url, url);
    }
    for (const url of ["http://example.org:1", "http://172.32.0.1:1", "http://[2001:db8::1]:1"]) {
      assert.match(problems({ ...secret, PEARL_RPC_URL: url }).join(), /in clear/);
    }
  });

  test("S-09: further nodes, with credentials of their own or those of the first", () => {
    const first = { PEARL_RPC_URL: "https://one.example:1", PEARL_RPC_USER: "u", PEARL_RPC_PASSWORD: "p" };
    const given = { ...first, PEARL_WITNESS_URLS: "https://two.example:1, http://10.0.0.3:1" };
    assert.deepEqual(good(first).node.witnesses, []);
    assert.deepEqual(
      good(given).node.witnesses.map(({ url, user, password }) => [url, user, password]),
      [
        ["https://two.example:1/", "u", "p"],
        ["http://10.0.0.3:1/", "u", "p"],
      ],
    );
    const own = good({ ...given, PEARL_WITNESS_USER: "v", PEARL_WITNESS_PASSWORD: "q" }).node;
    assert.deepEqual([own.witnesses[0]?.user, own.witnesses[1]?.password, own.user], ["v", "q", "u"]);
    const pinned = good({ ...given, PEARL_RPC_CA: "/ca.pem" }).node.witnesses;
    assert.deepEqual(
      pinned.map(({ tls }) => tls.kind),
      ["ca", "system"],
    );
  });

  test("S-09: a node that is named twice is no second opinion, and no problem repeats a password", () => {
    const of = (urls: string): string =>
      problems({ PEARL_RPC_USER: "u", PEARL_RPC_PASSWORD: "p", PEARL_WITNESS_URLS: urls }).join("\n");
    assert.match(of("http://127.0.0.1:1"), /configured already.*no second opinion/);
    assert.match(of("https://a.example,https://a.example/"), /in place 2.*no second opinion/);
    assert.match(of("https://a.example,,"), /no http: or https: address in place 2/);
    assert.match(of("https://u:hunter2@a.example"), /holds credentials in place 1/);
    assert.ok(!of("https://u:hunter2@a.example").includes("hunter2"));
    assert.match(of("http://a.example"), /in clear/);
    assert.match(problems({ PEARL_WITNESS_USER: "v" }).join(), /PEARL_WITNESS_PASSWORD is missing/);
  });

  test("the CA is a PEM file, and needs https", () => {
    const https = { PEARL_RPC_URL: "https://example.org:44107" };
    assert.deepEqual(good({ ...https, PEARL_RPC_CA: "/ca.pem" }).node.tls.kind, "ca");
    assert.match(problems({ ...https, PEARL_RPC_CA: "/none" }).join(), /cannot be read/);
    assert.match(
      problems({ PEARL_RPC_CA: "/ca.pem" }, {}, { "/ca.pem": OWN_CERTIFICATE }).join(),
      /plain http/,
    );
  });

  test("the CA may be for further nodes alone: one's own is often asked over plain http in its network", () => {
    const urls = { PEARL_RPC_URL: "http://127.0.0.1:44107", PEARL_WITNESS_URLS: "https://two.example:44107" };
    const { node } = good({ ...urls, PEARL_RPC_CA: "/ca.pem" });
    assert.deepEqual([node.tls.kind, node.witnesses[0]?.tls.kind], ["system", "ca"]);
  });

  test("a certificate that is damaged or cut off is named by its place", () => {
    assert.match(
      damagedIn("-----BEGIN CERTIFICATE-----\n"),
      /PEARL_RPC_CA is "\/ca\.pem", whose certificate 1 is damaged/,
    );
    assert.match(
      damagedIn(`${OWN_CERTIFICATE}${OTHER_CERTIFICATE.slice(0, 300)}`),
      /whose certificate 2 is damaged/,
    );
    assert.match(
      damagedIn(`${OWN_CERTIFICATE.replace("MII", "MIJ")}${OTHER_CERTIFICATE}`),
      /whose certificate 1 is damaged/,
    );
    assert.equal(good({ PEARL_RPC_URL: "https://h.example", PEARL_RPC_CA: "/ca.pem" }).node.tls.kind, "ca");
  });

  test("what says nothing beside the other settings is named for a warning", () => {
    assert.equal(unused({}), "");
    assert.match(
      unused({ DATABASE_PRIMARY_URL: "postgres://u:hunter2@h/db" }),
      /^DATABASE_PRIMARY_URL is set .*SQLite/,
    );
    const login = { PEARL_WITNESS_USER: "v", PEARL_WITNESS_PASSWORD: "hunter2" };
    assert.match(unused(login), /^PEARL_WITNESS_USER is set .*PEARL_WITNESS_URLS is not/);
    assert.doesNotMatch(unused({ ...login, DATABASE_PRIMARY_URL: "postgres://u:hunter2@h/db" }), /hunter2/);
    const [replica, primary] = ["postgres://u:p@replica/db", "postgres://u:p@primary/db"];
    const used = {
      DATABASE_URL: replica,
      DATABASE_PRIMARY_URL: primary,
      PEARL_WITNESS_URLS: "https://two.example",
    };
    assert.equal(unused({ ...login, ...used }), "");
  });

  test("databases: sqlite with a file, PostgreSQL with a URL", () => {
    assert.equal(fileOf("sqlite:./x.db"), "./x.db");
    assert.equal(fileOf("sqlite:///var/x.db"), "/var/x.db");
    assert.equal(fileOf("sqlite:/var/x.db"), "/var/x.db");
    for (const url of ["postgres://u:p@h/db", "postgresql://h:5433/db?sslmode=require"])
      assert.deepEqual(good({ DATABASE_URL: url }).database, { engine: "postgresql", url, primaryUrl: url });
    const [replica, primary] = ["postgres://u:p@replica/db", "postgres://u:p@primary/db"];
    assert.deepEqual(good({ DATABASE_URL: replica, DATABASE_PRIMARY_URL: primary }).database, {
      engine: "postgresql",
      url: replica,
      primaryUrl: primary,
    });
    for (const url of ["postgres://u:secret@h", "postgres://u:secret@h:x/db", "postgres:"]) {
      const said = problems({ DATABASE_URL: url }).join();
      assert.match(said, /no whole URL of PostgreSQL/);
      assert.ok(!said.includes("secret"));
    }
    assert.ok(!problems({ DATABASE_URL: "mysql://u:secret@h/db" }).join().includes("secret"));
  });

  test("of a PostgreSQL URL the password is secret in every form, host and database are not", () => {
    const url = "postgres://strand:pass%40word@db.example:5432/prices?sslpassword=kept-away";
    const redact = redactorOf(new Map(), { DATABASE_URL: url });
    for (const secret of [url, "pass%40word", "pass@word", "kept-away"])
      assert.equal(redact(`no ${secret} here`), "no … here");
    const plain = 'connect ECONNREFUSED db.example:5432, database "prices" of strand';
    assert.equal(redact(plain), plain);
  });

  test("an unknown flag is named with the nearest known one", () => {
    assert.match(problems({}, { "--prot": "1" }).join(), /--prot is no flag: did you mean --port\?/);
  });

  test("misspelled variables are named with the setting that was meant, and never their values", () => {
    const typos = {
      PEARL_RPC_ULR: "PEARL_RPC_URL",
      STRAND_NETWROK: "STRAND_NETWORK",
      DATABASE_URI: "DATABASE_URL",
      EVM_RPC_URL: "EVM_RPC_URLS",
      log_level: "LOG_LEVEL",
      METRIC_PORT: "METRICS_PORT",
    };
    for (const [written, setting] of Object.entries(typos)) {
      const environment = { [written]: "hunter2" };
      // With the node's URL set the first one has no setting to be meant for: it begins like ours.
      const [sentence = "", ...rest] = meant(environment);
      assert.ok(sentence.startsWith(`${written} is set in the environment and is no setting`), written);
      if (setting !== "PEARL_RPC_URL") assert.ok(sentence.includes(`did you mean ${setting}?`), sentence);
      assert.ok(!sentence.includes("hunter2"));
      assert.deepEqual(rest, []);
    }
    const missing = problems({ PEARL_RPC_URL: "", PEARL_RPC_ULR: "http://127.0.0.1:1" }).join();
    assert.match(missing, /PEARL_RPC_URL is missing.*PEARL_RPC_ULR is set .* did you mean PEARL_RPC_URL\?/);
    assert.deepEqual(meant({ LOG_LEVEL: "warn", LOG_LEVELS: "x" }), [], "the setting itself is there");
  });

  test("nobody else's variables are called misspelled", () => {
    const others =
      "HOME HOSTNAME HOSTTYPE SHELL PATH PWD OLDPWD USER LOGNAME LANG LC_ALL TERM TERM_PROGRAM COLORTERM LS_COLORS " +
      "SSH_CLIENT SSH_TTY SSH_AUTH_SOCK XDG_RUNTIME_DIR XDG_SESSION_ID DISPLAY EDITOR PAGER SHLVL MAIL TMPDIR TZ " +
      "NODE_ENV NODE_OPTIONS NODE_PATH NPM_CONFIG_CACHE npm_lifecycle_event npm_config_user_agent npm_node_execpath " +
      "npm_package_json npm_execpath INIT_CWD http_proxy https_proxy no_proxy HTTP_PROXY CI GITHUB_ACTIONS DEBUG " +
      "KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT REDIS_URL POSTGRES_URL DATABASE_HOST " +
      "DATABASE_NAME LOG_FILE LOG_FORMAT RATE_LIMIT_WINDOW PROXY_TRUST AWS_REGION EVM_NETWORK RPC_URL ETH_RPC_URL " +
      "INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET LISTEN_PID MEMORY_PRESSURE_WATCH SYSTEMD_EXEC_PID " +
      "STRAND_VERBOSE STRAND_REQUIRE_ALL POST SORT PORTS HOSTS";
    const environment = Object.fromEntries(others.split(" ").map((name) => [name, "x"]));
    assert.deepEqual(good(environment).misspelled, []);
  });

  test("proxies and the rate limit", () => {
    assert.deepEqual(good({ TRUST_PROXY: "10.0.0.0/8, ::1" }).trustProxy, ["10.0.0.0/8", "::1"]);
    assert.equal(good({ RATE_LIMIT: "600" }).rateLimit, 600);
    assert.equal(good({ RATE_LIMIT: "off" }).rateLimit, null);
    assert.equal(good({}).rateLimitPost, 60);
    assert.equal(good({ RATE_LIMIT_POST: "off" }).rateLimitPost, null);
    assert.equal(good({ RATE_LIMIT_POST: "5" }).rateLimitPost, 5);
    assert.equal(good({}).maxConnections, 4096);
    assert.equal(good({ MAX_CONNECTIONS: "100" }).maxConnections, 100);
    assert.match(problems({ MAX_CONNECTIONS: "3" }).join(), /MAX_CONNECTIONS/);
    assert.equal(good({ TRUST_PROXY: "false" }).trustProxy, false);
    assert.equal(good({ TRUST_PROXY: "2" }).trustProxy, 2);
    assert.match(problems({ TRUST_PROXY: "11" }).join(), /from 1 to 10/);
    assert.match(problems({ TRUST_PROXY: "true" }).join(), /every client choose its own address/);
    assert.match(problems({ TRUST_PROXY: "10.0.0.0/33" }).join(), /TRUST_PROXY/);
    for (const all of ["0.0.0.0/0", "::/0", "10.0.0.1, ::ffff:0:0/96", "::ffff:0.0.0.0/0"])
      assert.match(problems({ TRUST_PROXY: all }).join(), /every client choose its own address/, all);
    assert.deepEqual(good({ TRUST_PROXY: "::ffff:10.0.0.0/104" }).trustProxy, ["::ffff:10.0.0.0/104"]);
    assert.match(problems({ RATE_LIMIT: "0" }).join(), /or off/);
  });

  test("flags are the settings' names in lower-kebab form", () => {
    assert.equal(flagOf("PEARL_RPC_URL"), "--pearl-rpc-url");
    assert.equal(new Set(SETTING_LIST.map(({ name }) => flagOf(name))).size, SETTING_LIST.length);
  });
});

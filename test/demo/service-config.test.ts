// The demo's service takes from the environment what the help says, and nothing else.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DEMO_SETTINGS, type Environment } from "../../demo/options.ts";
import { serviceConfig } from "../../demo/service-config.ts";

const config = (environment: Environment) =>
  serviceConfig({
    nodeUrl: "http://127.0.0.1:1",
    rpcUser: "user",
    rpcPassword: "password",
    databaseFile: "demo.db",
    port: 8080,
    environment,
    feeAddress: "rprl1pr2sc7ry30lqvlu5g5a9xkx6a4l8dedqkrwcec5e2azemwxych9dspx0etj",
    feeBps: 100n,
    evm: null,
  });

test("every setting that the demo takes from the environment counts, the demo's own port apart", () => {
  const given = {
    PORT: "9",
    METRICS_PORT: "9100",
    LOG_LEVEL: "warn",
    RATE_LIMIT: "5",
    RATE_LIMIT_POST: "7",
    MAX_CONNECTIONS: "17",
  };
  assert.deepEqual(
    DEMO_SETTINGS.filter((name) => !Object.hasOwn(given, name)),
    [],
  );
  const { port, metricsPort, logLevel, rateLimit, rateLimitPost, maxConnections } = config(given);
  // The demo has read PORT itself, so that a flag may win over it; what it does not name is not looked at.
  assert.deepEqual(
    { port, metricsPort, logLevel, rateLimit, rateLimitPost, maxConnections },
    { port: 8080, metricsPort: 9100, logLevel: "warn", rateLimit: 5, rateLimitPost: 7, maxConnections: 4096 },
  );
  assert.equal(config({ RATE_LIMIT_POST: "off" }).rateLimitPost, null);
});

test("without any, everybody in the story and the reader may post often from one address", () => {
  const { rateLimit, rateLimitPost, logLevel } = config({ RATE_LIMIT_POST: "" });
  assert.deepEqual(
    { rateLimit, rateLimitPost, logLevel },
    { rateLimit: null, rateLimitPost: 1000, logLevel: "error" },
  );
});

// Whatever mode of TLS a database's URL asks for, the driver says nothing of its own about it, and certificates are checked
// unless the URL says that they are not to be.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Client } from "pg";
import { Session } from "./session.ts";
import { withCheckedTls } from "./tls-mode.ts";

const URL_OF = "postgres://strand:pass%40word@127.0.0.1:1/index";

/** What the driver makes of the mode in this URL: "checked" or not, or "plain" without TLS. */
function tlsOf(url: string): string {
  const { ssl } = new Client({ connectionString: withCheckedTls(url) });
  if (typeof ssl !== "object") return ssl ? "checked" : "plain";
  const isChecked =
    Reflect.get(ssl, "rejectUnauthorized") !== false && Reflect.get(ssl, "checkServerIdentity") === undefined;
  return isChecked ? "checked" : "unchecked";
}

test("a connection whose URL says sslmode=require is made without a warning of the driver", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  try {
    for (const mode of ["prefer", "require", "verify-ca", "%72equire"])
      await assert.rejects(Session.open(`${URL_OF}?sslmode=${mode}`, "test"), /PostgreSQL/);
    process.emitWarning("the last one");
    while (warnings.at(-1)?.message !== "the last one") await once(process, "warning");
    assert.deepEqual(
      warnings.map(({ message }) => message),
      ["the last one"],
    );
  } finally {
    process.off("warning", note);
  }
});

test("modes that are taken for verify-full check certificate and name; others are what they say", () => {
  for (const mode of ["prefer", "require", "verify-ca", "verify-full"])
    assert.equal(tlsOf(`${URL_OF}?application_name=x&sslmode=${mode}`), "checked", mode);
  assert.equal(tlsOf(`${URL_OF}?sslmode=no-verify`), "unchecked");
  assert.equal(tlsOf(`${URL_OF}?uselibpqcompat=true&sslmode=require`), "unchecked");
  assert.equal(tlsOf(`${URL_OF}?sslmode=disable`), "plain");
  assert.equal(tlsOf(URL_OF), "plain");
  assert.equal(withCheckedTls("no URL"), "no URL");
});

test("login, host and database stay as they were written", () => {
  const { user, password, host, port, database } = new Client({
    connectionString: withCheckedTls(`${URL_OF}?sslmode=require`),
  });
  assert.deepEqual(
    { user, password, host, port, database },
    {
      user: "strand",
      password: "pass@word",
      host: "127.0.0.1",
      port: 1,
      database: "index",
    },
  );
});

// Keys in RPC URLs stay out of messages, and credentials become a header.

import assert from "node:assert/strict";
import { test } from "node:test";
import { rpcUrlOf } from "./open-evm-chain.ts";

test("keys in path, query, user and password are not in the name", () => {
  for (const text of [
    "https://user:hunter2hunter2@rpc.example/v2/hunter2hunter2",
    "https://rpc.example/arbitrum/hunter2hunter2hunter2/",
    "https://rpc.example/?apikey=hunter2hunter2",
    "https://rpc.example/#hunter2hunter2",
  ]) {
    assert.ok(!rpcUrlOf(text).name.includes("hunter2"), text);
  }
  assert.ok(!rpcUrlOf("https://hunter2hunter2.rpc.example/").name.includes("hunter2"), "nor a subdomain");
  assert.equal(rpcUrlOf("https://rpc.example/arbitrum/hunter2hunter2", 2).name, "https://… (no. 2)");
  assert.equal(rpcUrlOf("http://127.0.0.1:8545/").name, "http://127.0.0.1:8545");
});

test("credentials go into the header and not into the request's URL", () => {
  const { authorization, url } = rpcUrlOf("https://us%40er:p%3Aw@rpc.example/x?k=v");
  assert.equal(authorization, `Basic ${Buffer.from("us@er:p:w").toString("base64")}`);
  assert.equal(url.href, "https://rpc.example/x?k=v");
  assert.equal(rpcUrlOf("https://rpc.example").authorization, null);
});

test("what is no http: or https: URL is refused without repeating it", () => {
  for (const text of ["ws://hunter2", "hunter2", ""]) {
    assert.throws(
      () => rpcUrlOf(text),
      (error: Error) => error instanceof TypeError && !error.message.includes("hunter2"),
    );
  }
});

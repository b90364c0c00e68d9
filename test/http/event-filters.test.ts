// Which events a filter of the stream passes (H-39).

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { blockFrames, passes } from "../../src/http/events/frames.ts";
import { until } from "../../testkit/until.ts";
import { listening, PROTOCOL_RULES } from "./harness.ts";
import * as rows from "./rows.ts";

const CAROL_ADDRESS = rows.FEES_ADDRESS;
const DEAL = `0x${"ab".repeat(32)}`;

test("H-39 a listing concerns its owner, whoever is paid, and whoever received the units", () => {
  const listing = rows.listingRow("b1", 5, {
    seller: CAROL_ADDRESS,
    close: rows.closed("filled", 9, 101),
  });
  const hash = rows.blockHash(101);
  const frames = blockFrames(
    { kind: "block", firstId: 1, lastId: 2, height: 101, hash },
    {
      height: 101,
      hash,
      time: rows.TIP_TIME,
      digest: rows.digestAt(101),
      operationCount: 0,
      nextPlace: null,
      operations: [],
      created: [],
      closed: [{ listing, lifecycle: "filled", dec: "2" }],
    },
    PROTOCOL_RULES,
    1,
  );
  const idsFor = (address: string): number[] =>
    frames.filter((frame) => passes(frame, { tick: null, address, dealHash: null })).map(({ id }) => id);
  for (const party of [rows.ALICE_ADDRESS, CAROL_ADDRESS, rows.BOB_ADDRESS]) {
    assert.deepEqual(idsFor(party), [1, 2], party);
  }
  assert.deepEqual(idsFor("rprl1x"), [1]);
});

async function textOf(context: TestContext, query: string): Promise<string> {
  const { index, port } = await listening({}, context);
  const event = { type: "deal", addresses: [], data: "{}" } as const;
  const events = [
    { ...event, id: 2, dealHash: DEAL },
    { ...event, id: 3, dealHash: `0x${"cd".repeat(32)}` },
    { ...event, id: 4, dealHash: DEAL },
  ];
  index.groups = [
    { kind: "swaps", firstId: 1, lastId: 1, events: [] },
    { kind: "swaps", firstId: 2, lastId: 4, events },
  ];
  const ending = new AbortController();
  context.after(() => ending.abort());
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/events?${query}`, {
    headers: { "last-event-id": "1" },
    signal: ending.signal,
  });
  const told = { text: "" };
  const readOn = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const bytes of answer.body ?? []) told.text += decoder.decode(bytes, { stream: true });
  };
  readOn().catch(() => undefined);
  await until("the last event", () => told.text.includes("id: 4\n"));
  return told.text;
}

test("H-39 a deal's hash is the same in any letter case", async (context) => {
  for (const hash of [DEAL, `0x${"AB".repeat(32)}`]) {
    const ids = [...(await textOf(context, `deal_hash=${hash}`)).matchAll(/^id: (\d+)$/gm)];
    assert.deepEqual(
      ids.map((match) => match[1]),
      ["2", "4"],
    );
  }
});

// Recipes for what else stands in a block: plain payments, and leaves that are almost an operation, in every way of
// P-11 to P-13 not to be one.

import { concat, push } from "../../bytes.ts";
import type { Draft } from "./draft.ts";
import type { Kitchen } from "./kitchen.ts";
import type { Actor } from "./ledger.ts";
import { payload } from "./recipes-token.ts";

/** A payment without any operation. */
export function payment(kitchen: Kitchen): void {
  const draft = kitchen.draft();
  for (let i = kitchen.random.below(3); i >= 0; i -= 1) draft.spend();
  for (let i = kitchen.random.below(3); i >= 0; i -= 1) draft.pay(kitchen.actor().script, 1000n);
  kitchen.add(draft);
}

type NearMiss = (draft: Draft, actor: Actor, kitchen: Kitchen) => void;
const body = (): string => payload("mint", { tick: "NOISE", amt: "1" });
const withEdit =
  (edit: (leaf: Uint8Array) => Uint8Array): NearMiss =>
  (draft, actor) =>
    void draft.reveal(actor, body(), { shape: { edit } });
const withBody =
  (text: string | Uint8Array): NearMiss =>
  (draft, actor) =>
    void draft.reveal(actor, text);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Every near miss. The valid twins of some (annex in place, bodies of exactly 4096 bytes) are here as well. */
const NEAR_MISSES: readonly NearMiss[] = [
  withEdit((leaf) => concat(leaf, [0x51])),
  withEdit((leaf) => concat(leaf, leaf.subarray(33))),
  withEdit((leaf) => leaf.subarray(0, leaf.length - 1)),
  withEdit((leaf) => leaf.subarray(0, leaf.length - 5)),
  withEdit((leaf) => concat([0x61], leaf)),
  withEdit((leaf) => concat([0x21, 0x02], leaf.subarray(1))),
  withEdit((leaf) => leaf.map((byte, i) => (i === 33 ? 0xad : byte))),
  withEdit((leaf) => leaf.map((byte, i) => (i === 34 ? 0x51 : byte))),
  withEdit((leaf) => leaf.map((byte, i) => (i === 35 ? 0x64 : byte))),
  withEdit((leaf) => concat(leaf.subarray(0, leaf.length - 1), [0x51, 0x68])),
  withEdit((leaf) => concat([0x4c], leaf)),
  withEdit((leaf) => concat(leaf.subarray(0, leaf.length - 1), [0x4c])),
  withEdit(() =>
    concat(
      push(new Uint8Array(32)),
      [0xac, 0, 0x63],
      push(utf8("prc-20")),
      push(utf8("application/json")),
      [0, 0x68],
    ),
  ),
  (draft, actor) => void draft.reveal(actor, body(), { shape: { marker: "prl-20" } }),
  (draft, actor) => void draft.reveal(actor, body(), { shape: { contentType: "text/plain" } }),
  (draft, actor, kitchen) =>
    void draft.reveal(actor, body(), { control: concat([0xc2], kitchen.random.bytes(32)) }),
  (draft, actor, kitchen) =>
    void draft.reveal(actor, body(), { control: concat([0xc0], kitchen.random.bytes(33)) }),
  (draft, actor, kitchen) =>
    void draft.reveal(actor, body(), { control: concat([0xc0], kitchen.random.bytes(31)) }),
  (draft, actor, kitchen) =>
    void draft.reveal(actor, body(), { control: concat([0xc1], kitchen.random.bytes(32 + 32 * 128)) }),
  (draft, actor, kitchen) =>
    void draft.reveal(actor, body(), { control: concat([0xc1], kitchen.random.bytes(32 + 32 * 129)) }),
  (draft, actor) => void draft.reveal(actor, body(), { tail: [utf8("Pannex")] }),
  (draft, actor) => void draft.reveal(actor, body(), { tail: [utf8("Pone"), utf8("Ptwo")] }),
  (draft, actor) => void draft.reveal(actor, body(), { tail: [utf8("Annex")] }),
  withBody(utf8("{")),
  withBody("{}"),
  withBody("[]"),
  withBody('"p"'),
  withBody("null"),
  withBody(`\uFEFF${payload("mint", { tick: "NOISE" })}`),
  withBody(concat(utf8('{"p":"prc-20","op":"mint","x":"'), [0xff], utf8('"}'))),
  withBody(concat(utf8('{"p":"prc-20","op":"mint","x":"'), [0xed, 0xa0, 0x80], utf8('"}'))),
  withBody('{"op":"mint","tick":"NOISE"}'),
  withBody('{"p":"PRC-20","op":"mint"}'),
  withBody('{"p":["prc-20"],"op":"mint"}'),
  withBody('{"p":"prc-20"}'),
  withBody('{"p":"prc-20","op":""}'),
  withBody('{"p":"prc-20","op":"mint me"}'),
  withBody('{"p":"prc-20","op":"seventeen-letters"}'),
  withBody('{"p":"prc-20","op":5}'),
  withBody('{"p":"prc-20","op":"mint","op":"burn","tick":"NOISE","amt":"1"}'),
  withBody('{"__proto__":{"p":"prc-20","op":"mint"}}'),
  withBody('{"p":"prc-20","op":"mint","__proto__":{"tick":"NOISE"}}'),
  withBody(`{"p":"prc-20","op":"mint","deep":${"[".repeat(1500)}${"]".repeat(1500)}}`),
  withBody('{"p":"prc-20","op":"m\\u0069nt","tick":"\\u004eOISE\\uFEFF"}'),
  withBody('{"p":"prc-20","op":"transfer","tick":"NOISE","amt":"1","to":"\\ud800"}'),
  withBody(padded(4096)),
  withBody(padded(4097)),
];

function padded(size: number): string {
  const head = '{"p":"prc-20","op":"burn","tick":"NOISE","amt":"1","x":"';
  return `${head}${"y".repeat(size - head.length - 2)}"}`;
}

/** One near miss, all of them in turn. */
export function nearMiss(kitchen: Kitchen): void {
  const draft = kitchen.draft();
  const actor = kitchen.actor();
  NEAR_MISSES[kitchen.turn("near") % NEAR_MISSES.length]?.(draft, actor, kitchen);
  draft.pay(actor.script, 600n);
  kitchen.add(draft);
}

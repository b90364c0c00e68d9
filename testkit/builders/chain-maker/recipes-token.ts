// Recipes for the token operations of a generated chain: good deploys, mints, transfers and burns, and one for each way
// to be invalid.

import type { LeafShape } from "./draft.ts";
import type { Kitchen } from "./kitchen.ts";

const MAX = (1n << 128n) - 1n;

/** JSON of an operation; `undefined` fields are left out. */
export function payload(op: string, fields: Record<string, unknown>): string {
  return JSON.stringify({ p: "prc-20", op, ...fields });
}

function single(kitchen: Kitchen, body: string, shape?: LeafShape, actor = kitchen.actor()): void {
  const draft = kitchen.draft();
  if (kitchen.random.oneIn(6)) draft.spend();
  draft.reveal(actor, body, shape === undefined ? {} : { shape });
  draft.pay(actor.script, 900n);
  kitchen.add(draft);
}

function mixCase(kitchen: Kitchen, tick: string): string {
  return Array.from(tick, (letter) => (kitchen.random.oneIn(2) ? letter.toLowerCase() : letter)).join("");
}

function writtenAddress(kitchen: Kitchen, address: string): string {
  return kitchen.random.oneIn(4) ? address.toUpperCase() : address;
}

/** A deploy that should be valid, with every optional field now and then. */
export function deploy(kitchen: Kitchen): void {
  const { random, ledger } = kitchen;
  const actor = kitchen.actor();
  const tick = kitchen.freshTick();
  const max = random.oneIn(5) ? MAX : random.amount(MAX) + 1n;
  const lim = random.oneIn(3) ? max : random.amount(max) + 1n;
  const pre = random.oneIn(2) ? 0n : random.amount(max);
  const to = random.oneIn(2) ? actor : kitchen.actor();
  single(
    kitchen,
    payload("deploy", {
      tick: mixCase(kitchen, tick),
      max: max.toString(),
      lim: random.oneIn(3) && lim === max ? undefined : lim.toString(),
      pre: pre === 0n && random.oneIn(2) ? undefined : pre.toString(),
      dec: random.oneIn(2) ? undefined : String(random.below(19)),
      cid: random.oneIn(2) ? undefined : `cid:${random.word()}`,
      to: to === actor ? undefined : writtenAddress(kitchen, to.address),
    }),
    undefined,
    actor,
  );
  ledger.tokens.set(tick, { tick, max, lim, minted: pre });
  ledger.credit(to.address, tick, pre);
}

/** A mint that should be valid; the last one is cut to what is left. */
export function mint(kitchen: Kitchen): void {
  const { random, ledger } = kitchen;
  const tokens = [...ledger.tokens.values()];
  if (tokens.length === 0) return deploy(kitchen);
  const token = random.pick(tokens);
  const amt = random.oneIn(3) ? token.lim : random.amount(token.lim) + 1n;
  const actor = kitchen.actor();
  const to = random.oneIn(3) ? kitchen.actor() : actor;
  single(
    kitchen,
    payload("mint", {
      tick: mixCase(kitchen, token.tick),
      amt: amt === token.lim && random.oneIn(2) ? undefined : amt.toString(),
      to: to === actor && random.oneIn(2) ? undefined : writtenAddress(kitchen, to.address),
    }),
    kitchen.leafShape(),
    actor,
  );
  const credited = amt < token.max - token.minted ? amt : token.max - token.minted;
  token.minted += credited;
  ledger.credit(to.address, token.tick, credited);
}

/** A transfer or burn that should be valid; to oneself now and then. */
export function move(kitchen: Kitchen): void {
  const { random, ledger } = kitchen;
  const owner = ledger.owner(random, kitchen.actors);
  if (owner === null) return mint(kitchen);
  const amt = random.oneIn(4) ? owner.balance : random.amount(owner.balance) + 1n;
  const tick = mixCase(kitchen, owner.tick);
  ledger.credit(owner.actor.address, owner.tick, -amt);
  if (random.oneIn(4)) {
    single(kitchen, payload("burn", { tick, amt: amt.toString() }), undefined, owner.actor);
    return;
  }
  const to = random.oneIn(6) ? owner.actor : kitchen.actor();
  ledger.credit(to.address, owner.tick, amt);
  single(kitchen, payload("transfer", { tick, amt: amt.toString(), to: to.address }), undefined, owner.actor);
}

/** Two or three operations in one transaction, in input order. */
export function several(kitchen: Kitchen): void {
  const { random } = kitchen;
  const draft = kitchen.draft();
  const tick = random.oneIn(4) ? kitchen.freshTick() : kitchen.someTick();
  const actor = kitchen.actor();
  const to = kitchen.actor().address;
  if (random.oneIn(2)) draft.spend();
  draft.reveal(actor, payload("deploy", { tick, max: "1000000", lim: "1000" }));
  draft.reveal(actor, payload("mint", { tick, amt: "700" }));
  if (random.oneIn(2)) draft.reveal(actor, payload("transfer", { tick, amt: "300", to }));
  draft.pay(actor.script, 800n);
  kitchen.add(draft);
}

type Fields = Record<string, unknown>;

/** One payload for each way in which a deploy, mint, transfer or burn is invalid. */
function brokenPayloads(kitchen: Kitchen): readonly string[] {
  const { random } = kitchen;
  const tick = kitchen.someTick();
  const limited = [...kitchen.ledger.tokens.values()].find((token) => token.lim < MAX)?.tick ?? tick;
  const poor = random.amount(1000n) + MAX / 2n;
  const address = kitchen.actor().address;
  const bad = badAddress(kitchen, address);
  const fresh: Fields = { tick: kitchen.freshTick(), max: "1000" };
  const lists: readonly (readonly [string, Fields])[] = [
    ["deploy", { ...fresh, tick: random.pick(["", "A-B", "TOOLONGTICKER1234", "é", "A B"]) }],
    ["deploy", { max: "10" }],
    ["deploy", { ...fresh, tick: random.pick(["PEARL", "pearl", "Pearl"]) }],
    ["deploy", { ...fresh, max: random.pick(["0", "01", "-1", "1.5", "", (MAX + 1n).toString(), "1e3"]) }],
    ["deploy", { tick: fresh["tick"] }],
    ["deploy", { ...fresh, lim: random.pick(["0", "1001", "x"]) }],
    ["deploy", { ...fresh, pre: random.pick(["1001", "00", " 1"]) }],
    ["deploy", { ...fresh, dec: random.pick(["19", "08", "", "-1"]) }],
    ["deploy", { ...fresh, cid: random.pick(["", "a b", "x".repeat(129), "é"]) }],
    ["deploy", { ...fresh, to: bad }],
    ["deploy", { ...fresh, tick }],
    ["deploy", { ...fresh, dec: 8 }],
    ["deploy", { ...fresh, to: null }],
    ["mint", { tick: "NO SUCH" }],
    ["mint", { tick: "UNKNOWNTICKER" }],
    ["mint", { tick, amt: random.pick(["0", "+1", "1_000"]) }],
    ["mint", { tick: limited, amt: MAX.toString() }],
    ["mint", { tick, amt: "1", to: bad }],
    ["mint", { tick, amt: 5 }],
    ["mint", { tick: [tick] }],
    ["transfer", { tick: "", amt: "1", to: address }],
    ["transfer", { tick: "UNKNOWNTICKER", amt: "1", to: address }],
    ["transfer", { tick, to: address }],
    ["transfer", { tick, amt: "1" }],
    ["transfer", { tick, amt: "1", to: bad }],
    ["transfer", { tick, amt: poor.toString(), to: address }],
    ["transfer", { tick, amt: "1", to: { a: 1 } }],
    ["burn", { tick: "B_AD", amt: "1" }],
    ["burn", { tick: "UNKNOWNTICKER", amt: "1" }],
    ["burn", { tick, amt: "0" }],
    ["burn", { tick, amt: poor.toString() }],
    ["burn", { tick: 5, amt: "1" }],
    [random.pick(["Deploy", "swap", "mint2", "~", "constructor", "__proto__"]), { tick, amt: "1" }],
  ];
  return lists.map(([op, fields]) => payload(op, fields));
}

function badAddress(kitchen: Kitchen, address: string): string {
  const { random } = kitchen;
  const last = address.endsWith("q") ? "p" : "q";
  return random.pick([
    "",
    address.slice(0, -1),
    `${address.slice(0, -1)}${last}`,
    `${address.slice(0, 6)}${address.slice(6).toUpperCase()}`,
    address.replace(/^[a-z]+1p/, (head) => `${head.slice(0, -1)}z`),
    `bc1${address.slice(4)}`,
    ` ${address}`,
  ]);
}

/** A broken operation of the list above, chosen by a running number so that all are reached. */
export function broken(kitchen: Kitchen): void {
  const all = brokenPayloads(kitchen);
  single(kitchen, all[kitchen.turn("broken") % all.length] ?? "", undefined);
}

/** Mints out a small token, then mints once more: MINT_ENDED. */
export function exhausted(kitchen: Kitchen): void {
  const tick = kitchen.freshTick();
  const actor = kitchen.actor();
  const draft = kitchen.draft();
  draft.reveal(actor, payload("deploy", { tick, max: "10", lim: "7" }));
  for (let i = 0; i < 3; i += 1) draft.reveal(actor, payload("mint", { tick }));
  draft.pay(actor.script, 500n);
  kitchen.add(draft);
}

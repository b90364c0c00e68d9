// Turns the schemas that validate requests and shape answers into those of the OpenAPI document: plain JSON Schema
// 2020-12, shapes that occur again as named components, and a description for every field.

import type { TSchema } from "typebox";

/** A JSON object. */
export type Json = Record<string, unknown>;

/** Writes schemas for the document; those with a name are referred to. */
export class SchemaBook {
  readonly #names = new Map<string, string>();
  readonly #components: Record<string, Json> = {};

  /** `named`: the components by name. Of two equal shapes the first one's name counts. */
  constructor(named: Readonly<Record<string, TSchema>>) {
    for (const [name, schema] of Object.entries(named)) {
      const text = JSON.stringify(schema);
      if (!this.#names.has(text)) this.#names.set(text, name);
    }
    for (const [text, name] of this.#names) this.#components[name] = this.#written(plain(JSON.parse(text)));
  }

  /** All named schemas. */
  get components(): Readonly<Record<string, Json>> {
    return this.#components;
  }

  /** A schema as the document shows it. */
  write(schema: TSchema): Json {
    return this.#shown(plain(JSON.parse(JSON.stringify(schema))));
  }

  #shown(schema: Json): Json {
    const name = this.#names.get(JSON.stringify(schema));
    return name === undefined ? this.#written(schema) : { $ref: `#/components/schemas/${name}` };
  }

  #written(schema: Json): Json {
    const made: Json = {};
    for (const [key, value] of Object.entries(schema)) {
      // What only our own reader looks at, and what JSON Schema 2020-12 calls otherwise.
      if (key.startsWith("x-") || key.startsWith("~") || key === "additionalItems") continue;
      if (key === "properties") made[key] = this.#properties(plain(value));
      else if (key === "items" && Array.isArray(value)) {
        made.prefixItems = value.map((one) => this.#shown(plain(one)));
        made.items = false;
      } else if (key === "patternProperties") {
        // Records have text keys of any kind: their values are what there is to say.
        made.additionalProperties = this.#shown(plain(Object.values(plain(value))[0]));
      } else if (Array.isArray(value) && SCHEMA_LISTS.includes(key)) {
        made[key] = value.map((one) => this.#shown(plain(one)));
      } else made[key] = key === "items" || key === "not" ? this.#shown(plain(value)) : value;
    }
    return made;
  }

  #properties(properties: Json): Json {
    const made: Json = {};
    for (const [name, value] of Object.entries(properties)) {
      const schema = plain(value);
      const written = this.#shown(schema);
      const description = descriptionOf(schema) ?? FIELD_WORDS[name];
      made[name] = description === undefined ? written : { ...written, description };
    }
    return made;
  }
}

const SCHEMA_LISTS: readonly string[] = ["anyOf", "allOf", "oneOf"];

/** Its own description, or that of what it is where it is not null. */
function descriptionOf(schema: Json): string | undefined {
  if (typeof schema.description === "string") return schema.description;
  const [first] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  const inner: unknown = first === undefined ? undefined : plain(first).description;
  return typeof inner === "string" ? inner : undefined;
}

function plain(value: unknown): Json {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

/** Description by field name. */
const FIELD_WORDS: Readonly<Record<string, string>> = {
  ok: "True; false in an error.",
  result: "The rows.",
  prev: "Cursor of the previous page.",
  next: "Cursor of the next page.",
  kind: "Which of the two it is.",
  digest: "State digest (P-80).",
  parameters: "What belongs to the consensus of token indexes (P-01).",
  evm: "The EVM side of swaps; null where swaps are off.",
  network: "Name of the PEARL network.",
  version: "Version of this program, or of the signing domain.",
  status: "Where it stands; every row's status is computed from the facts of both chains.",
  p: "Protocol.",
  op: "Operation kind.",
  pay: "What is paid with.",
  price: "Price, satoshis.",
  sighash: "Signature hash type of the seller's signature: SINGLE | ANYONECANPAY.",
  tx_version: "Version that the fill transaction must have.",
  lock_time: "Lock time that the fill transaction must have.",
  anchor_sequence: "Sequence that the anchor input must have.",
  sequence: "Sequence of the input.",
  payload: "The payload to inscribe, with the buyer in place.",
  payload_template: "The payload to inscribe, with a placeholder for the buyer.",
  inputs:
    "Inputs of the fill, in order: the send's comes right behind its anchor's. Without a valid send there the seller is paid and the buyer has nothing.",
  outputs: "Outputs of the fill, in order.",
  index: "Place in the transaction.",
  role: "What it is for, or who may act.",
  witness: "Witness items, without 0x.",
  close_kind: "How it was closed; null while it is open.",
  lifecycle_state: "Where the listing stands (P-70).",
  action_required: "What the owner should do; null for nothing.",
  block_height: "Null: not in a block.",
  valid: "Null: not judged.",
  reason: "Null: not judged.",
  tx_index: "Null: not in a block.",
  block_hash: "Null: not in a block.",
  time: "Null: not in a block.",
  amount: "Null: not judged.",
  confirmations: "Null: not in a block.",
  bids: "The newest 100 bids of the address; `bids` has all.",
  asks: "The newest 100 asks of the address, unfunded ones included; `asks` has all.",
  deals: "The newest 100 deals of the address, without takes that are not funded; `deals` has all.",
  bids_by_status: "Number of bids by status.",
  asks_by_status: "Number of asks by status.",
  deals_by_status: "Number of deals by status.",
  last_24h: "The same totals of the last 24 hours of EVM block time.",
  domain: "EIP-712 domain.",
  name: "Name.",
  chainId: "Chain id of the EVM chain.",
  chain_id: "Chain id of the EVM chain.",
  types: "EIP-712 types by name.",
  type: "Type of the field, as EIP-712 writes it.",
  escrow: "The escrow contract.",
  abi: "ABI of the contract.",
  limits: "Limits in force.",
  profiles: "Margins of large and of small deals (S-03).",
  profile: "The margins of this deal (S-03).",
  pearl_lock_outputs: "Outputs that pay the lock script, the one that counts first (S-15).",
  spend_path: "By which leaf it was spent; null while it is unspent, or spent otherwise.",
  pearl_release_verified:
    "Whether the release of the PEARL is proved to the seller; null before there is one.",
  pearl_release_verify_error: "Why it is not; null where it is.",
  terms_error: "Why the terms cannot be acted on; null where they can (S-50).",
  evm_leg: "The USDC side.",
  pearl_leg: "The PEARL side.",
  state: "How far this side is.",
  final: "Whether it cannot be undone any more.",
  next_actions:
    "What each side may or must do, in the order of S-54, each only from its `not_before` on and up to its `not_after`: a row knows no present time, and shows those whose window has not come or is over, too.",
  action: "What is to be done.",
  deadlines: "Times that decide.",
  pearl: "The PEARL side.",
  origin: "Where the buyer made the bid, as he says (S-64).",
  ref: "The buyer's own reference (S-64).",
  seller_evm_signature: "The seller's EIP-712 signature over the ask.",
  settlement_mode:
    "As posted first, or by the owner of the PEARL key with his proof (A-163); shown, never judged.",
  seller_post_source:
    "As posted first, or by the owner of the PEARL key with his proof (A-163); shown, never judged.",
  funded: "Whether the seller's PEARL address holds what its asks need, at the last check (S-34).",
  pearl_key_proven: "Whether the seller has signed with the PEARL key (S-32).",
  binding_on_chain:
    "In the answer to a cancel alone, and always false: the contract still takes the ask until it expires or its nonce is revoked (S-33).",
  lock_call:
    "The contract call that funds this take, in every answer while no order of it is indexed, also when the take is dead: to be sent only while `lock_usdc` stands in `next_actions`. Null of an order, and where the ask was not posted here.",
  function: "Name of the contract's function.",
  terms: "Arguments of the call: the terms, as text.",
  ask: "Arguments of the call: the ask, as text.",
  seller_signature: "Argument of the call: the seller's signature.",
  details: "What was looked at and found.",
};

// Stored facts: how a value becomes the row of its kind, and typed access to the fields of a row that is read back. A
// field that is missing or of another type means a damaged database, so it throws and names the fact.

import type {
  BlockHash,
  Bytes32,
  EvmAddress,
  Outpoint,
  PearlAddress,
  ScriptHex,
  Txid,
} from "../../primitives/brands.ts";
import { isRecord, plainText } from "../../primitives/plain-json.ts";
import type { LastingKind, ShownKind, StoredFact } from "./closed-port.ts";
import type { Chain } from "../../swap/facts.ts";

/** Texts that are remembered at a time. */
const MAX_TEXTS = 50_000;

/** Makes equal texts one: what belongs together is stored together, so a bounded memory finds nearly all. */
export class Interner {
  #texts = new Map<string, string>();

  /** The text, as the one that was seen first. */
  text(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= MAX_TEXTS) this.#texts = new Map();
    this.#texts.set(text, text);
    return text;
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

/** The fields of one object of a body. */
export class FactFields {
  readonly #values: JsonObject;
  readonly #fact: StoredFact;
  readonly #interner: Interner;

  private constructor(values: JsonObject, fact: StoredFact, interner: Interner) {
    this.#values = values;
    this.#fact = fact;
    this.#interner = interner;
  }

  /** The fields of a fact's body. @throws where it is no JSON object. */
  static of(fact: StoredFact, interner: Interner): FactFields {
    const values: unknown = JSON.parse(fact.body);
    if (!isRecord(values)) throw wrong(fact, "its body", "an object");
    return new FactFields(values, fact, interner);
  }

  /** The fact's key, which is a transaction id. */
  keyTxid(): Txid {
    if (!/^[0-9a-f]{64}$/.test(this.#fact.key)) throw wrong(this.#fact, "its key", "64 hex digits");
    return this.#interner.text(this.#fact.key) as Txid;
  }

  /** The fact's key, which is 32 bytes. */
  keyBytes32(): Bytes32 {
    if (!/^0x[0-9a-f]{64}$/.test(this.#fact.key)) throw wrong(this.#fact, "its key", "0x and 64 hex digits");
    return this.#interner.text(this.#fact.key) as Bytes32;
  }

  text(name: string): string {
    const value = this.#value(name);
    if (typeof value !== "string") throw wrong(this.#fact, name, "text");
    return this.#interner.text(value);
  }

  int(name: string): number {
    const value = this.#value(name);
    if (typeof value !== "number" || !Number.isSafeInteger(value))
      throw wrong(this.#fact, name, "an integer");
    return value;
  }

  flag(name: string): boolean {
    const value = this.#value(name);
    if (typeof value !== "boolean") throw wrong(this.#fact, name, "true or false");
    return value;
  }

  /** False where the field is absent: facts that were stored before there was one. */
  flagIfAny(name: string): boolean {
    return this.#values[name] !== undefined && this.flag(name);
  }

  big(name: string): bigint {
    const value = this.#value(name);
    if (typeof value !== "string" || !/^(0|[1-9][0-9]*)$/.test(value)) {
      throw wrong(this.#fact, name, "an amount");
    }
    return BigInt(value);
  }

  /** One of some texts. */
  one<Text extends string>(name: string, texts: readonly Text[]): Text {
    const value = this.#value(name);
    const found = texts.find((text) => text === value);
    if (found === undefined) throw wrong(this.#fact, name, `one of ${texts.join(", ")}`);
    return found;
  }

  bytes32(name: string): Bytes32 {
    return this.#matching(name, /^0x[0-9a-f]{64}$/, "0x and 64 hex digits") as Bytes32;
  }

  evmAddress(name: string): EvmAddress {
    return this.#matching(name, /^0x[0-9a-f]{40}$/, "0x and 40 hex digits") as EvmAddress;
  }

  txid(name: string): Txid {
    return this.#matching(name, /^[0-9a-f]{64}$/, "64 hex digits") as Txid;
  }

  blockHash(name: string): BlockHash {
    return this.#matching(name, /^[0-9a-f]{64}$/, "64 hex digits") as BlockHash;
  }

  script(name: string): ScriptHex {
    return this.#matching(name, /^([0-9a-f]{2})*$/, "hex") as ScriptHex;
  }

  outpoint(name: string): Outpoint {
    return this.#outpointOf(this.text(name), name);
  }

  pearlAddress(name: string): PearlAddress {
    return this.text(name) as PearlAddress;
  }

  /** The value by `read`, or null where the field is null. */
  orNull<Value>(name: string, read: (name: string) => Value): Value | null {
    return this.#value(name) === null ? null : read(name);
  }

  /** The object in a field. */
  inner(name: string): FactFields {
    const value = this.#value(name);
    if (!isRecord(value)) throw wrong(this.#fact, name, "an object");
    return new FactFields(value, this.#fact, this.#interner);
  }

  outpoints(name: string): readonly Outpoint[] {
    return this.texts(name).map((text) => this.#outpointOf(text, name));
  }

  /** The value by `read`, or null where the field is absent. */
  ifAny<Value>(name: string, read: (name: string) => Value): Value | null {
    return (this.#values[name] ?? null) === null ? null : read(name);
  }

  texts(name: string): readonly string[] {
    const value = this.#value(name);
    if (!Array.isArray(value)) throw wrong(this.#fact, name, "a list");
    return value.map((one: unknown) => {
      if (typeof one !== "string") throw wrong(this.#fact, name, "a list of texts");
      return this.#interner.text(one);
    });
  }

  #outpointOf(text: string, name: string): Outpoint {
    if (!/^[0-9a-f]{64}:[0-9]{1,10}$/.test(text)) throw wrong(this.#fact, name, "an outpoint");
    return text as Outpoint;
  }

  #matching(name: string, pattern: RegExp, expected: string): string {
    const text = this.text(name);
    if (!pattern.test(text)) throw wrong(this.#fact, name, expected);
    return text;
  }

  #value(name: string): unknown {
    const value = this.#values[name];
    if (value === undefined) throw wrong(this.#fact, name, "there");
    return value;
  }
}

/** How a value of a kind becomes a row, and is read back. */
interface FactDescription<Value> {
  /** Unique within the kind. */
  readonly key: (value: Value) => string;
  /** Throws where a field is missing or damaged. */
  readonly read: (fields: FactFields) => Value;
  /** What of the value is stored; all of it where this is absent. */
  readonly body?: (value: Value) => object;
}

/** The same of what a block shows. */
interface ShownDescription<Value> extends FactDescription<Value> {
  readonly block: (value: Value) => { readonly chain: Chain; readonly height: number };
}

/** A kind with its description: a block is named by each kind that one shows, and by no other. */
type Described<Value> =
  | readonly [name: ShownKind, description: ShownDescription<Value>]
  | readonly [name: LastingKind, description: FactDescription<Value> & { readonly block?: never }];

/** A kind of fact or record. */
export class FactKind<Value> {
  readonly name: ShownKind | LastingKind;
  readonly #description: Described<Value>[1];

  constructor(...[name, description]: Described<Value>) {
    this.name = name;
    this.#description = description;
  }

  /** The value as it is stored. */
  row(value: Value): StoredFact {
    const { key, body, block } = this.#description;
    const { chain, height } = block?.(value) ?? { chain: null, height: null };
    return { kind: this.name, key: key(value), chain, height, body: plainText(body?.(value) ?? value) };
  }

  /** The name of the stored fact with this key. */
  at(key: string): { readonly kind: string; readonly key: string } {
    return { kind: this.name, key };
  }

  /** The value of a row of this kind. @throws where it is damaged. */
  read(fact: StoredFact, interner: Interner): Value {
    return this.#description.read(FactFields.of(fact, interner));
  }
}

function wrong(fact: StoredFact, name: string, expected: string): Error {
  return new Error(`swap ledger: the stored ${fact.kind} ${fact.key} is damaged: ${name} is not ${expected}`);
}

// Makes the people of the demo. Their real keys come from the seed, so the same folder always has the same people.

import { createHash } from "node:crypto";
import { addressOfSigner, bip86Key, type SigningKey } from "../src/wallet/index.ts";

/** Somebody with a key. */
export interface Actor {
  readonly name: string;
  readonly key: SigningKey;
  /** Simnet address of the key. */
  readonly address: string;
}

/** Everybody. */
export interface Cast {
  /** Those who trade; they also take turns at mining. */
  readonly traders: readonly Actor[];
  /** Who receives the protocol's fee. */
  readonly collector: Actor;
  /** Whom the reader plays with a wallet of his own; nobody else uses the key. */
  readonly guest: Actor;
  /** The name behind an address, or the address cut short. */
  nameOf(address: string): string;
  /** A trader by name. @throws RangeError for a name that nobody has. */
  named(name: string): Actor;
}

/** Address prefix of the demo's network. */
export const HRP = "rprl";
const TRADERS = ["Ada", "Ben", "Cleo", "Dan", "Edda", "Finn", "Gita", "Hugo"] as const;
const COLLECTOR = "Otto";
const GUEST = "Guest";

function actor(seed: string, name: string): Actor {
  const secret = createHash("sha256").update(`${seed}/${name}`).digest();
  const key = bip86Key(Uint8Array.from(secret));
  return { name, key, address: addressOfSigner(key, HRP) };
}

/** The people of a seed. */
export function castOf(seed: string): Cast {
  const traders = TRADERS.map((name) => actor(seed, name));
  const collector = actor(seed, COLLECTOR);
  const guest = actor(seed, GUEST);
  const names = new Map([...traders, collector, guest].map(({ address, name }) => [address, name]));
  return {
    traders,
    collector,
    guest,
    nameOf: (address) => names.get(address) ?? `${address.slice(0, 10)}…${address.slice(-4)}`,
    named: (name) => {
      const found = traders.find((trader) => trader.name === name);
      if (found === undefined) throw new RangeError(`nobody is called ${name}`);
      return found;
    },
  };
}

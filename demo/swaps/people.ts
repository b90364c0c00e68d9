// The people who swap are those of the demo, each with an account on the EVM chain beside the PEARL key, a new PEARL
// key for every swap in which they sell, and a secret for every swap in which they buy. All of it is made from the
// story's seed, so a restart forgets nothing.

import { createHash } from "node:crypto";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { bip86Key, type SigningKey } from "../../src/wallet/index.ts";
import type { AnvilAccount } from "../../testkit/doubles/anvil/node.ts";
import type { Actor, Cast } from "../cast.ts";
import type { EvmChain } from "./evm-chain.ts";
import { secretFrom } from "../../testkit/builders/party.ts";

/** Account of the dev node that deploys the contract and owns it. */
export const OWNER_ACCOUNT = 8;
/** Account that the contract's fees go to. */
export const FEE_ACCOUNT = 9;

/** Somebody with keys on both chains. */
export interface Person {
  readonly name: string;
  /** The PEARL wallet. */
  readonly actor: Actor;
  readonly account: AnvilAccount;
  /** Address of the account in lower case. */
  readonly evm: Hex;
}

/** Everybody who swaps. */
export interface People {
  readonly all: readonly Person[];
  /** Whom the reader plays with a wallet of his own: none of the dev node's accounts, so nobody else uses it. */
  readonly guest: { readonly privateKey: Hex; readonly evm: Hex };
  /** A person by name. @throws RangeError for a name that nobody has. */
  named(name: string): Person;
  /** The name behind an EVM address, or the address cut short. */
  nameOf(evm: string): string;
}

/** The cast with their accounts on the chain; the guest's comes from the story's seed. */
export function peopleOf(cast: Cast, chain: EvmChain, seed: string): People {
  const all = cast.traders.map((actor, index): Person => {
    const account = chain.anvil.account(index);
    return { name: actor.name, actor, account, evm: lower(account.address) };
  });
  const privateKey: Hex = `0x${digest(`${seed}/swap/guest`).toString("hex")}`;
  const guest = { privateKey, evm: lower(privateKeyToAccount(privateKey).address) };
  const names = new Map([...all.map(({ evm, name }) => [evm, name] as const), [guest.evm, cast.guest.name]]);
  return {
    all,
    guest,
    named: (name) => {
      const found = all.find((person) => person.name === name);
      if (found === undefined) throw new RangeError(`nobody is called ${name}`);
      return found;
    },
    nameOf: (evm) => names.get(lower(evm)) ?? `${evm.slice(0, 8)}…`,
  };
}

/** The PEARL key of a seller for one swap. */
export function sellerKey(seed: string, story: number): SigningKey {
  return bip86Key(Uint8Array.from(digest(`${seed}/swap/${story}/seller`)));
}

/** A buyer's secret for one swap, and its hashlock; each try of the same story has its own. */
export function secretOf(
  seed: string,
  story: number,
  tries: number,
): { readonly secret: Hex; readonly hashlock: Hex } {
  return secretFrom(`${seed}/swap/${story}/secret/${tries}`);
}

/** An EVM address in lower case. */
export function lower(address: string): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

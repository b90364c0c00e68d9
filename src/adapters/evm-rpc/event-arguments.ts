// Reads the values in the topics and data of a log, named and typed by the ABI's event. viem's own decoder also hashes
// every address for its checksum, which took longer than all other work on a log. All parameters here have a fixed
// size, and a word that its type cannot hold is refused instead of being cut.

import type { AbiEvent, AbiParameter, Hex } from "viem";

/** Topics after the first, and data, lower-case hex. */
export interface LogWords {
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

type Value = Hex | number | bigint | Readonly<Record<string, unknown>>;

const ADDRESS_PADDING = "0".repeat(24);
/** As viem types them, an integer of up to this many bits is a number, a larger one a bigint. */
const NUMBER_BITS = 48;

/**
 * The event's parameters by name, as viem types them, addresses in lower case. The log must have the topics and the
 * length of data of the event. @throws RangeError for a word that its type cannot hold.
 */
export function eventArguments(item: AbiEvent, log: LogWords): Readonly<Record<string, unknown>> {
  const found: Record<string, Value> = {};
  let topic = 0;
  let word = 0;
  const next = (parameter: AbiParameter): Value => {
    if (parameter.type === "tuple" && "components" in parameter) {
      const members: Record<string, Value> = {};
      for (const member of parameter.components) members[member.name ?? ""] = next(member);
      return members;
    }
    const at = 2 + 64 * word;
    word += 1;
    return valueOf(parameter.type, log.data.slice(at, at + 64));
  };
  for (const input of item.inputs) {
    const name = input.name ?? "";
    if (input.indexed === true) {
      found[name] = valueOf(input.type, (log.topics[topic] ?? "").slice(2));
      topic += 1;
    } else {
      found[name] = next(input);
    }
  }
  return found;
}

function valueOf(type: string, word: string): Value {
  if (word.length !== 64) throw new RangeError(`a word of ${word.length} digits`);
  if (type === "bytes32") return `0x${word}`;
  if (type === "address") {
    if (!word.startsWith(ADDRESS_PADDING)) throw new RangeError(`the address ${word}`);
    return `0x${word.slice(24)}`;
  }
  const bits = /^uint(\d+)$/.exec(type)?.[1];
  if (bits === undefined) throw new TypeError(`events of the escrow have no ${type}`);
  const value = BigInt(`0x${word}`);
  if (value >> BigInt(bits) !== 0n) throw new RangeError(`a ${type} of ${value}`);
  return Number(bits) <= NUMBER_BITS ? Number(value) : value;
}

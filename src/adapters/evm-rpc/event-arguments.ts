// Which values do topics and data of a log hold? Words read as the ABI's event names them. viem's own decoder also
// hashes every address for its checksum, which took longer than everything else about a log; here all parameters have
// a fixed size, and a word that its type cannot hold is refused instead of cut.

import type { AbiEvent, AbiParameter, Hex } from "viem";

/** Topics after the first, and data, lower-case hex. */
export interface LogWords {
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

type Value = Hex | number | bigint | Readonly<Record<string, unknown>>;

const ADDRESS_PADDING = "0".repeat(24);
/** Up to so many bits an integer is a number, above a bigint: as viem types them. */
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

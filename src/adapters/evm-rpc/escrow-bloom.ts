// Tells from a block's header whether the block may hold logs of the escrow. The header's 2048-bit filter (Yellow Paper
// 4.3.1) has three bits per address: where one of them is not set, the block holds no log of that address.

import { keccak256 } from "viem";
import type { EvmAddress } from "../../primitives/brands.ts";

/** A test of filters (0x and 512 hex digits) for one address. */
export function bloomTest(address: EvmAddress): (bloom: string) => boolean {
  const hash = keccak256(address as `0x${string}`);
  const bits = [0, 2, 4].map((byte) => Number.parseInt(hash.slice(2 + 2 * byte, 6 + 2 * byte), 16) & 2047);
  return (bloom) =>
    bits.every((bit) => {
      // Bit 0 is the lowest of the last byte; four bits per digit.
      const digit = Number.parseInt(bloom.charAt(bloom.length - 1 - (bit >> 2)), 16);
      return ((digit >> (bit & 3)) & 1) === 1;
    });
}

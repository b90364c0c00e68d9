// Makes the number by which an address text is found without an index over whole texts: a 52-bit tabulation hash with a
// secret seed per database. It spreads evenly, and only who knows the seed can choose addresses that collide.

const POSITIONS = 128;
const CODES = 128;
const LOW_SPAN = 0x1_0000_0000;
const HIGH_MASK = 0xf_ffff;

/** Hash of an address text: an integer 0 .. 2^52 - 1. */
export type AddressHash = (text: string) => number;

/** Makes the hash of a database from its seed (32 hex digits). */
export function addressHash(seed: string): AddressHash {
  const next = generator(seed);
  const low = new Uint32Array(POSITIONS * CODES).map(next);
  const high = new Uint32Array(POSITIONS * CODES).map(next);
  return (text) => {
    let a = 0;
    let b = 0;
    for (let at = 0; at < text.length; at += 1) {
      const cell = (at % POSITIONS) * CODES + (text.charCodeAt(at) % CODES);
      a ^= low[cell] ?? 0;
      b ^= high[cell] ?? 0;
    }
    return (b & HIGH_MASK) * LOW_SPAN + (a >>> 0);
  };
}

/** xoshiro128**: fills the tables; the seed is the secret, not the generator. */
function generator(seed: string): () => number {
  const word = (at: number): number => Number.parseInt(seed.slice(at * 8, at * 8 + 8), 16) | 0;
  let a = word(0) | 1;
  let b = word(1);
  let c = word(2);
  let d = word(3);
  return () => {
    const scaled = Math.imul(b, 5);
    const result = Math.imul((scaled << 7) | (scaled >>> 25), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result >>> 0;
  };
}

// Tells which keys were certainly never added. It is a Bloom filter in which all bits of a key share one line of
// memory, so that a look costs one miss of the processor's caches.

/** Lines of the filter, 64 bytes each: 16 MiB. Four bits of one line stand for a key; with ten million keys in it, one
 * in a hundred absent ones is taken for present. */
const LINE_BITS = 18;
const WORDS_PER_LINE = 16;
const BITS_PER_KEY = 4;
/** The part of an address that is hashed: characters of its key, which all differ. */
const FROM_END = 40;
const TO_END = 24;

const PRIME = 0x0100_0193;
const BASIS = 0x811c_9dc5;

/** A set of (address, ticker) that may answer yes for what is not in it, and never no for what is. */
export class KeyFilter {
  #words = new Uint32Array(WORDS_PER_LINE << LINE_BITS);

  /** Adds a key. */
  add(address: string, tick: string): void {
    const words = this.#words;
    const hash = hashOf(address, tick);
    const line = lineOf(hash);
    for (let bits = bitsOf(hash), i = 0; i < BITS_PER_KEY; i += 1, bits = next(bits)) {
      const at = line + (bits >>> 28);
      words[at] = (words[at] ?? 0) | (1 << ((bits >>> 23) & 31));
    }
  }

  /** False where the key was certainly not added. */
  mayHold(address: string, tick: string): boolean {
    const words = this.#words;
    const hash = hashOf(address, tick);
    const line = lineOf(hash);
    for (let bits = bitsOf(hash), i = 0; i < BITS_PER_KEY; i += 1, bits = next(bits)) {
      if (((words[line + (bits >>> 28)] ?? 0) & (1 << ((bits >>> 23) & 31))) === 0) return false;
    }
    return true;
  }
}

/** FNV-1a. A stranger who makes keys collide only causes his own to be looked up in vain. */
function hashOf(address: string, tick: string): number {
  let hash = BASIS;
  for (let at = Math.max(0, address.length - FROM_END); at < address.length - TO_END; at += 1) {
    hash = Math.imul(hash ^ address.charCodeAt(at), PRIME);
  }
  for (let at = 0; at < tick.length; at += 1) hash = Math.imul(hash ^ tick.charCodeAt(at), PRIME);
  return mixed(hash);
}

function lineOf(hash: number): number {
  return (hash >>> (32 - LINE_BITS)) * WORDS_PER_LINE;
}

/** The hash selects the line; the bits that are selected within it must not follow from the line. */
function bitsOf(hash: number): number {
  return mixed(hash ^ 0x9e37_79b9);
}

function next(bits: number): number {
  return Math.imul(bits, 0x0019_660d) + 0x3c6e_f35f;
}

function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2_ae35);
  return twice ^ (twice >>> 16);
}

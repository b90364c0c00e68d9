// SHA-256 by Node's OpenSSL, for the functions that the pure folders take as parameters.

import { hash } from "node:crypto";
import type { Sha256, Sha256d } from "../../primitives/hashing.ts";

/** SHA-256; 32 fresh bytes. */
export const sha256: Sha256 = (bytes) => hash("sha256", bytes, "buffer");

/** SHA-256 of SHA-256; 32 fresh bytes. */
export const sha256d: Sha256d = (bytes) => hash("sha256", hash("sha256", bytes, "buffer"), "buffer");

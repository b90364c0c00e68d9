// The cryptography that the pure folders need, as functions that `main` hands in.
// Keeping them parameters lets one program use native hashing and a test use a second implementation.

/** SHA-256 of the bytes; returns 32 fresh bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** SHA-256 applied twice; returns 32 fresh bytes. */
export type Sha256d = (bytes: Uint8Array) => Uint8Array;

/** BIP340 verification: `key` 32-byte x-only, `message` 32 bytes, `signature` 64 bytes; false on any bad input. */
export type VerifySchnorr = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

// The only names that the pure folders may use beyond ECMAScript itself: text <-> UTF-8 bytes.
// Everything else of the surroundings (clock, network, randomness, files) is kept out by tsconfig.pure.json.

interface TextEncoder {
  encode(text?: string): Uint8Array;
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
}
declare const TextEncoder: { new (): TextEncoder };

interface TextDecoder {
  decode(bytes?: Uint8Array): string;
}
declare const TextDecoder: {
  new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder;
};

// Flags of a command line: `--name value` or `--name=value`, each once; `--help` anywhere asks for help.

import { elementAt } from "../../primitives/elements.ts";

/** Flags by name, a wish for help, or what is wrong with the command line. */
export type ParsedFlags =
  | { readonly kind: "flags"; readonly flags: ReadonlyMap<string, string> }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly sentences: readonly string[] };

/**
 * Reads what follows the command. Which flags exist is the configuration's business; those of `bare` stand without a
 * value and are kept with an empty one.
 */
export function parseFlags(words: readonly string[], bare: readonly string[] = []): ParsedFlags {
  const flags = new Map<string, string>();
  const sentences: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = elementAt(words, at);
    if (word === "--help" || word === "-h") return { kind: "help" };
    const match = /^(--[^=]+)(?:=(.*))?$/s.exec(word);
    const name = match?.[1];
    if (name === undefined) {
      sentences.push(
        `${JSON.stringify(word)} stands where a flag should: write --name value or --name=value`,
      );
      continue;
    }
    let value = match?.[2];
    if (bare.includes(name)) {
      if (value !== undefined) sentences.push(`${name} takes no value: write ${name} alone`);
      value = "";
    } else if (value === undefined) {
      const next = words[at + 1];
      if (next === undefined || next.startsWith("--")) {
        sentences.push(`${name} has no value: write ${name} <value>`);
        continue;
      }
      value = next;
      at += 1;
    }
    if (flags.has(name)) sentences.push(`${name} is given twice: leave one out`);
    flags.set(name, value);
  }
  return sentences.length === 0 ? { kind: "flags", flags } : { kind: "wrong", sentences };
}

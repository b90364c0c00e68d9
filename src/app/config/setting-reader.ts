// Looks a setting up (the flag wins over the environment, an empty value counts as absent) and names it in problems the
// way it was given.

import {
  type DefaultedName,
  flagOf,
  type IntegerName,
  type NumberName,
  SETTINGS,
  type SettingName,
  type WordedName,
} from "./declaration.ts";

/** Collects what is wrong, one sentence each. */
export class Problems {
  readonly #sentences: string[] = [];

  /** Adds a sentence. */
  add(sentence: string): void {
    this.#sentences.push(sentence);
  }

  /** All sentences so far. */
  get sentences(): readonly string[] {
    return this.#sentences;
  }

  /** Whether nothing is wrong so far. */
  get isEmpty(): boolean {
    return this.#sentences.length === 0;
  }
}

/** Reads settings by name; what does not fit becomes a problem. */
export class SettingReader {
  readonly #flags: ReadonlyMap<string, string>;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #problems: Problems;

  constructor(
    flags: ReadonlyMap<string, string>,
    environment: Readonly<Record<string, string | undefined>>,
    problems: Problems,
  ) {
    this.#flags = flags;
    this.#environment = environment;
    this.#problems = problems;
  }

  /** The text as given, or null where the setting is absent or empty. */
  text(name: SettingName): string | null {
    const given = this.#flag(name) ?? this.#environment[name];
    return given === undefined || given === "" ? null : given;
  }

  /** The flag as given; an empty one, like an empty variable, is none. */
  #flag(name: SettingName): string | null {
    const given = this.#flags.get(flagOf(name));
    return given === undefined || given === "" ? null : given;
  }

  /** Adds a problem with the setting: `what` continues a sentence that begins with its name. */
  problem(name: SettingName, what: string): void {
    const given = this.#flag(name) === null ? name : flagOf(name);
    this.#problems.add(`${given} ${what}`);
  }

  /** Text for a message: the value in quotes, or nothing of it where it is secret. */
  quoted(name: SettingName): string {
    return SETTINGS[name].secret ? "(hidden)" : JSON.stringify(this.text(name) ?? "");
  }

  /** The text as given, or the default that is declared. */
  textOrDefault(name: DefaultedName): string {
    return this.text(name) ?? SETTINGS[name].fallback;
  }

  /** A decimal integer in the declared range, or the default: that of the declaration unless another is in force. */
  integer(name: IntegerName, fallback = Number(SETTINGS[name].fallback)): number {
    return this.optionalInteger(name) ?? fallback;
  }

  /** The same of a number for which a word may stand; null where it does. */
  integerOrWord(name: WordedName, fallback = this.#worded(name, SETTINGS[name].fallback)): number | null {
    const text = this.text(name);
    return text === null ? fallback : this.#worded(name, text);
  }

  /** A decimal integer in the declared range, null where absent; a problem otherwise. */
  optionalInteger(name: NumberName): number | null {
    const text = this.text(name);
    return text === null ? null : this.#integerIn(name, text, "");
  }

  #worded(name: WordedName, text: string): number | null {
    const { word } = SETTINGS[name];
    return text === word ? null : this.#integerIn(name, text, ` or ${word}`);
  }

  /** `also` ends the list of what is allowed. */
  #integerIn(name: NumberName, text: string, also: string): number | null {
    const { least, most } = SETTINGS[name];
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    this.problem(name, `is ${this.quoted(name)}: give an integer from ${least} to ${most}${also}`);
    return null;
  }
}

// Describes an RPC method: its parameters with the strict types that pearld's Go structs give them, whether the limited
// user may call it, and what it answers. Failures are thrown as `RpcFailure` and caught once.
import type { PearlCore } from "../core.ts";
import type { Faults } from "../faults.ts";

/** pearld's error codes. */
export const RPC = {
  misc: -1,
  notFound: -5,
  invalidParameter: -8,
  deserialization: -22,
  verify: -25,
  rejected: -26,
  alreadyInChain: -27,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  parse: -32700,
} as const;

/** An RPC error answer: the code and the text of its `error` member. */
export class RpcFailure extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** JSON types of parameters, named as the Go types in pearld's messages. */
export type ParamType = "string" | "int" | "uint32" | "bool" | "float64" | "[]string" | "[]object" | "any";

/** One positional parameter. */
export interface ParamSpec {
  readonly name: string;
  readonly type: ParamType;
  readonly optional?: boolean;
}

/** What methods work on. */
export interface RpcContext {
  readonly core: PearlCore;
  readonly faults: Faults;
  /** Peers that the node pretends to have. */
  readonly connections: () => number;
}

/** A method: `run` answers the JSON result or throws `RpcFailure`. */
export interface RpcMethod {
  readonly params: readonly ParamSpec[];
  /** Whether the limited user may call it. */
  readonly limited: boolean;
  readonly run: (context: RpcContext, args: Arguments) => unknown;
}

function matches(value: unknown, type: ParamType): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "bool":
      return typeof value === "boolean";
    case "float64":
      return typeof value === "number";
    case "int":
      return typeof value === "number" && Number.isSafeInteger(value);
    case "uint32":
      return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffffffff;
    case "any":
      return true;
    case "[]string":
      return Array.isArray(value) && value.every((entry) => typeof entry === "string");
    case "[]object":
      return Array.isArray(value) && value.every((entry) => typeof entry === "object" && entry !== null);
    default:
      return false;
  }
}

/** Checked parameters; null and absent optional ones take their default. */
export class Arguments {
  readonly #values: readonly unknown[];

  /** Checks count and types; throws -32602 with pearld's wording. */
  constructor(specs: readonly ParamSpec[], values: readonly unknown[]) {
    const required = specs.filter((spec) => spec.optional !== true).length;
    if (values.length < required || values.length > specs.length) {
      const expected = required === specs.length ? `${required}` : `between ${required} and ${specs.length}`;
      throw new RpcFailure(
        RPC.invalidParams,
        `wrong number of params (expected ${expected}, received ${values.length})`,
      );
    }
    for (const [index, spec] of specs.entries()) {
      const value = values[index];
      if (spec.optional === true && (value === undefined || value === null)) continue;
      if (!matches(value, spec.type)) {
        const got = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
        throw new RpcFailure(
          RPC.invalidParams,
          `parameter #${index + 1} '${spec.name}' must be type ${spec.type} (got ${got === "boolean" ? "bool" : got})`,
        );
      }
    }
    this.#values = values;
  }

  /** Text at `index`. */
  string(index: number, fallback = ""): string {
    const value = this.#values[index];
    return typeof value === "string" ? value : fallback;
  }

  /** Number at `index`. */
  number(index: number, fallback = 0): number {
    const value = this.#values[index];
    return typeof value === "number" ? value : fallback;
  }

  /** Boolean at `index`. */
  bool(index: number, fallback = false): boolean {
    const value = this.#values[index];
    return typeof value === "boolean" ? value : fallback;
  }

  /** Array at `index`. */
  list(index: number): readonly unknown[] {
    const value: unknown = this.#values[index];
    return Array.isArray(value) ? value : [];
  }
}

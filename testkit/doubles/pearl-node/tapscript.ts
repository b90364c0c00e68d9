// Runs a leaf script on its stack: an interpreter for the opcodes that token and swap scripts need, under BIP342 and
// Pearl's rules (no OP_SUCCESS, no upgradable keys). Every other opcode fails when it is executed; the ones that Pearl
// disables fail even where they are not. Numbers are read and written by bitcoinjs-lib.
import { opcodes as OP, script as bscript } from "bitcoinjs-lib";
import type { Transaction } from "bitcoinjs-lib";
import { hash256, sameBytes, sha256 } from "../../bytes.ts";
import { lockTimeReached, sequenceReached } from "./locks.ts";
import { ripemd160 } from "@noble/hashes/legacy.js";

/** What a script needs from outside: its input, the signature budget, and the signature check (undefined = valid). */
export interface TapscriptContext {
  readonly tx: Transaction;
  readonly index: number;
  readonly budget: number;
  readonly check: (key: Uint8Array, signature: Uint8Array) => string | undefined;
}

const MAX_ELEMENT = 520;
const MAX_STACK = 1000;
const SIGNATURE_COST = 50;
const EMPTY = new Uint8Array(0);
const ONE = Uint8Array.of(1);

/** Opcodes that are handled outside the table of operations. */
const CONTROL = { if: 0x63, notIf: 0x64, else: 0x67, endIf: 0x68, minusOne: 0x4f } as const;

/** VERIF, VERNOTIF, the removed splice, logic and arithmetic opcodes: their mere presence fails. */
function isDisabled(op: number): boolean {
  return (
    op === 0x65 ||
    op === 0x66 ||
    (op >= 0x7f && op <= 0x81) ||
    (op >= 0x83 && op <= 0x86) ||
    op === 0x8d ||
    op === 0x8e ||
    (op >= 0x95 && op <= 0x99)
  );
}

function truthy(item: Uint8Array): boolean {
  for (const [index, byte] of item.entries()) {
    if (byte !== 0) return !(byte === 0x80 && index === item.length - 1);
  }
  return false;
}

/** Why a step failed, or undefined. */
type Fault = string | undefined;

class Machine {
  readonly stack: Uint8Array[];
  /** One entry per open IF: whether its current branch runs. */
  readonly branches: boolean[] = [];
  readonly context: TapscriptContext;
  budget: number;

  constructor(stack: readonly Uint8Array[], context: TapscriptContext) {
    this.stack = [...stack];
    this.context = context;
    this.budget = context.budget;
  }

  get running(): boolean {
    return !this.branches.includes(false);
  }

  /** Removes the top `count` items, deepest first; null when there are fewer. */
  take(count: number): Uint8Array[] | null {
    return this.stack.length < count ? null : this.stack.splice(this.stack.length - count, count);
  }

  push(item: Uint8Array): Fault {
    this.stack.push(item);
    return undefined;
  }

  pushBool(value: boolean): Fault {
    return this.push(value ? ONE : EMPTY);
  }

  /** Minimal script number of at most `width` bytes, or null. */
  number(item: Uint8Array, width: number): number | null {
    try {
      return bscript.number.decode(item, width, true);
    } catch {
      return null;
    }
  }
}

type Operation = (machine: Machine, items: readonly Uint8Array[]) => Fault;

/** Operations with the number of items they take from the stack. */
const OPERATIONS = new Map<number, { readonly takes: number; readonly run: Operation }>();

function define(op: number | undefined, takes: number, run: Operation): void {
  if (op === undefined) throw new Error("an opcode is missing from the library's table");
  OPERATIONS.set(op, { takes, run });
}

function argument(items: readonly Uint8Array[], index: number): Uint8Array {
  return items[index] ?? EMPTY;
}

function checkSignature(
  machine: Machine,
  key: Uint8Array,
  signature: Uint8Array,
): { valid: boolean; fault: Fault } {
  // Pearl knows no upgradable keys: a length other than 32 fails whatever the signature is.
  if (key.length !== 32) return { valid: false, fault: `public key has ${key.length} bytes, not 32` };
  if (signature.length === 0) return { valid: false, fault: undefined };
  machine.budget -= SIGNATURE_COST;
  if (machine.budget < 0) return { valid: false, fault: "signature operation budget exceeded" };
  const fault = machine.context.check(key, signature);
  return { valid: fault === undefined, fault };
}

function compareNumbers(
  machine: Machine,
  items: readonly Uint8Array[],
  test: (a: number, b: number) => boolean,
): Fault {
  const a = machine.number(argument(items, 0), 4);
  const b = machine.number(argument(items, 1), 4);
  if (a === null || b === null) return "operand is not a minimal number";
  return machine.pushBool(test(a, b));
}

function verified(fault: Fault, machine: Machine, name: string): Fault {
  if (fault !== undefined) return fault;
  const top = machine.stack.pop();
  return top !== undefined && truthy(top) ? undefined : `${name} failed`;
}

function defineStack(): void {
  define(OP["OP_VERIFY"], 1, (_m, items) => (truthy(argument(items, 0)) ? undefined : "OP_VERIFY failed"));
  define(OP["OP_DROP"], 1, () => undefined);
  define(OP["OP_DUP"], 1, (m, items) => m.push(argument(items, 0)) ?? m.push(argument(items, 0)));
  define(OP["OP_SWAP"], 2, (m, items) => m.push(argument(items, 1)) ?? m.push(argument(items, 0)));
  define(OP["OP_SIZE"], 1, (m, items) => {
    m.push(argument(items, 0));
    return m.push(bscript.number.encode(argument(items, 0).length));
  });
  define(OP["OP_RETURN"], 0, () => "script returned early");
}

function defineHashes(): void {
  define(OP["OP_SHA256"], 1, (m, items) => m.push(sha256(argument(items, 0))));
  define(OP["OP_HASH160"], 1, (m, items) => m.push(ripemd160(sha256(argument(items, 0)))));
  define(OP["OP_HASH256"], 1, (m, items) => m.push(hash256(argument(items, 0))));
}

const equal: Operation = (m, items) => m.pushBool(sameBytes(argument(items, 0), argument(items, 1)));

const numberEqual: Operation = (m, items) => compareNumbers(m, items, (a, b) => a === b);

function defineComparisons(): void {
  define(OP["OP_EQUAL"], 2, equal);
  define(OP["OP_EQUALVERIFY"], 2, (m, items) => verified(equal(m, items), m, "OP_EQUALVERIFY"));
  define(OP["OP_NUMEQUAL"], 2, numberEqual);
  define(OP["OP_NUMEQUALVERIFY"], 2, (m, items) => verified(numberEqual(m, items), m, "OP_NUMEQUALVERIFY"));
  define(OP["OP_BOOLAND"], 2, (m, items) => compareNumbers(m, items, (a, b) => a !== 0 && b !== 0));
}

const checkSig: Operation = (m, items) => {
  const { valid, fault } = checkSignature(m, argument(items, 1), argument(items, 0));
  return fault ?? m.pushBool(valid);
};

function defineSignatures(): void {
  define(OP["OP_CHECKSIG"], 2, checkSig);
  define(OP["OP_CHECKSIGVERIFY"], 2, (m, items) => verified(checkSig(m, items), m, "OP_CHECKSIGVERIFY"));
  define(OP["OP_CHECKSIGADD"], 3, (m, items) => {
    const count = m.number(argument(items, 1), 4);
    if (count === null) return "operand is not a minimal number";
    const { valid, fault } = checkSignature(m, argument(items, 2), argument(items, 0));
    return fault ?? m.push(bscript.number.encode(count + (valid ? 1 : 0)));
  });
}

/** CLTV or CSV: looks at the top item and leaves it. */
function lock(
  name: string,
  reached: (tx: Transaction, index: number, operand: number) => boolean,
): Operation {
  return (m, items) => {
    m.push(argument(items, 0));
    const operand = m.number(argument(items, 0), 5);
    if (operand === null) return "lock operand is not a minimal number";
    if (operand < 0) return `negative lock: ${operand}`;
    const met = reached(m.context.tx, m.context.index, operand);
    return met ? undefined : `${name}: locktime requirement not satisfied`;
  };
}

function defineLocks(): void {
  define(OP["OP_CHECKLOCKTIMEVERIFY"], 1, lock("OP_CHECKLOCKTIMEVERIFY", lockTimeReached));
  define(OP["OP_CHECKSEQUENCEVERIFY"], 1, lock("OP_CHECKSEQUENCEVERIFY", sequenceReached));
}

defineStack();
defineHashes();
defineComparisons();
defineSignatures();
defineLocks();

/** IF, NOTIF, ELSE and ENDIF, which act in branches that do not run too; null for other opcodes. */
function branch(machine: Machine, op: number): { fault: Fault } | null {
  if (op === CONTROL.if || op === CONTROL.notIf) {
    if (!machine.running) {
      machine.branches.push(false);
      return { fault: undefined };
    }
    const condition = machine.stack.pop();
    if (condition === undefined) return { fault: "stack is empty at a conditional" };
    if (condition.length > 1 || (condition.length === 1 && condition[0] !== 1)) {
      return { fault: "conditional has an operand that is not minimal" };
    }
    machine.branches.push((condition.length === 1) === (op === CONTROL.if));
    return { fault: undefined };
  }
  if (op !== CONTROL.else && op !== CONTROL.endIf) return null;
  const current = machine.branches.pop();
  if (current === undefined) return { fault: "OP_ELSE or OP_ENDIF without OP_IF" };
  if (op === CONTROL.else) machine.branches.push(!current);
  return { fault: undefined };
}

interface Step {
  readonly op: number;
  readonly data: Uint8Array | null;
  readonly next: number;
}

/** Reads the opcode at `offset` with its pushed data; null when the push is cut. */
function readStep(script: Uint8Array, offset: number): Step | null {
  const op = script[offset] ?? 0;
  if (op === 0 || op > 0x4e) return { op, data: op === 0 ? EMPTY : null, next: offset + 1 };
  const width = op <= 0x4b ? 0 : 1 << (op - 0x4c);
  const start = offset + 1 + width;
  if (start > script.length) return null;
  let length = op;
  if (width > 0) {
    length = 0;
    for (let i = width - 1; i >= 0; i -= 1) length = length * 256 + (script[offset + 1 + i] ?? 0);
  }
  return start + length > script.length
    ? null
    : { op, data: script.slice(start, start + length), next: start + length };
}

/** Whether a push uses the shortest opcode for its data. */
function isMinimal(op: number, data: Uint8Array): boolean {
  const first = data[0] ?? 0;
  if (data.length === 0) return op === 0;
  if (data.length === 1 && ((first >= 1 && first <= 16) || first === 0x81)) return false;
  if (data.length <= 75) return op === data.length;
  return op === (data.length <= 255 ? 0x4c : data.length <= 0xffff ? 0x4d : 0x4e);
}

function execute(machine: Machine, step: Step): Fault {
  const { op, data } = step;
  if (isDisabled(op)) return `attempt to execute disabled opcode 0x${op.toString(16)}`;
  if (data !== null && data.length > MAX_ELEMENT)
    return `element size ${data.length} exceeds max allowed size ${MAX_ELEMENT}`;
  const conditional = branch(machine, op);
  if (conditional !== null) return conditional.fault;
  if (!machine.running) return undefined;
  if (data !== null) return isMinimal(op, data) ? machine.push(data) : "data push is not minimal";
  if (op === CONTROL.minusOne) return machine.push(Uint8Array.of(0x81));
  if (op >= 0x51 && op <= 0x60) return machine.push(Uint8Array.of(op - 0x50));
  const operation = OPERATIONS.get(op);
  if (operation === undefined) return `opcode 0x${op.toString(16)} is not supported`;
  const items = machine.take(operation.takes);
  return items === null
    ? `opcode 0x${op.toString(16)} needs ${operation.takes} items on the stack`
    : operation.run(machine, items);
}

/** Runs a leaf script on its initial stack. Undefined = it accepts; otherwise the reason. */
export function runTapscript(
  script: Uint8Array,
  stack: readonly Uint8Array[],
  context: TapscriptContext,
): string | undefined {
  if (stack.length > MAX_STACK) return `stack size ${stack.length} exceeds ${MAX_STACK}`;
  const large = stack.find((entry) => entry.length > MAX_ELEMENT);
  if (large !== undefined) return `element size ${large.length} exceeds max allowed size ${MAX_ELEMENT}`;
  const machine = new Machine(stack, context);
  for (let offset = 0; offset < script.length; ) {
    const step = readStep(script, offset);
    if (step === null) return "data push is longer than the script";
    const fault = execute(machine, step);
    if (fault !== undefined) return fault;
    if (machine.stack.length > MAX_STACK) return `stack size ${machine.stack.length} exceeds ${MAX_STACK}`;
    offset = step.next;
  }
  if (machine.branches.length !== 0) return "end of script reached in conditional execution";
  const top = machine.stack[0];
  if (machine.stack.length !== 1 || top === undefined)
    return `stack must hold one item at the end, it holds ${machine.stack.length}`;
  return truthy(top) ? undefined : "false stack entry at end of script execution";
}

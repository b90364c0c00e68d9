// Gives the benchmark the blocks that it feeds: workloads by name, made once by the generator and kept in bench/data,
// the bodies in one file and an index of them with the generator's own counts in another.

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { fileURLToPath } from "node:url";
import type { PearlAddress } from "../src/primitives/brands.ts";
import { Generator, type Recipe } from "./block-maker.ts";

/** Changes when the generator makes other blocks, so that kept ones are made again. */
const GENERATION = 3;
/** Where workloads and databases are kept. */
export const DATA_FOLDER = fileURLToPath(new URL("./data/", import.meta.url));

/** A block of a workload: where its body is in the file. */
export interface WorkloadBlock {
  readonly height: number;
  readonly hash: string;
  readonly previous: string;
  readonly offset: number;
  readonly length: number;
  /** Recorded operations in it. */
  readonly operations: number;
}

/** A finished workload. */
export interface Workload {
  readonly name: string;
  /** Heights 1 and up, in order. */
  readonly blocks: readonly WorkloadBlock[];
  /** The file of the bodies. */
  readonly bodies: string;
  /** This value as a JSON file, for other processes. */
  readonly index: string;
  /** Recorded operations, by the generator's own count. */
  readonly operations: number;
  readonly transactions: number;
  /** Where the protocol fee goes on this chain. */
  readonly feeAddress: PearlAddress;
  /** Blocks that replace the last ones of `blocks`, and are one more. */
  readonly branch?: readonly WorkloadBlock[];
}

/** Some blocks after one recipe. */
export interface Phase {
  readonly blocks: number;
  readonly recipe: Recipe;
}

const DENSE: Recipe = { operations: 4000, payments: 200, kind: "token" };
const MIXED: Recipe = { operations: 300, payments: 2500, kind: "token" };
const PULSE: Recipe = { operations: 2000, payments: 0, kind: "token" };
const LISTINGS: Recipe = { operations: 2000, payments: 0, kind: "list" };

/** 4,000 mints and transfers and 200 payments in each block. */
export const dense = (blocks: number): Workload => made("dense", [{ blocks, recipe: DENSE }], 100_000);

/** 300 operations among 2,500 payments in each block. */
export const mixed = (blocks: number): Workload => made("mixed", [{ blocks, recipe: MIXED }], 100_000);

/** `before` dense blocks, then blocks with 2,000 mints and transfers. */
export const pulses = (before: number, blocks: number): Workload =>
  made(
    "pulses",
    [
      { blocks: before, recipe: DENSE },
      { blocks, recipe: PULSE },
    ],
    100_000,
  );

/** `before` dense blocks that give every seller something to list, then blocks with 2,000 listings. */
export const listings = (before: number, blocks: number): Workload =>
  made(
    "listings",
    [
      { blocks: before, recipe: DENSE },
      { blocks, recipe: LISTINGS },
    ],
    64,
  );

const MARKET: Recipe = { operations: 400, payments: 50, kind: "market" };
const TAIL: Recipe = { operations: 500, payments: 0, kind: "token" };
/** Operations per block of `DENSE`. */
const DENSE_OPERATIONS = DENSE.operations;
/** Blocks of a market behind each stretch of a large chain. */
export const MARKET_BLOCKS = 12;
/** Blocks that the branch of a large chain replaces. */
export const REPLACED_BLOCKS = 100;

/** A large chain by the heights that are measured. */
export interface LargeWorkload {
  readonly work: Workload;
  /** Last dense block of the first tenth, and of all. */
  readonly tenth: number;
  readonly whole: number;
}

/**
 * A chain of some `operations` operations of 0.15 times as many addresses: a tenth of them, blocks of a market, the
 * others, such blocks again, and some small blocks that a branch replaces.
 */
export function large(operations: number): LargeWorkload {
  const blocks = Math.max(20, Math.round(operations / DENSE_OPERATIONS));
  const tenth = Math.round(blocks / 10);
  const phases: readonly Phase[] = [
    { blocks: tenth, recipe: DENSE },
    { blocks: MARKET_BLOCKS, recipe: MARKET },
    { blocks: blocks - tenth, recipe: DENSE },
    { blocks: MARKET_BLOCKS, recipe: MARKET },
    { blocks: REPLACED_BLOCKS, recipe: TAIL },
  ];
  const branch = { blocks: REPLACED_BLOCKS + 1, recipe: TAIL };
  const work = made("large", phases, Math.round(operations * 0.15), branch);
  return { work, tenth, whole: blocks + MARKET_BLOCKS };
}

/** A workload as another process has described it. */
export function workloadOf(index: string): Workload {
  return JSON.parse(readFileSync(index, "utf8")) as Workload;
}

/** Reads bodies of a workload, one at a time. */
export function bodyReader(work: Workload): (block: WorkloadBlock) => Buffer {
  const descriptor = openSync(work.bodies, "r");
  return ({ offset, length }) => {
    const raw = Buffer.allocUnsafe(length);
    if (readSync(descriptor, raw, 0, length, offset) !== length) throw new Error(`${work.bodies} is cut off`);
    return raw;
  };
}

function made(name: string, phases: readonly Phase[], keys: number, branch?: Phase): Workload {
  mkdirSync(DATA_FOLDER, { recursive: true });
  const parts = phases.map(({ blocks, recipe }) => `${blocks}x${recipe.operations}+${recipe.payments}`);
  const base = `${DATA_FOLDER}${name}-${parts.join("-")}-g${GENERATION}`;
  const names = { bodies: `${base}.bin`, index: `${base}.json` };
  if (existsSync(names.index)) return { ...workloadOf(names.index), ...names };
  process.stderr.write(`making the workload ${name} ...\n`);
  const generator = new Generator(7, keys);
  const descriptor = openSync(`${base}.tmp`, "w");
  let offset = 0;
  const written = (maker: Generator, { blocks, recipe }: Phase): readonly WorkloadBlock[] =>
    Array.from({ length: blocks }, () => {
      const before = maker.operations;
      const { raw, height, hash, previous } = maker.next(recipe);
      writeSync(descriptor, raw);
      const block = { height, hash, previous, offset, length: raw.length };
      offset += raw.length;
      return { ...block, operations: maker.operations - before };
    });
  const list = phases.flatMap((phase) => written(generator, phase));
  const replacing = branch === undefined ? {} : { branch: written(branchOf(list, branch.blocks), branch) };
  closeSync(descriptor);
  renameSync(`${base}.tmp`, names.bodies);
  const { operations, transactions, feeAddress } = generator;
  const work: Workload = { name, ...names, feeAddress, blocks: list, operations, transactions, ...replacing };
  writeFileSync(names.index, JSON.stringify(work));
  return work;
}

/** Makes blocks of other operations, the first of which has the same parent as the first that they replace. */
function branchOf(blocks: readonly WorkloadBlock[], length: number): Generator {
  const replaced = blocks.at(1 - length);
  if (replaced === undefined) throw new Error("a branch is no longer than its chain");
  const maker = new Generator(11, 1000);
  maker.previous = replaced.previous;
  maker.height = replaced.height - 1;
  return maker;
}

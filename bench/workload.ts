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

function made(name: string, phases: readonly Phase[], keys: number): Workload {
  mkdirSync(DATA_FOLDER, { recursive: true });
  const parts = phases.map(({ blocks, recipe }) => `${blocks}x${recipe.operations}+${recipe.payments}`);
  const base = `${DATA_FOLDER}${name}-${parts.join("-")}-g${GENERATION}`;
  const names = { bodies: `${base}.bin`, index: `${base}.json` };
  if (existsSync(names.index)) return { ...workloadOf(names.index), ...names };
  process.stderr.write(`making the workload ${name} ...\n`);
  const generator = new Generator(7, keys);
  const descriptor = openSync(`${base}.tmp`, "w");
  const list: WorkloadBlock[] = [];
  let offset = 0;
  for (const { blocks, recipe } of phases) {
    for (let i = 0; i < blocks; i += 1) {
      const before = generator.operations;
      const { raw, height, hash, previous } = generator.next(recipe);
      const operations = generator.operations - before;
      writeSync(descriptor, raw);
      list.push({ height, hash, previous, offset, length: raw.length, operations });
      offset += raw.length;
    }
  }
  closeSync(descriptor);
  renameSync(`${base}.tmp`, names.bodies);
  const { operations, transactions, feeAddress } = generator;
  const work: Workload = { name, ...names, feeAddress, blocks: list, operations, transactions };
  writeFileSync(names.index, JSON.stringify(work));
  return work;
}

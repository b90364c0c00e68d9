// The numbers as lines of text: one column per block, then the journeys, then the names behind the numbers.

import { type BothWays, type JourneyMeasures, type Measures, SMALL_LINES, type Spread } from "./measures.ts";

/** All that is counted of one checkout. */
export interface House {
  readonly blocks: readonly Measures[];
  readonly journeys: readonly JourneyMeasures[];
}

const ROWS: readonly (readonly [label: string, cell: (block: Measures) => string])[] = [
  ["files", ({ files }) => number(files.count)],
  ["lines", ({ lines }) => number(lines)],
  ["lines of a file: p50 / p90 / max", ({ files }) => spread(files)],
  ["named functions", ({ functions }) => number(functions.count)],
  ["lines of a function: p50 / p90 / max", ({ functions }) => spread(functions)],
  ["exported names", ({ exports }) => number(exports)],
  ["  used by exactly one other file", ({ usedByOne }) => number(usedByOne)],
  ["  used by no other file", ({ usedByNone }) => number(usedByNone.length)],
  ["  functions with one importer and no test", ({ untested }) => number(untested.length)],
  ["  exported by several files", ({ severalHomes }) => number(severalHomes.length)],
  ["file names in several folders", ({ severalFolders }) => number(severalFolders.length)],
  ["files with one importer", ({ oneImporter }) => number(oneImporter.length)],
  [
    `  of these below ${SMALL_LINES} lines`,
    ({ oneImporter }) => number(oneImporter.filter(({ lines }) => lines < SMALL_LINES).length),
  ],
  ["files that begin with a question", ({ asks }) => number(asks)],
  ["longest import chain, in files: with / without types", ({ chain }) => lengths(chain)],
  ["longest of all shortest import chains: with / without types", (block) => both(block.depth, number)],
  ["circles: with / without types", ({ circles }) => lengths(circles)],
  ["tests beside: files", ({ tests }) => number(tests.files)],
  ["tests beside: lines", ({ tests }) => number(tests.lines)],
];

/** The table; with `isLong` also every file and name that is behind a number. */
export function houseText({ blocks, journeys }: House, isLong: boolean): string {
  const table = [
    ["", ...blocks.map(({ title }) => title)],
    ...ROWS.map(([label, cell]) => [label, ...blocks.map(cell)]),
  ];
  const ways = [
    ["journey, by what its entry points reach", "files with / without types", "lines with / without types"],
    ...journeys.map(({ title, files, lines }) => [title, both(files, number), both(lines, number)]),
  ];
  const lists = blocks.flatMap((block) => [...shortLists(block), ...(isLong ? longLists(block) : [])]);
  const entries = journeys.map(({ title, entries: found }) => list(`${title} begins at`, found));
  return [aligned(table), aligned(ways), ...(isLong ? entries : []), ...lists].join("\n\n");
}

function shortLists({ title, files, functions, circles, severalHomes }: Measures): string[] {
  return [
    list(`${title}: the longest`, [
      `${files.longest}, ${files.max} lines`,
      `${functions.longest}, ${functions.max} lines`,
    ]),
    list(
      `${title}: circles with types`,
      circles.withTypes.map((members) => members.join(", ")),
    ),
    list(`${title}: names exported by several files`, severalHomes.map(homes)),
  ].filter((text) => text !== "");
}

function longLists(block: Measures): string[] {
  const { title, chain, oneImporter } = block;
  return [
    list(`${title}: file names in several folders`, block.severalFolders.map(homes)),
    list(
      `${title}: files with one importer`,
      oneImporter.map(({ file, lines, importer }) => `${lines} ${file} (by ${importer})`),
    ),
    list(`${title}: longest import chain with types`, chain.withTypes),
    list(`${title}: longest import chain without types`, chain.withoutTypes),
    list(`${title}: exported and used by no other file`, block.usedByNone),
    list(`${title}: exported functions with one importer and no test`, block.untested),
  ].filter((text) => text !== "");
}

function homes({ name, files }: { readonly name: string; readonly files: readonly string[] }): string {
  return `${name}: ${files.join(", ")}`;
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [title, ...lines.map((line) => `  ${line}`)].join("\n");
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

function spread({ p50, p90, max }: Spread): string {
  return [p50, p90, max].map(number).join(" / ");
}

function both<Value>({ withTypes, withoutTypes }: BothWays<Value>, cell: (value: Value) => string): string {
  return `${cell(withTypes)} / ${cell(withoutTypes)}`;
}

function lengths(ways: BothWays<readonly unknown[]>): string {
  return both(ways, ({ length }) => number(length));
}

/** The first column to the left, all others to the right. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join("   "),
    )
    .join("\n");
}

// Reads the results that StrykerJS keeps, and says which mutants no test notices and how each folder scores.

import { readFileSync } from "node:fs";
import { type Static, Type } from "typebox";
import { Value } from "typebox/value";

const POSITION = Type.Object({ line: Type.Integer(), column: Type.Integer() });
const MUTANT = Type.Object({
  mutatorName: Type.String(),
  replacement: Type.Optional(Type.String()),
  status: Type.String(),
  location: Type.Object({ start: POSITION, end: POSITION }),
});
/** The part that is used here of the format `mutation-testing-report-schema`. */
const REPORT = Type.Object({
  files: Type.Record(Type.String(), Type.Object({ source: Type.String(), mutants: Type.Array(MUTANT) })),
});

type Mutant = Static<typeof MUTANT>;

/** A file of the program with what became of its mutants. */
export interface Tried {
  readonly file: string;
  readonly source: string;
  readonly mutants: readonly Mutant[];
}

/** Counts of a folder's mutants. Those that are ignored, or no program, are in no other count. */
export interface Score {
  readonly folder: string;
  readonly killed: number;
  readonly timedOut: number;
  readonly survived: number;
  readonly uncovered: number;
  readonly ignored: number;
}

/** Reads all results, those of earlier runs included. Throws where the file is not of StrykerJS's format. */
export function readReport(path: string): readonly Tried[] {
  const report: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!Value.Check(REPORT, report)) throw new Error(`${path} is no report of StrykerJS`);
  return Object.entries(report.files).map(([file, { source, mutants }]) => ({ file, source, mutants }));
}

/** One line for each mutant that every test passes with, or that no test reaches. */
export function printSurvivors(files: readonly Tried[]): void {
  for (const { file, source, mutants } of files) {
    for (const mutant of mutants) {
      if (mutant.status !== "Survived" && mutant.status !== "NoCoverage") continue;
      const { start } = mutant.location;
      const was = oneLine(textAt(source, mutant.location));
      const becomes = oneLine(mutant.replacement ?? "");
      const note = mutant.status === "NoCoverage" ? " (no test reaches it)" : "";
      console.log(`${file}:${start.line}:${start.column} ${mutant.mutatorName}: ${was} -> ${becomes}${note}`);
    }
  }
}

/** The text between two positions, whose lines and columns are counted from 1. */
function textAt(source: string, { start, end }: Mutant["location"]): string {
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((line, index) =>
      line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined),
    )
    .join("\n");
}

function oneLine(text: string): string {
  const flat = text.replaceAll(/\s+/g, " ");
  return flat.length <= 70 ? flat : `${flat.slice(0, 67)}...`;
}

/** The score of every folder directly below src/ that one of the `chosen` files is in, over all that is known of it. */
export function scoresOf(files: readonly Tried[], chosen: readonly string[]): readonly Score[] {
  const folders = [...new Set(chosen.map(folderOf))];
  return folders.map((folder) => {
    const statuses = files
      .filter(({ file }) => folderOf(file) === folder)
      .flatMap(({ mutants }) => mutants.map(({ status }) => status));
    const count = (wanted: string): number => statuses.filter((status) => status === wanted).length;
    return {
      folder,
      killed: count("Killed"),
      timedOut: count("Timeout"),
      survived: count("Survived"),
      uncovered: count("NoCoverage"),
      ignored: count("Ignored"),
    };
  });
}

function folderOf(file: string): string {
  return file.split("/").slice(0, 2).join("/");
}

/** The lowest allowed score of each folder, in percent: the last column of the table of figures. */
export function floorsIn(document: string): ReadonlyMap<string, number> {
  const rows = document.matchAll(/^\| `(src\/[a-z0-9-]+)` \|.*\| (\d+) % \|$/gm);
  return new Map([...rows].map(([, folder = "", floor = ""]) => [folder, Number(floor)]));
}

/** Prints the scores; false where one is below its floor. */
export function printScores(scores: readonly Score[], floors: ReadonlyMap<string, number>): boolean {
  let isHigh = true;
  for (const { folder, killed, timedOut, survived, uncovered, ignored } of scores) {
    const noticed = killed + timedOut;
    const all = noticed + survived + uncovered;
    const percent = all === 0 ? 100 : (noticed / all) * 100;
    const floor = floors.get(folder);
    const isLow = floor !== undefined && percent < floor;
    if (isLow) isHigh = false;
    console.log(
      `${folder}: ${all} mutants, ${killed} killed, ${timedOut} timed out, ${survived} survived, ${uncovered} reached by no test, ${ignored} left out: ${percent.toFixed(1)} %${isLow ? `, below its floor of ${floor} %` : ""}`,
    );
  }
  return isHigh;
}

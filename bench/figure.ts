// A figure is one result of the benchmark: what ours reached, what it is compared to, their ratio and the ratio that is
// required. This file makes figures and prints one as a JSON line and all together as a table.

/** One comparison. `met` is null where nothing is required. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  /** What ours is compared to, or why it is not. */
  readonly against: string;
  readonly theirs: number | null;
  readonly ratio: number | null;
  readonly required: string | null;
  readonly met: boolean | null;
  /** Everything else that was measured, for the JSON line. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** What two sides reached and what is asked of their ratio. */
export interface Comparison {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly theirs: number;
  readonly against: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Ours must be at least `least` times theirs, where `better` says which direction is good; null: a report only. */
export function ratioFigure(compared: Comparison, better: "more" | "less", least: number | null): Figure {
  const { ours, theirs } = compared;
  const ratio = better === "more" ? ours / theirs : theirs / ours;
  return {
    ...compared,
    details: compared.details ?? {},
    ratio,
    required: least === null ? null : `>= ${least}`,
    met: least === null ? null : ratio >= least,
  };
}

/** Ours must not be above `most` (a limit, or a multiple of theirs in the unit of the ratio). */
export function limitFigure(compared: Comparison, most: number): Figure {
  const ratio = compared.ours / compared.theirs;
  return { ...compared, details: compared.details ?? {}, ratio, required: `<= ${most}`, met: ratio <= most };
}

/** A figure that is compared to nothing. */
export function reportFigure(
  name: string,
  unit: string,
  ours: number,
  against: string,
  details: Readonly<Record<string, unknown>> = {},
): Figure {
  return { name, unit, ours, against, theirs: null, ratio: null, required: null, met: null, details };
}

/** Prints a figure's JSON line. */
export function printFigure(figure: Figure): void {
  console.log(
    JSON.stringify(figure, (_key, value: unknown) => (typeof value === "number" ? rounded(value) : value)),
  );
}

/** Four significant digits, whole numbers as they are. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(4));
}

/** All figures as a table. */
export function table(figures: readonly Figure[]): string {
  const head = ["figure", "ours", "compared to", "theirs", "ratio", "required", ""];
  const rows = figures.map(({ name, unit, ours, against, theirs, ratio, required, met }) => [
    name,
    `${shown(ours)} ${unit}`,
    against,
    theirs === null ? "" : `${shown(theirs)} ${unit}`,
    ratio === null ? "" : ratio.toFixed(2),
    required ?? "report",
    met === null ? "" : met ? "ok" : "MISSED",
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function shown(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

// Tables, and going through their pages. On a narrow screen a row becomes a card: each cell says its column's name.

import type { ComponentChildren } from "preact";
import { type Place, withQuery } from "../paths.ts";
import type { Answer } from "../answers.ts";
import { Await, Empty } from "./basics.tsx";

/** A column: its heading, and the cell of a row. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row, index: number) => ComponentChildren;
  /** Numbers stand to the right. */
  readonly numeric?: boolean;
  /** Left out where rows are drawn as cards. */
  readonly minor?: boolean;
}

interface TableProps<Row> {
  /** Says to those who do not see it what the table is. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly empty: ComponentChildren;
  /** Room for all columns, in the height of letters (rem): with less its rows are cards. */
  readonly needs?: number;
}

/** As much as a few columns need. */
const NEEDS_OF_FEW = 34;

/** A table of rows, or words where there are none. */
export function Table<Row>({ caption, columns, rows, keyOf, empty, needs = NEEDS_OF_FEW }: TableProps<Row>) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  // The roles stand here because a browser forgets them where rows are drawn as cards.
  return (
    <div class="measure" style={{ "--needs": needs }}>
      <div class="table">
        <table role="table">
          <caption class="unseen">{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ head, numeric }) => (
                <th key={head} role="columnheader" scope="col" class={numeric ? "number" : ""}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row, index) => (
              <tr key={keyOf(row)} role="row">
                {columns.map(({ head, cell, numeric, minor }) => (
                  <td
                    key={head}
                    role="cell"
                    data-head={head}
                    class={[numeric ? "number" : "", minor ? "minor" : ""].join(" ").trim()}
                  >
                    {cell(row, index)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** Links to the pages before and after, by the answer's cursors, kept in the address (`next`, `prev`). */
export function Pager({ place, next, prev }: { place: Place; next: string | null; prev: string | null }) {
  if (next === null && prev === null) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {prev === null ? <span /> : <a href={withQuery(place, { prev, next: "" })}>← Newer or first</a>}
      {next === null ? <span /> : <a href={withQuery(place, { next, prev: "" })}>Further →</a>}
    </nav>
  );
}

/** A page of a list when it has come: its rows, and the ways to the pages beside it. */
export function Paged<Row>({
  answer,
  what,
  place,
  children,
}: {
  answer: Answer<{
    readonly result: readonly Row[];
    readonly next: string | null;
    readonly prev: string | null;
  }>;
  what: string;
  place: Place;
  children: (rows: readonly Row[]) => ComponentChildren;
}) {
  return (
    <Await answer={answer} what={what}>
      {({ result, next, prev }) => (
        <>
          {children(result)}
          <Pager place={place} next={next} prev={prev} />
        </>
      )}
    </Await>
  );
}

/** The cursor of the address as parameters of the API. */
export function cursorOf(place: Place): string {
  const next = place.query.get("next");
  const prev = place.query.get("prev");
  if (next !== null && next !== "") return `&next=${encodeURIComponent(next)}`;
  return prev !== null && prev !== "" ? `&prev=${encodeURIComponent(prev)}` : "";
}

/** Views of one thing, as links: each has its own address. */
export function Views({
  place,
  views,
  present,
}: {
  place: Place;
  views: readonly (readonly [id: string, label: string])[];
  present: string;
}) {
  return (
    <nav class="views" aria-label="Views">
      {views.map(([id, label]) => (
        <a
          key={id}
          href={withQuery(place, { view: id, next: "", prev: "" })}
          aria-current={id === present ? "page" : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  );
}

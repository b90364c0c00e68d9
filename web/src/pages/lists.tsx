// Pages that are one list: tokens, markets, operations, blocks, mempool.

import type { TargetedSubmitEvent } from "preact";
import { useAnswer } from "../answers.ts";
import { goTo, type Place, withQuery } from "../paths.ts";
import type { BlockRow, Envelope, MempoolRow, OperationRow, SummaryRow, TokenListRow } from "../wire.ts";
import { Await } from "../parts/basics.tsx";
import { BlockTable } from "../parts/blocks.tsx";
import { fieldOf, Title } from "../parts/layout.tsx";
import { MarketTable, MempoolTable, OperationTable, TokenTable } from "../parts/rows.tsx";
import { cursorOf, Paged, Pager } from "../parts/table.tsx";
import { OPERATION_WORDS } from "../words.ts";

interface PageProps {
  readonly place: Place;
}

/** All tokens, newest first; `tick` in the address takes those that begin so. */
export function TokensPage({ place }: PageProps) {
  const prefix = filterOf(place, "tick");
  const answer = useAnswer<Envelope<TokenListRow>>(
    `/api/v1/prc20/tokenlist?limit=25${prefix}${cursorOf(place)}`,
    "operation",
  );
  return (
    <>
      <Title text="Tokens" />
      <Filters place={place} fields={[{ name: "tick", label: "Ticker begins with" }]} />
      <Paged answer={answer} what="tokens" place={place}>
        {(rows) => (
          <TokenTable
            rows={rows}
            empty={prefix === "" ? "No token has been deployed yet." : "No ticker begins like this."}
          />
        )}
      </Paged>
    </>
  );
}

/** All markets by volume. */
export function MarketsPage({ place }: PageProps) {
  const answer = useAnswer<Envelope<SummaryRow>>(
    `/api/v1/prc20/markets?limit=25${cursorOf(place)}`,
    "listing",
    "block",
  );
  return (
    <>
      <Title text="Markets" />
      <p class="quiet">
        Tokens with something for sale, or sold in the last 30 days. Prices are for one whole token.
      </p>
      <Paged answer={answer} what="markets" place={place}>
        {(rows) => <MarketTable rows={rows} empty="Nothing is for sale, and nothing was sold in 30 days." />}
      </Paged>
    </>
  );
}

/** All operations, newest first, with filters. */
export function OperationsPage({ place }: PageProps) {
  const filters = ["tick", "op", "valid", "address"].map((name) => filterOf(place, name)).join("");
  const answer = useAnswer<Envelope<OperationRow>>(
    `/api/v1/prc20/oplist?limit=25${filters}${cursorOf(place)}`,
    "operation",
  );
  return (
    <>
      <Title text="Operations" />
      <Filters
        place={place}
        fields={[
          { name: "tick", label: "Ticker" },
          { name: "address", label: "Address" },
          { name: "op", label: "Operation", options: Object.entries(OPERATION_WORDS) },
          {
            name: "valid",
            label: "Result",
            options: [
              ["1", "valid"],
              ["0", "refused"],
            ],
          },
        ]}
      />
      <Paged answer={answer} what="operations" place={place}>
        {(rows) => (
          <OperationTable rows={rows} caption="Operations, newest first" empty="No operation fits." />
        )}
      </Paged>
    </>
  );
}

/** All blocks, newest first. */
export function BlocksPage({ place }: PageProps) {
  const answer = useAnswer<Envelope<BlockRow>>(`/api/v1/prc20/blocks?limit=25${cursorOf(place)}`, "block");
  return (
    <>
      <Title text="Blocks" />
      <Paged answer={answer} what="blocks" place={place}>
        {(rows) => <BlockTable rows={rows} />}
      </Paged>
    </>
  );
}

/** Operations that no block has yet. */
export function MempoolPage({ place }: PageProps) {
  const filters = ["tick", "address"].map((name) => filterOf(place, name)).join("");
  const answer = useAnswer<Envelope<MempoolRow>>(
    `/api/v1/prc20/mempool?limit=25${filters}${cursorOf(place)}`,
    "mempool",
  );
  return (
    <>
      <Title text="Mempool" />
      <p class="quiet">
        Operations that the node holds and no block has yet. None of them is counted anywhere.
      </p>
      <Filters
        place={place}
        fields={[
          { name: "tick", label: "Ticker" },
          { name: "address", label: "Address" },
        ]}
      />
      <Await answer={answer} what="the mempool">
        {({ result, next, prev, truncated }) => (
          <>
            {truncated === true ? (
              <p class="notice bad">The node holds more than 100,000 operations; some are missing here.</p>
            ) : null}
            <MempoolTable rows={result} empty="No operation waits for a block." />
            <Pager place={place} next={next} prev={prev} />
          </>
        )}
      </Await>
    </>
  );
}

function filterOf(place: Place, name: string): string {
  const value = place.query.get(name)?.trim() ?? "";
  return value === "" ? "" : `&${name}=${encodeURIComponent(value)}`;
}

interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly options?: readonly (readonly [value: string, label: string])[];
}

/** Fields that narrow a list; they stand in the address. */
function Filters({ place, fields }: { place: Place; fields: readonly FilterField[] }) {
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const values = Object.fromEntries(fields.map(({ name }) => [name, fieldOf(form, name)]));
    goTo(withQuery(place, { ...values, next: "", prev: "" }));
  };
  return (
    <form class="filters" key={place.href} onSubmit={submit}>
      {fields.map(({ name, label, options }) => (
        <label key={name}>
          {label}{" "}
          {options === undefined ? (
            <input
              name={name}
              defaultValue={place.query.get(name) ?? ""}
              autocomplete="off"
              spellcheck={false}
            />
          ) : (
            <select name={name} defaultValue={place.query.get(name) ?? ""}>
              <option value="">any</option>
              {options.map(([value, text]) => (
                <option key={value} value={value} selected={value === place.query.get(name)}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </label>
      ))}
      <button type="submit">Show</button>
    </form>
  );
}

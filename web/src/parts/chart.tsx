// The price of a token over time: candles and volume, and the same as a table for those who cannot see a drawing. The
// drawing library is loaded when the first chart is shown.

import { useEffect, useRef, useState } from "preact/hooks";
import { useAnswer } from "../answers.ts";
import { unitPrice, utc, wholeUnits } from "../format.ts";
import { settings } from "../settings.ts";
import { useStore } from "../store.ts";
import type { CandleRow, Envelope } from "../wire.ts";
import { Await, Empty, Pearl, TokenAmount, UnitPrice } from "./basics.tsx";
import type { Drawing } from "./drawing.ts";
import { Table } from "./table.tsx";

interface ChartProps {
  readonly tick: string;
  readonly interval: string;
  readonly decimals: number;
}

/** Candles of the newest hundred intervals that had sales. */
export function PriceChart({ tick, interval, decimals }: ChartProps) {
  const answer = useAnswer<Envelope<CandleRow>>(
    `/api/v1/prc20/token/${tick}/candles?interval=${interval}&limit=100&newest=true`,
    "listing",
  );
  return (
    <Await answer={answer} what="prices" rows={8}>
      {({ result }) =>
        result.length === 0 ? (
          <Empty>Nothing has been sold yet, so that there is no price.</Empty>
        ) : (
          <>
            <Candles rows={result} />
            <details>
              <summary>The same as a table</summary>
              <CandleTable rows={result.toReversed()} decimals={decimals} tick={tick} />
            </details>
          </>
        )
      }
    </Await>
  );
}

function Candles({ rows }: { rows: readonly CandleRow[] }) {
  const frame = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing | null>(null);
  const theme = useTheme();
  const latest = rows.at(-1);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    let isGone = false;
    void import("./drawing.ts").then(({ drawCandles }) => {
      if (isGone) return;
      drawing.current = drawCandles(element);
      drawing.current.show(rows);
    });
    return () => {
      isGone = true;
      drawing.current?.end();
      drawing.current = null;
    };
  }, [theme]);
  useEffect(() => drawing.current?.show(rows), [rows]);
  const words =
    latest === undefined
      ? "Price chart"
      : `Price chart. The last sale, ${utc(latest.start)} or later, was at ${unitPrice(latest.close)}.`;
  return <div class="chart" ref={frame} role="img" aria-label={words} />;
}

/** Changes whenever the page's colours do: by the visitor's choice, or with the system. */
function useTheme(): string {
  const chosen = useStore(settings, ({ theme }) => theme);
  const [isDark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const update = (): void => setDark(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  return `${chosen} ${isDark}`;
}

function CandleTable({
  rows,
  decimals,
  tick,
}: {
  rows: readonly CandleRow[];
  decimals: number;
  tick: string;
}) {
  return (
    <Table
      caption={`Prices of ${tick} by interval, newest first`}
      rows={rows}
      keyOf={({ start }) => String(start)}
      empty="Nothing was sold."
      columns={[
        { head: "From", cell: ({ start }) => utc(start) },
        { head: "First", numeric: true, cell: ({ open }) => <UnitPrice decimal={open} /> },
        { head: "Highest", numeric: true, cell: ({ high }) => <UnitPrice decimal={high} /> },
        { head: "Lowest", numeric: true, cell: ({ low }) => <UnitPrice decimal={low} /> },
        { head: "Last", numeric: true, cell: ({ close }) => <UnitPrice decimal={close} /> },
        {
          head: "Units",
          numeric: true,
          cell: ({ volume }) => <TokenAmount raw={volume} decimals={decimals} />,
        },
        { head: "Paid", numeric: true, cell: ({ volume_sat }) => <Pearl sat={volume_sat} /> },
        { head: "Sales", numeric: true, cell: ({ fills }) => wholeUnits(String(fills), 0) },
      ]}
    />
  );
}

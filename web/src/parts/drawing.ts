// Draws candles and volume. A drawing is for the eye: prices become floating-point numbers here and nowhere else, and
// the table beside it has the exact ones.

import {
  CandlestickSeries,
  ColorType,
  createChart,
  HistogramSeries,
  type UTCTimestamp,
} from "lightweight-charts";
import { axisPrice, axisStep, utc } from "../format.ts";
import type { CandleRow } from "../wire.ts";

/** A drawing on the page. */
export interface Drawing {
  /** Shows these candles, oldest first. */
  show(rows: readonly CandleRow[]): void;
  /** Takes the drawing away. */
  end(): void;
}

/** Begins a drawing in an element, in the colours that the page has at the moment. */
export function drawCandles(element: HTMLElement): Drawing {
  const [ink, line, up, down, volume] = ["ink", "line", "up", "down", "volume"].map((part) =>
    colorOf(element, part),
  );
  const chart = createChart(element, {
    autoSize: true,
    layout: {
      background: { type: ColorType.Solid, color: "transparent" },
      textColor: ink ?? "",
      fontFamily: getComputedStyle(element).fontFamily,
      // The library's own mark writes a style into the page; its name stands at the foot of the page instead.
      attributionLogo: false,
    },
    grid: { vertLines: { color: line ?? "" }, horzLines: { color: line ?? "" } },
    rightPriceScale: { borderColor: line ?? "" },
    timeScale: { borderColor: line ?? "", timeVisible: true },
    localization: {
      priceFormatter: axisPrice,
      timeFormatter: (time: number) => utc(time),
    },
    handleScroll: { mouseWheel: false },
    handleScale: { mouseWheel: false },
  });
  const candles = chart.addSeries(CandlestickSeries, {
    upColor: up ?? "",
    downColor: down ?? "",
    wickUpColor: up ?? "",
    wickDownColor: down ?? "",
    borderVisible: false,
  });
  const bars = chart.addSeries(HistogramSeries, {
    color: volume ?? "",
    priceScaleId: "volume",
    priceLineVisible: false,
    lastValueVisible: false,
  });
  bars.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
  candles.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.22 } });
  return {
    show(rows) {
      const minMove = axisStep(Math.min(...rows.map(({ low }) => Number(low))));
      candles.applyOptions({ priceFormat: { type: "price", precision: 8, minMove } });
      candles.setData(
        rows.map(({ start, open, high, low, close }) => ({
          time: start as UTCTimestamp,
          open: Number(open),
          high: Number(high),
          low: Number(low),
          close: Number(close),
        })),
      );
      bars.setData(
        rows.map(({ start, volume_sat }) => ({
          time: start as UTCTimestamp,
          value: Number(volume_sat) / 1e8,
        })),
      );
      // Few candles would be drawn as wide as the page.
      if (rows.length < 30)
        chart.timeScale().setVisibleLogicalRange({ from: rows.length - 30, to: rows.length });
      else chart.timeScale().fitContent();
    },
    end: () => chart.remove(),
  };
}

/** The colour that the style sheet gives to a part of a chart, as the browser resolves it in the present theme. */
function colorOf(element: HTMLElement, part: string): string {
  const probe = document.createElement("i");
  probe.className = `chart-${part}`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

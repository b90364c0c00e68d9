// What stands around every page: the name, the way to the pages, the search box, how current the page is, and the
// visitor's settings.

import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { contact, health } from "../live.ts";
import { goTo, pathTo, place } from "../paths.ts";
import { choose, settings } from "../settings.ts";
import { useStore } from "../store.ts";
import { duration } from "../format.ts";
import { useNow } from "../clock.ts";

const WAYS = [
  ["/tokens", "Tokens"],
  ["/markets", "Markets"],
  ["/swaps", "Swaps"],
  ["/operations", "Operations"],
  ["/blocks", "Blocks"],
  ["/mempool", "Mempool"],
  ["/status", "Status"],
] as const;

/** The frame of every page. */
export function Layout({ children }: { children: ComponentChildren }) {
  const here = useStore(place, ({ href }) => href);
  return (
    <>
      <a class="skip" href="#content">
        Go to the content
      </a>
      <header class="top">
        <a class="brand" href="/">
          <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
            <rect width="32" height="32" rx="7" />
            <path d="M6 11c7-8 13 8 20 0M6 21c7-8 13 8 20 0" />
          </svg>
          Strand
        </a>
        <nav class="ways" aria-label="Main">
          {WAYS.map(([href, label]) => (
            <a key={href} href={href} aria-current={here.split("?")[0] === href ? "page" : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <SearchBox />
      </header>
      <ContactLine />
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <Foot />
    </>
  );
}

/** Title of the document, the page's one `h1`, and the focus after a change of page. */
export function Title({ text, children }: { text: string; children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const here = useStore(place, ({ href }) => href.split("?")[0]);
  // With the words of the page, not after them: who reads both never meets the title of the page before.
  useLayoutEffect(() => {
    document.title = text === "Strand" ? "Strand: tokens, markets and swaps of Pearl" : `${text} · Strand`;
  }, [text]);
  useEffect(() => {
    const isOther = headed !== null && headed !== here;
    headed = here ?? "";
    // A heading that stands in for the one of a page that was still loading has its focus, too.
    if (!isOther && !(isFocusMoved && document.activeElement === document.body)) return;
    isFocusMoved = true;
    heading.current?.focus({ preventScroll: true });
  }, [here]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? text}
    </h1>
  );
}
/** The path whose heading stands on the page; null before the first. */
let headed: string | null = null;
/** The browser itself begins a page that was opened; only after a way to another one is the focus ours to move. */
let isFocusMoved = false;

/** One box for ticker, address, transaction, height, listing and swap. */
export function SearchBox({ label = "Search" }: { label?: string }) {
  return (
    <form class="search" role="search" aria-label={label} action="/search" onSubmit={search}>
      <input
        type="search"
        name="q"
        aria-label="Search: ticker, address, transaction, height, listing or swap"
        placeholder="Ticker, address, txid, height, listing, swap"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={200}
      />
      <button type="submit">Search</button>
    </form>
  );
}

function search(event: TargetedSubmitEvent<HTMLFormElement>): void {
  event.preventDefault();
  const text = fieldOf(new FormData(event.currentTarget), "q");
  if (text !== "") goTo(pathTo.search(text));
}

/** A text field of a form, without spaces around it. */
export function fieldOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

/** Whether the page shows the present, in words; always there, so that a change of it is read aloud. */
function ContactLine() {
  const state = useStore(contact);
  const body = useStore(health);
  const silence = useNow(() =>
    state.state === "cut_off" ? duration((Date.now() - state.sinceMs) / 1000) : "",
  );
  const words = (): string => {
    if (state.state === "connecting") return "Connecting …";
    if (state.state === "behind") return state.why;
    if (state.state === "cut_off")
      return `Cut off: the service has not answered for ${silence}. What is shown may be old.`;
    const degraded = body?.status === "degraded" ? " Something needs attention: see Status." : "";
    return `Live · block ${body?.indexed_height ?? "?"}${body?.network === "mainnet" ? "" : ` · ${body?.network ?? ""}`}${degraded}`;
  };
  const tone =
    state.state === "live"
      ? body?.status === "degraded"
        ? "busy"
        : "good"
      : state.state === "connecting"
        ? "idle"
        : "bad";
  return (
    <div class={`contact ${tone}`} role="status">
      {words()}
    </div>
  );
}

function Foot() {
  const { theme, amounts, times } = useStore(settings);
  return (
    <footer class="foot">
      <fieldset>
        <legend>Show</legend>
        <label>
          Colours{" "}
          <select value={theme} onChange={(event) => choose({ theme: themeOf(event.currentTarget.value) })}>
            <option value="system">as the system</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={amounts === "raw"}
            onChange={(event) => choose({ amounts: event.currentTarget.checked ? "raw" : "whole" })}
          />{" "}
          raw amounts
        </label>
        <label>
          <input
            type="checkbox"
            checked={times === "absolute"}
            onChange={(event) => choose({ times: event.currentTarget.checked ? "absolute" : "relative" })}
          />{" "}
          absolute times
        </label>
      </fieldset>
      <p>
        Everything here is computed from the chains. Strand holds no keys and no money.{" "}
        <a href="/docs">HTTP interface</a> · Charts:{" "}
        <a href="https://www.tradingview.com/lightweight-charts/">Lightweight Charts™</a>, © TradingView, Inc.
      </p>
    </footer>
  );
}

function themeOf(value: string): "system" | "light" | "dark" {
  return value === "light" || value === "dark" ? value : "system";
}

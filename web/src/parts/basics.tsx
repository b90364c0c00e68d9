// The small things that every page is made of: amounts, times, ids with a copy button, badges, panels, lists of facts,
// and the words for what is loading, empty or wrong.

import type { ComponentChildren, JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { Answer, Failure } from "../answers.ts";
import { shownTime, useNow } from "../clock.ts";
import { grouped, pearl, relative, shortened, unitPrice, usdc, utc, wholeUnits } from "../format.ts";
import { pathTo } from "../paths.ts";
import { settings } from "../settings.ts";
import { useStore } from "../store.ts";
import type { Tone } from "../words.ts";

interface AmountProps {
  readonly raw: string;
  readonly decimals: number;
  readonly unit: string;
  /** What one raw unit is called. */
  readonly rawUnit?: string;
  readonly text: string;
}

/** An amount in whole units, or raw where the visitor wants it; the other one is in its title. */
function AmountText({ raw, unit, rawUnit = "raw units", text }: AmountProps) {
  const isRaw = useStore(settings, ({ amounts }) => amounts === "raw");
  const whole = unit === "" ? text : `${text} ${unit}`;
  const rawText = `${grouped(raw)} ${rawUnit}`;
  return (
    <data class="amount" value={raw} title={isRaw ? whole : rawText}>
      {breakable(isRaw ? rawText : whole)}
    </data>
  );
}

/**
 * A text whose number goes on in the next line where a whole line is too short for it, behind a comma or nine digits of a
 * fraction: a part of it that is out of sight would make another number.
 */
export function breakable(text: string): ComponentChildren {
  const [, digits = "", rest = text] = /^(-?[\d,.]+)(.*)$/s.exec(text) ?? [];
  const parts = digits.split(/(?<=,)|(?<=\.\d{9})(?=\d)/);
  if (parts.length < 2) return text;
  return (
    <>
      <span class="digits">
        {parts.flatMap((part, index) => (index === 0 ? [part] : [<wbr key={index} />, part]))}
      </span>
      {rest}
    </>
  );
}

/** Units of a token. `decimals` null: not known yet, so that only the raw amount can be told. */
export function TokenAmount({
  raw,
  decimals,
  tick = "",
}: {
  raw: string;
  decimals: number | null;
  tick?: string;
}) {
  if (decimals === null)
    return (
      <data class="amount" value={raw}>
        {breakable(`${grouped(raw)} raw units`)}
      </data>
    );
  return <AmountText raw={raw} decimals={decimals} unit={tick} text={wholeUnits(raw, decimals)} />;
}

/** Satoshis shown as PEARL. */
export function Pearl({ sat }: { sat: string }) {
  return <AmountText raw={sat} decimals={8} unit="PEARL" rawUnit="sat" text={pearl(sat)} />;
}

/** Raw USDC. */
export function Usdc({ raw }: { raw: string }) {
  return <AmountText raw={raw} decimals={6} unit="USDC" text={usdc(raw)} />;
}

/** A unit price in satoshis for one whole token; the title has all digits. */
export function UnitPrice({ decimal }: { decimal: string }) {
  return (
    <data class="amount" value={decimal} title={`${grouped(decimal)} sat for one whole token`}>
      {breakable(unitPrice(decimal))}
    </data>
  );
}

/** A moment: relative or absolute, the other one in its title. Of the past, unless `clock` is that of deadlines. */
export function Time({ at, clock = shownTime }: { at: number; clock?: typeof shownTime }) {
  const isAbsolute = useStore(settings, ({ times }) => times === "absolute");
  const distance = useNow((now) => relative(at, now), clock);
  const absolute = utc(at);
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={isAbsolute ? distance : absolute}>
      {isAbsolute ? absolute : distance}
    </time>
  );
}

/** A deadline: the date and how long it still is. */
export function Deadline({ at }: { at: number }) {
  const isPast = useNow((now) => at <= now);
  const distance = useNow((now) => relative(at, now));
  return (
    <time class={isPast ? "past" : "ahead"} dateTime={new Date(at * 1000).toISOString()}>
      {utc(at)} <span class="quiet">({distance})</span>
    </time>
  );
}

/** A button that copies a text. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [state, setState] = useState<"ready" | "done" | "failed">("ready");
  const copy = async (): Promise<void> => {
    setState((await copied(text)) ? "done" : "failed");
    setTimeout(() => setState("ready"), 2_000);
  };
  const label = { ready: `Copy ${what}`, done: "Copied", failed: "Could not copy: select it by hand" }[state];
  return (
    <button
      type="button"
      class={`copy ${state}`}
      aria-label={label}
      title={label}
      onClick={() => void copy()}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {state === "done" ? (
          <path d="M3 8.5l3.5 3.5L13 4.5" />
        ) : (
          <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />
        )}
      </svg>
    </button>
  );
}

/** Browsers give the clipboard to secure pages only; a page over plain http on a LAN has the older way. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = document.activeElement;
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
    return isDone;
  }
}

interface IdProps {
  /** The whole id. */
  readonly id: string;
  /** What it is, for the copy button: "address", "transaction id". */
  readonly what: string;
  /** Where it leads, where there is a page of it. */
  readonly href?: string | undefined;
  /** Shows all of it. */
  readonly whole?: boolean;
}

/** A hash or address: shortened in the middle, whole in its title, with a copy button. */
export function Id({ id, what, href, whole = false }: IdProps) {
  const text = <code title={id}>{whole ? id : shortened(id)}</code>;
  return (
    <span class={whole ? "id whole" : "id"}>
      {href === undefined ? text : <a href={href}>{text}</a>}
      <Copy text={id} what={what} />
    </span>
  );
}

/** A PEARL or EVM address. */
export function AddressId({ address, whole = false }: { address: string | null; whole?: boolean }) {
  if (address === null) return <None />;
  return <Id id={address} what="address" href={pathTo.address(address)} whole={whole} />;
}

/** A transaction of either chain: that of the EVM chain begins with 0x. */
export function TransactionId({ txid, whole = false }: { txid: string | null; whole?: boolean }) {
  if (txid === null) return <None />;
  const what = txid.startsWith("0x") ? "EVM transaction hash" : "transaction id";
  return <Id id={txid} what={what} href={pathTo.transaction(txid)} whole={whole} />;
}

/** A transaction that ended a listing without a purchase. That is no operation, so there may be no page of it. */
export function ClosingId({ txid }: { txid: string }) {
  return <Id id={txid} what="transaction id" />;
}

/** A dash that is read as "none". */
export function None({ why = "none" }: { why?: string }) {
  return (
    <span class="quiet none">
      <span aria-hidden="true">–</span>
      <span class="unseen">{why}</span>
    </span>
  );
}

/** A state in one or two words; the colour says it again. */
export function Badge({
  tone,
  title,
  children,
}: {
  tone: Tone;
  title?: string;
  children: ComponentChildren;
}) {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  );
}

/** A part of a page with a heading. */
export function Panel({
  title,
  more,
  children,
}: {
  title: string;
  more?: JSX.Element | null;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {more}
      </header>
      {children}
    </section>
  );
}

/** Terms and their values. */
export function Facts({
  items,
}: {
  items: readonly (readonly [term: string, value: ComponentChildren] | null)[];
}) {
  return (
    <dl class="facts">
      {items.map((item) =>
        item === null ? null : (
          <div key={item[0]}>
            <dt>{item[0]}</dt>
            <dd>{item[1]}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Words for a failure; what was seen before stays on the page beside them. */
function FailureWords({ failure }: { failure: Failure }) {
  return (
    <p class="notice bad" role="alert">
      {failure.message}
    </p>
  );
}

/** What an answer gives: its content, or that it is on its way, or why there is none. */
export function Await<Value>({
  answer,
  what,
  rows = 0,
  children,
}: {
  answer: Answer<Value>;
  what: string;
  /** So many rows of a table, or what is as high, are likely: their place is kept, so that little moves when they come. */
  rows?: number;
  children: (value: Value) => ComponentChildren;
}) {
  if (answer.value === null && answer.failure !== null) return <FailureWords failure={answer.failure} />;
  if (answer.value === null)
    return (
      <p class="notice quiet loading" style={{ "--rows": rows }}>
        Loading {what} …
      </p>
    );
  return (
    <>
      {answer.failure === null ? null : <FailureWords failure={answer.failure} />}
      {children(answer.value)}
    </>
  );
}

/** Words where a list has no rows. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="notice quiet">{children}</p>;
}

/** How much of something is done. */
export function Bar({ percent, label }: { percent: number; label: string }) {
  return <progress class="bar" max={100} value={percent} aria-label={label} />;
}

// Writes each event as a sentence, by a table from operation kinds and listing states to words.

import type { IndexEvent } from "./event-stream.ts";
import { amount, integer, optionalText, type Row, text } from "./index-client.ts";
import { decimal, pearl, tokens } from "./wording.ts";

/** What sentences need to know beside the row. */
export interface Speech {
  nameOf(address: string): string;
  decimalsOf(tick: string): number;
}

function units(row: Row, speech: Speech): string {
  const tick = text(row, "tick");
  return tokens(amount(row, "amount"), speech.decimalsOf(tick), tick);
}

function payload(row: Row): Row {
  const parsed: unknown = JSON.parse(text(row, "payload_json"));
  return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
}

function deployLine(row: Row, speech: Speech): string {
  const tick = text(row, "tick");
  const fields = payload(row);
  const part = (field: string): string => decimal(amount(fields, field), speech.decimalsOf(tick));
  const pre = optionalText(fields, "pre");
  const head = pre === null ? "" : `, ${part("pre")} at once`;
  return `${speech.nameOf(text(row, "from"))} deployed ${tick}: at most ${part("max")}, ${part("lim")} per mint${head}`;
}

function possessive(name: string): string {
  return `${name}'s`;
}

/** Sentence of a valid operation; null for those that their listing tells. */
function operationLine(row: Row, speech: Speech): string | null {
  const from = speech.nameOf(text(row, "from"));
  switch (text(row, "op")) {
    case "deploy":
      return deployLine(row, speech);
    case "mint":
      return `${from} minted ${units(row, speech)}`;
    case "transfer":
      return `${from} sent ${units(row, speech)} to ${speech.nameOf(optionalText(row, "to") ?? "nobody")}`;
    case "burn":
      return `${from} burned ${units(row, speech)}`;
    default:
      return null;
  }
}

function invalidLine(row: Row, speech: Speech): string {
  const tick = text(row, "tick");
  const what = `${text(row, "op")}${tick === "" ? "" : ` of ${tick}`}`;
  const reason = optionalText(row, "reason") ?? "no reason";
  return `invalid: ${possessive(speech.nameOf(text(row, "from")))} ${what} — ${reason}`;
}

function openedLine(row: Row, speech: Speech): string {
  const exp = optionalText(row, "exp");
  const until = exp === null ? "" : `, until block ${exp}`;
  return `${speech.nameOf(text(row, "owner"))} listed ${units(row, speech)} for ${pearl(amount(row, "price"))}${until}`;
}

/** Sentence of a listing that was opened, taken back or spent without a send; fills are told per transaction. */
function listingLine(row: Row, speech: Speech): string | null {
  const owner = speech.nameOf(text(row, "owner"));
  switch (text(row, "lifecycle_state")) {
    case "open":
      return openedLine(row, speech);
    case "cancelled":
      return `${owner} cancelled the listing of ${units(row, speech)}`;
    case "invalid_spent": {
      const paid = pearl(amount(row, "seller_net_amount"));
      return `invalid spend: ${owner} was paid ${paid} without a send and keeps the ${units(row, speech)}`;
    }
    default:
      return null;
  }
}

function bought(rows: readonly Row[], speech: Speech): string {
  const parts = rows.map((row) => `${units(row, speech)} from ${speech.nameOf(text(row, "owner"))}`);
  return parts.join(" and ");
}

/** All listings that one transaction filled. */
function fillLine(rows: readonly Row[], speech: Speech): string {
  const [first] = rows;
  const buyer = first === undefined ? "nobody" : speech.nameOf(optionalText(first, "buyer") ?? "nobody");
  const total = rows.reduce((sum, row) => sum + amount(row, "price"), 0n);
  const count = rows.length === 1 ? "a listing" : `${rows.length} listings at once`;
  return `${buyer} filled ${count}: ${bought(rows, speech)}, for ${pearl(total)}`;
}

/** The sentences of a block's events, in the order of the chain. */
export function linesOf(events: readonly IndexEvent[], speech: Speech): string[] {
  const fills = new Map<string, Row[]>();
  for (const { kind, row } of events) {
    if (kind !== "listing" || text(row, "lifecycle_state") !== "filled") continue;
    const txid = optionalText(row, "fill_txid") ?? "";
    fills.set(txid, [...(fills.get(txid) ?? []), row]);
  }
  const lines: (string | null)[] = [];
  for (const { kind, row } of events) {
    if (kind === "operation") {
      lines.push(integer(row, "valid") === 1 ? operationLine(row, speech) : invalidLine(row, speech));
    } else if (kind === "listing") {
      const txid = optionalText(row, "fill_txid") ?? "";
      const filled = fills.get(txid);
      fills.delete(txid);
      lines.push(filled === undefined ? listingLine(row, speech) : fillLine(filled, speech));
    }
  }
  return merged(lines.filter((line) => line !== null));
}

/** The same sentence several times in a row becomes one. */
function merged(lines: readonly string[]): string[] {
  const told: { readonly line: string; times: number }[] = [];
  for (const line of lines) {
    const last = told.at(-1);
    if (last?.line === line) last.times += 1;
    else told.push({ line, times: 1 });
  }
  return told.map(({ line, times }) => (times === 1 ? line : `${line}, ${times} times`));
}

/** Sentence of a listing whose last block has passed. */
export function expiryLine(row: Row, speech: Speech): string {
  const owner = possessive(speech.nameOf(text(row, "owner")));
  return `${owner} listing of ${units(row, speech)} expired; the tokens stay locked until it is cancelled`;
}

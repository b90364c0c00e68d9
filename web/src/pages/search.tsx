// What somebody looks for: what it can be is seen by its form, what it is by asking. One hit is gone to at once.

import { useEffect, useState } from "preact/hooks";
import { type Failure, isFailure, read } from "../answers.ts";
import { visible } from "../format.ts";
import { type Place, pathTo, place as present, placeOf } from "../paths.ts";
import type {
  AddressSwaps,
  AskRow,
  BlockRow,
  Envelope,
  ListingRow,
  OperationRow,
  SwapRow,
  SwapTransactionRow,
  TokenListRow,
} from "../wire.ts";
import { Title } from "../parts/layout.tsx";
import { UnknownThing } from "./unknown.tsx";

interface Hit {
  readonly label: string;
  readonly href: string;
}

/** The page of `/search?q=…`. */
export function SearchPage({ place }: { place: Place }) {
  const text = (place.query.get("q") ?? "").trim();
  const [found, setFound] = useState<{ text: string; hits: readonly Hit[]; failure: Failure | null } | null>(
    null,
  );
  useEffect(() => {
    let isGone = false;
    void search(text).then((result) => {
      if (isGone) return;
      const [only, ...others] = result.hits;
      if (only !== undefined && others.length === 0) return replaceBy(only.href);
      // A secret stays out of the history, and of what a reload would send.
      if (result.failure?.code === "SECRET_REFUSED") history.replaceState(null, "", "/search");
      setFound({ text, ...result });
    });
    return () => {
      isGone = true;
    };
  }, [text]);
  if (found === null || found.text !== text)
    return (
      <>
        <Title text="Search" />
        <p class="notice quiet loading">
          Looking for <bdi>{visible(text)}</bdi> …
        </p>
      </>
    );
  if (found.hits.length === 0)
    return (
      <UnknownThing title="Nothing found">
        {found.failure === null ? (
          <>
            Nothing fits <code>{visible(text)}</code>. Search takes the beginning of a ticker, a whole address
            or transaction of either chain, a block's height or hash, a listing id, an ask id or a deal hash.
          </>
        ) : (
          found.failure.message
        )}
      </UnknownThing>
    );
  return (
    <>
      <Title text={`Search: ${text}`}>Search</Title>
      <ul class="hits">
        {found.hits.map(({ label, href }) => (
          <li key={href}>
            <a href={href}>{label}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Takes the place of the search in the history, so that going back does not search again. */
function replaceBy(href: string): void {
  history.replaceState(null, "", href);
  present.set(placeOf(href));
}

interface Found {
  readonly hits: readonly Hit[];
  readonly failure: Failure | null;
}

async function search(text: string): Promise<Found> {
  const probes = probesFor(text);
  const results = await Promise.all(probes.map((probe) => probe()));
  const found = results.flatMap((result) => (isFailure(result) ? [] : result));
  // A transaction may have operations and move a swap.
  const hits = [...new Map(found.map((hit) => [hit.href, hit])).values()];
  const failures = results.filter(isFailure);
  // Not found and badly formed are answers; a secret that must not be shown, or silence, is worth words.
  const failure = failures.find(
    ({ status, code }) => status === 0 || status >= 429 || code === "SECRET_REFUSED",
  );
  return { hits, failure: hits.length === 0 ? (failure ?? null) : null };
}

type Probe = () => Promise<readonly Hit[] | Failure>;

/** What a text can be, by its form: every one in which a page shows a thing. */
function probesFor(text: string): readonly Probe[] {
  const probes: Probe[] = [];
  const height = /^\d{1,3}(,\d{3}){1,2}$/.test(text) ? text.replaceAll(",", "") : text;
  if (/^\d{1,9}$/.test(height)) probes.push(() => block(height));
  if (/^[a-zA-Z0-9]{1,16}$/.test(text)) probes.push(() => tokens(text));
  if (/^(0x[0-9a-fA-F]{40}|[a-zA-Z]+1[a-zA-Z0-9]{20,})$/.test(text)) probes.push(() => address(text));
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(text)) {
    const hex = text.toLowerCase().replace(/^0x/, "");
    if (!text.startsWith("0x")) probes.push(() => block(hex));
    probes.push(
      () => transaction(hex),
      () => swapTransaction(hex),
      () => swap(`0x${hex}`),
      () => ask(`0x${hex}`),
    );
  }
  if (/^list:[0-9a-f]{64}:\d+$/i.test(text)) probes.push(() => listing(text.toLowerCase()));
  // An output, or the input of an operation.
  const [, txid] = /^([0-9a-f]{64}):\d+$/.exec(text.toLowerCase()) ?? [];
  if (txid !== undefined)
    probes.push(
      () => transaction(txid),
      () => swapTransaction(txid),
    );
  return probes;
}

async function block(text: string): Promise<readonly Hit[] | Failure> {
  const answer = await read<Envelope<BlockRow>>(`/api/v1/prc20/block/${text}`);
  if (isFailure(answer)) return answer;
  return answer.result.map(({ height }) => ({ label: `Block ${height}`, href: pathTo.block(height) }));
}

async function tokens(text: string): Promise<readonly Hit[] | Failure> {
  const answer = await read<Envelope<TokenListRow>>(
    `/api/v1/prc20/tokenlist?limit=20&tick=${encodeURIComponent(text)}`,
  );
  if (isFailure(answer)) return answer;
  const exact = answer.result.filter(({ tick }) => tick === text.toUpperCase());
  return (exact.length > 0 ? exact : answer.result).map(({ tick }) => ({
    label: `Token ${tick}`,
    href: pathTo.token(tick),
  }));
}

async function address(text: string): Promise<readonly Hit[] | Failure> {
  if (text.startsWith("0x")) {
    const answer = await read<AddressSwaps>(`/api/v1/swaps/address/${text}`);
    // Where nobody can tell whether it is one, its page says why.
    if (isFailure(answer) && answer.status === 400) return answer;
    return [{ label: `EVM address ${text}`, href: pathTo.address(text.toLowerCase()) }];
  }
  const answer = await read<Envelope<unknown>>(`/api/v1/prc20/address/${text}/tokenlist?limit=1`);
  return isFailure(answer)
    ? answer
    : [{ label: `Address ${text}`, href: pathTo.address(text.toLowerCase()) }];
}

async function transaction(txid: string): Promise<readonly Hit[] | Failure> {
  const answer = await read<Envelope<OperationRow>>(`/api/v1/prc20/op/${txid}`);
  if (isFailure(answer)) return answer;
  return answer.result.length === 0 ? [] : [{ label: `Transaction ${txid}`, href: pathTo.transaction(txid) }];
}

async function swapTransaction(hash: string): Promise<readonly Hit[] | Failure> {
  const answer = await read<{ result: readonly SwapTransactionRow[] }>(`/api/v1/swaps/transactions/${hash}`);
  if (isFailure(answer)) return answer;
  return answer.result
    .slice(0, 1)
    .map(({ txid }) => ({ label: `Transaction ${txid}`, href: pathTo.transaction(txid) }));
}

async function swap(hash: string): Promise<readonly Hit[] | Failure> {
  const answer = await read<SwapRow>(`/api/v1/swaps/${hash}`);
  return isFailure(answer) ? answer : [{ label: `Swap ${hash}`, href: pathTo.swap(hash) }];
}

async function ask(id: string): Promise<readonly Hit[] | Failure> {
  const answer = await read<AskRow>(`/api/v1/swaps/asks/${id}`);
  return isFailure(answer) ? answer : [{ label: `Ask ${id}`, href: pathTo.ask(id) }];
}

async function listing(id: string): Promise<readonly Hit[] | Failure> {
  const answer = await read<Envelope<ListingRow>>(`/api/v1/prc20/listing/${id}`);
  if (isFailure(answer)) return answer;
  return answer.result.map((row) => ({ label: `Listing of ${row.tick}`, href: pathTo.listing(row.id) }));
}

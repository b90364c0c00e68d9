// Tells how much a seller's address can spend, by a Blockbook API (S-34). One GET asks for the unspent outputs; the
// answer is bounded in size, values and time, and the shape of every entry is checked before it counts. Anybody may pay an
// address tens of thousands of outputs: they are looked at in steps, between which everybody else has a turn (H-11).

import { setImmediate as everybodyElse } from "node:timers/promises";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { valueMarks } from "../../primitives/json-values.ts";
import type { Outpoint, PearlAddress } from "../../primitives/brands.ts";
import { BalanceUnavailable } from "../../swaps/usecases/balance-lookups.ts";
import { shownUrl } from "../../follow/shown-url.ts";
import { withoutLogin } from "../../follow/url-login.ts";
import type { BalanceSource } from "../../swaps/lookup-ports.ts";

/** Where and how to ask. */
export interface BlockbookOptions {
  /** Base URL, e.g. `https://blockbook.example`; a path in it is kept. */
  readonly url: string;
  /** Longest time for the whole answer; default 5 s. */
  readonly timeoutMs?: number;
  /** Largest answer; default 8 MiB. */
  readonly maxBytes?: number;
}

const DEFAULT_TIMEOUT_MS = 5000;
const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;
/** An output, of at least 116 bytes, has fewer values than one for so many bytes; millions of empty lists have more. */
const BYTES_PER_VALUE = 16;
/** Outputs that are looked at in one step. */
const OUTPUTS_PER_STEP = 1000;
/** Confirmations from which a coinbase can be spent in the next block. */
const COINBASE_MATURITY = 100;
/** Largest value of an output: 2.1e18 grains. */
const MOST_SAT = 2_100_000_000_000_000_000n;

/** Opens the source; nothing is sent before the first question. Rejections are `BalanceUnavailable`. */
export function openBlockbookBalance(options: BlockbookOptions): BalanceSource {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  const { base, place, authorization } = partsOf(options.url);
  return {
    async balance(address: PearlAddress, except: (outpoint: Outpoint) => boolean): Promise<bigint> {
      // Without `confirmed=true`: only then does Blockbook leave out outputs that the mempool spends. Unconfirmed
      // outputs come too and are left out here.
      const url = `${base}/api/v2/utxo/${address}`;
      const shown = `${place}/api/v2/utxo/${address}`;
      const entries = outputsOf(await textOf({ url, shown, authorization }, timeoutMs, maxBytes), shown);
      const seen = new Set<Outpoint>();
      let sum = 0n;
      for (const [at, value] of entries.entries()) {
        if (at % OUTPUTS_PER_STEP === 0) await everybodyElse();
        const entry = entryOf(value);
        if (entry === null) throw new BalanceUnavailable(`${shown} answers an output of the wrong shape`);
        const { outpoint, amountSat, confirmations, isCoinbase } = entry;
        if (seen.has(outpoint)) throw new BalanceUnavailable(`${shown} names ${outpoint} twice`);
        seen.add(outpoint);
        if (confirmations < (isCoinbase ? COINBASE_MATURITY : 1) || except(outpoint)) continue;
        sum += amountSat;
      }
      return sum;
    },
  };
}

function partsOf(text: string): {
  readonly base: string;
  readonly place: string;
  readonly authorization: string | null;
} {
  const { url, authorization } = withoutLogin(new URL(text));
  return { base: url.href.replace(/\/+$/, ""), place: shownUrl(url), authorization };
}

interface Entry {
  readonly outpoint: Outpoint;
  readonly amountSat: bigint;
  readonly confirmations: number;
  readonly isCoinbase: boolean;
}

/** Where to ask, and how that is called in messages. */
interface Target {
  readonly url: string;
  readonly shown: string;
  readonly authorization: string | null;
}

async function textOf(target: Target, timeoutMs: number, maxBytes: number): Promise<string> {
  const { url, shown, authorization } = target;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, {
      signal,
      redirect: "error",
      headers: { accept: "application/json", ...(authorization === null ? {} : { authorization }) },
    });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      throw new BalanceUnavailable(`${shown} answers HTTP ${response.status}`);
    }
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let text = "";
    const mostValues = Math.ceil(maxBytes / BYTES_PER_VALUE);
    let [bytes, values] = [0, 0];
    for await (const chunk of response.body) {
      bytes += chunk.length;
      values += valueMarks(chunk);
      // Leaving the loop cancels the body.
      if (bytes > maxBytes) throw new BalanceUnavailable(`${shown} answers more than ${maxBytes} bytes`);
      if (values > mostValues)
        throw new BalanceUnavailable(`${shown} answers more than ${mostValues} values`);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (cause) {
    if (cause instanceof BalanceUnavailable) throw cause;
    throw new BalanceUnavailable(`${shown} does not answer`, { cause });
  }
}

/** The outputs as they were told, of any shape. */
function outputsOf(text: string, shown: string): readonly unknown[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new BalanceUnavailable(`${shown} answers no JSON`, { cause });
  }
  if (!Array.isArray(json)) throw new BalanceUnavailable(`${shown} answers no list of outputs`);
  return json;
}

/** One output; its value is in grains and text, as a number would have lost digits on the way. */
const UTXO = Compile(
  Type.Object({
    txid: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    vout: Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
    value: Type.String({ pattern: "^(0|[1-9][0-9]{0,18})$" }),
    confirmations: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    coinbase: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  }),
);

/** The output; null for anything else. */
function entryOf(value: unknown): Entry | null {
  if (!UTXO.Check(value)) return null;
  const { txid, vout, confirmations, coinbase } = value;
  const amountSat = BigInt(value.value);
  if (amountSat > MOST_SAT) return null;
  return { outpoint: `${txid}:${vout}` as Outpoint, amountSat, confirmations, isCoinbase: coinbase ?? false };
}

// People at a service of several processes: one who takes up the stream of events wherever it broke off, and sellers who
// post until they are answered.

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { StreamText } from "../../testkit/event-text.ts";
import { freePort } from "../../testkit/free-port.ts";
import type { Http } from "../../testkit/worlds/swap-stage/http.ts";
import { party, payPearl } from "../../testkit/worlds/swap-stage/parties.ts";
import type { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { type StartedProcess, startStrand } from "./service-process.ts";

/** Pays so many sellers the PEARL that their asks offer, and waits until the stage's own service has seen it. */
export async function paySellers(stage: SwapStage, sellers: number): Promise<void> {
  for (let seller = 1; seller <= sellers; seller += 1)
    await payPearl(stage, party(stage, seller), 200_000_000n);
  await stage.caughtUp();
}

/** Starts a process of a role over the stage's chains. `databases`: the flags that name its database. */
export async function startRole(
  stage: SwapStage,
  role: string,
  databases: Readonly<Record<string, string>>,
): Promise<{ readonly strand: StartedProcess; readonly port: number }> {
  const port = await freePort();
  const flags = stage.flags({
    ...databases,
    "--port": String(port),
    "--rate-limit-post": "off",
    "--trust-proxy": "127.0.0.1",
  });
  return { strand: startStrand(process.execPath, [role, ...Object.entries(flags).flat()], {}), port };
}

/** Where asks are posted and listed. */
export const ASKS = "/api/v1/swaps/asks";
/** An event as it was told. */
export interface Told {
  readonly id: number;
  readonly text: string;
}

/** A consumer that takes up each stream where the last one broke off, at whichever reader the balancer chooses. */
export class Consumer {
  readonly told: Told[] = [];
  streams = 0;
  readonly #url: string;
  /** The id that a stream began behind, which stands in no event. */
  #behind: number | null;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  /** `over`: aborts when the test is over, however it ended. */
  constructor(url: string, over: AbortSignal, behind: number | null = null) {
    this.#url = url;
    this.#behind = behind;
    this.#running = this.#run(AbortSignal.any([over, this.#stop.signal]));
  }

  /** Ends the stream; what was told stays. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#stream(signal).catch(() => undefined);
      await delay(50, undefined, { signal }).catch(() => undefined);
    }
  }

  async #stream(signal: AbortSignal): Promise<void> {
    const last = this.told.at(-1)?.id ?? this.#behind;
    const headers: Record<string, string> = last === null ? {} : { "last-event-id": String(last) };
    const answer = await fetch(`${this.#url}/api/v1/events`, { headers, signal });
    if (answer.status !== 200 || answer.body === null) return;
    this.streams += 1;
    const text = new StreamText();
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      for (const part of text.take(chunk)) {
        const id = /^id: ([0-9]+)$/m.exec(part)?.[1];
        if (id === undefined) continue;
        if (part.includes("\nevent: ")) this.told.push({ id: Number(id), text: part });
        else this.#behind = Number(id);
      }
    }
  }
}

/** Posts an ask as an honest client does: again until it is answered, or the test is over. */
export async function post(http: Http, over: AbortSignal, body: unknown): Promise<void> {
  while (!over.aborted) {
    const answer = await http.post(ASKS, body).catch(() => null);
    if (answer?.status === 201 || answer?.status === 200) return;
    if (answer !== null) assert.ok([502, 503].includes(answer.status), answer.text);
    await delay(200);
  }
}

/** Events of asks that a consumer was told of. */
export function asksTold({ told }: Consumer): readonly Told[] {
  return told.filter(({ text }) => text.includes("event: ask\n"));
}

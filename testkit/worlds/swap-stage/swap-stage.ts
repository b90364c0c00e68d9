// Gives a test a whole swap service of real processes and real bytes: an anvil with the escrow, the embedded PEARL
// node, and the service as `main` builds it, over HTTP. Time moves when a test says so, PEARL first (S-03).

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Address } from "viem";
import { readConfig } from "../../../src/app/config/config.ts";
import { type RunningService, startService } from "../../../src/app/main.ts";
import type { Log } from "../../../src/follow/ports.ts";
import { plainKey, type SigningKey } from "../../../src/wallet/index.ts";
import { deployEscrow, type EscrowSetting, type TestEscrow } from "../../doubles/anvil/deploy.ts";
import { type Anvil, startAnvil } from "../../doubles/anvil/node.ts";
import { type PearlNode, startPearlNode } from "../../doubles/pearl-node/index.ts";
import { Http } from "./http.ts";
import { SILENT } from "../../doubles/log.ts";

/** What a test may change. */
export interface SwapStageOptions {
  /** More flags for the service, with their dashes. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly escrow?: EscrowSetting;
  /** Deploys the token that the escrow takes for USDC; absent: a DevUsdc. */
  readonly token?: (anvil: Anvil) => Promise<Address>;
  /** Lines of the service's log go here; absent: nowhere. */
  readonly log?: Log;
}

/**
 * Flags that make the service look often at both chains, and never again at asks: a re-check between two questions
 * would change rows that a test compares. Tests that are about re-checks ask for them.
 */
const QUICK: Readonly<Record<string, string>> = {
  "--evm-poll-ms": "40",
  "--pearl-poll-ms": "40",
  "--ask-recheck-s": "3600",
  // All parties of a test come from one address.
  "--rate-limit-post": "off",
};

/** Counts only where something is missing: then a slow machine must not be blamed for it. */
const PATIENCE_MS = 60_000;

/** The key that mines PEARL. */
export const STAGE_MINER: SigningKey = plainKey(new Uint8Array(32).fill(7));

/** Both chains and a service over them. */
export class SwapStage {
  readonly anvil: Anvil;
  readonly escrow: TestEscrow;
  readonly pearl: PearlNode;
  readonly folder: string;
  readonly #options: SwapStageOptions;
  #service: RunningService | null = null;
  #pearlTime: number;

  private constructor(
    parts: Pick<SwapStage, "anvil" | "escrow" | "pearl" | "folder">,
    options: SwapStageOptions,
    time: number,
  ) {
    this.anvil = parts.anvil;
    this.escrow = parts.escrow;
    this.pearl = parts.pearl;
    this.folder = parts.folder;
    this.#options = options;
    this.#pearlTime = time;
    this.pearl.setClock(() => this.#pearlTime);
  }

  /** Everything running; PEARL has mature coins of the miner. */
  static async open(options: SwapStageOptions = {}): Promise<SwapStage> {
    const folder = await mkdtemp(join(tmpdir(), "strand-swaps-"));
    const anvil = await startAnvil();
    let pearl: PearlNode | null = null;
    let stage: SwapStage | null = null;
    try {
      const usdc = await options.token?.(anvil);
      const escrow = await deployEscrow(anvil, {
        ...options.escrow,
        ...(usdc === undefined ? {} : { usdc }),
      });
      pearl = await startPearlNode({
        rpcUser: "user",
        rpcPassword: "secret",
        miningScript: STAGE_MINER.script,
        keepAlive: true,
      });
      const now = Math.floor(Date.now() / 1000);
      stage = new SwapStage({ anvil, escrow, pearl, folder }, options, now);
      pearl.generate(120);
      await anvil.mine(3);
      await stage.startService();
      return stage;
    } catch (error) {
      await stage?.stopService();
      await pearl?.close();
      await anvil.stop();
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** The HTTP side of the running service. */
  get http(): Http {
    return new Http(`http://127.0.0.1:${this.service.port}`);
  }

  get service(): RunningService {
    if (this.#service === null) throw new Error("the service does not run");
    return this.#service;
  }

  /** Present unix time of the PEARL node. */
  get pearlTime(): number {
    return this.#pearlTime;
  }

  /** Starts the service with these flags beside the usual ones; with `isWaiting` until both indexes are at their tips. */
  async startService(more: Readonly<Record<string, string>> = {}, isWaiting = true): Promise<void> {
    this.#service = await this.startBeside(more);
    if (!isWaiting) return;
    await this.caughtUp();
    // A new process believes what is final after two answers (S-07); until then no row has a marked action.
    await this.until(
      "the RPCs' word on what is final",
      async () => this.service.swapSides()?.evm.agreed === true,
    );
  }

  /** The flags of a service over these chains, with these in the place of the usual ones. */
  flags(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    return {
      "--strand-network": "simnet",
      "--pearl-rpc-url": this.pearl.url,
      "--pearl-rpc-user": "user",
      "--pearl-rpc-password": "secret",
      "--database-url": `sqlite:${join(this.folder, "index.db")}`,
      "--host": "127.0.0.1",
      "--port": "0",
      "--prc20-start-height": "1",
      "--prc20-fee-bps": "0",
      "--evm-rpc-urls": this.anvil.url,
      "--evm-chain-id": "31337",
      "--escrow-address": this.escrow.address.toLowerCase(),
      "--escrow-first-block": String(this.escrow.block),
      ...QUICK,
      ...this.#options.flags,
      ...more,
    };
  }

  /** One more service over the same chains, with these flags beside the usual ones; the caller stops it. */
  async startBeside(more: Readonly<Record<string, string>>): Promise<RunningService> {
    const flags = new Map(Object.entries(this.flags(more)));
    const config = readConfig({ flags, environment: {}, readFile: () => null });
    if (!config.ok) throw new Error(config.error.join("\n"));
    return startService(config.value, { log: this.#options.log ?? SILENT });
  }

  async stopService(): Promise<void> {
    await this.#service?.stop();
    this.#service = null;
  }

  /**
   * Waits until both indexes stand at their chains' tips, older blocks are read for every lock script, what is final there is final here, and both nodes have told
   * this very process of their tips: a ledger that was there before a restart is at the tip without having asked.
   */
  async caughtUp(): Promise<void> {
    await this.until("both indexes at their tips", async () => {
      const { number, final } = await this.#evmHeights();
      const sides = this.service.swapSides();
      if (sides === null) throw new Error("swaps are off");
      const { tips, evm, pearl, uncovered } = sides;
      const { height } = this.pearl.chain.tip;
      const isPearlRead = tips.pearl.height === height && pearl.nodeHeight === height;
      const isEvmRead = tips.evm.height === number && tips.evm.finalHeight >= final;
      return isPearlRead && isEvmRead && evm.headHeight === number && uncovered() === 0;
    });
  }

  async #evmHeights(): Promise<{ readonly number: number; readonly final: number }> {
    const [latest, finalized] = await Promise.all([
      this.anvil.publicClient.getBlock({ blockTag: "latest" }),
      this.anvil.publicClient.getBlock({ blockTag: "finalized" }),
    ]);
    return { number: Number(latest.number), final: Number(finalized.number) };
  }

  /** Mines PEARL blocks and waits for the service. */
  async minePearl(blocks: number): Promise<void> {
    for (let i = 0; i < blocks; i += 1) {
      this.#pearlTime += 1;
      this.pearl.generate(1);
    }
    await this.caughtUp();
  }

  /** Mines EVM blocks and waits for the service. */
  async mineEvm(blocks: number): Promise<void> {
    await this.anvil.mine(blocks);
    await this.caughtUp();
  }

  /** Moves both chains to this time, PEARL first with enough blocks for its median to follow. */
  async moveTo(time: number): Promise<void> {
    this.#pearlTime = Math.max(this.#pearlTime, time);
    for (let i = 0; i < 12; i += 1) {
      this.#pearlTime += 1;
      this.pearl.generate(1);
    }
    if (BigInt(time) > (await this.anvil.time())) await this.anvil.increaseTo(time);
    await this.anvil.mine(3);
    await this.caughtUp();
  }

  /** Asks until the question is answered with true. @throws Error that names what was waited for. */
  async until(what: string, question: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!(await question())) {
      if (performance.now() > end) throw new Error(`waited in vain for: ${what}`);
      await delay(10);
    }
  }

  async close(): Promise<void> {
    await this.stopService();
    await this.pearl.close();
    await this.anvil.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

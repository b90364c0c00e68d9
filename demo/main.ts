// Runs what `npm start` starts: a private Pearl chain in this process, the real service following it over loopback,
// people who act on what the service tells them, and the story of it line by line.

import { createHash } from "node:crypto";
import { CommandRefused } from "../src/app/cli/ending.ts";
import { startService, type RunningService } from "../src/app/main.ts";
import { type PearlNode, startPearlNode } from "../testkit/doubles/pearl-node/index.ts";
import { FEE_BPS } from "./acts/list.ts";
import { invitation, readerInvitation, welcome } from "./banner.ts";
import type { Cast } from "./cast.ts";
import { catchUp } from "./chain-time.ts";
import { direct } from "./director.ts";
import { followEvents } from "./event-stream.ts";
import { type DemoFolder, FolderUnusable, ownerOf, takeFolder } from "./folder.ts";
import { found, FOUNDING_HEIGHT } from "./founding.ts";
import { writeGuestFile } from "./guest-file.ts";
import { indexClient, rowOf } from "./index-client.ts";
import { Narrator } from "./narrator.ts";
import { nodeClient } from "./node-client.ts";
import { OPENING } from "./opening.ts";
import { type DemoOptions, HELP, parseOptions, unusedSettings } from "./options.ts";
import { isPortFree } from "./port-check.ts";
import { Purse } from "./purse.ts";
import { serviceConfig } from "./service-config.ts";
import { stopSignal } from "./stop-signal.ts";
import { isAnvilSilent } from "./swaps/evm-chain.ts";
import { type EvmSide, openEvmSide } from "./swaps/opening.ts";
import { swapClient } from "./swaps/swap-client.ts";
import { SwapTeller } from "./swaps/swap-lines.ts";
import { swapScene } from "./swaps/swap-scene.ts";

const HOST = "127.0.0.1";
/** The account of the actors' wallets; the service has the limited one. */
const WALLET_USER = "wallets";
const SERVICE_USER = "strand";

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function note(sentence: string): void {
  process.stdout.write(`note: ${sentence}\n`);
}

function password(seed: string, user: string): string {
  return createHash("sha256").update(`${seed}/rpc/${user}`).digest("hex");
}

async function startNode(folder: DemoFolder): Promise<PearlNode> {
  let node: PearlNode | null = null;
  node = await startPearlNode({
    folder: folder.chainFolder,
    rpcUser: WALLET_USER,
    rpcPassword: password(folder.seed, WALLET_USER),
    limitUser: SERVICE_USER,
    limitPassword: password(folder.seed, SERVICE_USER),
    miningScript: folder.cast.collector.key.script,
    // A computer whose clock stands before the chain's last block must not stop the chain.
    clock: () => Math.max(Date.now() / 1000, node?.chain.tip.header.time ?? 0),
  });
  return node;
}

function startIndex(
  node: PearlNode,
  side: EvmSide | null,
  folder: DemoFolder,
  options: DemoOptions,
): Promise<RunningService> {
  const evm =
    side === null
      ? null
      : { url: side.chain.anvil.url, escrow: side.escrow.address, firstBlock: side.escrow.block };
  return startService(
    serviceConfig({
      nodeUrl: node.url,
      rpcUser: SERVICE_USER,
      rpcPassword: password(folder.seed, SERVICE_USER),
      databaseFile: folder.databaseFile,
      port: options.port,
      environment: process.env,
      feeAddress: folder.cast.collector.address,
      feeBps: FEE_BPS,
      evm,
    }),
  );
}

/** What a run has in hand when the service is up. */
interface Run {
  readonly node: PearlNode;
  readonly side: EvmSide | null;
  readonly base: string;
  readonly folder: DemoFolder;
  readonly options: DemoOptions;
  readonly signal: AbortSignal;
}

/** What the service shows already is not told again. */
async function learnSwaps(base: string, teller: SwapTeller): Promise<void> {
  const service = swapClient(base);
  for (const kind of ["ask", "bid", "deal"]) {
    const { row } = await service.get(`${kind}s?limit=100${kind === "ask" ? "&include_unfunded=true" : ""}`);
    const { result } = row;
    if (Array.isArray(result)) for (const one of result.toReversed()) teller.line(kind, rowOf(one));
  }
}

/** Plays until the signal ends it. */
async function play({ node, side, base, folder, options, signal }: Run): Promise<void> {
  const cast: Cast = folder.cast;
  const index = indexClient(base);
  const teller = side === null ? null : new SwapTeller((evm) => side.people.nameOf(evm));
  if (teller !== null) await learnSwaps(base, teller);
  const narrator = new Narrator(index, cast, options.quiet ? () => undefined : say, note, teller);
  const { promise: listening, resolve: ready } = Promise.withResolvers<void>();
  await index.hasReached(node.chain.tip.height, node.chain.tip.hash, 60_000, signal);
  await narrator.prepare();
  const events = followEvents(base, (event) => narrator.hear(event), ready, signal).catch(
    (error: unknown) => {
      note(
        `the story ends here, the chain goes on: ${error instanceof Error ? error.message : String(error)}`,
      );
    },
  );
  await Promise.race([listening, events]);
  const wallets = nodeClient(node.url, WALLET_USER, password(folder.seed, WALLET_USER));
  const stage = { cast, index, node: wallets, purse: new Purse(node, cast) };
  const readerAskReady = (): void => readerInvitation(base, folder.readerFile).forEach(say);
  await direct({
    node,
    stage,
    swaps: side === null ? null : swapScene({ side, node, stage, folder, signal, note, readerAskReady }),
    seed: folder.seed,
    blockMs: options.blockMs,
    signal,
    opened: (deal) => invitation(base, deal).forEach(say),
    note,
  });
  await events;
  await narrator.end();
}

async function run(options: DemoOptions, folder: DemoFolder, signal: AbortSignal): Promise<void> {
  const node = await startNode(folder);
  try {
    const isNew = found(node, folder.cast) > 0;
    // The opening is told by height: no empty block may stand in it.
    if (node.chain.tip.height >= FOUNDING_HEIGHT + OPENING.length) catchUp(node, folder.cast);
    const side = options.tokensOnly ? null : await openEvmSide(folder, node, say);
    try {
      if (options.tokensOnly) say("No swaps this time, tokens alone: --tokens-only was given.");
      await serve({ node, side, folder, options, signal }, isNew);
    } finally {
      await side?.chain.close();
    }
  } finally {
    await node.close();
  }
}

async function serve(parts: Omit<Run, "base">, isNew: boolean): Promise<void> {
  const { node, side, folder, options, signal } = parts;
  writeGuestFile({ folder, node, side, user: WALLET_USER, password: password(folder.seed, WALLET_USER) });
  const service = await startIndex(node, side, folder, options);
  try {
    const base = `http://${HOST}:${service.port}`;
    const openSwaps = side === null ? null : side.book.open.length;
    const { walletFile } = folder;
    welcome({ base, walletFile, continued: isNew ? null : node.chain.tip.height, openSwaps }).forEach(say);
    if (!signal.aborted) await play({ ...parts, base });
  } finally {
    await service.stop();
  }
  say(`Stopped at block ${node.chain.tip.height}.`);
}

function ownerSentence(folder: string): string {
  const owner = ownerOf(folder);
  const who = owner === null ? "another demo" : `another demo (process ${owner})`;
  return `${who} is running on ${folder}; stop it, or give this one its own with --folder`;
}

/** Runs the demo until a signal ends it; resolves with the exit code. */
export async function runDemo(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(argv, process.env);
  if (parsed.kind === "help") say(HELP);
  if (parsed.kind === "wrong") process.stderr.write(`strand demo: ${parsed.sentence}\n`);
  if (parsed.kind !== "run") return parsed.kind === "help" ? 0 : 2;
  const { options } = parsed;
  const unused = unusedSettings(process.env);
  if (unused.length > 0) say(`Set, and not used by the demo, which has its own: ${unused.join(", ")}`);
  const signal = stopSignal();
  if (!(await isPortFree(HOST, options.port))) {
    const other = `npm start -- --port ${options.port + 1}`;
    process.stderr.write(
      `strand demo: port ${options.port} is taken; choose another with --port (${other})\n`,
    );
    return 1;
  }
  try {
    const folder = takeFolder(options.folder, options.fresh);
    if (folder === null) throw new CommandRefused([ownerSentence(options.folder)]);
    try {
      await run(options, folder, signal);
    } finally {
      folder.release();
    }
    return 0;
  } catch (error) {
    const sentences = failureSentences(error, options.folder);
    if (sentences === null) throw error;
    for (const sentence of sentences) process.stderr.write(`strand demo: ${sentence}\n`);
    return 1;
  }
}

const ANVIL_SILENT =
  "the EVM dev node (anvil) no longer answers: it was stopped, or this computer stood still or had too much else to do. Start " +
  "the demo again: it goes on with the same chains";

/** What is refused, or fails of the folder and the disk, in sentences; null where it is a bug, which shows its stack. */
function failureSentences(error: unknown, folder: string): readonly string[] | null {
  if (error instanceof CommandRefused) return error.sentences;
  if (error instanceof FolderUnusable) return [`${error.message}; or choose another folder with --folder`];
  if (isAnvilSilent(error)) return [ANVIL_SILENT];
  if (!(error instanceof Error && "syscall" in error)) return null;
  return [`${error.message}: is there room, and a right to write, in ${folder}?`];
}

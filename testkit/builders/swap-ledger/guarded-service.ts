// A served swap ledger without chains in which takes have chosen hashlocks, for what comes in over HTTP (S-66): counts
// what the search for secrets does.

import { swapCrypto } from "../../../src/adapters/system/swap-crypto.ts";
import type { Bytes32 } from "../../../src/primitives/brands.ts";
import { windowByWindow } from "../../doubles/window-hashes.ts";
import { SwapApi } from "../../../src/swaps/usecases/swap-api.ts";
import { fromBytes32, toBytes32 } from "../../../src/swap/crypto.ts";
import type { TakeRecord } from "../../../src/swap/records.ts";
import { type ApiScene, apiScene } from "./api-scene.ts";
import { ask, take } from "./ledger-facts.ts";

/** What the search did since the last `work()`. */
export interface SearchWork {
  /** Windows hashed in each piece. */
  readonly pieces: readonly number[];
  /** Breaths of the event loop between pieces. */
  readonly breaths: number;
  /** Values that passed the filter of hashlocks and were judged. */
  readonly judged: number;
}

/** A swap service and the hands that move it. */
export interface GuardedService {
  readonly swaps: SwapApi;
  readonly scene: ApiScene;
  /** Makes a take, live for now, whose hashlock is the hash of these 32 bytes. */
  readonly guard: (value: Bytes32) => Promise<void>;
  /** The same with this hashlock. */
  readonly guardHashlock: (hashlock: Bytes32) => Promise<void>;
  readonly work: () => SearchWork;
}

/** A service that knows no hashlock yet. */
export async function guardedService(): Promise<GuardedService> {
  const scene = await apiScene();
  let pieces: number[] = [];
  let breaths = 0;
  let judged = 0;
  const plain = windowByWindow(swapCrypto.sha256);
  const parts: typeof scene.parts = {
    ...scene.parts,
    hashWindows: (bytes, offsets) => {
      pieces.push(offsets.length);
      return plain(bytes, offsets);
    },
    crypto: {
      ...scene.parts.crypto,
      sha256: (bytes) => {
        judged += 1;
        return scene.parts.crypto.sha256(bytes);
      },
    },
    clock: {
      ...scene.parts.clock,
      sleep: async () => {
        breaths += 1;
      },
    },
  };
  const offered = ask("guarded");
  await scene.ledger.write({ asks: [offered] });
  let made = 0;
  const guardHashlock = async (hashlock: Bytes32): Promise<void> => {
    made += 1;
    const plainTake = take(`guarded ${made}`, offered, scene.outside.now);
    const guarded: TakeRecord = { ...plainTake, terms: { ...plainTake.terms, hashlock } };
    await scene.ledger.write({ takes: [guarded] });
  };
  return {
    swaps: new SwapApi(parts),
    scene,
    guard: (value) => guardHashlock(toBytes32(swapCrypto.sha256(fromBytes32(value)))),
    guardHashlock,
    work: () => {
      const done = { pieces, breaths, judged };
      pieces = [];
      [breaths, judged] = [0, 0];
      return done;
    },
  };
}

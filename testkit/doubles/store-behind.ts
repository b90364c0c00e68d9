// Puts something between a follower and its store: a gate, a fault or a delay, at every read or write.

import type { FollowedStore } from "../../src/index/ports.ts";

/** What happens at a call of the store; makes the call, or does not. */
export interface Between {
  read<Value>(name: "anchors" | "rows" | "other", call: () => Promise<Value>): Promise<Value>;
  /** `write` names the method and, where there is one, the block. */
  write(write: string, call: () => Promise<void>): Promise<void>;
}

/** The store with this before every call but `close`. */
export function storeBehind(store: FollowedStore, between: Between): FollowedStore {
  const read = <Value>(call: () => Promise<Value>): Promise<Value> => between.read("other", call);
  return {
    parameters: () => read(() => store.parameters()),
    initialise: (parameters) => between.write("initialise", () => store.initialise(parameters)),
    tip: () => read(() => store.tip()),
    blockHash: (height) => read(() => store.blockHash(height)),
    rewindFloor: () => read(() => store.rewindFloor()),
    load: (keys) => between.read("rows", () => store.load(keys)),
    openAnchors: (visit) => between.read("anchors", () => store.openAnchors(visit)),
    commitBase: (base) => between.write("commitBase", () => store.commitBase(base)),
    commit: (blocks, undoBlocks) =>
      between.write(`commit ${blocks[0]?.hash ?? ""}`, () => store.commit(blocks, undoBlocks)),
    rewind: (order) => between.write(`rewind ${order.toHash}`, () => store.rewind(order)),
    replaceBase: (base, newTip) =>
      between.write(`replaceBase ${base.hash}`, () => store.replaceBase(base, newTip)),
    audit: () => read(() => store.audit()),
    dump: () => read(() => store.dump()),
    wipe: () => between.write("wipe", () => store.wipe()),
    close: () => store.close(),
  };
}

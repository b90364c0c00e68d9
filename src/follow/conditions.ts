// The closed set of conditions: what can be wrong that people and monitoring have to know (H-20). Each running part
// tells its own through `conditions()`; /health shows them all and is degraded while one stands. A condition is
// computed at the moment of the question from what the part knows, so there is nothing to switch on or to forget to
// switch off.

/** What a condition means to those who ask about tokens, and for the documents. */
interface ConditionMeaning {
  /** True: PRC20 answers are wrong or late, or cannot be given, so that /health/ready is 503. */
  readonly concernsTokens: boolean;
  /** For the OpenAPI document. */
  readonly meaning: string;
}

/** All conditions. A new one needs its line here and a part that tells it. */
export const CONDITIONS = {
  PEARL_STALLED: {
    concernsTokens: true,
    meaning: "the PEARL node does not answer, or the index does not get on though the node has more",
  },
  /** S-05: its best chain ends below the last indexed block and is the beginning of ours. */
  PEARL_NODE_BEHIND: {
    concernsTokens: true,
    meaning: "the PEARL node has lost blocks that the index has",
  },
  /** S-09: the followed one and a witness; which of them is right is not known. */
  PEARL_NODES_DISAGREE: {
    concernsTokens: false,
    meaning:
      "PEARL nodes name different blocks, or another one has been ahead of the followed one for 10 minutes",
  },
  /** S-09. */
  PEARL_UNWITNESSED: {
    concernsTokens: false,
    meaning: "no second PEARL node shows the newest blocks, so that no new lock counts its confirmations",
  },
  /** H-38, S-53. */
  MEMPOOL_UNREAD: {
    concernsTokens: false,
    meaning: "the PEARL node's mempool cannot be read: what is unconfirmed is of the past",
  },
  SWAPS_STALLED: { concernsTokens: false, meaning: "swaps do not get on with the PEARL chain" },
  /** S-05. */
  SWAPS_WITHHELD: {
    concernsTokens: false,
    meaning:
      "a chain or whoever shows it stands still, so that swaps withhold what commits money or shows the secret",
  },
  EVM_STALLED: {
    concernsTokens: false,
    meaning: "no EVM RPC answers, or the EVM index does not get on",
  },
  /** S-07: in blocks or in events. */
  EVM_RPCS_DISAGREE: { concernsTokens: false, meaning: "EVM RPCs contradict each other" },
  /** S-08. */
  EVM_LOGS_IMPOSSIBLE: {
    concernsTokens: false,
    meaning: "every EVM RPC gives a log that the escrow cannot have made, and the EVM index stands still",
  },
  /** S-07: deals have no time left when they become final. */
  EVM_FINALITY_LAGS: {
    concernsTokens: false,
    meaning: "the EVM chain calls blocks final hours late, or what it calls final cannot be read twice",
  },
  EVM_CONFIRMATIONS_LOW: {
    concernsTokens: false,
    meaning: "EVM_CONFIRMATIONS is lower than a reorganisation may be deep",
  },
  /** S-05. */
  EVM_FINAL_BLOCK_REPLACED: {
    concernsTokens: false,
    meaning: "a final EVM block was replaced; stands until an operator lifts it",
  },
  /** S-21: no order can be opened or accepted, and every other step goes on. */
  ESCROW_PAUSED: {
    concernsTokens: false,
    meaning: "the escrow's owner has paused it: no swap can be begun, those under way go on",
  },
  /** Nothing is indexed or accepted until a restart. */
  WRITER_DEAD: { concernsTokens: true, meaning: "the thread that writes the database has ended" },
  /** A reader has not heard of a writer for some seconds. */
  WRITER_ABSENT: { concernsTokens: true, meaning: "no process writes the index" },
  /** A reader before a streaming replica. */
  STORE_BEHIND: {
    concernsTokens: true,
    meaning: "the database is a replica that lacks the newest of its primary",
  },
  STORE_SILENT: { concernsTokens: true, meaning: "the database does not answer, or takes no writes" },
} as const satisfies Readonly<Record<string, ConditionMeaning>>;

/** Code of a condition, as `reasons` of /health shows it. */
export type ConditionCode = keyof typeof CONDITIONS;

/** One thing that is wrong now. */
export interface Condition {
  readonly code: ConditionCode;
  /** What is wrong and what to do. Public: it names no host, path, user or credential. */
  readonly sentence: string;
}

/** A running part that can be asked what is wrong with it. Cheap: asks nobody, reads nothing. */
export interface ConditionSource {
  /** What is wrong now; empty where all is well. */
  conditions(): readonly Condition[];
}

// Breaks of the EVM follower and its RPCs: S-05, S-25, S-26.

import { type Break, inFile } from "./break.ts";

/** All of them. */
export const SWAPS_EVM: readonly Break[] = [
  ...inFile("src/swaps/evm/evm-cross-check.ts", [
    {
      rule: "S-26",
      find: "return logs.filter(({ address }) => address === escrow);",
      replace: "return logs;",
      why: "logs of other contracts count",
    },
    {
      rule: "S-05",
      find: "if (log.block < from || log.block > to) return",
      replace: "if (false) return",
      why: "logs outside the range count",
    },
    {
      rule: "S-05",
      find: "if (log.removed) return",
      replace: "if (false) return",
      why: "removed logs count",
    },
    {
      rule: "S-05",
      find: "if (log.logIndex <= before.logIndex)",
      replace: "if (false)",
      why: "a log may come twice",
    },
    {
      rule: "S-05",
      find: "if (block.hash !== log.blockHash || block.number !== log.block)",
      replace: "if (false)",
      why: "a log of another block counts",
    },
    {
      rule: "S-05",
      find: "if (block.transactions[log.txIndex] !== log.txHash)",
      replace: "if (false)",
      why: "a log of a transaction that its block does not have counts",
    },
    {
      rule: "S-05",
      find: "if (block.parentHash === parent.hash) continue;",
      replace: "continue;",
      why: "blocks of two branches are taken for one chain",
    },
    {
      rule: "S-05",
      find: "if (block.time < parent.time)",
      replace: "if (false)",
      why: "block times may fall",
    },
  ]),
  ...inFile("src/swaps/evm/evm-read-range.ts", [
    {
      rule: "S-05",
      find: 'first.parentHash !== before.hash) return { kind: "forked" };\n    if',
      replace: 'false) return { kind: "forked" };\n    if',
      why: "a range that does not follow our tip is appended",
    },
    {
      rule: "S-05",
      find: "if (late !== undefined)\n",
      replace: "if (false)\n",
      why: "logs that an RPC does not know yet are left out for ever",
    },
    {
      rule: "S-05",
      find: "if (asksBefore && now[0]?.hash !== before.hash) return false;",
      replace: "",
      why: "a chain replaced during a wide range is not noticed",
    },
    {
      rule: "S-05",
      find: "if (now.at(-1)?.hash !== end.hash)",
      replace: "if (false)",
      why: "an end replaced while it was read is kept",
    },
    {
      rule: "S-05",
      find: "if (foreign !== undefined)",
      replace: "if (false)",
      why: "a log of a block that is none of the range counts",
      equivalent: "the block's number is compared with the log's, and its parent with its neighbours",
    },
    {
      rule: "S-05",
      find: "if (!sizer.refused(to - from + 1)) {",
      replace: "if (sizer.refused(to - from + 1)) {",
      why: "a range that is refused is not split",
    },
  ]),
  ...inFile("src/swaps/evm/evm-range.ts", [
    {
      rule: "S-05",
      find: "this.#ceiling = Math.max(1, Math.floor(blocks / 2));",
      replace: "this.#ceiling = blocks;",
      why: "a refused size is tried again for ever",
    },
    {
      rule: "S-05",
      find: "this.#size = Math.min(this.#ceiling, this.#size * 2);",
      replace: "this.#size = this.#size * 2;",
      why: "ranges grow without bound",
    },
  ]),
  ...inFile("src/swaps/evm/evm-fork.ts", [
    {
      rule: "S-05",
      find: "checkpoints.filter(({ height }) => height <= below)",
      replace: "checkpoints.filter(({ height }) => height < below)",
      why: "the newest shared block is overlooked",
    },
    {
      rule: "S-05",
      find: "if (rewindTo >= finalHeight) return null;",
      replace: "return null;",
      why: "a replaced final block is no alarm",
    },
    {
      rule: "S-05",
      find: "if (hash === witness.hash) throw",
      replace: "if (false) throw",
      why: "an RPC that denies a final block is followed though another still has it",
    },
    {
      rule: "S-05",
      find: "sources.length > 1 && agreeing < 2",
      replace: "false",
      why: "one RPC raises the alarm of a replaced final block while the others are silent",
    },
  ]),
  ...inFile("src/swaps/evm/evm-follower.ts", [
    {
      rule: "S-07",
      find: "const disputes = await this.#second.recheckDisputes();",
      replace: "const disputes = this.#impossible.isOpen ? null : await this.#second.recheckDisputes();",
      why: "a false log that counts as final is not asked about while what follows it looks impossible",
    },
    {
      rule: "S-05",
      find: "!this.#standing.isBehind(this.#active, this.#options.laggardS)",
      replace: "true",
      why: "an RPC that stays behind is followed for ever",
    },
    {
      rule: "S-05",
      find: "finalReplaced: this.#deps.ledger.alarms().length > 0",
      replace: "finalReplaced: false",
      why: "a replaced final block stops nothing",
    },
  ]),
  ...inFile("src/swaps/evm/evm-impossible-log.ts", [
    {
      rule: "S-08",
      find: "if (isAll && (isFromFinal || finalHeight >= height)) {",
      replace: "if (true) {",
      why: "a log that all RPCs gave late wedges the index",
    },
    {
      rule: "S-08",
      find: "if (asked.size < this.#rpcs.length) {",
      replace: "if (by.size < this.#rpcs.length) {",
      why: "a log that was late wedges the index while one RPC does not answer",
    },
  ]),
  ...inFile("src/swaps/evm/evm-catch-up.ts", [
    {
      rule: "S-05",
      find: "return nowMs - this.#shrunk.sinceMs >= this.#options.shrunkMs;",
      replace: "return true;",
      why: "an RPC that is behind undoes our blocks at once",
    },
    {
      rule: "S-05",
      find: 'below.height < ledger.tips().evm.finalHeight) return "idle";',
      replace: 'false) return "idle";',
      why: "a shrunk chain undoes final blocks",
    },
  ]),
  ...inFile("src/swaps/ledger/ledger-changes.ts", [
    {
      rule: "S-08",
      find: "rewindTo === null ? oldFinalHeight : Math.min(oldFinalHeight, rewindTo)",
      replace: "oldFinalHeight",
      why: "what is read again after a rewind counts as read twice",
    },
  ]),
  ...inFile("src/adapters/evm-rpc/escrow-events.ts", [
    {
      rule: "S-25",
      find: "if (terms.buyer !== address(args.buyer) || terms.seller !== address(args.seller)) {",
      replace: "if (false) {",
      why: "topics that differ from the terms are believed",
    },
    {
      rule: "S-25",
      find: "topics.length === shape.topics && log.data.length === shape.dataLength",
      replace: "true",
      why: "topics and data of another shape are read",
    },
    {
      rule: "S-25",
      find: "topics.length === shape.topics && ",
      replace: "",
      why: "a log with more topics than its event is read",
    },
    {
      rule: "S-25",
      find: "topics.length === shape.topics && log.data.length === shape.dataLength",
      replace: "topics.length === shape.topics && log.data.length >= shape.dataLength",
      why: "a log with more words than its event is read",
    },
    {
      rule: "S-25",
      find: "if (value > 4_294_967_295n) throw",
      replace: "if (value > 18_446_744_073_709_551_615n) throw",
      why: "a time that no contract accepts is read",
    },
    {
      rule: "S-25",
      find: "nonceBelow: args.nonceBelow };",
      replace: "nonceBelow: args.nonceBelow + 1n };",
      why: "one nonce too many is revoked",
    },
    {
      rule: "S-25",
      find: "evmRefundTime: seconds(raw.evmRefundTime)",
      replace: "evmRefundTime: seconds(raw.pearlRefundTime)",
      why: "T_e of an order is its T_p",
    },
    {
      rule: "S-25",
      find: "sellerPearlKey: bytes32(args.sellerPearlKey)",
      replace: "sellerPearlKey: bytes32(args.orderHash)",
      why: "an acceptance has another seller key",
    },
  ]),
  ...inFile("src/adapters/evm-rpc/escrow-events.ts", [
    {
      rule: "S-25",
      find: "if (word.length !== 64) throw new RangeError(`a word of ${word.length} digits`);",
      replace: "",
      why: "a word or topic that is missing is read as something",
    },
    {
      rule: "S-25",
      find: "if (word.length !== 64) throw",
      replace: "if (word.length < 64) throw",
      why: "a topic that is too long is read",
    },
    {
      rule: "S-25",
      find: "if (!word.startsWith(ADDRESS_PADDING)) throw new RangeError(`the address ${word}`);",
      replace: "",
      why: "more than 160 bits are cut to an address",
    },
    {
      rule: "S-25",
      find: 'const ADDRESS_PADDING = "0".repeat(24);',
      replace: 'const ADDRESS_PADDING = "0".repeat(23);',
      why: "four bits before an address are not looked at",
    },
    {
      rule: "S-25",
      find: "if (value >> BigInt(bits) !== 0n) throw new RangeError(`a ${type} of ${value}`);",
      replace: "",
      why: "an integer may be greater than its type",
    },
    {
      rule: "S-25",
      find: "if (value >> BigInt(bits) !== 0n)",
      replace: "if (value >> BigInt(bits) > 1n)",
      why: "an integer may be one bit longer than its type",
    },
    {
      rule: "S-25",
      find: "const NUMBER_BITS = 48;",
      replace: "const NUMBER_BITS = 64;",
      why: "times become numbers though the ABI types them as bigint",
    },
    {
      rule: "S-25",
      find: "      topic += 1;\n",
      replace: "",
      why: "every indexed parameter is the first topic",
    },
    {
      rule: "S-25",
      find: "    word += 1;\n",
      replace: "",
      why: "every parameter is the first word",
    },
  ]),
  ...inFile("src/adapters/evm-rpc/escrow-inspection.ts", [
    {
      rule: "S-26",
      find: "BigInt(`0x${decimals}`) !== 6n",
      replace: "false",
      why: "a token of 18 decimals is accepted",
    },
    {
      rule: "S-26",
      find: 'if ((await codeAt(rpc, escrow)) === "0x") {',
      replace: "if (false) {",
      why: "an address without code is told as another contract",
    },
    {
      rule: "S-26",
      find: "usdc === null || minUsdc === null || minUsdc === 0n",
      replace: "usdc === null || minUsdc === null",
      why: "a minimum of 0 is accepted",
    },
  ]),
];

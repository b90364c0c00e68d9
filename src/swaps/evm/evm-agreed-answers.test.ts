// What stands at the escrow's address is what two EVM RPCs show (S-26): one that lies neither refuses a start nor moves the
// least amount.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EvmAddress } from "../../primitives/brands.ts";
import type { EscrowInspection } from "./evm-chain.ts";
import { agreedInspection } from "./evm-agreed-answers.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";

const USDC = `0x${"0c".repeat(20)}` as EvmAddress;
const FITS: EscrowInspection = { faults: [], usdc: USDC, minUsdc: 10n };
const LESS: EscrowInspection = { faults: [], usdc: USDC, minUsdc: 1n };
const NO_CODE: EscrowInspection = { faults: ["no contract"], usdc: null, minUsdc: null };
const OTHER_CHAIN: EscrowInspection = { faults: ["serves chain 1"], usdc: null, minUsdc: null };

type Answer = EscrowInspection | "silent" | "hangs";

function answered(answer: Answer): Promise<EscrowInspection> {
  if (answer === "silent") return Promise.reject(new EvmUnavailable("UNREACHABLE", "down"));
  return answer === "hangs" ? new Promise(() => undefined) : Promise.resolve(answer);
}

const of = (...answers: readonly Answer[]): Promise<EscrowInspection> =>
  agreedInspection(answers.map((answer, i) => ({ name: `no. ${i + 1}`, found: answered(answer) })));

describe("S-26: the escrow by the words of several RPCs", () => {
  test("one of three moves nothing, wherever it stands and whatever it says, and a slow one is not waited for", async () => {
    const honest: readonly Answer[] = [FITS, FITS];
    for (const lie of [LESS, NO_CODE, OTHER_CHAIN, "silent", "hangs"] as const)
      for (const place of [0, 1, 2])
        assert.deepEqual(await of(...honest.toSpliced(place, 0, lie)), FITS, `${place}`);
  });

  test("two that find it wrong refuse it, each with its sentence", async () => {
    const { faults } = await of(NO_CODE, FITS, OTHER_CHAIN);
    assert.deepEqual(faults, ["no contract", "serves chain 1"]);
    assert.deepEqual((await of(NO_CODE, NO_CODE)).faults, ["no contract"]);
  });

  test("two that contradict each other settle nothing, nor does one of several that finds it wrong alone", async () => {
    for (const answers of [
      [FITS, NO_CODE],
      [FITS, LESS],
      [NO_CODE, "silent"],
      [FITS, LESS, NO_CODE],
    ] as const)
      await assert.rejects(of(...answers), { code: "UNSETTLED", message: /no. 1: / });
  });

  test("one that answers alone is believed where the escrow fits, the only one in every case", async () => {
    assert.deepEqual(await of("silent", FITS), FITS);
    assert.deepEqual(await of(FITS), FITS);
    assert.deepEqual(await of(NO_CODE), NO_CODE);
    await assert.rejects(of("silent", "silent"), { code: "UNREACHABLE" });
  });

  test("what is no failure of an RPC is not taken for one", async () => {
    const found = Promise.reject(new TypeError("a bug"));
    await assert.rejects(agreedInspection([{ name: "one", found }]), TypeError);
  });
});

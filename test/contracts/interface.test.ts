// What the escrow can be asked: no function that is not meant to be there, and nothing that takes Ether. What each of
// them does and refuses is tested in Solidity (contracts/test/).

import assert from "node:assert/strict";
import { test } from "node:test";
import { escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";

test("S-21: no function but these is anybody's or the owner's", () => {
  const names = escrowAbi.flatMap((item) =>
    item.type === "function" && item.stateMutability === "nonpayable" ? [item.name] : [],
  );
  const everybodys = ["accept", "cancel", "claim", "lock", "lockWithAsk", "refund", "refundCooperative"];
  everybodys.push("revokeAsks", "withdrawCredit", "withdrawFees");
  const owners = ["acceptOwnership", "pause", "setFee", "transferOwnership", "unpause"];
  assert.deepEqual(names.toSorted(), [...everybodys, ...owners].toSorted());
});

test("S-21: no function is payable", () => {
  assert.ok(!escrowAbi.some((item) => "stateMutability" in item && /^payable$/.test(item.stateMutability)));
});

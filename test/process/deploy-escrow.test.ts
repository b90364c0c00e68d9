// `strand deploy-escrow` deploys what was asked for and prints the line that the configuration needs; where an argument
// is wrong it deploys nothing at all. The real program runs against an anvil.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Address } from "viem";
import { devUsdcAbi, escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import { deployDevUsdc } from "../../testkit/doubles/anvil/deploy.ts";
import { type Anvil, startAnvil } from "../../testkit/doubles/anvil/node.ts";
import { type RpcRequest, type RpcServer, serveRpc } from "../../testkit/doubles/rpc-server.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/strand", import.meta.url));
/** The key of the first account of every anvil: public, worthless. */
const KEY = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const OWNER: Address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const FEES: Address = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720";

let anvil: Anvil;
before(async () => {
  anvil = await startAnvil();
});
after(() => anvil.stop());

function upper(address: Address): string {
  return `0x${address.slice(2).toUpperCase()}`;
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly said: string;
}

function strand(words: readonly string[], input = ""): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, "deploy-escrow", ...words]);
    let out = "";
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.on("close", (code) => resolve({ code, out, said }));
    // A program that does not read its input may be gone before it is written.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

/** Flags that deploy, with some replaced (null: left out; "": a bare flag). */
function flags(changes: Readonly<Record<string, string | null>> = {}): string[] {
  const all = { "--rpc": anvil.url, "--fee-recipient": FEES, "--dev-usdc": "", "--from": OWNER, ...changes };
  return Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : value === "" ? [name] : [name, value],
  );
}

function parsed(ended: Ended): Record<string, unknown> {
  assert.equal(ended.code, 0, ended.said);
  assert.equal(ended.said, "");
  assert.match(ended.out, /^\{[^\n]*\}\n$/);
  return JSON.parse(ended.out) as Record<string, unknown>;
}

async function check(
  line: Record<string, unknown>,
  wanted: { feeBps: number; minUsdc: bigint },
): Promise<void> {
  assert.deepEqual(Object.keys(line), ["address", "usdc", "block", "chain_id", "fee_recipient", "verify"]);
  await checkVerification(line, addressOf(line));
  for (const name of ["address", "usdc", "fee_recipient"])
    assert.match(String(line[name]), /^0x[0-9a-f]{40}$/);
  assert.equal(line["chain_id"], 31337);
  const created = addressOf(line);
  const { publicClient } = anvil;
  const block = line["block"];
  assert.ok(Number.isInteger(block));
  assert.equal(await codeAt(created, BigInt(Number(block)) - 1n), undefined);
  assert.notEqual(await codeAt(created, BigInt(Number(block))), undefined);
  const read = { address: created, abi: escrowAbi } as const;
  assert.equal(await publicClient.readContract({ ...read, functionName: "owner" }), OWNER);
  assert.equal(await publicClient.readContract({ ...read, functionName: "feeBps" }), wanted.feeBps);
  assert.equal(await publicClient.readContract({ ...read, functionName: "minUsdc" }), wanted.minUsdc);
  const recipient = await publicClient.readContract({ ...read, functionName: "feeRecipient" });
  assert.equal(recipient.toLowerCase(), line["fee_recipient"]);
  const usdc = await publicClient.readContract({ ...read, functionName: "usdc" });
  assert.equal(usdc.toLowerCase(), line["usdc"]);
  const decimals = await publicClient.readContract({
    address: usdc,
    abi: devUsdcAbi,
    functionName: "decimals",
  });
  assert.equal(decimals, 6);
}

function addressOf(line: Record<string, unknown>): Address {
  return String(line["address"]) as Address;
}

/** The creation code that this input of the compiler comes to; each input is compiled once, which takes seconds. */
const compiledAlone = new Map<string, string>();
function creationCode({ compiler = "", standard_json = "", contract = "" }: Verification): string {
  const input = readFileSync(new URL(standard_json, new URL("../../", import.meta.url)), "utf8");
  const key = JSON.stringify([compiler, contract, input]);
  const known = compiledAlone.get(key);
  if (known !== undefined) return known;
  const solc = createRequire(import.meta.url)("solc") as {
    compile(input: string): string;
    version(): string;
  };
  assert.ok(solc.version().startsWith(compiler.slice(1)));
  const answer = JSON.parse(solc.compile(input)) as {
    contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
  };
  const [file = "", name = ""] = contract.split(":");
  const bytecode = answer.contracts[file]?.[name]?.evm.bytecode.object ?? "none";
  compiledAlone.set(key, bytecode);
  return bytecode;
}

type Verification = Readonly<Record<string, string>>;

/** The named input, compiled alone, and the arguments are exactly what the creation sent. */
async function checkVerification(line: Record<string, unknown>, created: Address): Promise<void> {
  const verify = line["verify"] as Verification;
  const bytecode = creationCode(verify);
  const block = await anvil.publicClient.getBlock({
    blockNumber: BigInt(Number(line["block"])),
    includeTransactions: true,
  });
  const inputs = block.transactions.map(({ input }) => input);
  assert.ok(inputs.includes(`0x${bytecode}${verify["constructor_arguments"]}`), `creation of ${created}`);
}

function codeAt(address: Address, blockNumber: bigint): Promise<string | undefined> {
  return anvil.publicClient.getCode({ address, blockNumber });
}

describe("deploys", () => {
  test("with a dev token that anybody can mint, from an unlocked account, with the defaults", async () => {
    const line = parsed(await strand(flags()));
    await check(line, { feeBps: 200, minUsdc: 1_000_000n });
    const usdc = String(line["usdc"]) as Address;
    const wallet = anvil.walletClient(5);
    const to = wallet.account.address;
    const mint = { address: usdc, abi: devUsdcAbi, functionName: "mint", args: [to, 7n] } as const;
    await anvil.publicClient.waitForTransactionReceipt({ hash: await wallet.writeContract(mint) });
    const balance = { address: usdc, abi: devUsdcAbi, functionName: "balanceOf", args: [to] } as const;
    assert.equal(await anvil.publicClient.readContract(balance), 7n);
  });

  test("with a token that is there, and every figure as given", async () => {
    const usdc = await deployDevUsdc(anvil);
    const recipient = FEES.toLowerCase();
    const given = {
      "--dev-usdc": null,
      "--usdc": usdc,
      "--fee-bps": "0",
      "--min-usdc": "1",
      "--fee-recipient": recipient,
    };
    const line = parsed(await strand(flags(given)));
    await check(line, { feeBps: 0, minUsdc: 1n });
    assert.equal(line["usdc"], usdc.toLowerCase());
    assert.equal(line["fee_recipient"], recipient);
  });

  for (const [name, input] of [
    ["64 digits and a line end", `${KEY}\n`],
    ["0x, no line end", `0x${KEY}`],
    ["upper case, CR LF and more lines", `${KEY.toUpperCase()}\r\nmore\n`],
  ] as const)
    test(`signed with the key of standard input: ${name}`, async () => {
      const line = parsed(
        await strand(flags({ "--from": null, "--key-stdin": "", "--fee-bps": "500" }), input),
      );
      await check(line, { feeBps: 500, minUsdc: 1_000_000n });
    });

  test("with --flag=value and addresses in upper case", async () => {
    const words = [
      `--rpc=${anvil.url}`,
      `--fee-recipient=${upper(FEES)}`,
      "--dev-usdc",
      `--from=${upper(OWNER)}`,
    ];
    await check(parsed(await strand(words)), { feeBps: 200, minUsdc: 1_000_000n });
  });
});

describe("deploys nothing, ends with a code that is not 0 and says what to do", { concurrency: 3 }, () => {
  const zero = `0x${"00".repeat(20)}`;
  const mistyped = FEES.replace("0xa0Ee", "0xA0Ee");
  const cases: readonly (readonly [
    name: string,
    changes: Record<string, string | null>,
    sentence: RegExp,
    input?: string,
  ])[] = [
    ["no RPC", { "--rpc": null }, /--rpc is missing/],
    ["an RPC that is no http address", { "--rpc": "ws://127.0.0.1:1" }, /--rpc is no http\(s\) address/],
    ["an RPC that is no address", { "--rpc": "here" }, /--rpc is no http\(s\) address/],
    ["an unreachable RPC", { "--rpc": "http://127.0.0.1:1" }, /127\.0\.0\.1:1 gives no chain id/],
    ["no fee recipient", { "--fee-recipient": null }, /--fee-recipient is missing/],
    ["a fee recipient of zero", { "--fee-recipient": zero }, /--fee-recipient is the zero address/],
    ["a wrong checksum", { "--fee-recipient": mistyped }, /--fee-recipient has a wrong checksum/],
    ["a short address", { "--fee-recipient": FEES.slice(0, 41) }, /--fee-recipient is no address/],
    ["501 bps", { "--fee-bps": "501" }, /--fee-bps .* from 0 to 500/],
    ["negative bps", { "--fee-bps": "-1" }, /--fee-bps/],
    ["broken bps", { "--fee-bps": "1.5" }, /--fee-bps/],
    ["bps without a value", { "--fee-bps": "" }, /--fee-bps has no value/],
    ["a least amount of 0", { "--min-usdc": "0" }, /--min-usdc .* from 1/],
    ["a least amount beyond 2^128", { "--min-usdc": String(2n ** 128n) }, /--min-usdc/],
    ["two tokens", { "--usdc": FEES }, /either --usdc .* not both/],
    ["no token", { "--dev-usdc": null }, /either --usdc/],
    ["a token of zero", { "--dev-usdc": null, "--usdc": zero }, /--usdc is the zero address/],
    ["a token without code", { "--dev-usdc": null, "--usdc": FEES }, /no contract at 0xa0Ee/],
    ["two senders", { "--key-stdin": "" }, /either --from .* not both/, KEY],
    ["no sender", { "--from": null }, /either --from/],
    ["a sender of zero", { "--from": zero }, /--from is the zero address/],
    ["a sender that the node has not unlocked", { "--from": `0x${"12".repeat(20)}` }, /did not take/],
    ["an unknown flag", { "--gas": "1" }, /--gas is no flag/],
    ["a bare flag with a value", { "--dev-usdc": "yes" }, /stands where a flag should/],
    ["no key", { "--from": null, "--key-stdin": "" }, /private key/, ""],
    ["a short key", { "--from": null, "--key-stdin": "" }, /private key/, `${KEY.slice(1)}\n`],
    ["a key of zero", { "--from": null, "--key-stdin": "" }, /private key/, `${"0".repeat(64)}\n`],
    ["a key beyond the group", { "--from": null, "--key-stdin": "" }, /private key/, `${"f".repeat(64)}\n`],
    ["a key on the second line", { "--from": null, "--key-stdin": "" }, /private key/, `\n${KEY}\n`],
  ];
  for (const [name, changes, sentence, input] of cases)
    test(name, async () => {
      const height = await anvil.publicClient.getBlockNumber();
      const ended = await strand(flags(changes), input);
      assert.notEqual(ended.code, 0);
      assert.equal(ended.out, "");
      assert.match(ended.said, sentence);
      assert.match(ended.said, /^strand: /);
      assert.doesNotMatch(ended.said, /^\s+at /m);
      assert.ok(!ended.said.includes(KEY.slice(1)));
      assert.equal(await anvil.publicClient.getBlockNumber(), height);
    });
});

describe("deploys nothing where the chain is not as it has to be", () => {
  test("a token with other decimals", async () => {
    const usdc = await deployDevUsdc(anvil);
    // A contract that answers everything with 18.
    await anvil.testClient.setCode({ address: usdc, bytecode: "0x60125f5260205ff3" });
    const ended = await strand(flags({ "--dev-usdc": null, "--usdc": usdc }));
    assert.notEqual(ended.code, 0);
    assert.match(ended.said, /has 18 decimals/);
    await anvil.testClient.setCode({ address: usdc, bytecode: "0x5f5ffd" });
    const silent = await strand(flags({ "--dev-usdc": null, "--usdc": usdc }));
    assert.notEqual(silent.code, 0);
    assert.match(silent.said, /does not say how many decimals/);
  });

  test("a chain whose EVM cannot run the contract: it would be deployed, and no call of it would ever pass", async () => {
    const old = await startAnvil({ hardfork: "shanghai" });
    try {
      const ended = await strand(flags({ "--rpc": old.url }));
      assert.notEqual(ended.code, 0);
      assert.equal(ended.out, "");
      assert.match(ended.said, /^strand: .*Cancun/);
      assert.equal(await old.publicClient.getBlockNumber(), 0n);
    } finally {
      await old.stop();
    }
  });

  test("a dev token on a chain that is no dev chain", async () => {
    await anvil.rpc("anvil_setChainId", [42161]);
    try {
      const at = await anvil.publicClient.getBlockNumber();
      const ended = await strand(flags());
      assert.notEqual(ended.code, 0);
      assert.match(ended.said, /--dev-usdc is for chain id 31337 alone, and this is 42161/);
      assert.equal(await anvil.publicClient.getBlockNumber(), at);
    } finally {
      await anvil.rpc("anvil_setChainId", [31337]);
    }
  });

  test("a word that is no flag", async () => {
    const ended = await strand([...flags(), "stray"]);
    assert.equal(ended.code, 2);
  });
});

/**
 * Stands before the anvil. `meddle` answers a request in a way of its own, or has it passed on by returning false; with
 * `taken` the anvil carries it out, whatever is answered.
 */
function gateway(
  meddle: (request: RpcRequest, taken: () => Promise<readonly unknown[]>) => Promise<boolean>,
): Promise<RpcServer> {
  return serveRpc(async (request) => {
    const taken = () => Promise.all(request.calls.map(({ method, params }) => anvil.rpc(method, params)));
    if (await meddle(request, taken)) return;
    request.reply((await taken()).map((result) => ({ result })));
  });
}
/** Signed by the key of standard input, for a token that is there. */
const SIGNED_HERE = { "--from": null, "--key-stdin": "", "--dev-usdc": null };
const asks = (request: RpcRequest, method: RegExp): boolean =>
  request.calls.some((call) => method.test(call.method));

describe("an RPC that is asked about a creation and does not answer", () => {
  test("is asked on: what is sent and paid is not given up for one answer", async () => {
    const refusals = [
      (request: RpcRequest) => request.send(429, "slow down", "text/plain"),
      (request: RpcRequest) =>
        request.reply([{ error: { code: -32_000, message: "transaction indexing is in progress" } }]),
      (request: RpcRequest) => void request.response.destroy(),
    ];
    const rpc = await gateway(async (request) => {
      const refuse = asks(request, /^eth_getTransactionReceipt$/) ? refusals.pop() : undefined;
      refuse?.(request);
      return refuse !== undefined;
    });
    try {
      const line = parsed(await strand(flags({ "--rpc": rpc.url })));
      await check(line, { feeBps: 200, minUsdc: 1_000_000n });
      assert.equal(refusals.length, 0);
    } finally {
      await rpc.close();
    }
  });

  const unknown = /may be on the chain all the same.*before you try again/;
  for (const [message, said, unsaid] of [
    ["already known", unknown, /did not take|no answer came/],
    ["nonce too low", unknown, /did not take|no answer came/],
    ["upstream request timed out", unknown, /did not take|no answer came/],
    ["insufficient funds for gas * price + value", /did not take the contract: .*funds/, unknown],
  ] as const)
    test(`one that has passed the creation on and says "${message}" is believed where that is a refusal`, async () => {
      const usdc = await deployDevUsdc(anvil);
      const rpc = await gateway(async (request, taken) => {
        if (!asks(request, /^eth_send/)) return false;
        await taken();
        request.reply([{ error: { code: -32_000, message } }]);
        return true;
      });
      try {
        const ended = await strand(flags({ ...SIGNED_HERE, "--usdc": usdc, "--rpc": rpc.url }), KEY);
        assert.equal(ended.code, 1);
        assert.match(ended.said, said);
        assert.doesNotMatch(ended.said, unsaid);
      } finally {
        await rpc.close();
      }
    });

  for (const [name, changes, input] of [
    ["by the node", {}, ""],
    ["here", { "--from": null, "--key-stdin": "" }, KEY],
  ] as const)
    test(`one that breaks off while it takes the creation, signed ${name}: nobody is told that it was not taken`, async () => {
      const usdc = await deployDevUsdc(anvil);
      const rpc = await gateway(async (request, taken) => {
        if (!asks(request, /^eth_send/)) return false;
        await taken();
        request.response.destroy();
        return true;
      });
      try {
        const token = { "--dev-usdc": null, "--usdc": usdc, "--rpc": rpc.url };
        const ended = await strand(flags({ ...token, ...changes }), input);
        assert.equal(ended.code, 1);
        assert.equal(ended.out, "");
        assert.match(ended.said, /may be on the chain all the same.*before (you try|trying) again/);
        assert.doesNotMatch(ended.said, /did not take/);
      } finally {
        await rpc.close();
      }
    });
});

test("--help lists the flags", async () => {
  const ended = await strand(["--help"]);
  assert.equal(ended.code, 0);
  for (const flag of [
    "--rpc",
    "--fee-recipient",
    "--fee-bps",
    "--min-usdc",
    "--usdc",
    "--dev-usdc",
    "--from",
    "--key-stdin",
  ])
    assert.ok(ended.out.includes(flag));
});

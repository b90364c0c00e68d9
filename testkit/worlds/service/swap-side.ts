// The swap half of the simulation: EVM RPCs in front of the people's chain, what the service is given of them, the troubles
// that befall it while honest people rely on it (as long as the rules allow for, S-03), and what is asked of the service
// meanwhile.

import type { Txid } from "../../../src/primitives/brands.ts";
import type { Outside } from "../../../src/app/outside.ts";
import type { FoundTransaction } from "../../../src/swaps/lookup-ports.ts";
import type { EvmSource } from "../../../src/swaps/evm/evm-chain.ts";
import { toHex } from "../../bytes.ts";
import type { Random } from "../../random.ts";
import { sha256Hex } from "../../oracles/escrow.ts";
import { worldEvmChain } from "./evm/evm-port.ts";
import { Lies } from "./evm/lies.ts";
import { RPC_MANNERS, WorldRpc } from "./evm/world-rpc.ts";
import type { Gate } from "./gate.ts";
import { doLate } from "./people/late-deeds.ts";
import { CHAIN_ID, orderHashOf } from "./people/messages.ts";
import { bytes32Of, partyAddress, partyKey } from "./people/purse.ts";
import type { Mutation } from "./people/scenario.ts";
import { Society, type Surroundings } from "./people/society.ts";
import type { SwapStep } from "./steps.ts";
import { NODE_HEADS } from "./world-node.ts";

const ESCROW = partyAddress("escrow");
/** Longest trouble: margins are for delays of half an hour, the claim's own ones included (S-03). */
const TROUBLE_S = 420;
/** Time after a trouble in which there is none. */
const CALM_S = 900;

/** People, RPCs and troubles of one story. */
export class SwapSide {
  readonly society: Society;
  readonly rpcs: readonly WorldRpc[];
  readonly lies: Lies;
  readonly #calm: () => void;
  #troubleUntil = 0;
  #calmUntil = 0;

  /** `calm`: the PEARL nodes are well again; `onFlood`: an RPC is asked on and on without a pause. */
  constructor(
    seed: number,
    mutation: Mutation,
    around: Surroundings,
    { calm, onFlood }: { readonly calm: () => void; readonly onFlood: () => void },
  ) {
    this.#calm = calm;
    this.society = new Society(seed, mutation, around);
    const { evm, scenario } = this.society;
    const names = Array.from({ length: scenario.sources }, (_, at) => `RPC ${at + 1}`);
    const { clock } = around;
    this.rpcs = names.map((name) => new WorldRpc(name, evm, ESCROW, { clock, onFlood }));
    this.lies = new Lies({
      evm,
      terms: () => this.#falseTerms(),
      orderHash: orderHashOf,
      seller: partyAddress("seller"),
      sellerKey: bytes32Of(partyKey("seller").outputKey),
      honestOrders: () => [...evm.storage.orders.keys()],
      secretOf: (hashlock) => this.society.shown.get(hashlock) ?? null,
    });
  }

  /** Ports of the outside for one life of the service. */
  outside(
    gate: Gate,
    twist: (source: EvmSource) => EvmSource,
  ): Pick<Outside, "openEvm" | "openLookups" | "openBalance"> {
    const closing = new AbortController();
    const { society } = this;
    return {
      openEvm: () => {
        const sources = this.rpcs.map((rpc) => twist(rpc.open(gate, closing.signal)));
        const chain = worldEvmChain(sources, ESCROW);
        return {
          ...chain,
          inspectEscrow: () => gate.through(() => chain.inspectEscrow()),
          close: () => closing.abort(),
        };
      },
      openLookups: () => ({
        transaction: (txid) => gate.through(async () => this.#found(txid)),
        isBlock: (hash) => gate.through(async () => society.pearl.core.chain.index.get(hash) !== undefined),
        close: () => undefined,
      }),
      openBalance: () => ({
        balance: (address, except) =>
          gate.through(async () =>
            society.balanceOf(address, (outpoint) => except(outpoint as Parameters<typeof except>[0])),
          ),
        close: () => undefined,
      }),
    };
  }

  /** Whether RPCs mislead, or the service may still believe what one has said: `finalHeight` is the one in force. */
  isDoubtful(finalHeight: number): boolean {
    return this.rpcs.some((rpc) => rpc.mayMislead(finalHeight));
  }

  /** Whether something may befall the service now; it ends by itself. */
  mayTrouble(): boolean {
    const { now } = this.society;
    if (now < this.#troubleUntil) return true;
    if (now < this.#calmUntil) return false;
    this.#troubleUntil = now + TROUBLE_S;
    this.#calmUntil = this.#troubleUntil + CALM_S;
    this.society.later(TROUBLE_S, () => this.end());
    return true;
  }

  /** An RPC is weak for a while. */
  weaken(chance: Random): void {
    const rpc = this.#rpc(chance.between(0, 2));
    if (chance.is(0.4)) rpc.show(chance.pick(NODE_HEADS));
    else rpc.behave(chance.pick(RPC_MANNERS), chance.between(1, 3));
  }

  /** All troubles end. */
  end(): void {
    for (const rpc of this.rpcs) rpc.repent();
    this.#calm();
  }

  /** RPCs look at the chain. */
  look(): void {
    for (const rpc of this.rpcs) rpc.look();
  }

  /** Does what needs no time. */
  async do(step: SwapStep): Promise<void> {
    const { society } = this;
    switch (step.do) {
      case "show RPC":
        if (this.mayTrouble()) this.#rpc(step.rpc).show(step.head);
        return;
      case "behave RPC":
        if (this.mayTrouble()) this.#rpc(step.rpc).behave(step.manner, step.every);
        return;
      case "lie RPC":
        return this.#lie(step);
      case "branch EVM":
        society.reorganiseEvm(step.depth, () => false);
        return this.look();
      case "late deed":
        return doLate(society, step.deed, step.deal);
      default:
        return;
    }
  }

  /** One of several lies at a time: two that agree are believed. */
  #lie({ rpc, lie }: Extract<SwapStep, { do: "lie RPC" }>): void {
    if (this.rpcs.length === 1 || !this.mayTrouble()) return;
    const liar = this.rpcs.find(({ isLying }) => isLying) ?? this.#rpc(rpc);
    liar.lie();
    this.lies.tell(liar.liar, lie);
    this.society.note(`lie: ${lie.do}`);
  }

  #rpc(place: number): WorldRpc {
    const rpc = this.rpcs[place % this.rpcs.length];
    if (rpc === undefined) throw new Error("a world of swaps has an RPC");
    return rpc;
  }

  #falseTerms(): Parameters<typeof orderHashOf>[0] {
    const { society } = this;
    const { scenario, now } = society;
    const pearlRefundTime = now + scenario.lawful.takeMinS + 1200;
    return {
      buyer: partyAddress("oscar"),
      seller: partyAddress("seller"),
      hashlock: sha256Hex(`false ${this.lies.falseOrders.length}`),
      usdcAmount: scenario.usdcAmount,
      pearlAmountSat: 5_000_000_000n,
      buyerPearlKey: bytes32Of(partyKey("oscar").outputKey),
      sellerPearlKey: `0x${"0".repeat(64)}` as ReturnType<typeof sha256Hex>,
      pearlRefundTime,
      evmRefundTime: pearlRefundTime + scenario.rules.deltaS,
      feeBps: 200,
      feeRecipient: partyAddress("fees"),
      askId: `0x${"0".repeat(64)}` as ReturnType<typeof sha256Hex>,
      nonce: BigInt(CHAIN_ID + this.lies.falseOrders.length),
    };
  }

  #found(txid: Txid): FoundTransaction | null {
    const { core } = this.society.pearl;
    const place = core.chain.index.place(txid);
    const waiting = core.mempool.get(txid)?.tx;
    const tx =
      place === undefined
        ? waiting
        : core.chain.index.block(place.block).txs.find((one) => one.txid === txid);
    if (tx === undefined) return null;
    return {
      txid,
      outputs: tx.tx.outs.map(({ value, script }) => ({
        amountSat: value,
        script: toHex(script) as FoundTransaction["outputs"][number]["script"],
      })),
      inputs: tx.spends as FoundTransaction["inputs"],
      coinbase: tx.tx.isCoinbase(),
      block:
        place === undefined
          ? null
          : {
              height: place.block.height,
              hash: place.block.hash as NonNullable<FoundTransaction["block"]>["hash"],
            },
    };
  }
}

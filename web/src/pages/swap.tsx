// One swap as a timeline of both chains: what has happened, who has to do what next until when; and what happens if it
// is not done.

import { useAnswer } from "../answers.ts";
import { useNow } from "../clock.ts";
import { counted, duration, shortened, usdc, usdcAfterFee, usdcPrice, visible } from "../format.ts";
import { type Place, pathTo } from "../paths.ts";
import type { DealTransactions, SwapRow } from "../wire.ts";
import { bidWords, dealWords, TERMS_ERROR_WORDS } from "../words.ts";
import {
  AddressId,
  Await,
  Badge,
  Bar,
  Deadline,
  Facts,
  Id,
  None,
  Panel,
  Pearl,
  Time,
  TransactionId,
  Usdc,
} from "../parts/basics.tsx";
import { Title } from "../parts/layout.tsx";
import { PausedEscrow, usdcPerPearl } from "../parts/offers.tsx";
import { Height } from "../parts/rows.tsx";
import { Table } from "../parts/table.tsx";
import { momentsOf } from "../parts/deadlines.ts";
import { stepsOf, stepWords } from "../parts/timeline.ts";
import { Actions } from "./swap-actions.tsx";
import { TransactionPlace } from "./swap-transaction.tsx";
import { UnknownThing } from "./unknown.tsx";

/** The page of `/swap/{hash}`. */
export function SwapPage({ place }: { place: Place }) {
  const hash = place.parts["hash"] ?? "";
  const answer = useAnswer<SwapRow>(`/api/v1/swaps/${encodeURIComponent(hash)}`, "swap", "health");
  if (answer.failure?.status === 404 || answer.failure?.status === 400)
    return (
      <UnknownThing title="No such swap">
        {answer.failure.code === "SECRET_REFUSED" ? (
          answer.failure.message
        ) : (
          <>
            There is no swap <code>{visible(hash)}</code>. Where a block of the EVM chain was replaced, its
            order comes back when it is mined again. A take for which no USDC were locked is forgotten a week
            after its end.
          </>
        )}
      </UnknownThing>
    );
  return (
    <>
      <Title text={`Swap ${shortened(hash)}`}>Swap</Title>
      <Await answer={answer} what="the swap">
        {(swap) => <Swap swap={swap} isCurrent={answer.failure === null} />}
      </Await>
    </>
  );
}

/** `isCurrent`: the row could be read when it was asked for last. */
function Swap({ swap, isCurrent }: { swap: SwapRow; isCurrent: boolean }) {
  const { tone, label, sentence } = useNow((now) =>
    swap.kind === "deal" ? dealWords(swap) : bidWords(swap, now),
  );
  return (
    <>
      <p class="lead">
        <Badge tone={tone}>{label}</Badge> {sentence}
      </p>
      <p>
        <Id id={swap.deal_hash} what="deal hash" whole />
      </p>
      <p class="deal">
        <Pearl sat={swap.pearl_amount_sat} /> <span class="quiet">for</span> <Usdc raw={swap.usdc_amount} />{" "}
        <span class="quiet">({usdcPrice(usdcPerPearl(swap))} for one PEARL)</span>
      </p>
      {swap.terms_error === null ? null : (
        <p class="notice bad" role="alert">
          {TERMS_ERROR_WORDS[swap.terms_error]} <code>{swap.terms_error}</code>
        </p>
      )}
      {swap.evm_credit === null ? null : (
        <p class="notice bad" role="alert">
          The USDC contract refused a payout: the escrow owes {usdc(swap.evm_credit.amount)} USDC to{" "}
          <AddressId address={swap.evm_credit.account} />, who can withdraw them.
        </p>
      )}
      {swap.evm_leg.state === "none" || swap.evm_leg.state === "locked" ? <PausedEscrow /> : null}
      <Panel title="What is to be done">
        <Actions swap={swap} isCurrent={isCurrent} />
      </Panel>
      <Panel title="What has happened">
        <Timeline swap={swap} />
      </Panel>
      <Panel title="Deadlines">
        <Deadlines swap={swap} />
      </Panel>
      <Panel title="Who">
        <Parties swap={swap} />
      </Panel>
      {swap.pearl_lock_outputs.length === 0 ? null : <Outputs swap={swap} />}
      <Details swap={swap} />
    </>
  );
}

function Timeline({ swap }: { swap: SwapRow }) {
  const answer = useAnswer<DealTransactions>(`/api/v1/swaps/deals/${swap.deal_hash}/transactions`, "swap");
  const steps = stepsOf(swap, answer.value?.transactions ?? []);
  const now = useNow((seconds) => seconds);
  return (
    <ol class="timeline">
      {steps.map((step) => (
        <li key={step.id} class={`step ${step.state} ${step.chain === "EVM" ? "evm" : "pearl"}`}>
          <p>
            <span class="chain">{step.chain}</span> <strong>{step.title}</strong>{" "}
            <span class="quiet">({stepWords(step, now)})</span>
          </p>
          {step.depth === null ? null : (
            <p class="depth-line">
              <Bar
                percent={
                  step.depth.need === 0 ? 100 : Math.min(100, (step.depth.have * 100) / step.depth.need)
                }
                label="Confirmations"
              />{" "}
              {step.depth.have < step.depth.need
                ? `${step.depth.have} of ${step.depth.need} confirmations`
                : `${counted(step.depth.have, "confirmation")}, ${step.depth.need} needed`}
            </p>
          )}
          {step.transactions.map((row) => (
            <p key={row.action + row.txid}>
              Transaction <TransactionId txid={row.txid} />{" "}
              <span class="quiet">
                <TransactionPlace row={row} />
              </span>
            </p>
          ))}
          {step.deadline === null || step.state === "ended" ? null : (
            <p>
              {step.deadline.word} <Deadline at={step.deadline.at} />
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

function Deadlines({ swap }: { swap: SwapRow }) {
  const now = useNow((seconds) => seconds);
  const moments = momentsOf(swap);
  return (
    <ul class="deadlines">
      {moments.length === 0 ? <li class="quiet">None any more: the swap is over.</li> : null}
      {moments.map(({ name, at, brings }) => (
        <li key={name} class={at <= now ? "past" : "ahead"}>
          <strong>{name}</strong> <Deadline at={at} />
          <span class="quiet"> {brings}</span>
        </li>
      ))}
      <li class="quiet">
        This deal is {swap.profile.name}: the lock needs {swap.profile.k} confirmations, and the last{" "}
        {duration(swap.profile.reveal_margin_s)} before the PEARL refund are kept free for the claim.
      </li>
    </ul>
  );
}

function Parties({ swap }: { swap: SwapRow }) {
  return (
    <div class="columns">
      <Facts
        items={[
          ["Buyer, EVM", <AddressId key="e" address={swap.buyer_evm} />],
          ["Buyer, PEARL", <AddressId key="p" address={swap.buyer_pearl_address} />],
          ["Gives", <Usdc key="g" raw={swap.usdc_amount} />],
          ["For", <Pearl key="r" sat={swap.pearl_amount_sat} />],
        ]}
      />
      <Facts
        items={[
          ["Seller, EVM", <AddressId key="e" address={swap.seller_evm} />],
          ["Seller, PEARL", <AddressId key="p" address={swap.seller_pearl_address} />],
          ["Gives", <Pearl key="g" sat={swap.pearl_amount_sat} />],
          [
            "For",
            <span key="r">
              <Usdc raw={usdcAfterFee(swap.usdc_amount, swap.fee_bps)} />{" "}
              <span class="quiet">(after the fee of {swap.fee_bps / 100} %)</span>
            </span>,
          ],
        ]}
      />
    </div>
  );
}

function Outputs({ swap }: { swap: SwapRow }) {
  return (
    <Panel title="PEARL at the lock address">
      <Table
        caption="Outputs that pay the lock address"
        rows={swap.pearl_lock_outputs}
        keyOf={({ txid, vout }) => `${txid}:${vout}`}
        empty="None."
        columns={[
          { head: "Transaction", cell: ({ txid }) => <TransactionId txid={txid} /> },
          { head: "Output", numeric: true, cell: ({ vout }) => vout },
          { head: "Amount", numeric: true, cell: ({ amount_sat }) => <Pearl sat={amount_sat} /> },
          {
            head: "Block",
            numeric: true,
            cell: ({ height }) => (height === null ? "waits for a block" : <Height height={height} />),
          },
          {
            head: "Spent by",
            cell: ({ spend_txid, spend_path }) =>
              spend_txid === null ? (
                <None why="unspent" />
              ) : (
                <span>
                  {spend_path === "claim" ? "claim" : "refund"} <TransactionId txid={spend_txid} />
                </span>
              ),
          },
        ]}
      />
      {swap.pearl_lock_outputs_total > swap.pearl_lock_outputs.length ? (
        <p class="quiet">The greatest of {swap.pearl_lock_outputs_total} outputs.</p>
      ) : null}
    </Panel>
  );
}

/** A long value, all of it. */
function hex(value: string | null, what: string) {
  return value === null ? <None /> : <Id id={value} what={what} whole />;
}

function Details({ swap }: { swap: SwapRow }) {
  return (
    <details class="panel">
      <summary>Everything else</summary>
      <Facts
        items={[
          [
            "Ask",
            swap.ask_id === null ? (
              <None key="a" />
            ) : (
              <Id key="a" id={swap.ask_id} what="ask id" href={pathTo.ask(swap.ask_id)} />
            ),
          ],
          ["Began", <Time key="t" at={swap.created_at} />],
          ["Hashlock", hex(swap.hashlock, "hashlock")],
          ["Secret", swap.secret_hex === null ? "not public" : hex(swap.secret_hex, "secret")],
          ["Lock address", hex(swap.pearl_lock_address, "lock address")],
          ["Lock script", hex(swap.expected_script_hex, "lock script")],
          ["Buyer's key", hex(swap.buyer_pearl_pubkey, "key")],
          ["Seller's key", hex(swap.seller_pearl_pubkey, "key")],
          ["Fee recipient", hex(swap.fee_recipient, "address")],
          [
            "Release",
            swap.pearl_release_verified === null ? (
              <None key="r" />
            ) : swap.pearl_release_verified ? (
              "verified"
            ) : (
              <code key="r">{swap.pearl_release_verify_error}</code>
            ),
          ],
          swap.origin === null ? null : ["Posted by", swap.origin],
        ]}
      />
    </details>
  );
}

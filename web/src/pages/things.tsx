// Pages of one listing, one operation, one transaction and one block.

import { useAnswer } from "../answers.ts";
import { counted, shortened, visible } from "../format.ts";
import { health } from "../live.ts";
import { type Place, pathTo } from "../paths.ts";
import { useStore } from "../store.ts";
import type { BlockRow, Envelope, ListingRow, MempoolRow, OperationRow } from "../wire.ts";
import { afterRefusal, LISTING_WORDS, offeredUntil, operationWords, reasonWords } from "../words.ts";
import {
  AddressId,
  Await,
  Badge,
  ClosingId,
  Empty,
  Facts,
  Id,
  None,
  Panel,
  Pearl,
  Time,
  TransactionId,
  UnitPrice,
} from "../parts/basics.tsx";
import { Title } from "../parts/layout.tsx";
import { Height, ListingState, MempoolTable, OperationTable, Tick, Units } from "../parts/rows.tsx";
import { cursorOf, Paged } from "../parts/table.tsx";
import { type StepsAnswer, StepsOfTransaction } from "./swap-transaction.tsx";
import { HowToBuy } from "./how-to-buy.tsx";
import { UnknownThing } from "./unknown.tsx";

interface PageProps {
  readonly place: Place;
}

/** The page of `/listing/{id}`. */
export function ListingPage({ place }: PageProps) {
  const id = place.parts["id"] ?? "";
  const answer = useAnswer<Envelope<ListingRow>>(
    `/api/v1/prc20/listing/${encodeURIComponent(id)}`,
    "listing",
    "block",
  );
  const row = answer.value?.result[0];
  if (answer.failure?.status === 400 || (answer.value !== null && row === undefined))
    return (
      <UnknownThing title="No such listing">
        There is no listing <code>{visible(id)}</code>. An id is the word list, the id of the transaction that
        made it, and the number of its input, with colons between.
      </UnknownThing>
    );
  return (
    <>
      <Title text={`${row?.tick ?? ""} Listing ${shortened(id)}`.trim()}>
        {row === undefined ? "Listing" : `${row.tick} listing`}
      </Title>
      <Await answer={answer} what="the listing">
        {() => (row === undefined ? null : <Listing row={row} />)}
      </Await>
    </>
  );
}

function Listing({ row }: { row: ListingRow }) {
  const tip = useStore(health, (body) => body?.indexed_height ?? null);
  return (
    <>
      <p class="lead">
        <ListingState state={row.lifecycle_state} /> {LISTING_WORDS[row.lifecycle_state].sentence}
      </p>
      {row.lifecycle_state === "open" ? <HowToBuy row={row} /> : null}
      <Panel title="Terms">
        <Facts
          items={[
            ["Token", <Tick key="t" tick={row.tick} />],
            ["Amount", <Units key="a" raw={row.amount} tick={row.tick} />],
            ["Price", <Pearl key="p" sat={row.price} />],
            [
              "Unit price",
              <span key="u">
                <UnitPrice decimal={row.unit_price_sat} /> for one {row.tick}
              </span>,
            ],
            [
              "Protocol fee",
              // A fee that would be too small for an output is none (P-52).
              row.protocol_fee_amount === "0" ? (
                "none"
              ) : (
                <span key="f">
                  <Pearl sat={row.protocol_fee_amount} /> ({row.protocol_fee_bps / 100} %)
                </span>
              ),
            ],
            ["The seller receives", <Pearl key="n" sat={row.seller_net_amount} />],
            ["Seller", <AddressId key="s" address={row.owner} whole />],
            row.seller_address === row.owner
              ? null
              : ["Paid to", <AddressId key="pa" address={row.seller_address} whole />],
            ["Offered until", offeredUntil(row.exp, tip)],
            ["Listed in", <TransactionId key="c" txid={row.created_txid} />],
            ["Block", <Height key="h" height={row.created_height} />],
            ["Stands on output", <Id key="o" id={`${row.anchor_txid}:${row.anchor_vout}`} what="outpoint" />],
            ["Id", <Id key="i" id={row.id} what="listing id" whole />],
          ]}
        />
      </Panel>
      {row.closed_txid === null ? null : <Ending row={row} txid={row.closed_txid} />}
    </>
  );
}

/** How a listing ended, by the transaction that spent its output. */
function Ending({ row, txid }: { row: ListingRow; txid: string }) {
  return (
    <Panel title="How it ended">
      <Facts
        items={[
          ["State", <ListingState key="s" state={row.lifecycle_state} />],
          ["When", row.closed_at === null ? <None key="w" /> : <Time key="w" at={row.closed_at} />],
          [
            "Block",
            row.closed_height === null ? <None key="b" /> : <Height key="b" height={row.closed_height} />,
          ],
          [
            "Transaction",
            row.buyer === null ? <ClosingId key="t" txid={txid} /> : <TransactionId key="t" txid={txid} />,
          ],
          row.buyer === null ? null : ["Buyer", <AddressId key="bu" address={row.buyer} whole />],
          row.paid_seller_sat === null
            ? null
            : ["Paid to the seller", <Pearl key="ps" sat={row.paid_seller_sat} />],
          row.paid_fee_sat === null ? null : ["Protocol fee paid", <Pearl key="pf" sat={row.paid_fee_sat} />],
          row.refunded_amount === null
            ? null
            : ["Went back to the owner", <Units key="r" raw={row.refunded_amount} tick={row.tick} />],
        ]}
      />
    </Panel>
  );
}

/** The page of `/op/{txid}/{vout}`. */
export function OperationPage({ place }: PageProps) {
  const { txid = "", vout = "" } = place.parts;
  const answer = useAnswer<Envelope<OperationRow>>(
    `/api/v1/prc20/op/${encodeURIComponent(txid)}/${encodeURIComponent(vout)}`,
    "operation",
  );
  const row = answer.value?.result[0];
  if (answer.failure?.status === 400 || (answer.value !== null && row === undefined))
    return (
      <UnknownThing title="No such operation">
        No block has an operation at input <code>{visible(vout)}</code> of transaction{" "}
        <code>{visible(txid)}</code>. Where the transaction is new, it may wait in the{" "}
        <a href="/mempool">mempool</a>.
      </UnknownThing>
    );
  return (
    <>
      <Title
        text={`${row === undefined ? "Operation" : `${operationWords(row.op)} ${row.tick}`} ${shortened(txid)}:${vout}`}
      >
        {row === undefined ? "Operation" : `${operationWords(row.op)} ${row.tick}`}
      </Title>
      <Await answer={answer} what="the operation">
        {() => (row === undefined ? null : <Operation row={row} />)}
      </Await>
    </>
  );
}

function Operation({ row }: { row: OperationRow }) {
  return (
    <>
      <p class={row.valid === 1 ? "verdict good" : "verdict bad"}>
        {row.valid === 1 ? <Badge tone="good">valid</Badge> : <Badge tone="bad">refused</Badge>}{" "}
        {row.valid === 1 ? "It was carried out." : reasonWords(row.reason ?? "")}{" "}
        {row.reason === null ? null : <code>{row.reason}</code>}
        {row.valid === 1 ? "" : ` ${afterRefusal(row.op)}`}
      </p>
      <Panel title="Operation">
        <Facts
          items={[
            ["Kind", operationWords(row.op)],
            ["Token", <Tick key="t" tick={row.tick} />],
            ["Amount", <Units key="a" raw={row.amount} tick={row.tick} />],
            ["From", <AddressId key="f" address={row.from} whole />],
            ["To", <AddressId key="to" address={row.to} whole />],
            row.listing_id === null
              ? null
              : [
                  "Listing",
                  <Id key="l" id={row.listing_id} what="listing id" href={pathTo.listing(row.listing_id)} />,
                ],
            ["Transaction", <TransactionId key="x" txid={row.txid} whole />],
            ["Input", row.vout],
            ["Block", <Height key="b" height={row.block_height} />],
            ["Time", <Time key="ti" at={row.time} />],
            ["Confirmations", row.confirmations],
          ]}
        />
      </Panel>
      <Panel title="As inscribed">
        <pre tabIndex={0} aria-label="Inscribed body">
          {visible(row.payload_json)}
        </pre>
      </Panel>
    </>
  );
}

/** The page of `/tx/{txid}`: of a transaction of either chain, in a block or still waiting. */
export function TransactionPage({ place }: PageProps) {
  const txid = (place.parts["txid"] ?? "").toLowerCase();
  const steps: StepsAnswer = useAnswer(
    `/api/v1/swaps/transactions/${encodeURIComponent(txid)}?limit=100`,
    "swap",
  );
  if (txid.startsWith("0x")) return <EvmTransaction txid={txid} steps={steps} />;
  return <PearlTransaction txid={txid} steps={steps} />;
}

function EvmTransaction({ txid, steps }: { txid: string; steps: StepsAnswer }) {
  const isUnknown = steps.value !== null && steps.value.result.length === 0;
  if (isUnknown || steps.failure?.status === 400)
    return (
      <UnknownThing title="No such transaction">
        {steps.failure?.code === "SECRET_REFUSED" ? (
          steps.failure.message
        ) : (
          <>
            No order of the escrow was moved by the EVM transaction <code>{visible(txid)}</code>. Where its
            block was replaced, it comes back when it is mined again.
          </>
        )}
      </UnknownThing>
    );
  return (
    <>
      <Title text={`EVM transaction ${shortened(txid)}`}>EVM transaction</Title>
      <p class="lead">
        <Id id={txid} what="EVM transaction hash" whole />
      </p>
      <Await answer={steps} what="the transaction">
        {() => <StepsOfTransaction answer={steps} />}
      </Await>
    </>
  );
}

function PearlTransaction({ txid, steps }: { txid: string; steps: StepsAnswer }) {
  const answer = useAnswer<Envelope<OperationRow>>(
    `/api/v1/prc20/op/${encodeURIComponent(txid)}`,
    "operation",
  );
  if (answer.failure?.status === 400)
    return (
      <UnknownThing title="No such transaction">
        {answer.failure.code === "SECRET_REFUSED"
          ? answer.failure.message
          : "A transaction id has 64 hex digits; that of an EVM transaction begins with 0x."}
      </UnknownThing>
    );
  const rows = answer.value?.result ?? [];
  const block = rows[0];
  const isOfSwaps = (steps.value?.result ?? []).length > 0;
  return (
    <>
      <Title text={`Transaction ${shortened(txid)}`}>Transaction</Title>
      <p class="lead">
        <Id id={txid} what="transaction id" whole />
      </p>
      <Await answer={answer} what="the transaction">
        {({ result }) =>
          result.length === 0 ? (
            isOfSwaps ? null : (
              <Waiting txid={txid} />
            )
          ) : (
            <>
              {block === undefined ? null : (
                <p>
                  In block <Height height={block.block_height} />, <Time at={block.time} />,{" "}
                  {counted(block.confirmations, "confirmation")}.
                </p>
              )}
              <Panel title="Operations">
                <OperationTable rows={result} caption="Operations of this transaction" empty="None." />
              </Panel>
            </>
          )
        }
      </Await>
      <StepsOfTransaction answer={steps} />
    </>
  );
}

function Waiting({ txid }: { txid: string }) {
  const answer = useAnswer<Envelope<MempoolRow>>(
    `/api/v1/prc20/mempool?txid=${encodeURIComponent(txid)}&limit=100`,
    "mempool",
  );
  const rows = answer.value?.result ?? [];
  if (rows.length > 0)
    return (
      <Panel title="Waits for a block">
        <MempoolTable rows={rows} empty="None." />
      </Panel>
    );
  return (
    <Empty>
      No block that Strand has read has a token operation in this transaction. Taking a listing back is no
      operation: the listing's page names the transaction that did it.
    </Empty>
  );
}

/** The page of `/block/{block}`, by height or hash. */
export function BlockPage({ place }: PageProps) {
  const asked = place.parts["block"] ?? "";
  const tip = useStore(health, (body) => body?.indexed_height ?? null);
  const answer = useAnswer<Envelope<BlockRow>>(`/api/v1/prc20/block/${encodeURIComponent(asked)}`, "block");
  const block = answer.value?.result[0];
  const operations = useAnswer<Envelope<OperationRow>>(
    block === undefined ? null : `/api/v1/prc20/oplist?height=${block.height}&limit=25${cursorOf(place)}`,
    "operation",
  );
  if (answer.failure?.status === 400 || (answer.value !== null && block === undefined))
    return (
      <UnknownThing title="No such block">
        {answer.failure?.code === "SECRET_REFUSED"
          ? answer.failure.message
          : tip === null
            ? "There is no such block in the index."
            : `The index has blocks up to height ${tip}, and knows the hashes of those that are in the chain.`}
      </UnknownThing>
    );
  return (
    <>
      <Title text={block === undefined ? "Block" : `Block ${block.height}`} />
      <Await answer={answer} what="the block">
        {() => (block === undefined ? null : <Block block={block} tip={tip} />)}
      </Await>
      <Panel title="Operations">
        <Paged answer={operations} what="operations" place={place}>
          {(rows) => (
            <OperationTable
              rows={rows}
              caption="Operations of this block"
              empty="No token operation in this block."
            />
          )}
        </Paged>
      </Panel>
    </>
  );
}

function Block({ block, tip }: { block: BlockRow; tip: number | null }) {
  // The index begins at a height of its own, which no answer tells.
  const parent = block.height - 1;
  const before = useAnswer<Envelope<BlockRow>>(parent < 0 ? null : `/api/v1/prc20/block/${parent}`, "block");
  return (
    <>
      <nav class="pager" aria-label="Neighbours">
        {before.value?.result[0] === undefined ? (
          <span />
        ) : (
          <a href={pathTo.block(parent)}>← Block {parent}</a>
        )}
        {tip !== null && block.height < tip ? (
          <a href={pathTo.block(block.height + 1)}>Block {block.height + 1} →</a>
        ) : (
          <span />
        )}
      </nav>
      <Panel title="Block">
        <Facts
          items={[
            ["Height", block.height],
            ["Time", <Time key="t" at={block.time} />],
            ["Hash", <Id key="h" id={block.block_hash} what="block hash" whole />],
            ["State digest", <Id key="d" id={block.digest} what="digest" whole />],
            [
              "Operations",
              `${block.operations}, of which ${block.operations - block.valid_operations} refused`,
            ],
            ["Confirmations", tip === null ? <None key="c" /> : Math.max(1, tip - block.height + 1)],
          ]}
        />
      </Panel>
    </>
  );
}

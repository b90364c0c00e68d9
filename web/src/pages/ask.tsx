// One ask: its terms, whether it is backed, and the deal that took it.

import { useAnswer } from "../answers.ts";
import { useNow } from "../clock.ts";
import { shortened, usdcAfterFee, usdcPrice } from "../format.ts";
import { type Place, pathTo } from "../paths.ts";
import type { AskRow } from "../wire.ts";
import { askWords } from "../words.ts";
import { AddressId, Await, Deadline, Facts, Id, None, Panel, Pearl, Time, Usdc } from "../parts/basics.tsx";
import { Title } from "../parts/layout.tsx";
import { AskState, PausedEscrow } from "../parts/offers.tsx";
import { HowToTake } from "./how-to-take.tsx";
import { UnknownThing } from "./unknown.tsx";

/** What is forgotten here is not ended in the contract (S-33, S-34). */
const ABSENT_ASK =
  "There is no ask of this id here. One that nobody took is forgotten a week after it was cancelled or expired; where it " +
  "was cancelled here alone, it can still be taken in the contract until it expires.";

/** The page of `/ask/{id}`. */
export function AskPage({ place }: { place: Place }) {
  const id = place.parts["id"] ?? "";
  const answer = useAnswer<AskRow>(`/api/v1/swaps/asks/${encodeURIComponent(id)}`, "swap");
  if (answer.failure?.status === 404 || answer.failure?.status === 400)
    return (
      <UnknownThing title="No such ask">
        {answer.failure.code === "SECRET_REFUSED" ? answer.failure.message : ABSENT_ASK}
      </UnknownThing>
    );
  return (
    <>
      <Title text={`Ask ${shortened(id)}`}>PEARL for USDC</Title>
      <Await answer={answer} what="the ask">
        {(ask) => <Ask ask={ask} />}
      </Await>
    </>
  );
}

function Ask({ ask }: { ask: AskRow }) {
  const sentence = useNow((now) => askWords(ask, now).sentence);
  const isOpen = useNow((now) => now < ask.expiry);
  return (
    <>
      <p class="lead">
        <AskState ask={ask} /> {sentence}
        {ask.funded ? "" : " The seller's address has not been seen to hold the PEARL: do not count on it."}
      </p>
      {ask.status === "ASK_OPEN" ? <PausedEscrow /> : null}
      {ask.deal_hash === null ? null : (
        <p>
          Taken by <Id id={ask.deal_hash} what="deal hash" href={pathTo.swap(ask.deal_hash)} />.
        </p>
      )}
      {ask.status === "ASK_OPEN" && isOpen ? <HowToTake ask={ask} /> : null}
      <Panel title="Terms">
        <Facts
          items={[
            ["Sells", <Pearl key="p" sat={ask.pearl_amount_sat} />],
            ["For", <Usdc key="u" raw={ask.usdc_amount} />],
            ["Price", `${usdcPrice(ask.price_usdc)} for one PEARL`],
            [
              "The seller receives",
              <span key="r">
                <Usdc raw={usdcAfterFee(ask.usdc_amount, ask.fee_bps)} />{" "}
                <span class="quiet">(after the fee of {ask.fee_bps / 100} %)</span>
              </span>,
            ],
            ["Until", <Deadline key="e" at={ask.expiry} />],
            ["Seller, EVM", <AddressId key="s" address={ask.seller_evm} whole />],
            ["Seller, PEARL", <AddressId key="sp" address={ask.seller_pearl_address} whole />],
            [
              "PEARL seen at that address",
              ask.pearl_balance_sat === null ? (
                <None key="b" why="not looked up" />
              ) : (
                <Pearl key="b" sat={ask.pearl_balance_sat} />
              ),
            ],
            [
              "Looked up",
              ask.balance_checked_at === null ? (
                <None key="c" why="never" />
              ) : (
                <Time key="c" at={ask.balance_checked_at} />
              ),
            ],
            [
              "Key proven",
              ask.pearl_key_proven ? "yes: the seller has shown to hold the key of the address" : "no",
            ],
            ["Posted", <Time key="cr" at={ask.created_at} />],
            ["Ask id", <Id key="i" id={ask.ask_id} what="ask id" whole />],
          ]}
        />
      </Panel>
    </>
  );
}

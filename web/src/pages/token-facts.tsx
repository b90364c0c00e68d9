// What a token is: how much of it there is, by whom and when it was made, and how many hold it.

import type { ComponentChildren } from "preact";
import { useAnswer } from "../answers.ts";
import { grouped, percent } from "../format.ts";
import type { Envelope, TokenListRow, TokenRow } from "../wire.ts";
import { AddressId, Bar, Facts, None, TokenAmount, TransactionId } from "../parts/basics.tsx";
import { BlockTime } from "../parts/blocks.tsx";
import { Height } from "../parts/rows.tsx";

/** The facts of a token. */
export function TokenFacts({ token }: { token: TokenRow }) {
  const decimals = Number(token.dec);
  const units = (raw: string): ComponentChildren => (
    <TokenAmount raw={raw} decimals={decimals} tick={token.tick} />
  );
  return (
    <Facts
      items={[
        [
          "Minted",
          <span key="m">
            <Bar percent={Number(token.mint_progress)} label="Minted of the maximum" />{" "}
            {percent(token.mint_progress)}
            <br />
            {units(token.minted)} of {units(token.max)}
          </span>,
        ],
        ["Supply", units(token.supply)],
        ["Burned", units(token.burned)],
        ["Pre-mint", units(token.pre)],
        ["One mint, at most", units(token.lim)],
        ["Decimals", token.dec],
        ["Holders", <HolderCount key="n" tick={token.tick} />],
        ["Transfers", grouped(String(token.transfers))],
        ["Deployed by", <AddressId key="d" address={token.deployer} />],
        ["Deployed in", <TransactionId key="t" txid={token.deploy_txid} />],
        [
          "Block",
          <span key="b" class="sentence">
            <Height height={token.deploy_height} /> <BlockTime height={token.deploy_height} />
          </span>,
        ],
        token.cid === null ? null : ["Content id", <code key="c">{token.cid}</code>],
      ]}
    />
  );
}

/** How many hold it. The list of tokens alone tells that (interface §2.5), by the beginning of a ticker. */
function HolderCount({ tick }: { tick: string }) {
  const answer = useAnswer<Envelope<TokenListRow>>(
    `/api/v1/prc20/tokenlist?limit=100&tick=${tick}`,
    "operation",
    "listing",
  );
  const row = answer.value?.result.find((one) => one.tick === tick);
  return row === undefined ? <None why="not known" /> : <>{grouped(String(row.holders))}</>;
}

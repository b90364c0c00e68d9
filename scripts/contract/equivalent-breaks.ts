// Breaks of one line that no test of what the escrow does can notice, and why.

/** A broken line, as scripts/contract/line-breaks.ts makes it, and the reason why no test notices it. */
export interface EquivalentBreak {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly why: string;
}

const FUNDS = "contracts/EscrowFunds.sol";
const ESCROW = "contracts/PearlUsdcEscrow.sol";
const ONE_GAS =
  "one gas more or less: what the compiler puts between this line and the transfer takes some hundreds, and the tests " +
  "bound the gas of the transfer itself";

/** All that are known. */
export const EQUIVALENT_BREAKS: readonly EquivalentBreak[] = [
  {
    file: FUNDS,
    before: "uint256 internal constant PAYOUT_GAS = 200_000;",
    after: "uint256 internal constant PAYOUT_GAS = 200_000 + 1;",
    why: ONE_GAS,
  },
  {
    file: FUNDS,
    before: "uint256 internal constant PAYOUT_GAS = 200_000;",
    after: "uint256 internal constant PAYOUT_GAS = 200_000 - 1;",
    why: ONE_GAS,
  },
  {
    file: FUNDS,
    before: "if (gasleft() < PAYOUT_GAS) revert PayoutGasTooLow();",
    after: "if (gasleft() <= PAYOUT_GAS) revert PayoutGasTooLow();",
    why: ONE_GAS,
  },
  {
    file: ESCROW,
    before: "contract PearlUsdcEscrow is EscrowFunds, EscrowHashing, Ownable2Step, Pausable {",
    after: "contract PearlUsdcEscrow is EscrowHashing, EscrowFunds, Ownable2Step, Pausable {",
    why: "neither of the two parents overrides or constructs anything of the other",
  },
  {
    file: ESCROW,
    before:
      ") external view returns (State state, Terms memory terms, address seller, bytes32 sellerPearlKey) {",
    after:
      ") external view returns (State state, Terms memory terms, address seller, bytes32 buyerPearlKey) {",
    why: "the name of a returned value is in the ABI alone, and `npm run check` compares that",
  },
];

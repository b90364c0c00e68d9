// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {Ask, IPearlUsdcEscrowTypes, Terms} from "../../EscrowTypes.sol";

/// @notice What is known outside of the escrow when a call is judged.
struct Facts {
    address caller;
    uint256 time;
    bool paused;
    uint256 minUsdc;
    uint16 feeBps;
    address feeRecipient;
    bool orderExists;
    bool hashlockUsed;
    bytes32 askId;
    bool askTaken;
    bool askSigned;
    uint256 minAskNonce;
}

/// @notice S-21 and S-22 written down a second time: for what a call is refused first. 0 = it passes.
library Rules {
    uint256 private constant FIELD_PRIME = 2 ** 256 - 2 ** 32 - 977;

    function lock(Facts memory facts, Terms memory terms) internal pure returns (bytes4) {
        if (facts.paused) return Pausable.EnforcedPause.selector;
        if (terms.askId != 0) return IPearlUsdcEscrowTypes.AskIdNotZero.selector;
        if (terms.sellerPearlKey != 0) return IPearlUsdcEscrowTypes.SellerKeyNotZero.selector;
        return opening(facts, terms);
    }

    function lockWithAsk(Facts memory facts, Terms memory terms, Ask memory ask) internal pure returns (bytes4 fault) {
        if (facts.paused) return Pausable.EnforcedPause.selector;
        fault = taking(facts, terms, ask);
        if (fault == 0) fault = sellerKey(terms.sellerPearlKey, terms.buyerPearlKey);
        if (fault == 0) fault = opening(facts, terms);
    }

    /// @dev An ask that is taken: its fields, its life, its signature.
    function taking(Facts memory facts, Terms memory terms, Ask memory ask) private pure returns (bytes4) {
        bool isSame = terms.seller == ask.seller &&
            terms.sellerPearlKey == ask.sellerPearlKey &&
            terms.pearlAmountSat == ask.pearlAmountSat &&
            terms.usdcAmount == ask.usdcAmount &&
            terms.feeBps == ask.feeBps &&
            terms.feeRecipient == ask.feeRecipient;
        if (!isSame) return IPearlUsdcEscrowTypes.AskDiffers.selector;
        if (terms.askId != facts.askId) return IPearlUsdcEscrowTypes.AskIdWrong.selector;
        if (facts.time >= ask.expiry) return IPearlUsdcEscrowTypes.AskExpired.selector;
        if (ask.nonce < facts.minAskNonce) return IPearlUsdcEscrowTypes.AskRevoked.selector;
        if (ask.nonce == type(uint256).max) return IPearlUsdcEscrowTypes.AskNonceTooHigh.selector;
        if (facts.askTaken) return IPearlUsdcEscrowTypes.AskAlreadyTaken.selector;
        if (!facts.askSigned) return IPearlUsdcEscrowTypes.AskSignatureInvalid.selector;
        return 0;
    }

    function opening(Facts memory facts, Terms memory terms) private pure returns (bytes4 fault) {
        if (facts.caller != terms.buyer) return IPearlUsdcEscrowTypes.CallerNotBuyer.selector;
        if (terms.seller == terms.buyer) return IPearlUsdcEscrowTypes.SellerIsBuyer.selector;
        if (facts.orderExists) return IPearlUsdcEscrowTypes.OrderExists.selector;
        if (terms.pearlAmountSat < 10_000 || terms.pearlAmountSat > 2_100_000_000_000_000_000)
            return IPearlUsdcEscrowTypes.PearlAmountOutOfRange.selector;
        if (terms.usdcAmount < facts.minUsdc || terms.usdcAmount >= 2 ** 128)
            return IPearlUsdcEscrowTypes.UsdcAmountOutOfRange.selector;
        if (terms.feeBps != facts.feeBps || terms.feeRecipient != facts.feeRecipient)
            return IPearlUsdcEscrowTypes.FeeOutdated.selector;
        if (!isKey(terms.buyerPearlKey)) return IPearlUsdcEscrowTypes.BuyerKeyInvalid.selector;
        fault = times(facts.time, terms);
        if (fault != 0) return fault;
        if (terms.hashlock == 0) return IPearlUsdcEscrowTypes.HashlockZero.selector;
        if (facts.hashlockUsed) return IPearlUsdcEscrowTypes.HashlockReused.selector;
    }

    function sellerKey(bytes32 sellers, bytes32 buyers) internal pure returns (bytes4) {
        if (!isKey(sellers)) return IPearlUsdcEscrowTypes.SellerKeyInvalid.selector;
        if (sellers == buyers) return IPearlUsdcEscrowTypes.KeysEqual.selector;
        return 0;
    }

    function times(uint256 time, Terms memory terms) internal pure returns (bytes4) {
        uint256 pearl = terms.pearlRefundTime;
        uint256 evm = terms.evmRefundTime;
        if (pearl < time + 7_200) return IPearlUsdcEscrowTypes.PearlRefundTooSoon.selector;
        if (evm < pearl + 14_400) return IPearlUsdcEscrowTypes.RefundMarginTooSmall.selector;
        if (evm > time + 259_200) return IPearlUsdcEscrowTypes.EvmRefundTooLate.selector;
        if (evm >= 2 ** 32) return IPearlUsdcEscrowTypes.EvmRefundBeyondUint32.selector;
        return 0;
    }

    function isKey(bytes32 key) private pure returns (bool) {
        return key != 0 && uint256(key) < FIELD_PRIME;
    }
}

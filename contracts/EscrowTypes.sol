// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What a deal is made of, what can happen to it, and why a call is refused.

/// @notice Where an order stands (S-20). States only move forward; a hash is never used again.
enum State {
    None,
    Locked,
    Accepted,
    Claimed,
    Refunded,
    Cancelled
}

/// @notice The terms of one order (S-20). Their EIP-712 digest is the order's hash.
/// @param seller In a bid: zero = anyone may accept, else the only one who may.
/// @param hashlock SHA-256 of the buyer's secret.
/// @param usdcAmount Raw units (6 decimals).
/// @param pearlAmountSat Satoshis (8 decimals).
/// @param buyerPearlKey x-only.
/// @param sellerPearlKey x-only; zero in a bid.
/// @param pearlRefundTime Unix seconds, T_p.
/// @param evmRefundTime Unix seconds, T_e.
/// @param askId Digest of the Ask that is taken; zero in a bid.
struct Terms {
    address buyer;
    address seller;
    bytes32 hashlock;
    uint256 usdcAmount;
    uint64 pearlAmountSat;
    bytes32 buyerPearlKey;
    bytes32 sellerPearlKey;
    uint64 pearlRefundTime;
    uint64 evmRefundTime;
    uint16 feeBps;
    address feeRecipient;
    bytes32 askId;
    uint256 nonce;
}

/// @notice What a seller signs to let anyone take the offer, once (S-20). Its EIP-712 digest is the ask's id.
/// @param sellerPearlAddress Bound by the signature, read by wallets; nothing here looks into it.
/// @param expiry Unix seconds; dead from then on.
struct Ask {
    address seller;
    string sellerPearlAddress;
    bytes32 sellerPearlKey;
    uint64 pearlAmountSat;
    uint256 usdcAmount;
    uint64 expiry;
    uint16 feeBps;
    address feeRecipient;
    uint256 nonce;
}

/// @notice Everything that is logged, so that all orders can be rebuilt from logs alone (S-25), and every refusal.
interface IPearlUsdcEscrowTypes {
    event OrderLocked(bytes32 indexed orderHash, address indexed buyer, address indexed seller, Terms terms);
    event OrderAccepted(bytes32 indexed orderHash, address indexed seller, bytes32 sellerPearlKey);
    event OrderCancelled(bytes32 indexed orderHash);
    event OrderClaimed(bytes32 indexed orderHash, bytes32 secret, uint256 sellerNet, uint256 fee);
    event OrderRefunded(bytes32 indexed orderHash, uint256 amount);
    event AsksRevoked(address indexed seller, uint256 nonceBelow);
    event FeeSet(uint16 feeBps, address feeRecipient);
    event PayoutCredited(bytes32 indexed orderHash, address indexed account, uint256 amount);
    event CreditWithdrawn(address indexed account, address to, uint256 amount);
    event FeesWithdrawn(address indexed recipient, address to, uint256 amount);

    /// The token has no code.
    error UsdcWithoutCode();
    /// The least amount of an order may not be 0.
    error MinUsdcZero();
    /// More than 500 basis points.
    error FeeTooHigh();
    /// Fees may go neither to nobody nor to this contract.
    error FeeRecipientInvalid();
    /// The contract is never without an owner.
    error RenounceForbidden();

    /// Only Terms.buyer may lock.
    error CallerNotBuyer();
    /// Only the seller of the order may do this.
    error CallerNotSeller();
    /// Buyer and seller are the same.
    error SellerIsBuyer();
    /// A bid carries no askId.
    error AskIdNotZero();
    /// A bid carries no seller's key.
    error SellerKeyNotZero();
    /// These Terms were locked before.
    error OrderExists();
    /// The order's state does not allow this.
    error WrongState(State state);
    /// The hashlock is zero.
    error HashlockZero();
    /// This buyer used the hashlock before: one reveal would pay two orders.
    error HashlockReused();
    /// Less than 10,000 or more than 2.1e18 satoshis.
    error PearlAmountOutOfRange();
    /// Less than minUsdc or more than 2^128 - 1.
    error UsdcAmountOutOfRange();
    /// The buyer's key is zero or not below the field prime.
    error BuyerKeyInvalid();
    /// The seller's key is zero or not below the field prime.
    error SellerKeyInvalid();
    /// Both keys are the same.
    error KeysEqual();
    /// The fee or its recipient is not the present one.
    error FeeOutdated();
    /// T_p is less than 2 hours ahead.
    error PearlRefundTooSoon();
    /// T_e is less than 4 hours after T_p.
    error RefundMarginTooSmall();
    /// T_e is more than 72 hours ahead.
    error EvmRefundTooLate();
    /// T_e does not fit into 32 bits.
    error EvmRefundBeyondUint32();
    /// The balance did not grow by exactly usdcAmount.
    error AmountNotReceived();

    /// Terms and Ask differ in the field named.
    error AskDiffers(bytes32 field);
    /// Terms.askId is not the Ask's digest.
    error AskIdWrong();
    /// block.timestamp >= expiry.
    error AskExpired();
    /// The seller has revoked this nonce.
    error AskRevoked();
    /// 2^256 - 1 could never be revoked.
    error AskNonceTooHigh();
    /// The ask was taken before.
    error AskAlreadyTaken();
    /// The signature is not the seller's.
    error AskSignatureInvalid();
    /// The bound may only grow.
    error NonceNotGreater();

    /// SHA-256 of the secret is not the hashlock.
    error SecretWrong();
    /// Before T_e.
    error RefundTooEarly();
    /// Less than 200,000 gas left for the payout: send the call with more gas.
    error PayoutGasTooLow();
    /// Nothing is owed to the caller.
    error NothingOwed();
    /// Neither nobody nor this contract can be paid.
    error PayeeInvalid();
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {EscrowFunds} from "./EscrowFunds.sol";
import {EscrowHashing} from "./EscrowHashing.sol";
import {Ask, State, Terms} from "./EscrowTypes.sol";

/// @title Holds a buyer's USDC until a secret, a time or the seller's word says where it goes
/// @notice The buyer locks USDC against SHA-256 of a secret; the seller locks PEARL against the same hash; the buyer
/// reveals the secret by taking the PEARL, and with it anyone can pay the USDC to the seller. Rule ids (S-nn) are
/// explained in docs/contract.md. The owner can stop new orders and set the fee of future ones, and can reach no money.
contract PearlUsdcEscrow is EscrowFunds, EscrowHashing, Ownable2Step, Pausable {
    struct Order {
        State state;
        address seller;
        bytes32 sellerPearlKey;
        Terms terms;
    }

    /// @dev Room for the seller to lock and for the buyer to claim, at the least (S-22, S-03).
    uint256 private constant MIN_PEARL_REFUND_DELAY = 2 hours;
    /// @dev With T_e before T_p a buyer could take the USDC back and the PEARL too (S-02).
    uint256 private constant MIN_REFUND_MARGIN = 4 hours;
    /// @dev The longest that a seller who does nothing can freeze the USDC.
    uint256 private constant MAX_LOCK_TIME = 72 hours;
    uint256 private constant MIN_PEARL_AMOUNT_SAT = 10_000;
    uint256 private constant MAX_PEARL_AMOUNT_SAT = 2.1e18;
    uint256 private constant MAX_FEE_BPS = 500;
    uint256 private constant BPS = 10_000;
    /// @dev secp256k1's: no x coordinate is as great.
    uint256 private constant FIELD_PRIME = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f;

    /// @notice The least USDC of an order, raw units; fixed for ever.
    uint256 public immutable minUsdc;
    /// @notice Fee of future orders, basis points.
    uint16 public feeBps;
    /// @notice Who gets the fees of future orders.
    address public feeRecipient;
    /// @notice Whether an ask was taken; it passes once for ever (S-21).
    mapping(bytes32 askId => bool) public askTaken;
    /// @notice Asks of a seller with a lower nonce are revoked.
    mapping(address seller => uint256) public minAskNonce;
    /// @notice Per buyer, so that nobody can block another's hashlock (S-22).
    mapping(address buyer => mapping(bytes32 hashlock => bool)) public hashlockUsed;

    mapping(bytes32 orderHash => Order) private _orders;

    constructor(
        address usdc_,
        uint256 minUsdc_,
        uint16 feeBps_,
        address feeRecipient_
    ) EscrowFunds(usdc_) Ownable(msg.sender) {
        if (minUsdc_ == 0) revert MinUsdcZero();
        minUsdc = minUsdc_;
        _setFee(feeBps_, feeRecipient_);
    }

    /// @notice An order by its hash; all zero where there is none. `seller` and `sellerPearlKey` are the accepted ones,
    /// zero before acceptance, and stay readable in every later state (S-21).
    function orders(
        bytes32 orderHash
    ) external view returns (State state, Terms memory terms, address seller, bytes32 sellerPearlKey) {
        Order storage order = _orders[orderHash];
        return (order.state, order.terms, order.seller, order.sellerPearlKey);
    }

    // ---- opening

    /// @notice A bid: the caller's USDC for anyone, or for the one seller named, to accept (S-21).
    /// @return orderHash What the order is called from now on.
    function lock(Terms calldata terms) external nonReentrant whenNotPaused returns (bytes32 orderHash) {
        if (terms.askId != 0) revert AskIdNotZero();
        if (terms.sellerPearlKey != 0) revert SellerKeyNotZero();
        orderHash = _open(terms, State.Locked);
        _receive(msg.sender, terms.usdcAmount);
    }

    /// @notice Takes a signed ask: locked and accepted in one step (S-21).
    /// @param signature The seller's over the Ask: 65 bytes, or whatever a contract at that address takes (ERC-1271).
    /// @return orderHash What the order is called from now on.
    function lockWithAsk(
        Terms calldata terms,
        Ask calldata ask,
        bytes calldata signature
    ) external nonReentrant whenNotPaused returns (bytes32 orderHash) {
        _useAsk(terms, ask, signature);
        _checkSellerKey(terms.sellerPearlKey, terms.buyerPearlKey);
        orderHash = _open(terms, State.Accepted);
        Order storage order = _orders[orderHash];
        order.seller = terms.seller;
        order.sellerPearlKey = terms.sellerPearlKey;
        emit OrderAccepted(orderHash, terms.seller, terms.sellerPearlKey);
        _receive(msg.sender, terms.usdcAmount);
    }

    /// @notice Binds the caller as the seller of a bid. From here on the buyer cannot cancel (S-21).
    function accept(bytes32 orderHash, bytes32 sellerPearlKey) external nonReentrant whenNotPaused {
        Order storage order = _orders[orderHash];
        _requireState(order, State.Locked);
        address named = order.terms.seller;
        if (msg.sender == order.terms.buyer) revert SellerIsBuyer();
        if (named != address(0) && msg.sender != named) revert CallerNotSeller();
        _checkSellerKey(sellerPearlKey, order.terms.buyerPearlKey);
        _checkTimes(order.terms.pearlRefundTime, order.terms.evmRefundTime);
        order.state = State.Accepted;
        order.seller = msg.sender;
        order.sellerPearlKey = sellerPearlKey;
        emit OrderAccepted(orderHash, msg.sender, sellerPearlKey);
    }

    // ---- closing: never paused

    /// @notice The buyer takes back a bid that nobody has accepted (S-21).
    function cancel(bytes32 orderHash) external nonReentrant {
        Order storage order = _orders[orderHash];
        _requireState(order, State.Locked);
        address buyer = order.terms.buyer;
        if (msg.sender != buyer) revert CallerNotBuyer();
        order.state = State.Cancelled;
        emit OrderCancelled(orderHash);
        _payOut(orderHash, buyer, order.terms.usdcAmount);
    }

    /// @notice Pays the seller; anyone may send it, and no time forbids it while the order is Accepted (S-04, S-21).
    function claim(bytes32 orderHash, bytes32 secret) external nonReentrant {
        Order storage order = _orders[orderHash];
        _requireState(order, State.Accepted);
        if (sha256(abi.encodePacked(secret)) != order.terms.hashlock) revert SecretWrong();
        order.state = State.Claimed;
        uint256 amount = order.terms.usdcAmount;
        uint256 fee = (amount * order.terms.feeBps) / BPS;
        // Accrued and never pushed: a recipient that the token refuses must not be able to block a claim (S-23).
        if (fee != 0) accruedFees[order.terms.feeRecipient] += fee;
        emit OrderClaimed(orderHash, secret, amount - fee, fee);
        _payOut(orderHash, order.seller, amount - fee);
    }

    /// @notice Pays the buyer from evmRefundTime on; anyone may send it (S-21).
    function refund(bytes32 orderHash) external nonReentrant {
        Order storage order = _orders[orderHash];
        State state = order.state;
        if (state != State.Accepted && state != State.Locked) revert WrongState(state);
        if (block.timestamp < order.terms.evmRefundTime) revert RefundTooEarly();
        _refund(orderHash, order);
    }

    /// @notice The accepted seller gives up and the buyer is paid at once. As a call and not by signature, which the
    /// buyer could keep until the PEARL is locked (S-21).
    function refundCooperative(bytes32 orderHash) external nonReentrant {
        Order storage order = _orders[orderHash];
        _requireState(order, State.Accepted);
        if (msg.sender != order.seller) revert CallerNotSeller();
        _refund(orderHash, order);
    }

    // ---- sellers' and owner's settings

    /// @notice Revokes all asks of the caller whose nonce is below. The bound only grows.
    function revokeAsks(uint256 nonceBelow) external {
        if (nonceBelow <= minAskNonce[msg.sender]) revert NonceNotGreater();
        minAskNonce[msg.sender] = nonceBelow;
        emit AsksRevoked(msg.sender, nonceBelow);
    }

    /// @notice Sets the fee of future orders; an order keeps the one in its Terms.
    function setFee(uint16 feeBps_, address feeRecipient_) external onlyOwner {
        _setFee(feeBps_, feeRecipient_);
    }

    /// @notice Stops lock, lockWithAsk and accept; what ends an order goes on.
    function pause() external onlyOwner {
        _pause();
    }

    /// @notice Lets orders be opened and accepted again.
    function unpause() external onlyOwner {
        _unpause();
    }

    /// @notice Always refused: a paused contract without an owner would stay so.
    function renounceOwnership() public pure override {
        revert RenounceForbidden();
    }

    // ---- inside

    function _setFee(uint16 feeBps_, address feeRecipient_) private {
        if (feeBps_ > MAX_FEE_BPS) revert FeeTooHigh();
        if (feeRecipient_ == address(0) || feeRecipient_ == address(this)) revert FeeRecipientInvalid();
        feeBps = feeBps_;
        feeRecipient = feeRecipient_;
        emit FeeSet(feeBps_, feeRecipient_);
    }

    /// @dev Checks S-22, writes the order and logs it. The caller takes the money as the last step.
    function _open(Terms calldata terms, State state) private returns (bytes32 orderHash) {
        if (msg.sender != terms.buyer) revert CallerNotBuyer();
        if (terms.seller == terms.buyer) revert SellerIsBuyer();
        orderHash = hashTerms(terms);
        if (_orders[orderHash].state != State.None) revert OrderExists();
        _checkAmounts(terms);
        if (terms.buyerPearlKey == 0 || uint256(terms.buyerPearlKey) >= FIELD_PRIME) revert BuyerKeyInvalid();
        _checkTimes(terms.pearlRefundTime, terms.evmRefundTime);
        _useHashlock(terms.hashlock);
        Order storage order = _orders[orderHash];
        order.state = state;
        order.terms = terms;
        emit OrderLocked(orderHash, terms.buyer, terms.seller, terms);
    }

    function _checkAmounts(Terms calldata terms) private view {
        if (terms.pearlAmountSat < MIN_PEARL_AMOUNT_SAT || terms.pearlAmountSat > MAX_PEARL_AMOUNT_SAT)
            revert PearlAmountOutOfRange();
        if (terms.usdcAmount < minUsdc || terms.usdcAmount > type(uint128).max) revert UsdcAmountOutOfRange();
        if (terms.feeBps != feeBps || terms.feeRecipient != feeRecipient) revert FeeOutdated();
    }

    function _useHashlock(bytes32 hashlock) private {
        if (hashlock == 0) revert HashlockZero();
        if (hashlockUsed[msg.sender][hashlock]) revert HashlockReused();
        hashlockUsed[msg.sender][hashlock] = true;
    }

    function _useAsk(Terms calldata terms, Ask calldata ask, bytes calldata signature) private {
        if (terms.seller != ask.seller) revert AskDiffers("seller");
        if (terms.sellerPearlKey != ask.sellerPearlKey) revert AskDiffers("sellerPearlKey");
        if (terms.pearlAmountSat != ask.pearlAmountSat) revert AskDiffers("pearlAmountSat");
        if (terms.usdcAmount != ask.usdcAmount) revert AskDiffers("usdcAmount");
        if (terms.feeBps != ask.feeBps) revert AskDiffers("feeBps");
        if (terms.feeRecipient != ask.feeRecipient) revert AskDiffers("feeRecipient");
        bytes32 askId = hashAsk(ask);
        if (terms.askId != askId) revert AskIdWrong();
        if (block.timestamp >= ask.expiry) revert AskExpired();
        if (ask.nonce < minAskNonce[ask.seller]) revert AskRevoked();
        if (ask.nonce == type(uint256).max) revert AskNonceTooHigh();
        if (askTaken[askId]) revert AskAlreadyTaken();
        askTaken[askId] = true;
        if (!SignatureChecker.isValidSignatureNowCalldata(ask.seller, askId, signature)) revert AskSignatureInvalid();
    }

    function _checkSellerKey(bytes32 sellerPearlKey, bytes32 buyerPearlKey) private pure {
        if (sellerPearlKey == 0 || uint256(sellerPearlKey) >= FIELD_PRIME) revert SellerKeyInvalid();
        if (sellerPearlKey == buyerPearlKey) revert KeysEqual();
    }

    function _checkTimes(uint256 pearlRefundTime, uint256 evmRefundTime) private view {
        if (block.timestamp + MIN_PEARL_REFUND_DELAY > pearlRefundTime) revert PearlRefundTooSoon();
        if (pearlRefundTime + MIN_REFUND_MARGIN > evmRefundTime) revert RefundMarginTooSmall();
        if (evmRefundTime > block.timestamp + MAX_LOCK_TIME) revert EvmRefundTooLate();
        if (evmRefundTime > type(uint32).max) revert EvmRefundBeyondUint32();
    }

    function _requireState(Order storage order, State wanted) private view {
        if (order.state != wanted) revert WrongState(order.state);
    }

    function _refund(bytes32 orderHash, Order storage order) private {
        order.state = State.Refunded;
        uint256 amount = order.terms.usdcAmount;
        emit OrderRefunded(orderHash, amount);
        _payOut(orderHash, order.terms.buyer, amount);
    }
}

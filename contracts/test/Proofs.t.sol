// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DevUsdc} from "../dev/DevUsdc.sol";
import {State, Terms} from "../EscrowTypes.sol";
import {HostileUsdc} from "./HostileUsdc.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @notice What halmos is given to prove (`npm run prove:contract`): each `check_` function holds for every caller, argument
/// and whatever stands in the storage of escrow and token, reachable or not. By induction over the calls of a history:
/// the escrow holds what it owes, an order ends once, by its five ways under their conditions, and nobody gains but its
/// buyer, its seller and whoever withdraws what is his. Not covered: lockWithAsk, whose signature halmos knows nothing of,
/// and a token that does anything but transfer or refuse. Forge itself runs each rule once on real orders.
contract ProofsTest is EscrowTest {
    uint256 private constant MANY = 2 ** 250;

    /// @dev One order and two accounts as they are at a moment, and what the escrow has and owes of it.
    struct View {
        State state;
        Terms terms;
        address seller;
        uint256 balance;
        uint256 open;
        uint256 fees;
        uint256 credit;
        uint256 has;
    }

    /// @dev A plain token, whose storage may be anything.
    function setUp() public override {
        usdc = HostileUsdc(address(new DevUsdc()));
        escrow = _newEscrow(address(usdc), MIN_USDC, 200, fees);
    }

    function _anything() private {
        vm.setArbitraryStorage(address(escrow));
        vm.setArbitraryStorage(address(usdc));
    }

    /// @dev The order, the fees of `recipient`, the credit and the tokens of `account`. Sums of amounts do not wrap: no
    /// token has so many units.
    function _view(bytes32 orderHash, address recipient, address account) private view returns (View memory now_) {
        now_ = _read(orderHash, recipient, account);
        vm.assume(now_.balance < MANY && now_.open < MANY && now_.fees < MANY && now_.credit < MANY);
    }

    /// @dev The same after a call, which is assumed nothing of.
    function _read(bytes32 orderHash, address recipient, address account) private view returns (View memory now_) {
        (now_.state, now_.terms, now_.seller, ) = escrow.orders(orderHash);
        now_.balance = usdc.balanceOf(address(escrow));
        if (now_.state == State.Locked || now_.state == State.Accepted) now_.open = now_.terms.usdcAmount;
        now_.fees = escrow.accruedFees(recipient);
        now_.credit = escrow.credits(account);
        now_.has = usdc.balanceOf(account);
    }

    /// @dev The call, and whether it passed: a refused one has changed nothing.
    function _passes(address caller, bytes memory call_) private returns (bool passed) {
        vm.prank(caller);
        (passed, ) = address(escrow).call(call_);
    }

    /// @dev The escrow gives no more than it owes less: so what it holds stays at least what it owes.
    function _assertConserved(View memory before, View memory later) private pure {
        // A sum that wraps would revert, and a path that reverts proves nothing.
        assert(later.balance < 4 * MANY && later.open < 4 * MANY && later.fees < 4 * MANY && later.credit < 4 * MANY);
        uint256 owedBefore = before.open + before.fees + before.credit;
        uint256 owedLater = later.open + later.fees + later.credit;
        assert(before.balance + owedLater <= later.balance + owedBefore);
    }

    /// @dev Another order, and what another account has and is owed, are as they were.
    function _assertSame(View memory before, View memory later) private pure {
        assert(before.state == later.state && before.seller == later.seller);
        assert(before.fees == later.fees && before.credit == later.credit && before.has == later.has);
    }

    // ---- the ends of an order

    function check_S23_claim(bytes32 orderHash, bytes32 secret, address caller, bytes32 other_, address stranger) public {
        _anything();
        _claim(orderHash, secret, caller, other_, stranger);
    }

    function check_S21_cancel(bytes32 orderHash, address caller, bytes32 other_, address stranger) public {
        _anything();
        _cancel(orderHash, caller, other_, stranger);
    }

    function check_S21_refund(bytes32 orderHash, address caller, bytes32 other_, address stranger) public {
        _anything();
        _refund(orderHash, caller, other_, stranger, false);
    }

    function check_S21_refundCooperative(bytes32 orderHash, address caller, bytes32 other_, address stranger) public {
        _anything();
        _refund(orderHash, caller, other_, stranger, true);
    }

    function _claim(bytes32 orderHash, bytes32 secret, address caller, bytes32 other_, address stranger) private {
        (, Terms memory terms, address payee, ) = escrow.orders(orderHash);
        address recipient = terms.feeRecipient;
        vm.assume(other_ != orderHash && payee != address(escrow));
        vm.assume(stranger != payee && stranger != recipient && stranger != address(escrow));
        View memory before = _view(orderHash, recipient, payee);
        View memory elsewhere = _view(other_, stranger, stranger);
        if (!_passes(caller, abi.encodeCall(escrow.claim, (orderHash, secret)))) return;
        View memory later = _read(orderHash, recipient, payee);
        assert(before.state == State.Accepted && later.state == State.Claimed);
        assert(sha256(abi.encodePacked(secret)) == terms.hashlock);
        uint256 fee = (terms.usdcAmount * terms.feeBps) / 10_000;
        assert(_lessBy(later.fees, before.fees, fee));
        _assertPaid(before, later, terms.usdcAmount - fee);
        _assertConserved(before, later);
        _assertSame(elsewhere, _read(other_, stranger, stranger));
    }

    function _cancel(bytes32 orderHash, address caller, bytes32 other_, address stranger) private {
        (View memory before, View memory elsewhere) = _beforeTheBuyerIsPaid(orderHash, other_, stranger);
        if (!_passes(caller, abi.encodeCall(escrow.cancel, (orderHash)))) return;
        assert(before.state == State.Locked && caller == before.terms.buyer);
        _assertTheBuyerIsPaid(orderHash, before, State.Cancelled);
        _assertSame(elsewhere, _read(other_, stranger, stranger));
    }

    function _refund(bytes32 orderHash, address caller, bytes32 other_, address stranger, bool isCooperative) private {
        (View memory before, View memory elsewhere) = _beforeTheBuyerIsPaid(orderHash, other_, stranger);
        bytes memory call_ = isCooperative
            ? abi.encodeCall(escrow.refundCooperative, (orderHash))
            : abi.encodeCall(escrow.refund, (orderHash));
        if (!_passes(caller, call_)) return;
        if (isCooperative) assert(before.state == State.Accepted && caller == before.seller);
        else assert(before.open == before.terms.usdcAmount && block.timestamp >= before.terms.evmRefundTime);
        assert(before.state == State.Accepted || before.state == State.Locked);
        _assertTheBuyerIsPaid(orderHash, before, State.Refunded);
        _assertSame(elsewhere, _read(other_, stranger, stranger));
    }

    function _beforeTheBuyerIsPaid(
        bytes32 orderHash,
        bytes32 other_,
        address stranger
    ) private view returns (View memory before, View memory elsewhere) {
        (, Terms memory terms, , ) = escrow.orders(orderHash);
        vm.assume(other_ != orderHash && terms.buyer != address(escrow));
        vm.assume(stranger != terms.buyer && stranger != address(escrow));
        before = _view(orderHash, terms.buyer, terms.buyer);
        elsewhere = _view(other_, stranger, stranger);
    }

    function _assertTheBuyerIsPaid(bytes32 orderHash, View memory before, State end) private view {
        View memory later = _read(orderHash, before.terms.buyer, before.terms.buyer);
        assert(later.state == end);
        assert(later.fees == before.fees);
        _assertPaid(before, later, before.terms.usdcAmount);
        _assertConserved(before, later);
    }

    /// @dev The amount has come as tokens, or is owed as a credit where the token refused.
    function _assertPaid(View memory before, View memory later, uint256 amount) private pure {
        if (later.credit == before.credit) assert(_lessBy(before.balance, later.balance, amount));
        else assert(_lessBy(later.credit, before.credit, amount) && later.balance == before.balance);
    }

    /// @dev Whether `small` is less than `large` by exactly this; nothing reverts.
    function _lessBy(uint256 large, uint256 small, uint256 amount) private pure returns (bool) {
        return large >= small && large - small == amount;
    }

    // ---- what is owed is withdrawn

    function check_S21_withdraw(address caller, address to, bytes32 other_, address stranger, bool isCredit) public {
        _anything();
        _withdraw(caller, to, other_, stranger, isCredit);
    }

    function _withdraw(address caller, address to, bytes32 other_, address stranger, bool isCredit) private {
        vm.assume(stranger != caller && stranger != to && stranger != address(escrow));
        View memory before = _view(other_, caller, caller);
        View memory elsewhere = _view(other_, stranger, stranger);
        bytes memory call_ = isCredit
            ? abi.encodeCall(escrow.withdrawCredit, (to))
            : abi.encodeCall(escrow.withdrawFees, (to));
        if (!_passes(caller, call_)) return;
        View memory later = _read(other_, caller, caller);
        assert(_lessBy(before.balance, later.balance, isCredit ? before.credit : before.fees));
        assert((isCredit ? later.credit : later.fees) == 0);
        assert(later.state == before.state);
        _assertConserved(before, later);
        _assertSame(elsewhere, _read(other_, stranger, stranger));
    }

    // ---- an order begins

    function check_S22_lock(Terms memory terms, address caller, bytes32 other_, address stranger) public {
        _anything();
        _locks(terms, caller, other_, stranger);
    }

    function _locks(Terms memory terms, address caller, bytes32 other_, address stranger) private {
        bytes32 orderHash = escrow.hashTerms(terms);
        vm.assume(other_ != orderHash && caller != address(escrow));
        vm.assume(stranger != caller && stranger != address(escrow));
        View memory before = _view(orderHash, caller, caller);
        View memory elsewhere = _view(other_, stranger, stranger);
        if (!_passes(caller, abi.encodeCall(escrow.lock, (terms)))) return;
        View memory later = _read(orderHash, caller, caller);
        assert(before.state == State.None && later.state == State.Locked && caller == terms.buyer);
        assert(_lessBy(later.balance, before.balance, terms.usdcAmount) && later.open == terms.usdcAmount);
        _assertConserved(before, later);
        _assertSame(elsewhere, _read(other_, stranger, stranger));
    }

    // ---- calls that reach no money

    function check_S21_accept(bytes32 orderHash, bytes32 key, address caller, address anybody) public {
        _anything();
        _accepts(orderHash, key, caller, anybody);
    }

    function _accepts(bytes32 orderHash, bytes32 key, address caller, address anybody) private {
        View memory before = _view(orderHash, anybody, anybody);
        if (!_passes(caller, abi.encodeCall(escrow.accept, (orderHash, key)))) return;
        View memory later = _read(orderHash, anybody, anybody);
        assert(before.state == State.Locked && later.state == State.Accepted && later.seller == caller);
        assert(before.terms.seller == address(0) || before.terms.seller == caller);
        assert(before.balance == later.balance && before.open == later.open);
        assert(before.fees == later.fees && before.credit == later.credit && before.has == later.has);
    }

    function check_S21_settings(uint8 which, uint256 number, address who, address caller, bytes32 any, address of_) public {
        _anything();
        _settings(which, number, who, caller, any, of_);
    }

    function _settings(uint8 which, uint256 number, address who, address caller, bytes32 any, address of_) private {
        View memory before = _view(any, of_, of_);
        address owner_ = escrow.owner();
        bytes memory call_ = abi.encodeCall(escrow.revokeAsks, (number));
        if (which == 1) call_ = abi.encodeCall(escrow.setFee, (uint16(number), who));
        if (which == 2) call_ = abi.encodeCall(escrow.pause, ());
        if (which == 3) call_ = abi.encodeCall(escrow.unpause, ());
        if (which == 4) call_ = abi.encodeCall(escrow.transferOwnership, (who));
        if (!_passes(caller, call_)) return;
        assert(which == 0 || which > 4 || caller == owner_);
        View memory later = _read(any, of_, of_);
        assert(before.balance == later.balance);
        _assertSame(before, later);
    }

    // ---- the rules themselves, once on real orders

    function test_eachRuleHoldsOnARealOrder() public {
        _fund(buyer);
        (Terms memory terms, bytes32 secret) = _bid();
        bytes32 orderHash = escrow.hashTerms(terms);
        _locks(terms, buyer, 0, other);
        _accepts(orderHash, SELLER_PEARL_KEY, seller, other);
        _claim(orderHash, secret, other, 0, owner);
        _assertState(orderHash, State.Claimed);
        _withdraw(fees, fees, 0, other, false);
        (bytes32 cancelled, , ) = _locked();
        _cancel(cancelled, buyer, orderHash, other);
        _assertState(cancelled, State.Cancelled);
        (bytes32 returned, , ) = _accepted();
        _refund(returned, seller, orderHash, other, true);
        (bytes32 late, Terms memory lateTerms, ) = _accepted();
        vm.warp(lateTerms.evmRefundTime);
        _refund(late, other, orderHash, owner, false);
        _assertState(late, State.Refunded);
        for (uint8 which = 0; which < 5; which++) _settings(which, 100, other, address(this), late, buyer);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Ask, State, Terms} from "../EscrowTypes.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @notice What goes in and out where the token does its worst: payouts, credits, withdrawals, gas, re-entrance (S-22 to
/// S-24).
contract PayoutsTest is EscrowTest {
    /// @dev A way to end an order.
    enum End {
        Claim,
        Cancel,
        Refund,
        GiveUp
    }

    /// @dev An order that can be ended now in this way: who sends what, who is paid how much.
    struct Ending {
        bytes32 orderHash;
        address from;
        bytes call_;
        address payee;
        uint256 due;
        State state;
    }

    function _ending(End end) private returns (Ending memory it) {
        Terms memory terms;
        bytes32 secret;
        (it.orderHash, terms, secret) = end == End.Cancel ? _locked() : _accepted();
        (it.payee, it.due, it.from) = (buyer, terms.usdcAmount, other);
        it.state = State.Refunded;
        if (end == End.Claim) {
            (it.payee, it.due, it.state) = (seller, terms.usdcAmount - _fee(terms), State.Claimed);
            it.call_ = abi.encodeCall(escrow.claim, (it.orderHash, secret));
        } else if (end == End.Cancel) {
            (it.from, it.state) = (buyer, State.Cancelled);
            it.call_ = abi.encodeCall(escrow.cancel, (it.orderHash));
        } else if (end == End.Refund) {
            vm.warp(terms.evmRefundTime);
            it.call_ = abi.encodeCall(escrow.refund, (it.orderHash));
        } else {
            it.from = seller;
            it.call_ = abi.encodeCall(escrow.refundCooperative, (it.orderHash));
        }
    }

    function _send(address from, bytes memory call_) private {
        vm.prank(from);
        (bool passed, ) = address(escrow).call(call_);
        vm.assertTrue(passed, "the call was refused");
    }

    // ---- a payout that the token refuses

    function test_S23_aRefusedPayoutBecomesACreditWithdrawableElsewhere() public {
        for (uint256 index = 0; index < 8; index++) {
            Ending memory it = _ending(End(index / 2));
            if (index % 2 == 0) usdc.setRefused(it.payee, true);
            else usdc.setReturnsFalse(it.payee, true);
            uint256 had = usdc.balanceOf(it.payee);
            vm.expectEmit(address(escrow));
            emit PayoutCredited(it.orderHash, it.payee, it.due);
            _send(it.from, it.call_);
            _assertState(it.orderHash, it.state);
            vm.assertEq(escrow.credits(it.payee), it.due, "credit");
            vm.assertEq(usdc.balanceOf(it.payee), had, "nothing was paid");
            uint256 otherHad = usdc.balanceOf(other);
            vm.expectEmit(address(escrow));
            emit CreditWithdrawn(it.payee, other, it.due);
            vm.prank(it.payee);
            escrow.withdrawCredit(other);
            vm.assertEq(usdc.balanceOf(other), otherHad + it.due, "paid elsewhere");
            vm.assertEq(escrow.credits(it.payee), 0, "nothing is owed any more");
            _refused(it.payee, abi.encodeCall(escrow.withdrawCredit, (other)), NothingOwed.selector);
            usdc.setRefused(it.payee, false);
            usdc.setReturnsFalse(it.payee, false);
        }
    }

    function test_S23_whatIsPaidMakesNoCredit() public {
        for (uint256 index = 0; index < 4; index++) {
            Ending memory it = _ending(End(index));
            uint256 had = usdc.balanceOf(it.payee);
            _send(it.from, it.call_);
            vm.assertEq(escrow.credits(it.payee), 0, "credit");
            vm.assertEq(usdc.balanceOf(it.payee), had + it.due, "paid");
        }
    }

    function test_S23_creditsOfSeveralOrdersAddUp() public {
        Ending memory first = _ending(End.Cancel);
        Ending memory second = _ending(End.Cancel);
        usdc.setRefused(buyer, true);
        _send(buyer, first.call_);
        _send(buyer, second.call_);
        vm.assertEq(escrow.credits(buyer), first.due + second.due, "both");
    }

    function test_S23_aRefusedFeeRecipientBlocksNoClaim() public {
        Ending memory it = _ending(End.Claim);
        usdc.setRefused(fees, true);
        _send(other, it.call_);
        vm.assertEq(usdc.balanceOf(seller), it.due, "the seller is paid");
    }

    function test_S24_aTokenThatReturnsNothingIsTakenAtItsWord() public {
        usdc.setReturnsNothing(true);
        Ending memory it = _ending(End.Claim);
        _send(other, it.call_);
        vm.assertEq(usdc.balanceOf(seller), it.due, "the seller is paid");
        vm.prank(fees);
        escrow.withdrawFees(fees);
        vm.assertEq(usdc.balanceOf(fees), 5_000_000, "so is the recipient");
    }

    // ---- withdrawals

    function test_S21_feesGoWhereTheirRecipientSaysAllAtOnce() public {
        Ending memory it = _ending(End.Claim);
        _send(other, it.call_);
        _refused(fees, abi.encodeCall(escrow.withdrawFees, (address(0))), PayeeInvalid.selector);
        _refused(fees, abi.encodeCall(escrow.withdrawFees, (address(escrow))), PayeeInvalid.selector);
        _refused(other, abi.encodeCall(escrow.withdrawFees, (other)), NothingOwed.selector);
        vm.expectEmit(address(escrow));
        emit FeesWithdrawn(fees, other, 5_000_000);
        vm.prank(fees);
        escrow.withdrawFees(other);
        vm.assertEq(usdc.balanceOf(other), 5_000_000, "paid");
        vm.assertEq(escrow.accruedFees(fees), 0, "nothing is owed any more");
        _refused(fees, abi.encodeCall(escrow.withdrawFees, (other)), NothingOwed.selector);
    }

    function test_S21_whereTheTokenRefusesAllStaysOwed() public {
        Ending memory it = _ending(End.Claim);
        _send(other, it.call_);
        it = _ending(End.Cancel);
        usdc.setRefused(buyer, true);
        _send(buyer, it.call_);
        usdc.setRefused(buyer, false);
        usdc.setReturnsFalse(other, true);
        bytes memory failed = abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, address(usdc));
        _refused(fees, abi.encodeCall(escrow.withdrawFees, (other)), failed);
        _refused(buyer, abi.encodeCall(escrow.withdrawCredit, (other)), failed);
        _refused(buyer, abi.encodeCall(escrow.withdrawCredit, (address(0))), PayeeInvalid.selector);
        _refused(buyer, abi.encodeCall(escrow.withdrawCredit, (address(escrow))), PayeeInvalid.selector);
        vm.assertEq(escrow.accruedFees(fees), 5_000_000, "fees");
        vm.assertEq(escrow.credits(buyer), it.due, "credit");
    }

    function test_S21_theOwnerHasNothingToWithdrawFromAFullEscrow() public {
        _accepted();
        _refused(owner, abi.encodeCall(escrow.withdrawFees, (owner)), NothingOwed.selector);
        _refused(owner, abi.encodeCall(escrow.withdrawCredit, (owner)), NothingOwed.selector);
    }

    // ---- what comes in

    function test_S22_neitherLessNorMoreThanTheAmountIsTaken() public {
        usdc.setTransferFeeBps(1);
        _refusedOpenings(abi.encodePacked(AmountNotReceived.selector));
        usdc.setTransferFeeBps(0);
        usdc.setBonus(1);
        _refusedOpenings(abi.encodePacked(AmountNotReceived.selector));
    }

    function test_S24_aTransferThatReturnsFalseIsRefused() public {
        usdc.setReturnsFalse(address(escrow), true);
        _refusedOpenings(abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, address(usdc)));
    }

    function _refusedOpenings(bytes memory error_) private {
        (Terms memory terms, ) = _bid();
        _refused(buyer, abi.encodeCall(escrow.lock, (terms)), error_);
        Ask memory ask = _ask();
        (terms, ) = _taking(ask);
        _refused(buyer, abi.encodeCall(escrow.lockWithAsk, (terms, ask, _signed(ask, SELLER_KEY))), error_);
    }

    // ---- re-entrance

    function test_S24_noGuardedFunctionCanBeCalledFromInsideOfATransfer() public {
        (bytes32 accepted, , bytes32 secret) = _accepted();
        Ask memory ask = _ask();
        (Terms memory terms, ) = _taking(ask);
        (Terms memory bid, ) = _bid();
        bytes[9] memory inner = [
            abi.encodeCall(escrow.lock, (bid)),
            abi.encodeCall(escrow.lockWithAsk, (terms, ask, _signed(ask, SELLER_KEY))),
            abi.encodeCall(escrow.accept, (accepted, SELLER_PEARL_KEY)),
            abi.encodeCall(escrow.cancel, (accepted)),
            abi.encodeCall(escrow.claim, (accepted, secret)),
            abi.encodeCall(escrow.refund, (accepted)),
            abi.encodeCall(escrow.refundCooperative, (accepted)),
            abi.encodeCall(escrow.withdrawFees, (other)),
            abi.encodeCall(escrow.withdrawCredit, (other))
        ];
        for (uint256 index = 0; index < inner.length; index++) _refusedInside(inner[index]);
        _assertState(accepted, State.Accepted);
    }

    /// @dev Tried from inside of all six calls that move tokens.
    function _refusedInside(bytes memory inner) private {
        usdc.setHook(address(0), "");
        for (uint256 index = 0; index < 4; index++) {
            Ending memory it = _ending(End(index));
            usdc.setHook(address(escrow), inner);
            _send(it.from, it.call_);
            _assertGuarded();
            usdc.setHook(address(0), "");
        }
        Ending memory credited = _ending(End.Cancel);
        usdc.setRefused(buyer, true);
        _send(buyer, credited.call_);
        usdc.setRefused(buyer, false);
        usdc.setHook(address(escrow), inner);
        _send(buyer, abi.encodeCall(escrow.withdrawCredit, (other)));
        _assertGuarded();
        _send(fees, abi.encodeCall(escrow.withdrawFees, (other)));
        _assertGuarded();
        _locked();
        _assertGuarded();
        Ask memory ask = _ask();
        (Terms memory terms, ) = _taking(ask);
        _send(buyer, abi.encodeCall(escrow.lockWithAsk, (terms, ask, _signed(ask, SELLER_KEY))));
        _assertGuarded();
    }

    function _assertGuarded() private {
        bytes memory error_ = abi.encodePacked(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
        vm.assertTrue(!usdc.hookSucceeded(), "a call from inside passed");
        vm.assertEq(usdc.hookAnswer(), error_, "it is the guard that refuses");
        usdc.forgetHookAnswer();
    }

    // ---- gas

    /// @dev No amount of gas makes a credit of a payment that the token would make: less gas reverts, more pays.
    function testFuzz_S23_noAmountOfGasMakesACreditOfAPayment(uint256 gas_, uint256 burn, uint8 end) public {
        Ending memory it = _ending(End(end % 4));
        gas_ = _within(gas_, 20_000, 420_000);
        usdc.setGasToBurn(_within(burn, 0, 150_000));
        uint256 had = usdc.balanceOf(it.payee);
        vm.prank(it.from);
        (bool passed, ) = address(escrow).call{gas: gas_}(it.call_);
        vm.assertEq(escrow.credits(it.payee), 0, "no credit");
        vm.assertEq(usdc.balanceOf(it.payee), had + (passed ? it.due : 0), "paid or not");
        vm.assertTrue(passed ? gas_ > 200_000 : gas_ < 300_000, "the gas that it takes");
    }

    /// @dev One call is refused for its gas by name just below the least that passes.
    function test_S23_aPayoutStartsWith200000GasOrNotAtAll() public {
        for (uint256 index = 0; index < 4; index++) {
            Ending memory it = _ending(End(index));
            uint256 fails = 100_000;
            uint256 passes = 400_000;
            bytes memory last;
            while (passes - fails > 1) {
                uint256 middle = (fails + passes) / 2;
                (bool passed, bytes memory answer) = this.tryWith(it.from, it.call_, middle);
                if (passed) passes = middle;
                else (fails, last) = (middle, answer);
            }
            vm.assertEq(last, abi.encodePacked(PayoutGasTooLow.selector), "refused by name");
            vm.assertTrue(passes > 200_000 && passes < 300_000, "the least that passes");
            uint256 left = this.gasLeftAtTransfer(it.from, it.call_, passes);
            // 1/64 stays with the caller, and the call of the token costs 2,600 and its preparation some hundred.
            vm.assertTrue(left > 190_000 && left < 200_000, "what the transfer is given");
        }
    }

    /// @notice Whether a call passes with this much gas; undone.
    function tryWith(address from, bytes calldata call_, uint256 gas_) external returns (bool, bytes memory) {
        try this.undone(from, call_, gas_) {
            return (false, "");
        } catch (bytes memory thrown) {
            (bool passed, bytes memory answer, ) = abi.decode(thrown, (bool, bytes, uint256));
            return (passed, answer);
        }
    }

    /// @notice With how much gas the token's transfer started; undone.
    function gasLeftAtTransfer(address from, bytes calldata call_, uint256 gas_) external returns (uint256 left) {
        try this.undone(from, call_, gas_) {} catch (bytes memory thrown) {
            (, , left) = abi.decode(thrown, (bool, bytes, uint256));
        }
    }

    /// @notice Makes the call and takes it back by reverting with what came of it.
    function undone(address from, bytes calldata call_, uint256 gas_) external {
        vm.prank(from);
        (bool passed, bytes memory answer) = address(escrow).call{gas: gas_}(call_);
        bytes memory thrown = abi.encode(passed, answer, usdc.gasAtTransfer());
        assembly {
            revert(add(thrown, 0x20), mload(thrown))
        }
    }

    function test_S23_aTransferThatBurnsAllItGetsLeavesACreditOnlyToACallerWithGasForIt() public {
        Ending memory lean = _ending(End.Claim);
        Ending memory rich = _ending(End.Claim);
        usdc.setGasToBurn(2 ** 60);
        vm.prank(other);
        (bool passed, ) = address(escrow).call{gas: 400_000}(lean.call_);
        vm.assertTrue(!passed, "with little gas the call is undone");
        vm.assertEq(escrow.credits(seller), 0, "no credit");
        vm.prank(other);
        (passed, ) = address(escrow).call{gas: 5_000_000}(rich.call_);
        vm.assertTrue(passed, "with much gas it passes");
        vm.assertEq(escrow.credits(seller), rich.due, "a credit");
    }
}

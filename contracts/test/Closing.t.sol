// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {State, Terms} from "../EscrowTypes.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @notice accept and the five ways in which an order ends: what they do, and a test for each refusal (S-04, S-20, S-21).
contract ClosingTest is EscrowTest {
    function _accept(bytes32 orderHash, bytes32 key) private view returns (bytes memory) {
        return abi.encodeCall(escrow.accept, (orderHash, key));
    }
    function _cancel(bytes32 orderHash) private view returns (bytes memory) {
        return abi.encodeCall(escrow.cancel, (orderHash));
    }
    function _claim(bytes32 orderHash, bytes32 secret) private view returns (bytes memory) {
        return abi.encodeCall(escrow.claim, (orderHash, secret));
    }
    function _refund(bytes32 orderHash) private view returns (bytes memory) {
        return abi.encodeCall(escrow.refund, (orderHash));
    }
    function _giveUp(bytes32 orderHash) private view returns (bytes memory) {
        return abi.encodeCall(escrow.refundCooperative, (orderHash));
    }

    function test_S20_fromEachStateOnlyTheAllowedStepsGoOn() public {
        bytes32[6] memory orders;
        bytes32[6] memory secrets;
        orders[0] = bytes32(uint256(77));
        (orders[1], , secrets[1]) = _locked();
        for (uint256 index = 2; index < 5; index++) (orders[index], , secrets[index]) = _accepted();
        escrow.claim(orders[3], secrets[3]);
        vm.prank(seller);
        escrow.refundCooperative(orders[4]);
        (orders[5], , secrets[5]) = _locked();
        vm.prank(buyer);
        escrow.cancel(orders[5]);
        vm.warp(block.timestamp + 13 hours);
        for (uint256 index = 0; index < 6; index++) {
            bytes memory wrong = _wrongState(State(index));
            _assertState(orders[index], State(index));
            if (State(index) != State.Locked) {
                _refused(seller, _accept(orders[index], SELLER_PEARL_KEY), wrong);
                _refused(buyer, _cancel(orders[index]), wrong);
            }
            if (State(index) != State.Accepted) {
                _refused(other, _claim(orders[index], secrets[index]), wrong);
                _refused(seller, _giveUp(orders[index]), wrong);
            }
            if (State(index) != State.Accepted && State(index) != State.Locked) _refused(buyer, _refund(orders[index]), wrong);
        }
        escrow.refund(orders[1]);
        escrow.refund(orders[2]);
    }

    // ---- accept

    function test_S21_acceptBindsTheCallerWhoseKeyAndAddressStayReadable() public {
        (bytes32 orderHash, Terms memory terms, bytes32 secret) = _locked();
        vm.expectEmit(address(escrow));
        emit OrderAccepted(orderHash, seller, SELLER_PEARL_KEY);
        vm.prank(seller);
        escrow.accept(orderHash, SELLER_PEARL_KEY);
        _assertOrder(orderHash, State.Accepted, terms);
        escrow.claim(orderHash, secret);
        _assertOrder(orderHash, State.Claimed, terms);
    }

    function _assertOrder(bytes32 orderHash, State expected, Terms memory terms) private view {
        (State state, Terms memory kept, address accepted, bytes32 key) = escrow.orders(orderHash);
        vm.assertEq(uint256(state), uint256(expected), "state");
        vm.assertEq(abi.encode(kept), abi.encode(terms), "the terms stay as they were locked");
        vm.assertEq(accepted, seller, "seller");
        vm.assertEq(key, SELLER_PEARL_KEY, "key");
    }

    function test_S21_theBuyerCannotAccept() public {
        (bytes32 orderHash, , ) = _locked();
        _refused(buyer, _accept(orderHash, SELLER_PEARL_KEY), SellerIsBuyer.selector);
    }

    function test_S21_whereASellerIsNamedOnlyThatOneAccepts() public {
        (Terms memory terms, ) = _bid();
        terms.seller = seller;
        bytes32 orderHash = _lock(terms);
        _refused(other, _accept(orderHash, SELLER_PEARL_KEY), CallerNotSeller.selector);
        vm.prank(seller);
        escrow.accept(orderHash, SELLER_PEARL_KEY);
    }

    function test_S21_theSellersKeyIsNeitherZeroNorTheBuyersAndBelowTheFieldPrime() public {
        (bytes32 orderHash, , ) = _locked();
        _refused(seller, _accept(orderHash, 0), SellerKeyInvalid.selector);
        _refused(seller, _accept(orderHash, bytes32(FIELD_PRIME)), SellerKeyInvalid.selector);
        _refused(seller, _accept(orderHash, BUYER_PEARL_KEY), KeysEqual.selector);
        vm.prank(seller);
        escrow.accept(orderHash, bytes32(FIELD_PRIME - 1));
    }

    function test_S22_theTimesAreJudgedAgainAtAccept() public {
        (bytes32 orderHash, Terms memory terms, ) = _locked();
        vm.warp(terms.pearlRefundTime - 2 hours + 1);
        _refused(seller, _accept(orderHash, SELLER_PEARL_KEY), PearlRefundTooSoon.selector);
        vm.warp(terms.pearlRefundTime - 2 hours);
        vm.prank(seller);
        escrow.accept(orderHash, SELLER_PEARL_KEY);
    }

    function test_S21_anAcceptedBidKeepsTheFeeOfItsLock() public {
        (bytes32 orderHash, Terms memory terms, bytes32 secret) = _locked();
        vm.prank(owner);
        escrow.setFee(500, other);
        vm.prank(seller);
        escrow.accept(orderHash, SELLER_PEARL_KEY);
        escrow.claim(orderHash, secret);
        vm.assertEq(escrow.accruedFees(fees), _fee(terms), "the recipient of the Terms");
        vm.assertEq(escrow.accruedFees(other), 0, "the new recipient");
    }

    // ---- cancel

    function test_S21_cancelGivesTheBuyerAllOfItBack() public {
        (bytes32 orderHash, , ) = _locked();
        vm.expectEmit(address(escrow));
        emit OrderCancelled(orderHash);
        vm.prank(buyer);
        escrow.cancel(orderHash);
        vm.assertEq(usdc.balanceOf(buyer), FUNDS, "what the buyer has");
        _assertState(orderHash, State.Cancelled);
    }

    function test_S21_nobodyElseCancels() public {
        (bytes32 orderHash, , ) = _locked();
        _refused(seller, _cancel(orderHash), CallerNotBuyer.selector);
        _refused(owner, _cancel(orderHash), CallerNotBuyer.selector);
    }

    // ---- claim

    function test_S23_anybodyPaysTheSellerTheFeeAccruesAndBothAddUp() public {
        (bytes32 orderHash, Terms memory terms, bytes32 secret) = _accepted();
        uint256 net = terms.usdcAmount - 5_000_000;
        vm.expectEmit(address(escrow));
        emit OrderClaimed(orderHash, secret, net, 5_000_000);
        vm.prank(other);
        escrow.claim(orderHash, secret);
        vm.assertEq(usdc.balanceOf(seller), net, "what the seller has");
        vm.assertEq(escrow.accruedFees(fees), 5_000_000, "what the recipient is owed");
        vm.assertEq(usdc.balanceOf(address(escrow)), 5_000_000, "what the escrow holds");
        _assertState(orderHash, State.Claimed);
    }

    function test_S23_feesOfSeveralOrdersAddUp() public {
        for (uint256 index = 0; index < 3; index++) {
            (bytes32 orderHash, , bytes32 secret) = _accepted();
            escrow.claim(orderHash, secret);
        }
        vm.assertEq(escrow.accruedFees(fees), 15_000_000, "what the recipient is owed");
    }

    function test_S23_aFeeOfNothingIsLoggedAsNothing() public {
        vm.prank(owner);
        escrow.setFee(0, fees);
        (bytes32 orderHash, Terms memory terms, bytes32 secret) = _accepted();
        vm.expectEmit(address(escrow));
        emit OrderClaimed(orderHash, secret, terms.usdcAmount, 0);
        escrow.claim(orderHash, secret);
        vm.assertEq(usdc.balanceOf(seller), terms.usdcAmount, "what the seller has");
    }

    function test_S23_aFeeOfOneUnitAccrues() public {
        escrow = _newEscrow(address(usdc), 1, 1, fees);
        _fund(buyer);
        (Terms memory terms, bytes32 secret) = _bid();
        terms.usdcAmount = 10_000;
        bytes32 orderHash = _lock(terms);
        vm.prank(seller);
        escrow.accept(orderHash, SELLER_PEARL_KEY);
        escrow.claim(orderHash, secret);
        vm.assertEq(escrow.accruedFees(fees), 1, "what the recipient is owed");
        vm.assertEq(usdc.balanceOf(seller), 9_999, "what the seller has");
    }

    function test_S21_noOtherSecretAlsoNotTheHashlockItself() public {
        (bytes32 orderHash, Terms memory terms, ) = _accepted();
        _refused(seller, _claim(orderHash, 0), SecretWrong.selector);
        _refused(seller, _claim(orderHash, terms.hashlock), SecretWrong.selector);
        _refused(seller, _claim(orderHash, _secret(0)), SecretWrong.selector);
    }

    function test_S04_noClockForbidsAClaimWhileTheOrderIsAccepted() public {
        (bytes32 orderHash, Terms memory terms, bytes32 secret) = _accepted();
        vm.warp(terms.evmRefundTime + 1000 hours);
        escrow.claim(orderHash, secret);
        _assertState(orderHash, State.Claimed);
    }

    // ---- refunds

    function test_S21_anybodyRefundsWhatIsLockedFromItsTimeOn() public {
        (bytes32 orderHash, Terms memory terms, ) = _locked();
        _refundsAt(orderHash, terms);
    }

    function test_S21_anybodyRefundsWhatIsAcceptedFromItsTimeOn() public {
        (bytes32 orderHash, Terms memory terms, ) = _accepted();
        _refundsAt(orderHash, terms);
    }

    function _refundsAt(bytes32 orderHash, Terms memory terms) private {
        vm.warp(terms.evmRefundTime - 1);
        _refused(buyer, _refund(orderHash), RefundTooEarly.selector);
        vm.warp(terms.evmRefundTime);
        vm.expectEmit(address(escrow));
        emit OrderRefunded(orderHash, terms.usdcAmount);
        vm.prank(other);
        escrow.refund(orderHash);
        vm.assertEq(usdc.balanceOf(buyer), FUNDS, "what the buyer has");
        _assertState(orderHash, State.Refunded);
    }

    function test_S21_theAcceptedSellerRefundsAtAnyTimeAndNobodyElse() public {
        (bytes32 orderHash, Terms memory terms, ) = _accepted();
        _refused(buyer, _giveUp(orderHash), CallerNotSeller.selector);
        _refused(other, _giveUp(orderHash), CallerNotSeller.selector);
        _refused(owner, _giveUp(orderHash), CallerNotSeller.selector);
        vm.expectEmit(address(escrow));
        emit OrderRefunded(orderHash, terms.usdcAmount);
        vm.prank(seller);
        escrow.refundCooperative(orderHash);
        vm.assertEq(usdc.balanceOf(buyer), FUNDS, "what the buyer has");
    }

    // ---- any amount, any fee, any way to end

    function testFuzz_S23_whatIsPaidAndTheFeeAreWhatWasLocked(uint256 amount, uint16 feeBps, bytes32 secret) public {
        feeBps = uint16(_within(feeBps, 0, 500));
        vm.prank(owner);
        escrow.setFee(feeBps, fees);
        (Terms memory terms, ) = _bid();
        terms.usdcAmount = _within(amount, MIN_USDC, type(uint128).max);
        terms.hashlock = _hashlock(secret);
        usdc.mint(buyer, type(uint128).max);
        bytes32 orderHash = _lock(terms);
        vm.prank(seller);
        escrow.accept(orderHash, SELLER_PEARL_KEY);
        escrow.claim(orderHash, secret);
        uint256 fee = escrow.accruedFees(fees);
        vm.assertEq(usdc.balanceOf(seller) + fee, terms.usdcAmount, "paid and fee");
        vm.assertTrue(fee * 10_000 <= terms.usdcAmount * feeBps, "the fee is rounded down");
        vm.assertTrue((fee + 1) * 10_000 > terms.usdcAmount * feeBps, "and not below that");
    }

    function testFuzz_S21_noSecretButTheRightOneClaims(bytes32 guess) public {
        (bytes32 orderHash, , bytes32 secret) = _accepted();
        vm.assume(guess != secret);
        _refused(other, _claim(orderHash, guess), SecretWrong.selector);
    }

    function testFuzz_S21_noRefundBeforeItsTime(uint256 time, address caller) public {
        (bytes32 orderHash, Terms memory terms, ) = _accepted();
        vm.assume(caller != address(vm));
        time = _within(time, 0, uint256(terms.evmRefundTime) * 2);
        vm.warp(time);
        if (time < terms.evmRefundTime) _refused(caller, _refund(orderHash), RefundTooEarly.selector);
        else escrow.refund(orderHash);
    }
}

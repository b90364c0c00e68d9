// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ask, State, Terms} from "../EscrowTypes.sol";
import {SmartWallet} from "./SmartWallet.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @notice lock: what it does, and a test for each thing that it refuses (S-21, S-22).
contract LockTest is EscrowTest {
    function test_S21_takesTheUsdcLogsAllTermsAndNamesTheOrderByItsHash() public {
        (Terms memory terms, ) = _bid();
        terms.seller = seller;
        bytes32 expected = escrow.hashTerms(terms);
        vm.expectEmit(address(escrow));
        emit OrderLocked(expected, buyer, seller, terms);
        bytes32 orderHash = _lock(terms);
        vm.assertEq(orderHash, expected, "the order's name");
        vm.assertEq(usdc.balanceOf(address(escrow)), terms.usdcAmount, "what the escrow holds");
        vm.assertEq(usdc.balanceOf(buyer), FUNDS - terms.usdcAmount, "what the buyer has left");
        (State state, Terms memory kept, address accepted, bytes32 key) = escrow.orders(orderHash);
        vm.assertEq(uint256(state), uint256(State.Locked), "state");
        vm.assertEq(abi.encode(kept), abi.encode(terms), "terms");
        vm.assertEq(accepted, address(0), "a named seller is not the accepted one");
        vm.assertEq(key, 0, "the accepted seller's key");
        vm.assertTrue(escrow.hashlockUsed(buyer, terms.hashlock), "the hashlock is used");
        vm.assertTrue(!escrow.hashlockUsed(other, terms.hashlock), "for this buyer alone");
    }

    function test_S21_anUnknownHashIsAllZero() public view {
        (State state, Terms memory terms, address accepted, bytes32 key) = escrow.orders(bytes32(uint256(77)));
        Terms memory nothing;
        vm.assertEq(uint256(state), uint256(State.None), "state");
        vm.assertEq(abi.encode(terms), abi.encode(nothing), "terms");
        vm.assertEq(abi.encode(accepted, key), abi.encode(0, 0), "seller and key");
    }

    function test_S21_theBuyerIsTheCaller() public {
        (Terms memory terms, ) = _bid();
        _refused(other, abi.encodeCall(escrow.lock, (terms)), CallerNotBuyer.selector);
    }

    function test_S21_aBidHasNeitherAnAskIdNorASellersKey() public {
        (Terms memory terms, ) = _bid();
        terms.askId = bytes32(uint256(1));
        _refusedLock(terms, AskIdNotZero.selector);
        terms.askId = 0;
        terms.sellerPearlKey = SELLER_PEARL_KEY;
        _refusedLock(terms, SellerKeyNotZero.selector);
    }

    function test_S22_nobodySellsToHimself() public {
        (Terms memory terms, ) = _bid();
        terms.seller = buyer;
        _refusedLock(terms, SellerIsBuyer.selector);
    }

    function test_S22_theAmountOfPearlHasBothItsBounds() public {
        (Terms memory terms, ) = _bid();
        terms.pearlAmountSat = 9_999;
        _refusedLock(terms, PearlAmountOutOfRange.selector);
        terms.pearlAmountSat = 2_100_000_000_000_000_001;
        _refusedLock(terms, PearlAmountOutOfRange.selector);
        terms.pearlAmountSat = 2_100_000_000_000_000_000;
        _lock(terms);
        (terms, ) = _bid();
        terms.pearlAmountSat = 10_000;
        _lock(terms);
    }

    function test_S22_theAmountOfUsdcHasBothItsBounds() public {
        (Terms memory terms, ) = _bid();
        terms.usdcAmount = MIN_USDC - 1;
        _refusedLock(terms, UsdcAmountOutOfRange.selector);
        terms.usdcAmount = uint256(type(uint128).max) + 1;
        _refusedLock(terms, UsdcAmountOutOfRange.selector);
        usdc.mint(buyer, type(uint128).max);
        terms.usdcAmount = type(uint128).max;
        _lock(terms);
        (terms, ) = _bid();
        terms.usdcAmount = MIN_USDC;
        _lock(terms);
    }

    function test_S22_theBuyersKeyIsNotZeroAndBelowTheFieldPrime() public {
        (Terms memory terms, ) = _bid();
        terms.buyerPearlKey = 0;
        _refusedLock(terms, BuyerKeyInvalid.selector);
        terms.buyerPearlKey = bytes32(FIELD_PRIME);
        _refusedLock(terms, BuyerKeyInvalid.selector);
        terms.buyerPearlKey = bytes32(FIELD_PRIME - 1);
        _lock(terms);
        (terms, ) = _bid();
        terms.buyerPearlKey = bytes32(uint256(1));
        _lock(terms);
    }

    function test_S22_feeAndRecipientAreThePresentOnes() public {
        (Terms memory terms, ) = _bid();
        terms.feeBps = 199;
        _refusedLock(terms, FeeOutdated.selector);
        terms.feeBps = 201;
        _refusedLock(terms, FeeOutdated.selector);
        terms.feeBps = 200;
        terms.feeRecipient = other;
        _refusedLock(terms, FeeOutdated.selector);
    }

    function test_S22_theSameTermsPassOnceAlsoAfterTheirEnd() public {
        (bytes32 orderHash, Terms memory terms, ) = _locked();
        _refusedLock(terms, OrderExists.selector);
        vm.prank(buyer);
        escrow.cancel(orderHash);
        _refusedLock(terms, OrderExists.selector);
    }

    function test_S22_aHashlockIsNotZeroAndPassesOncePerBuyer() public {
        (bytes32 orderHash, Terms memory terms, ) = _locked();
        terms.nonce = 1;
        _refusedLock(terms, HashlockReused.selector);
        vm.prank(buyer);
        escrow.cancel(orderHash);
        _refusedLock(terms, HashlockReused.selector);
        _fund(other);
        terms.buyer = other;
        _lock(terms);
        terms.hashlock = 0;
        _refused(other, abi.encodeCall(escrow.lock, (terms)), HashlockZero.selector);
    }

    function test_S22_theTimesHaveTheirBounds() public {
        uint256 now_ = block.timestamp;
        _times(now_ + 2 hours - 1, now_ + 12 hours, PearlRefundTooSoon.selector);
        _times(now_ + 2 hours, now_ + 12 hours, 0);
        _times(now_ + 6 hours, now_ + 10 hours - 1, RefundMarginTooSmall.selector);
        _times(now_ + 6 hours, now_ + 10 hours, 0);
        _times(now_ + 6 hours, now_ + 72 hours + 1, EvmRefundTooLate.selector);
        _times(now_ + 6 hours, now_ + 72 hours, 0);
        // Near the end of 64 bits nothing wraps.
        _times(type(uint64).max, type(uint64).max, RefundMarginTooSmall.selector);
        _times(type(uint64).max - 4 hours, type(uint64).max, EvmRefundTooLate.selector);
        // PEARL reads T_e as 32 bits.
        vm.warp(2 ** 32 - 13 hours);
        now_ = block.timestamp;
        _times(now_ + 3 hours, 2 ** 32, EvmRefundBeyondUint32.selector);
        _times(now_ + 3 hours, 2 ** 32 - 1, 0);
    }

    function _times(uint256 pearlRefundTime, uint256 evmRefundTime, bytes4 error_) private {
        (Terms memory terms, ) = _bid();
        terms.pearlRefundTime = uint64(pearlRefundTime);
        terms.evmRefundTime = uint64(evmRefundTime);
        if (error_ == 0) _lock(terms);
        else _refusedLock(terms, error_);
    }
}

/// @notice lockWithAsk: what it does, and a test for each thing that it refuses (S-21, S-22, S-24).
contract LockWithAskTest is EscrowTest {
    function _take(Terms memory terms, Ask memory ask, bytes memory signature) private returns (bytes32) {
        vm.prank(buyer);
        return escrow.lockWithAsk(terms, ask, signature);
    }

    function _refusedTake(Terms memory terms, Ask memory ask, bytes memory signature, bytes memory error_) private {
        _refused(buyer, abi.encodeCall(escrow.lockWithAsk, (terms, ask, signature)), error_);
    }

    function _refusedTake(Terms memory terms, Ask memory ask, bytes4 error_) private {
        _refusedTake(terms, ask, _signed(ask, SELLER_KEY), abi.encodePacked(error_));
    }

    function _refusedAsk(Ask memory ask, bytes4 error_) private {
        (Terms memory terms, ) = _taking(ask);
        _refusedTake(terms, ask, error_);
    }

    function _refusedField(Terms memory terms, Ask memory ask, bytes32 field) private {
        _refusedTake(terms, ask, _signed(ask, SELLER_KEY), abi.encodeWithSelector(AskDiffers.selector, field));
    }

    function test_S21_locksAndAcceptsInOneStepOnceForEver() public {
        Ask memory ask = _ask();
        (Terms memory terms, ) = _taking(ask);
        bytes memory signature = _signed(ask, SELLER_KEY);
        bytes32 expected = escrow.hashTerms(terms);
        vm.expectEmit(address(escrow));
        emit OrderLocked(expected, buyer, seller, terms);
        vm.expectEmit(address(escrow));
        emit OrderAccepted(expected, seller, SELLER_PEARL_KEY);
        vm.assertEq(_take(terms, ask, signature), expected, "the order's name");
        vm.assertEq(usdc.balanceOf(address(escrow)), terms.usdcAmount, "what the escrow holds");
        (State state, Terms memory kept, address accepted, bytes32 key) = escrow.orders(expected);
        vm.assertEq(uint256(state), uint256(State.Accepted), "state");
        vm.assertEq(abi.encode(kept), abi.encode(terms), "terms");
        vm.assertEq(accepted, seller, "seller");
        vm.assertEq(key, SELLER_PEARL_KEY, "key");
        vm.assertTrue(escrow.askTaken(terms.askId), "taken");
        _refusedAsk(ask, AskAlreadyTaken.selector);
        vm.prank(seller);
        escrow.refundCooperative(expected);
        _refusedAsk(ask, AskAlreadyTaken.selector);
    }

    function test_S21_theBuyerIsTheCaller() public {
        Ask memory ask = _ask();
        (Terms memory terms, ) = _taking(ask);
        bytes memory call_ = abi.encodeCall(escrow.lockWithAsk, (terms, ask, _signed(ask, SELLER_KEY)));
        _refused(other, call_, CallerNotBuyer.selector);
    }

    function test_S21_theSharedFieldsAreTheAsksOneByOne() public {
        Ask memory ask = _ask();
        (Terms memory terms, ) = _taking(ask);
        terms.seller = other;
        _refusedField(terms, ask, "seller");
        (terms, ) = _taking(ask);
        terms.sellerPearlKey = bytes32(uint256(4));
        _refusedField(terms, ask, "sellerPearlKey");
        (terms, ) = _taking(ask);
        terms.pearlAmountSat -= 1;
        _refusedField(terms, ask, "pearlAmountSat");
        (terms, ) = _taking(ask);
        terms.usdcAmount -= 1;
        _refusedField(terms, ask, "usdcAmount");
        (terms, ) = _taking(ask);
        terms.feeBps = 0;
        _refusedField(terms, ask, "feeBps");
        (terms, ) = _taking(ask);
        terms.feeRecipient = other;
        _refusedField(terms, ask, "feeRecipient");
    }

    function test_S21_askIdIsTheAsksDigest() public {
        Ask memory ask = _ask();
        (Terms memory terms, ) = _taking(ask);
        terms.askId = bytes32(uint256(5));
        _refusedTake(terms, ask, AskIdWrong.selector);
        terms.askId = 0;
        _refusedTake(terms, ask, AskIdWrong.selector);
    }

    function test_S22_theRestOfTheTermsIsJudgedAsInLock() public {
        Ask memory ask = _ask();
        ask.usdcAmount = 1;
        _refusedAsk(ask, UsdcAmountOutOfRange.selector);
        ask = _ask();
        ask.feeBps = 0;
        _refusedAsk(ask, FeeOutdated.selector);
        ask = _ask();
        (Terms memory terms, ) = _taking(ask);
        terms.pearlRefundTime = uint64(block.timestamp);
        _refusedTake(terms, ask, PearlRefundTooSoon.selector);
    }

    function test_S22_nobodyTakesHisOwnAsk() public {
        Ask memory ask = _ask();
        ask.seller = buyer;
        (Terms memory terms, ) = _taking(ask);
        bytes memory error_ = abi.encodePacked(SellerIsBuyer.selector);
        _refusedTake(terms, ask, _signed(ask, BUYER_KEY), error_);
    }

    function test_S22_theSellersKeyIsNeitherZeroNorTheBuyersAndBelowTheFieldPrime() public {
        Ask memory ask = _ask();
        ask.sellerPearlKey = 0;
        _refusedAsk(ask, SellerKeyInvalid.selector);
        ask.sellerPearlKey = bytes32(FIELD_PRIME);
        _refusedAsk(ask, SellerKeyInvalid.selector);
        ask.sellerPearlKey = BUYER_PEARL_KEY;
        _refusedAsk(ask, KeysEqual.selector);
    }

    function test_S21_anAskIsDeadFromItsExpiryOn() public {
        Ask memory ask = _ask();
        vm.warp(ask.expiry);
        _refusedAsk(ask, AskExpired.selector);
        vm.warp(ask.expiry - 1);
        (Terms memory terms, ) = _taking(ask);
        _take(terms, ask, _signed(ask, SELLER_KEY));
    }

    function test_S21_revokedNoncesAreDeadAndTheBoundItselfLives() public {
        Ask memory low = _ask();
        low.nonce = 999_999;
        Ask memory bound = _ask();
        bound.nonce = 1_000_000;
        vm.expectEmit(address(escrow));
        emit AsksRevoked(seller, 1_000_000);
        vm.prank(seller);
        escrow.revokeAsks(1_000_000);
        vm.assertEq(escrow.minAskNonce(seller), 1_000_000, "the bound");
        _refusedAsk(low, AskRevoked.selector);
        _refused(seller, abi.encodeCall(escrow.revokeAsks, (1_000_000)), NonceNotGreater.selector);
        _refused(other, abi.encodeCall(escrow.revokeAsks, (0)), NonceNotGreater.selector);
        (Terms memory terms, ) = _taking(bound);
        _take(terms, bound, _signed(bound, SELLER_KEY));
    }

    function test_S21_theHighestNonceCouldNeverBeRevoked() public {
        Ask memory ask = _ask();
        ask.nonce = type(uint256).max;
        _refusedAsk(ask, AskNonceTooHigh.selector);
        ask.nonce = type(uint256).max - 1;
        (Terms memory terms, ) = _taking(ask);
        _take(terms, ask, _signed(ask, SELLER_KEY));
    }

    function test_S24_onlyTheSellers65BytesWithLowSSign() public {
        Ask memory ask = _ask();
        (Terms memory terms, ) = _taking(ask);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(SELLER_KEY, terms.askId);
        uint256 n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        bytes[7] memory wrong = [
            abi.encodePacked(r, n - uint256(s), v == 27 ? uint8(28) : uint8(27)),
            abi.encodePacked(r, uint256(s) | (uint256(v - 27) << 255)),
            abi.encodePacked(r, s, v - 27),
            bytes(""),
            abi.encodePacked(r, s, v, uint8(0)),
            new bytes(65),
            _signed(ask, 0x07E4)
        ];
        for (uint256 index = 0; index < wrong.length; index++) {
            _refusedTake(terms, ask, wrong[index], abi.encodePacked(AskSignatureInvalid.selector));
        }
        bytes memory good = _signed(ask, SELLER_KEY);
        Ask memory changed = ask;
        changed.sellerPearlAddress = "prl1another";
        (Terms memory others, ) = _taking(changed);
        _refusedTake(others, changed, good, abi.encodePacked(AskSignatureInvalid.selector));
    }

    function test_S24_nobodySignsForTheZeroAddress() public {
        Ask memory ask = _ask();
        ask.seller = address(0);
        (Terms memory terms, ) = _taking(ask);
        bytes memory zeros = abi.encodePacked(new bytes(64), uint8(27));
        _refusedTake(terms, ask, zeros, abi.encodePacked(AskSignatureInvalid.selector));
    }

    function test_S24_aContractSignsByErc1271AloneAsOfTheCall() public {
        SmartWallet wallet = new SmartWallet(seller);
        Ask memory ask = _ask();
        ask.seller = address(wallet);
        (Terms memory terms, ) = _taking(ask);
        _refusedTake(terms, ask, _signed(ask, 0x07E4), abi.encodePacked(AskSignatureInvalid.selector));
        wallet.setRefuses(true);
        _refusedTake(terms, ask, AskSignatureInvalid.selector);
        wallet.setRefuses(false);
        bytes32 orderHash = _take(terms, ask, _signed(ask, SELLER_KEY));
        wallet.send(address(escrow), abi.encodeCall(escrow.refundCooperative, (orderHash)));
        _assertState(orderHash, State.Refunded);
    }

    function test_S24_aContractThatKnowsNoErc1271SignsNothing() public {
        Ask memory ask = _ask();
        ask.seller = address(usdc);
        _refusedAsk(ask, AskSignatureInvalid.selector);
    }
}

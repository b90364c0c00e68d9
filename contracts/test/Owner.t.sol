// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {PearlUsdcEscrow} from "../PearlUsdcEscrow.sol";
import {Ask, State, Terms} from "../EscrowTypes.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @notice Construction, the owner's powers and where they end (S-21), and that no Ether gets in.
contract OwnerTest is EscrowTest {
    function _notOwner(address account) private pure returns (bytes memory) {
        return abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, account);
    }

    // ---- construction

    /// @notice Deploys; external, so that its refusal can be looked at.
    function deploy(address usdc_, uint256 minUsdc, uint16 feeBps, address recipient) external {
        _newEscrow(usdc_, minUsdc, feeBps, recipient);
    }

    function _refusedCreation(address usdc_, uint256 minUsdc, uint16 feeBps, address recipient, bytes4 error_) private {
        (bool passed, bytes memory answer) = address(this).call(
            abi.encodeCall(this.deploy, (usdc_, minUsdc, feeBps, recipient))
        );
        vm.assertTrue(!passed, "it was created");
        vm.assertEq(answer, abi.encodePacked(error_), "refused with another error");
    }

    function test_S21_whatAConstructionIsRefusedFor() public {
        _refusedCreation(other, 1, 0, fees, UsdcWithoutCode.selector);
        _refusedCreation(address(usdc), 0, 0, fees, MinUsdcZero.selector);
        _refusedCreation(address(usdc), 1, 501, fees, FeeTooHigh.selector);
        _refusedCreation(address(usdc), 1, 0, address(0), FeeRecipientInvalid.selector);
    }

    function test_S21_theDeployerOwnsItAndFeeSetSaysHowItStarts() public {
        vm.expectEmit(vm.computeCreateAddress(owner, 1));
        emit FeeSet(500, other);
        vm.prank(owner);
        PearlUsdcEscrow it = _newEscrow(address(usdc), 7, 500, other);
        vm.assertEq(it.owner(), owner, "owner");
        vm.assertEq(address(it.usdc()), address(usdc), "token");
        vm.assertEq(it.minUsdc(), 7, "the least amount");
        vm.assertEq(it.feeBps(), 500, "fee");
        vm.assertEq(it.feeRecipient(), other, "recipient");
    }

    // ---- fee

    function test_S21_onlyTheOwnerSetsTheFeeAtMost500ToSomebodyWhoIsNotTheContract() public {
        _refused(other, abi.encodeCall(escrow.setFee, (1, other)), _notOwner(other));
        _refused(owner, abi.encodeCall(escrow.setFee, (501, other)), FeeTooHigh.selector);
        _refused(owner, abi.encodeCall(escrow.setFee, (1, address(0))), FeeRecipientInvalid.selector);
        _refused(owner, abi.encodeCall(escrow.setFee, (1, address(escrow))), FeeRecipientInvalid.selector);
        vm.expectEmit(address(escrow));
        emit FeeSet(500, other);
        vm.prank(owner);
        escrow.setFee(500, other);
        vm.assertEq(escrow.feeBps(), 500, "fee");
        vm.assertEq(escrow.feeRecipient(), other, "recipient");
    }

    // ---- pause

    function test_S21_onlyTheOwnerPausesAndUnpausesEachOnce() public {
        _refused(other, abi.encodeCall(escrow.pause, ()), _notOwner(other));
        _refused(other, abi.encodeCall(escrow.unpause, ()), _notOwner(other));
        _refused(owner, abi.encodeCall(escrow.unpause, ()), Pausable.ExpectedPause.selector);
        vm.prank(owner);
        escrow.pause();
        vm.assertTrue(escrow.paused(), "paused");
        _refused(other, abi.encodeCall(escrow.unpause, ()), _notOwner(other));
        _refused(owner, abi.encodeCall(escrow.pause, ()), Pausable.EnforcedPause.selector);
        vm.prank(owner);
        escrow.unpause();
        vm.assertTrue(!escrow.paused(), "not paused");
    }

    function test_S21_aPauseStopsOpeningsAndAcceptancesAndNothingThatEndsOrPays() public {
        (bytes32 open, , ) = _locked();
        (bytes32 cancelled, , ) = _locked();
        (bytes32 claimed, , bytes32 secret) = _accepted();
        (bytes32 givenUp, , ) = _accepted();
        (bytes32 refunded, Terms memory terms, ) = _accepted();
        (Terms memory bid, ) = _bid();
        Ask memory ask = _ask();
        (Terms memory taking, ) = _taking(ask);
        bytes memory take = abi.encodeCall(escrow.lockWithAsk, (taking, ask, _signed(ask, SELLER_KEY)));
        vm.prank(owner);
        escrow.pause();
        _refusedLock(bid, Pausable.EnforcedPause.selector);
        _refused(buyer, take, Pausable.EnforcedPause.selector);
        _refused(seller, abi.encodeCall(escrow.accept, (open, SELLER_PEARL_KEY)), Pausable.EnforcedPause.selector);
        vm.prank(buyer);
        escrow.cancel(cancelled);
        escrow.claim(claimed, secret);
        usdc.setRefused(buyer, true);
        vm.prank(seller);
        escrow.refundCooperative(givenUp);
        usdc.setRefused(buyer, false);
        vm.prank(seller);
        escrow.revokeAsks(1);
        vm.prank(fees);
        escrow.withdrawFees(fees);
        vm.prank(buyer);
        escrow.withdrawCredit(buyer);
        vm.warp(terms.evmRefundTime);
        escrow.refund(refunded);
        escrow.refund(open);
        vm.assertEq(usdc.balanceOf(address(escrow)), 0, "all is paid out");
    }

    // ---- ownership

    function test_S21_ownershipIsHandedOverInTwoStepsAndNeverGivenUp() public {
        _refused(owner, abi.encodeCall(escrow.renounceOwnership, ()), RenounceForbidden.selector);
        _refused(other, abi.encodeCall(escrow.renounceOwnership, ()), RenounceForbidden.selector);
        _refused(other, abi.encodeCall(escrow.transferOwnership, (other)), _notOwner(other));
        vm.prank(owner);
        escrow.transferOwnership(other);
        vm.assertEq(escrow.owner(), owner, "the old one still");
        vm.assertEq(escrow.pendingOwner(), other, "the new one waits");
        _refused(seller, abi.encodeCall(escrow.acceptOwnership, ()), _notOwner(seller));
        vm.prank(other);
        escrow.acceptOwnership();
        vm.assertEq(escrow.owner(), other, "the new one");
    }

    // ---- Ether

    function test_S21_noEtherGetsIn() public {
        vm.deal(buyer, 10);
        (Terms memory terms, ) = _bid();
        bytes[3] memory calls = [bytes(""), hex"12345678", abi.encodeCall(escrow.lock, (terms))];
        for (uint256 index = 0; index < 3; index++) {
            vm.prank(buyer);
            (bool passed, ) = address(escrow).call{value: 1}(calls[index]);
            vm.assertTrue(!passed, "Ether got in");
        }
        _refused(buyer, hex"12345678", bytes(""));
    }

    // ---- what a fee is worth

    function testFuzz_S21_noSettingOfTheOwnerTouchesAnOrderThatExists(uint16 feeBps, address recipient) public {
        (bytes32 orderHash, Terms memory terms, bytes32 secret) = _accepted();
        vm.assume(recipient != address(0) && recipient != address(escrow) && recipient != fees);
        vm.prank(owner);
        escrow.setFee(uint16(_within(feeBps, 0, 500)), recipient);
        vm.prank(owner);
        escrow.pause();
        escrow.claim(orderHash, secret);
        _assertState(orderHash, State.Claimed);
        vm.assertEq(usdc.balanceOf(seller), terms.usdcAmount - _fee(terms), "what the seller has");
        vm.assertEq(escrow.accruedFees(recipient), 0, "what the new recipient is owed");
    }
}

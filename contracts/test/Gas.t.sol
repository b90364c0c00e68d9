// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DevUsdc} from "../dev/DevUsdc.sol";
import {Ask, Terms} from "../EscrowTypes.sol";
import {HostileUsdc} from "./HostileUsdc.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @notice What docs/gas.md is made of by forge's gas report: every function that changes something, for the first time,
/// when storage is written that was zero, and again.
contract GasTest is EscrowTest {
    /// @dev Where `credits` stands in the escrow's storage: a plain token refuses nobody, so a credit has to be put there.
    uint256 private constant CREDITS_SLOT = 1;

    /// @dev A plain token, called through the functions that the hostile one shares with it.
    function setUp() public override {
        usdc = HostileUsdc(address(new DevUsdc()));
        vm.prank(owner);
        escrow = _newEscrow(address(usdc), MIN_USDC, 200, fees);
        _fund(buyer);
    }

    function test_gas_ofAnOrderThatIsClaimed() public {
        for (uint256 count = 0; count < 3; count++) {
            (bytes32 orderHash, , bytes32 secret) = _accepted();
            vm.prank(other);
            escrow.claim(orderHash, secret);
        }
        vm.prank(fees);
        escrow.withdrawFees(fees);
    }

    function test_gas_ofAnOrderThatGoesBackToItsBuyer() public {
        (bytes32 cancelled, , ) = _locked();
        vm.prank(buyer);
        escrow.cancel(cancelled);
        (bytes32 locked, Terms memory terms, ) = _locked();
        (bytes32 accepted, , ) = _accepted();
        vm.warp(terms.evmRefundTime);
        vm.prank(other);
        escrow.refund(locked);
        vm.prank(other);
        escrow.refund(accepted);
    }

    function test_gas_ofAnAskThatIsTaken() public {
        for (uint256 count = 0; count < 2; count++) {
            Ask memory ask = _ask();
            (Terms memory terms, ) = _taking(ask);
            bytes memory signature = _signed(ask, SELLER_KEY);
            vm.prank(buyer);
            bytes32 orderHash = escrow.lockWithAsk(terms, ask, signature);
            vm.prank(seller);
            escrow.refundCooperative(orderHash);
            vm.prank(seller);
            escrow.revokeAsks(ask.nonce + 1);
        }
    }

    function test_gas_ofACreditThatIsWithdrawn() public {
        vm.store(address(escrow), keccak256(abi.encode(seller, CREDITS_SLOT)), bytes32(MIN_USDC));
        usdc.mint(address(escrow), MIN_USDC);
        vm.prank(seller);
        escrow.withdrawCredit(seller);
    }

    function test_gas_ofTheOwnersCalls() public {
        vm.prank(owner);
        escrow.setFee(100, other);
        vm.prank(owner);
        escrow.pause();
        vm.prank(owner);
        escrow.unpause();
        vm.prank(owner);
        escrow.transferOwnership(other);
        vm.prank(other);
        escrow.acceptOwnership();
    }
}

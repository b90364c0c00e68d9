// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EscrowHandler} from "./support/EscrowHandler.sol";
import {Test} from "./support/Vm.sol";

/// @notice Random histories of everything that anybody can do (EscrowHandler). After each step the handler has compared
/// what the escrow owes with its books, the sum of all, too; at the end of a history the sum is looked at from here, and
/// every order.
contract InvariantsTest is Test {
    EscrowHandler private handler;

    function setUp() public {
        handler = new EscrowHandler();
    }

    /// @notice Forge calls the handler alone.
    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    /// @notice Balance ≥ open orders + fees + credits (S-23). What one order is and what each account is owed, who gained,
    /// and that an order ends once by the five ways, is asserted by each step of the handler, as is this.
    function invariant_S23_theEscrowHoldsWhatItOwes() external view {
        uint256 owed = handler.open() + handler.owedFees() + handler.owedCredits();
        vm.assertTrue(handler.usdc().balanceOf(address(handler.escrow())) >= owed, "the escrow holds too little");
    }

    /// @notice Forge calls it at the end of each history.
    function afterInvariant() external view {
        handler.assertAll();
    }
}

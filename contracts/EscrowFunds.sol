// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IPearlUsdcEscrowTypes} from "./EscrowTypes.sol";

/// @notice All movements of the token: the only place that calls it (S-23, S-24).
/// @dev Invariant: balance >= USDC of open orders + sum of accruedFees + sum of credits.
abstract contract EscrowFunds is IPearlUsdcEscrowTypes, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @dev A payout may only start with this much gas left, else a caller could starve the token's transfer and so
    /// turn a payment into a credit (S-23). Where a transfer burns all it gets, 1/64 of this does not pay for the
    /// credit either, and the whole call is undone.
    uint256 internal constant PAYOUT_GAS = 200_000;

    /// @notice The token; fixed for ever.
    IERC20 public immutable usdc;
    /// @notice Fees that a recipient can withdraw, raw units.
    mapping(address recipient => uint256) public accruedFees;
    /// @notice Payouts that the token refused, raw units: theirs to withdraw to wherever the token lets them.
    mapping(address account => uint256) public credits;

    constructor(address usdc_) {
        if (usdc_.code.length == 0) revert UsdcWithoutCode();
        usdc = IERC20(usdc_);
    }

    /// @notice Pays all fees that have accrued for the caller.
    function withdrawFees(address to) external nonReentrant {
        uint256 amount = accruedFees[msg.sender];
        accruedFees[msg.sender] = 0;
        emit FeesWithdrawn(msg.sender, to, amount);
        _withdraw(to, amount);
    }

    /// @notice Pays all that the token had refused to pay the caller before.
    function withdrawCredit(address to) external nonReentrant {
        uint256 amount = credits[msg.sender];
        credits[msg.sender] = 0;
        emit CreditWithdrawn(msg.sender, to, amount);
        _withdraw(to, amount);
    }

    function _withdraw(address to, uint256 amount) private {
        if (amount == 0) revert NothingOwed();
        if (to == address(0) || to == address(this)) revert PayeeInvalid();
        usdc.safeTransfer(to, amount);
    }

    /// @dev Takes exactly `amount`, not a unit more or less (S-22): a token that keeps a part cannot leave others short.
    function _receive(address from, uint256 amount) internal {
        uint256 before = usdc.balanceOf(address(this));
        usdc.safeTransferFrom(from, address(this), amount);
        if (usdc.balanceOf(address(this)) != before + amount) revert AmountNotReceived();
    }

    /// @dev Pays, or notes a credit where the token refuses. Has to come last: all other writes are done by now.
    function _payOut(bytes32 orderHash, address to, uint256 amount) internal {
        if (gasleft() < PAYOUT_GAS) revert PayoutGasTooLow();
        if (usdc.trySafeTransfer(to, amount)) return;
        credits[to] += amount;
        emit PayoutCredited(orderHash, to, amount);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @notice A stand-in for USDC on dev chains: anybody may make any amount. Worthless on purpose.
contract DevUsdc is ERC20 {
    constructor() ERC20("Dev USD Coin", "USDC") {}

    /// @notice Makes `amount` raw units for `to`.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @notice 6, like USDC.
    function decimals() public pure override returns (uint8) {
        return 6;
    }
}

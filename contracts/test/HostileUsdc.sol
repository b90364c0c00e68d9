// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @notice A token that can be told to misbehave in each way that a token is known to.
contract HostileUsdc is ERC20 {
    uint8 public decimals_ = 6;
    /// Transfers from or to these revert, like USDC's blacklist.
    mapping(address => bool) public refused;
    /// Transfers to these move nothing and return false.
    mapping(address => bool) public returnsFalse;
    /// Part of each transfer that never arrives.
    uint256 public transferFeeBps;
    /// More than was asked for arrives (a token that rebases inside of a transfer).
    uint256 public bonus;
    /// Transfers return no data at all, like old USDT.
    bool public returnsNothing;
    /// Transfers burn about this much gas.
    uint256 public gasToBurn;
    /// Called in the middle of each transfer.
    address public hookTarget;
    bytes public hookCall;
    bool public hookSucceeded;
    bytes public hookAnswer;
    /// How much gas the last transfer was given.
    uint256 public gasAtTransfer;

    constructor() ERC20("Hostile USDC", "hUSDC") {}

    function decimals() public view override returns (uint8) {
        return decimals_;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function setDecimals(uint8 value) external {
        decimals_ = value;
    }

    function setRefused(address account, bool value) external {
        refused[account] = value;
    }

    function setReturnsFalse(address account, bool value) external {
        returnsFalse[account] = value;
    }

    function setTransferFeeBps(uint256 value) external {
        transferFeeBps = value;
    }

    function setBonus(uint256 value) external {
        bonus = value;
    }

    function setReturnsNothing(bool value) external {
        returnsNothing = value;
    }

    function setGasToBurn(uint256 value) external {
        gasToBurn = value;
    }

    function setHook(address target, bytes calldata call_) external {
        hookTarget = target;
        hookCall = call_;
    }

    function forgetHookAnswer() external {
        delete hookAnswer;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        gasAtTransfer = gasleft();
        return _move(_msgSender(), to, value);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        _spendAllowance(from, _msgSender(), value);
        return _move(from, to, value);
    }

    function _move(address from, address to, uint256 value) private returns (bool) {
        require(!refused[from] && !refused[to], "refused");
        if (returnsFalse[to]) return false;
        if (gasToBurn != 0) {
            uint256 start = gasleft();
            uint256 end = gasToBurn < start ? start - gasToBurn : 0;
            while (gasleft() > end) {}
        }
        if (hookTarget != address(0)) (hookSucceeded, hookAnswer) = hookTarget.call(hookCall);
        uint256 kept = (value * transferFeeBps) / 10_000;
        _transfer(from, to, value - kept);
        if (kept != 0) _burn(from, kept);
        if (bonus != 0) _mint(to, bonus);
        if (returnsNothing) {
            assembly {
                return(0, 0)
            }
        }
        return true;
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice What a caller does who wants a payout to fail: passes on exactly as little gas as it likes.
contract GasStarver {
    /// @return ok Whether the call went through.
    /// @return answer What it returned or reverted with.
    function starve(address target, bytes calldata call_, uint256 gas_) external returns (bool ok, bytes memory answer) {
        (ok, answer) = target.call{gas: gas_}(call_);
    }

    /// @notice The same, and what the account is then owed, and has, as the target and the token say.
    function probe(
        address target,
        bytes calldata call_,
        uint256 gas_,
        bytes calldata creditsCall,
        address token,
        bytes calldata balanceCall
    ) external returns (bool ok, bytes memory answer, uint256 credit, uint256 balance) {
        (ok, answer) = target.call{gas: gas_}(call_);
        credit = _read(target, creditsCall);
        balance = _read(token, balanceCall);
    }

    function _read(address target, bytes calldata call_) private view returns (uint256) {
        (bool ok, bytes memory answer) = target.staticcall(call_);
        require(ok, "view failed");
        return abi.decode(answer, (uint256));
    }
}

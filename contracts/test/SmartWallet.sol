// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice A contract account: signs by its owner's key (ERC-1271) until it is told to refuse, and sends any call.
contract SmartWallet is IERC1271 {
    address public immutable owner;
    bool public refuses;

    constructor(address owner_) {
        owner = owner_;
    }

    function setRefuses(bool value) external {
        refuses = value;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, , ) = ECDSA.tryRecover(hash, signature);
        return !refuses && signer == owner ? IERC1271.isValidSignature.selector : bytes4(0);
    }

    function send(address target, bytes calldata call_) external returns (bytes memory) {
        (bool ok, bytes memory answer) = target.call(call_);
        if (ok) return answer;
        assembly {
            revert(add(answer, 0x20), mload(answer))
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PearlUsdcEscrow} from "../../PearlUsdcEscrow.sol";

/// @notice The cheatcodes of forge that these tests use, as forge documents them. There is no library beside it.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function getCode(string calldata artefact) external view returns (bytes memory);
    function addr(uint256 key) external pure returns (address);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function prank(address sender) external;
    function warp(uint256 time) external;
    function chainId(uint256 id) external;
    function etch(address target, bytes calldata code) external;
    function computeCreateAddress(address deployer, uint256 nonce) external pure returns (address);
    function deal(address account, uint256 balance) external;
    function store(address target, bytes32 slot, bytes32 value) external;
    function expectEmit(address emitter) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function setArbitraryStorage(address target) external;
    function assume(bool condition) external pure;
    function assertTrue(bool condition, string calldata message) external pure;
    function assertEq(uint256 left, uint256 right, string calldata message) external pure;
    function assertEq(address left, address right, string calldata message) external pure;
    function assertEq(bytes32 left, bytes32 right, string calldata message) external pure;
    function assertEq(bytes calldata left, bytes calldata right, string calldata message) external pure;
}

/// @notice What a test and a handler have: the cheatcodes, and new escrows.
abstract contract Test {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev A number from `low` to `high`, both included, made of any number.
    function _within(uint256 any, uint256 low, uint256 high) internal pure returns (uint256) {
        uint256 span = high - low;
        return span == type(uint256).max ? any : low + (any % (span + 1));
    }

    /// @dev An escrow whose owner is the caller of this. Its code comes from what forge has made of PearlUsdcEscrow.sol,
    /// as with `new`, but is not compiled into every test over again.
    function _newEscrow(
        address usdc,
        uint256 minUsdc,
        uint16 feeBps,
        address feeRecipient
    ) internal returns (PearlUsdcEscrow made) {
        bytes memory code = vm.getCode("PearlUsdcEscrow.sol:PearlUsdcEscrow");
        bytes memory creation = abi.encodePacked(code, abi.encode(usdc, minUsdc, feeBps, feeRecipient));
        assembly {
            made := create(0, add(creation, 32), mload(creation))
            if iszero(made) {
                returndatacopy(0, 0, returndatasize())
                revert(0, returndatasize())
            }
        }
    }
}

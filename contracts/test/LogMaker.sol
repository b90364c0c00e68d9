// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Logs whatever its caller wants, many logs in one call: how a dev node gets as many logs as a benchmark needs.
contract LogMaker {
    /// The call is a row of records: number of topics (1 byte, 2 to 4), length of the data (2 bytes), topics, data.
    fallback() external {
        assembly ("memory-safe") {
            let at := 0
            for {} lt(at, calldatasize()) {} {
                let head := shr(232, calldataload(at))
                let topics := shr(16, head)
                let length := and(head, 0xffff)
                let topic := add(at, 3)
                let data := add(topic, mul(32, topics))
                let memoryAt := mload(0x40)
                calldatacopy(memoryAt, data, length)
                let first := calldataload(topic)
                let second := calldataload(add(topic, 32))
                let third := calldataload(add(topic, 64))
                switch topics
                case 2 { log2(memoryAt, length, first, second) }
                case 3 { log3(memoryAt, length, first, second, third) }
                case 4 { log4(memoryAt, length, first, second, third, calldataload(add(topic, 96))) }
                default { revert(0, 0) }
                at := add(data, length)
            }
        }
    }
}

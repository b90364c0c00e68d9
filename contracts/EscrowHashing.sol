// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Ask, Terms} from "./EscrowTypes.sol";

/// @notice The names of orders and asks: full EIP-712 digests (S-20).
abstract contract EscrowHashing is EIP712 {
    bytes32 private constant TERMS_TYPE_HASH =
        keccak256(
            "Terms(address buyer,address seller,bytes32 hashlock,uint256 usdcAmount,uint64 pearlAmountSat,bytes32 buyerPearlKey,bytes32 sellerPearlKey,uint64 pearlRefundTime,uint64 evmRefundTime,uint16 feeBps,address feeRecipient,bytes32 askId,uint256 nonce)"
        );
    bytes32 private constant ASK_TYPE_HASH =
        keccak256(
            "Ask(address seller,string sellerPearlAddress,bytes32 sellerPearlKey,uint64 pearlAmountSat,uint256 usdcAmount,uint64 expiry,uint16 feeBps,address feeRecipient,uint256 nonce)"
        );

    constructor() EIP712("PearlUsdcEscrow", "1") {}

    /// @notice The hash of an order with these Terms. Nothing about them is checked.
    function hashTerms(Terms calldata terms) public view returns (bytes32) {
        // All members are static, so the encoding of the struct is the row of words that EIP-712 wants.
        return _hashTypedDataV4(keccak256(abi.encode(TERMS_TYPE_HASH, terms)));
    }

    /// @notice The id of this Ask, which is what its seller signs. Nothing about it is checked.
    function hashAsk(Ask calldata ask) public view returns (bytes32) {
        return
            _hashTypedDataV4(
                keccak256(
                    abi.encode(
                        ASK_TYPE_HASH,
                        ask.seller,
                        keccak256(bytes(ask.sellerPearlAddress)),
                        ask.sellerPearlKey,
                        ask.pearlAmountSat,
                        ask.usdcAmount,
                        ask.expiry,
                        ask.feeBps,
                        ask.feeRecipient,
                        ask.nonce
                    )
                )
            );
    }
}

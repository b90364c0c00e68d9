// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ask, Terms} from "../EscrowTypes.sol";
import {EscrowTest} from "./support/EscrowTest.sol";

/// @notice The digests are EIP-712's: the published vector of S-20, and any message beside a second way to write it.
contract HashingTest is EscrowTest {
    address private constant AT = 0x1111111111111111111111111111111111111111;
    bytes32 private constant TERMS_TYPE_HASH = 0x09029d9d97419a2e0f2a554f3935e1951475934ee31e1141d28c59625f36bab9;
    bytes32 private constant ASK_TYPE_HASH = 0xbf23e67c83798e2354e5b18cae7dc531e6cda5bb123bd0f5b9ec9afe815e42ef;
    bytes32 private constant ASK_ID = 0x69148f6149d2636f0fb051c99ba9539c77c5d167cd603b99e2f7b951c7a4eaf6;
    bytes32 private constant ORDER_HASH = 0x735effa59f638b09ffa1b4ef38366014fecec8a3b5c35f7955ea19abf6235780;
    bytes32 private constant BID_HASH = 0xd82bd350419b2791eeca068582eb5bfbe1336d4af0dd8af2ab5f6546dd262be1;

    function _vectorAsk() private pure returns (Ask memory ask) {
        ask.seller = vm.addr(2);
        ask.sellerPearlAddress = "rprl1plycg5qvjtrp3qjf5f7zl382j9x6nrjz9sdhenvyxq8c3808qxmussd3k73";
        ask.sellerPearlKey = 0xf9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9;
        ask.pearlAmountSat = 500_000_000_000;
        ask.usdcAmount = 250_000_000;
        ask.expiry = 1_799_990_000;
        ask.feeBps = 200;
        ask.feeRecipient = 0x2222222222222222222222222222222222222222;
    }

    function _vectorTerms() private pure returns (Terms memory terms) {
        Ask memory ask = _vectorAsk();
        terms.buyer = vm.addr(1);
        terms.seller = ask.seller;
        terms.hashlock = 0x630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd;
        terms.usdcAmount = ask.usdcAmount;
        terms.pearlAmountSat = ask.pearlAmountSat;
        terms.buyerPearlKey = 0xc6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5;
        terms.sellerPearlKey = ask.sellerPearlKey;
        terms.pearlRefundTime = 1_800_000_000;
        terms.evmRefundTime = 1_800_021_600;
        terms.feeBps = ask.feeBps;
        terms.feeRecipient = ask.feeRecipient;
        terms.askId = ASK_ID;
    }

    function test_S20_theVectorComesOutOfTheContract() public {
        vm.chainId(31337);
        vm.etch(AT, address(escrow).code);
        EscrowHashes etched = EscrowHashes(AT);
        vm.assertEq(etched.hashAsk(_vectorAsk()), ASK_ID, "ask id");
        Terms memory terms = _vectorTerms();
        vm.assertEq(etched.hashTerms(terms), ORDER_HASH, "order hash");
        (terms.seller, terms.sellerPearlKey, terms.askId) = (address(0), 0, 0);
        vm.assertEq(etched.hashTerms(terms), BID_HASH, "open bid hash");
    }

    function test_S20_theDomainIsNameVersionChainAndAddressWithoutSalt() public view {
        (bytes1 fields, string memory name, string memory version, uint256 chainId, address self, bytes32 salt, ) = escrow
            .eip712Domain();
        vm.assertEq(bytes32(fields), bytes32(hex"0f"), "fields");
        vm.assertEq(bytes(name), "PearlUsdcEscrow", "name");
        vm.assertEq(bytes(version), "1", "version");
        vm.assertEq(chainId, block.chainid, "chain");
        vm.assertEq(self, address(escrow), "contract");
        vm.assertEq(salt, 0, "salt");
    }

    function _digest(bytes32 structHash) private view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("PearlUsdcEscrow"),
                keccak256("1"),
                block.chainid,
                address(escrow)
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }

    function testFuzz_S20_anyTermsHaveTheirDigestOnAnyChain(Terms memory terms, uint64 chain) public {
        vm.chainId(chain);
        bytes memory first = abi.encode(
            TERMS_TYPE_HASH,
            terms.buyer,
            terms.seller,
            terms.hashlock,
            terms.usdcAmount,
            terms.pearlAmountSat,
            terms.buyerPearlKey
        );
        bytes memory second = abi.encode(
            terms.sellerPearlKey,
            terms.pearlRefundTime,
            terms.evmRefundTime,
            terms.feeBps,
            terms.feeRecipient,
            terms.askId,
            terms.nonce
        );
        vm.assertEq(escrow.hashTerms(terms), _digest(keccak256(bytes.concat(first, second))), "order hash");
    }

    function testFuzz_S20_anyAskHasItsDigestOnAnyChain(Ask memory ask, uint64 chain) public {
        vm.chainId(chain);
        bytes memory first = abi.encode(
            ASK_TYPE_HASH,
            ask.seller,
            keccak256(bytes(ask.sellerPearlAddress)),
            ask.sellerPearlKey,
            ask.pearlAmountSat
        );
        bytes memory second = abi.encode(ask.usdcAmount, ask.expiry, ask.feeBps, ask.feeRecipient, ask.nonce);
        vm.assertEq(escrow.hashAsk(ask), _digest(keccak256(bytes.concat(first, second))), "ask id");
    }
}

/// @notice The two views, at an address without a constructor.
interface EscrowHashes {
    function hashTerms(Terms calldata terms) external view returns (bytes32);
    function hashAsk(Ask calldata ask) external view returns (bytes32);
}

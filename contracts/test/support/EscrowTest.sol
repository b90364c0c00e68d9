// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PearlUsdcEscrow} from "../../PearlUsdcEscrow.sol";
import {Ask, IPearlUsdcEscrowTypes, State, Terms} from "../../EscrowTypes.sol";
import {HostileUsdc} from "../HostileUsdc.sol";
import {Test} from "./Vm.sol";

/// @notice What every test of the escrow stands on: an escrow over a token that can misbehave, five people, terms that
/// pass, and a call that has to be refused with a certain error.
abstract contract EscrowTest is Test, IPearlUsdcEscrowTypes {
    uint256 internal constant FIELD_PRIME = 2 ** 256 - 2 ** 32 - 977;
    uint256 internal constant SELLER_KEY = 0x5E11E5;
    uint256 internal constant BUYER_KEY = 0xB0B;
    uint256 internal constant MIN_USDC = 1_000_000;
    uint256 internal constant FUNDS = 1e30;
    bytes32 internal constant BUYER_PEARL_KEY = bytes32(uint256(2));
    bytes32 internal constant SELLER_PEARL_KEY = bytes32(uint256(3));

    address internal immutable buyer = vm.addr(BUYER_KEY);
    address internal immutable seller = vm.addr(SELLER_KEY);
    address internal immutable other = vm.addr(0x07E4);
    address internal immutable owner = vm.addr(0x0333E4);
    address internal immutable fees = vm.addr(0xFEE5);

    HostileUsdc internal usdc;
    PearlUsdcEscrow internal escrow;
    uint256 private _count;

    function setUp() public virtual {
        usdc = new HostileUsdc();
        vm.prank(owner);
        escrow = _newEscrow(address(usdc), MIN_USDC, 200, fees);
        _fund(buyer);
    }

    function _fund(address account) internal {
        usdc.mint(account, FUNDS);
        vm.prank(account);
        usdc.approve(address(escrow), type(uint256).max);
    }

    // ---- terms that pass

    /// @dev A secret of its own for each number.
    function _secret(uint256 number) internal pure returns (bytes32) {
        return keccak256(abi.encode("secret", number));
    }

    function _hashlock(bytes32 secret) internal pure returns (bytes32) {
        return sha256(abi.encodePacked(secret));
    }

    /// @dev A bid of 250 USDC that anybody may accept, with a secret that no other bid has.
    function _bid() internal returns (Terms memory terms, bytes32 secret) {
        secret = _secret(++_count);
        terms.buyer = buyer;
        terms.hashlock = _hashlock(secret);
        terms.usdcAmount = 250_000_049;
        terms.pearlAmountSat = 500_000_000_000;
        terms.buyerPearlKey = BUYER_PEARL_KEY;
        terms.pearlRefundTime = uint64(block.timestamp + 6 hours);
        terms.evmRefundTime = uint64(block.timestamp + 12 hours);
        terms.feeBps = escrow.feeBps();
        terms.feeRecipient = escrow.feeRecipient();
    }

    /// @dev An ask of `seller`, with a nonce that no other ask has.
    function _ask() internal returns (Ask memory ask) {
        ask.seller = seller;
        ask.sellerPearlAddress = "prl1plycg5qvjtrp3qjf5f7zl382j9x6nrjz9sdhenvyxq8c3808qxmus0000000";
        ask.sellerPearlKey = SELLER_PEARL_KEY;
        ask.pearlAmountSat = 500_000_000_000;
        ask.usdcAmount = 250_000_049;
        ask.expiry = uint64(block.timestamp + 1 hours);
        ask.feeBps = escrow.feeBps();
        ask.feeRecipient = escrow.feeRecipient();
        ask.nonce = ++_count;
    }

    /// @dev The buyer's terms that take this ask.
    function _taking(Ask memory ask) internal returns (Terms memory terms, bytes32 secret) {
        (terms, secret) = _bid();
        terms.seller = ask.seller;
        terms.sellerPearlKey = ask.sellerPearlKey;
        terms.pearlAmountSat = ask.pearlAmountSat;
        terms.usdcAmount = ask.usdcAmount;
        terms.feeBps = ask.feeBps;
        terms.feeRecipient = ask.feeRecipient;
        terms.askId = escrow.hashAsk(ask);
    }

    function _signed(Ask memory ask, uint256 key) internal view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, escrow.hashAsk(ask));
        return abi.encodePacked(r, s, v);
    }

    // ---- orders in a state

    function _lock(Terms memory terms) internal returns (bytes32 orderHash) {
        vm.prank(terms.buyer);
        return escrow.lock(terms);
    }

    function _locked() internal returns (bytes32 orderHash, Terms memory terms, bytes32 secret) {
        (terms, secret) = _bid();
        orderHash = _lock(terms);
    }

    function _accepted() internal returns (bytes32 orderHash, Terms memory terms, bytes32 secret) {
        (orderHash, terms, secret) = _locked();
        vm.prank(seller);
        escrow.accept(orderHash, SELLER_PEARL_KEY);
    }

    function _state(bytes32 orderHash) internal view returns (State state) {
        (state, , , ) = escrow.orders(orderHash);
    }

    function _fee(Terms memory terms) internal pure returns (uint256) {
        return (terms.usdcAmount * terms.feeBps) / 10_000;
    }

    // ---- refusals

    /// @dev The call changes nothing and is refused with exactly this error.
    function _refused(address caller, bytes memory call_, bytes memory error_) internal {
        vm.prank(caller);
        (bool passed, bytes memory answer) = address(escrow).call(call_);
        vm.assertTrue(!passed, "the call passed");
        vm.assertEq(answer, error_, "refused with another error");
    }

    function _refused(address caller, bytes memory call_, bytes4 error_) internal {
        _refused(caller, call_, abi.encodePacked(error_));
    }

    function _refusedLock(Terms memory terms, bytes4 error_) internal {
        _refused(buyer, abi.encodeCall(escrow.lock, (terms)), error_);
    }

    function _wrongState(State state) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(WrongState.selector, state);
    }

    function _assertState(bytes32 orderHash, State state) internal view {
        vm.assertEq(uint256(_state(orderHash)), uint256(state), "state of the order");
    }
}

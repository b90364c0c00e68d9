// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {PearlUsdcEscrow} from "../../PearlUsdcEscrow.sol";
import {Ask, IPearlUsdcEscrowTypes, State, Terms} from "../../EscrowTypes.sol";
import {HostileUsdc} from "../HostileUsdc.sol";
import {SmartWallet} from "../SmartWallet.sol";
import {Test} from "./Vm.sol";
import {Facts} from "./Rules.sol";

/// @notice The people of a random history and what they are owed: books that are kept from the calls alone, never read
/// from the escrow, and held against it after every step.
abstract contract EscrowBooks is Test, IPearlUsdcEscrowTypes {
    /// @dev One order, as whoever wrote down all calls would know it.
    struct Deal {
        bytes32 orderHash;
        Terms terms;
        bytes32 secret;
        address seller;
        State state;
    }

    uint256 internal constant ACTORS = 6;
    uint256 private constant MIN_USDC = 1_000_000;
    bytes32 internal constant SELLER_PEARL_KEY = bytes32(uint256(3));
    uint256 private constant FUNDS = 1e60;
    uint256 private constant FIELD_PRIME = 2 ** 256 - 2 ** 32 - 977;

    HostileUsdc public immutable usdc;
    PearlUsdcEscrow public immutable escrow;
    SmartWallet[2] internal wallets;
    /// @notice Four people and two wallets with code.
    address[6] internal actors;
    /// @dev Who signs for each actor.
    uint256[6] internal keyOf;
    /// @notice The actors, the first owner, and a recipient of fees who does nothing else.
    address[] internal accounts;

    address internal owner;
    bool internal paused;
    uint16 internal feeBps = 200;
    address internal feeRecipient;
    uint256 internal time;
    bool internal hooked;
    uint256 internal feeTaken;
    uint256 internal bonus;

    Deal[] internal deals;
    mapping(bytes32 => bool) private _exists;
    mapping(address => mapping(bytes32 => bool)) private _hashlockUsed;
    mapping(bytes32 => bool) internal askTaken;
    mapping(address => uint256) internal minAskNonce;
    mapping(address => uint256) public fees;
    mapping(address => uint256) public credits;
    uint256 public open;
    uint256 public owedFees;
    uint256 public owedCredits;
    /// @dev Who has more tokens than before the last call, and how much more. More than one is refused.
    address internal gainer;
    uint256 internal gain;
    mapping(address => uint256) private _had;
    uint256 private _lastDeal;

    /// @notice How often each call passed and was refused.
    mapping(bytes32 => uint256) public passed;
    mapping(bytes32 => uint256) public refused;
    uint256 public steps;

    constructor() {
        usdc = new HostileUsdc();
        keyOf = [uint256(11), 12, 13, 14, 15, 16];
        for (uint256 index = 0; index < 4; index++) actors[index] = vm.addr(keyOf[index]);
        for (uint256 index = 0; index < 2; index++) {
            wallets[index] = new SmartWallet(vm.addr(keyOf[4 + index]));
            actors[4 + index] = address(wallets[index]);
        }
        for (uint256 index = 0; index < ACTORS; index++) accounts.push(actors[index]);
        (owner, feeRecipient) = (vm.addr(17), vm.addr(18));
        accounts.push(owner);
        accounts.push(feeRecipient);
        vm.prank(owner);
        escrow = _newEscrow(address(usdc), MIN_USDC, feeBps, feeRecipient);
        for (uint256 index = 0; index < ACTORS; index++) {
            usdc.mint(actors[index], FUNDS);
            _had[actors[index]] = FUNDS;
            _send(actors[index], address(usdc), abi.encodeCall(usdc.approve, (address(escrow), type(uint256).max)));
        }
        time = block.timestamp;
    }

    /// @dev Every step begins at the time of the books and ends with the escrow beside them. Of the accounts one takes its
    /// turn; `assertAll` looks at each of them.
    modifier step() {
        vm.warp(time);
        gainer = address(0);
        _;
        steps++;
        _assertOwed(accounts[steps % accounts.length]);
        _holds(usdc.balanceOf(address(escrow)) >= open + owedFees + owedCredits, "the escrow holds too little");
        if (deals.length == 0) return;
        Deal storage deal = deals[_lastDeal];
        (State state, , address seller, ) = escrow.orders(deal.orderHash);
        _holds(state == deal.state, "state of an order");
        _holds(seller == deal.seller, "seller of an order");
    }

    /// @dev Cheaper than an assertion of forge, and as red: a handler never reverts (fail_on_revert).
    function _holds(bool condition, string memory what) internal pure {
        require(condition, what);
    }

    function _assertOwed(address account) private view {
        _holds(escrow.accruedFees(account) == fees[account], "fees that are owed");
        _holds(escrow.credits(account) == credits[account], "credit that is owed");
    }

    /// @notice All orders as the books have them, the sum of those that are open, and what everybody is owed.
    function assertAll() external view {
        uint256 sum = 0;
        for (uint256 index = 0; index < deals.length; index++) {
            Deal storage deal = deals[index];
            (State state, Terms memory terms, address seller, ) = escrow.orders(deal.orderHash);
            _holds(state == deal.state, "state of an order");
            _holds(seller == deal.seller, "seller of an order");
            _holds(keccak256(abi.encode(terms)) == keccak256(abi.encode(deal.terms)), "terms of an order");
            if (deal.state == State.Locked || deal.state == State.Accepted) sum += deal.terms.usdcAmount;
        }
        _holds(sum == open, "sum of the open orders");
        for (uint256 index = 0; index < accounts.length; index++) _assertOwed(accounts[index]);
    }

    // ---- who

    function _actor(uint256 any) internal view returns (address) {
        return actors[any % ACTORS];
    }

    function _account(uint256 any) internal view returns (address) {
        return accounts[any % accounts.length];
    }

    function _ownerOr(uint256 any) internal view returns (address) {
        return any % 4 == 0 ? _account(any / 4) : owner;
    }

    function _refusesToSign(uint256 actor) internal view returns (bool) {
        return actor >= 4 && wallets[actor - 4].refuses();
    }

    function _sign(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    // ---- terms and asks

    function _terms(
        address buyer,
        uint128 amount,
        uint32 pearlIn,
        uint32 evmIn
    ) internal view returns (Terms memory terms, bytes32 secret) {
        secret = keccak256(abi.encode(steps));
        terms.buyer = buyer;
        terms.hashlock = sha256(abi.encodePacked(secret));
        terms.usdcAmount = _within(amount, MIN_USDC, amount % 2 == 0 ? 1e12 : type(uint128).max);
        terms.pearlAmountSat = uint64(_within(amount, 10_000, 2.1e18));
        terms.buyerPearlKey = bytes32(uint256(2));
        terms.pearlRefundTime = uint64(time + _within(pearlIn, 2 hours, 30 hours));
        terms.evmRefundTime = uint64(terms.pearlRefundTime + _within(evmIn, 4 hours, 42 hours));
        terms.feeBps = feeBps;
        terms.feeRecipient = feeRecipient;
    }

    function _ask(Terms memory terms, address seller, uint256 nonce) internal view returns (Ask memory ask) {
        ask.seller = seller;
        ask.sellerPearlAddress = "prl1";
        ask.sellerPearlKey = SELLER_PEARL_KEY;
        ask.pearlAmountSat = terms.pearlAmountSat;
        ask.usdcAmount = terms.usdcAmount;
        ask.expiry = uint64(time + 1 hours);
        ask.feeBps = terms.feeBps;
        ask.feeRecipient = terms.feeRecipient;
        ask.nonce = nonce;
    }

    /// @dev Half of all openings have one thing wrong, often by one. Returns who calls.
    function _spoil(Terms memory terms, uint8 how) internal view returns (address caller) {
        how = how % 40;
        caller = how == 0 ? _actor(uint256(terms.hashlock)) : terms.buyer;
        if (how == 1) terms.seller = terms.buyer;
        if (how == 2) terms.pearlAmountSat = 9_999;
        if (how == 3) terms.pearlAmountSat = 2.1e18 + 1;
        if (how == 4) terms.usdcAmount = MIN_USDC - 1;
        if (how == 5) terms.usdcAmount = 2 ** 128;
        if (how == 6) terms.feeBps += 1;
        if (how == 7) terms.feeRecipient = address(uint160(terms.feeRecipient) + 1);
        if (how == 8) terms.buyerPearlKey = 0;
        if (how == 9) terms.buyerPearlKey = bytes32(FIELD_PRIME);
        if (how == 10) terms.pearlRefundTime = uint64(time + 2 hours - 1);
        if (how == 11) terms.evmRefundTime = terms.pearlRefundTime + 4 hours - 1;
        if (how == 12) terms.evmRefundTime = uint64(time + 72 hours + 1);
        if (how == 13) terms.hashlock = 0;
        if (how == 14) terms.askId = bytes32(uint256(7));
        if (how == 15) terms.sellerPearlKey = bytes32(uint256(7));
        if (how == 16 && deals.length != 0) terms.hashlock = deals[deals.length - 1].terms.hashlock;
        if (how == 17 && deals.length != 0) {
            Terms memory again = deals[deals.length - 1].terms;
            terms.buyer = again.buyer;
            terms.hashlock = again.hashlock;
            caller = again.buyer;
        }
        if (how == 18) terms.buyerPearlKey = SELLER_PEARL_KEY;
        if (how == 19) terms.seller = _actor(uint256(terms.hashlock));
    }

    function _facts(address caller, Terms memory terms, bytes32 orderHash) internal view returns (Facts memory facts) {
        facts.caller = caller;
        facts.time = time;
        facts.paused = paused;
        facts.minUsdc = MIN_USDC;
        (facts.feeBps, facts.feeRecipient) = (feeBps, feeRecipient);
        facts.orderExists = _exists[orderHash];
        facts.hashlockUsed = _hashlockUsed[caller][terms.hashlock];
    }

    // ---- calls

    /// @dev Makes the call and says whether it passed, which is so where there is no `fault`, or, where the token may be
    /// the one who refuses, where it does not. A refusal has the fault's error.
    function _called(
        bytes32 name,
        address caller,
        bytes memory call_,
        bytes4 fault,
        bool tokenRefuses
    ) internal returns (bool) {
        (bool isPassed, bytes memory answer) = _send(caller, address(escrow), call_);
        _holds(isPassed == (fault == 0 && !tokenRefuses), "the rules say otherwise");
        _holds(fault == 0 || bytes4(answer) == fault, "another error than that of the rules");
        if (isPassed) passed[name]++;
        else refused[name]++;
        if (hooked) _assertGuarded();
        _seeGains();
        return isPassed;
    }

    /// @dev What the token called from inside of a transfer, if there was one, was refused by the guard.
    function _assertGuarded() private {
        _holds(!usdc.hookSucceeded(), "a call from inside of a transfer passed");
        bytes memory inner = usdc.hookAnswer();
        if (inner.length == 0) return;
        _holds(bytes4(inner) == ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector, "not by the guard");
        usdc.forgetHookAnswer();
    }

    /// @dev Compares what everybody has with what he had.
    function _seeGains() internal {
        gainer = address(0);
        for (uint256 index = 0; index < accounts.length; index++) {
            address account = accounts[index];
            uint256 has = usdc.balanceOf(account);
            uint256 had = _had[account];
            if (has == had) continue;
            _had[account] = has;
            if (has < had) continue;
            _holds(gainer == address(0), "two gain by one call");
            (gainer, gain) = (account, has - had);
        }
    }

    function _send(address caller, address target, bytes memory call_) internal returns (bool, bytes memory) {
        if (caller.code.length != 0) {
            (target, call_) = (caller, abi.encodeCall(SmartWallet.send, (target, call_)));
        } else {
            vm.prank(caller);
        }
        return target.call(call_);
    }

    /// @dev A call that a token could make from inside of a transfer.
    function _innerCall(uint8 which, uint256 amount) internal view returns (bytes memory) {
        bytes32 orderHash = deals.length == 0 ? bytes32(0) : deals[amount % deals.length].orderHash;
        if (which % 8 == 0) return abi.encodeCall(escrow.cancel, (orderHash));
        if (which % 8 == 1) return abi.encodeCall(escrow.refund, (orderHash));
        if (which % 8 == 2) return abi.encodeCall(escrow.refundCooperative, (orderHash));
        if (which % 8 == 3) return abi.encodeCall(escrow.accept, (orderHash, SELLER_PEARL_KEY));
        if (which % 8 == 4) return abi.encodeCall(escrow.withdrawFees, (address(usdc)));
        if (which % 8 == 5) return abi.encodeCall(escrow.withdrawCredit, (address(usdc)));
        if (which % 8 == 6 && deals.length != 0)
            return abi.encodeCall(escrow.claim, (orderHash, deals[amount % deals.length].secret));
        (Terms memory terms, ) = _terms(address(usdc), uint128(amount), 0, 0);
        return abi.encodeCall(escrow.lock, (terms));
    }

    // ---- what the token does

    function _refuses(address to) internal view returns (bool) {
        return usdc.refused(address(escrow)) || usdc.refused(to) || usdc.returnsFalse(to);
    }

    /// @dev Whether what a buyer sends arrives, and neither less nor more: the least amount loses a unit to any fee.
    function _takesExactly(address from) internal view returns (bool) {
        if (usdc.refused(from) || _refuses(address(escrow))) return false;
        return feeTaken == 0 && bonus == 0;
    }

    // ---- the books

    function _deal(uint256 any) internal returns (Deal storage deal) {
        if (deals.length == 0) deals.push();
        uint256 near = deals.length < 6 ? deals.length : 6;
        _lastDeal = any % 8 == 0 ? (any / 8) % deals.length : deals.length - 1 - (any % near);
        return deals[_lastDeal];
    }

    function _opened(bytes32 orderHash, Terms memory terms, bytes32 secret, State state) internal {
        _holds(!_exists[orderHash], "an order's name is used again");
        _holds(gainer == address(0), "a stranger gains");
        _exists[orderHash] = true;
        _hashlockUsed[terms.buyer][terms.hashlock] = true;
        Deal storage deal = deals.push();
        _lastDeal = deals.length - 1;
        // A hashlock that another buyer took over has the secret of the order before (see `_spoil`).
        if (_lastDeal != 0 && deals[_lastDeal - 1].terms.hashlock == terms.hashlock) secret = deals[_lastDeal - 1].secret;
        (deal.orderHash, deal.terms, deal.secret, deal.state) = (orderHash, terms, secret, state);
        open += terms.usdcAmount;
    }

    /// @dev An order ends: `fee` accrues, the rest is paid, or credited where the token refuses.
    function _ended(Deal storage deal, State state, address payee, uint256 fee) internal {
        deal.state = state;
        open -= deal.terms.usdcAmount;
        fees[deal.terms.feeRecipient] += fee;
        owedFees += fee;
        uint256 due = deal.terms.usdcAmount - fee;
        if (!_refuses(payee)) return _paid(payee, due);
        _holds(gainer == address(0), "a stranger gains");
        credits[payee] += due;
        owedCredits += due;
    }

    /// @dev The token said that it paid: this account alone has more, but for what the token keeps or adds.
    function _paid(address payee, uint256 due) internal view {
        uint256 more = due - (due * feeTaken) / 10_000 + bonus;
        _holds(gainer == (more == 0 ? address(0) : payee), "a stranger gains");
        _holds(more == 0 || gain == more, "what was paid");
    }
}

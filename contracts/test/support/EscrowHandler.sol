// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {Ask, IPearlUsdcEscrowTypes, State, Terms} from "../../EscrowTypes.sol";
import {EscrowBooks} from "./EscrowBooks.sol";
import {Facts, Rules} from "./Rules.sol";

/// @notice What six actors, an owner, a token and the clock may do, at random. Each call is judged by the rules before it
/// is made: the escrow has to agree on whether it passes, and on the error. What it then holds is held against the books.
contract EscrowHandler is EscrowBooks {
    // ---- opening

    function lock(uint8 who, uint8 whom, uint128 amount, uint32 pearlIn, uint32 evmIn, uint8 spoil) external step {
        (Terms memory terms, bytes32 secret) = _terms(_actor(who), amount, pearlIn, evmIn);
        if (whom % 3 == 0) terms.seller = _actor(whom / 3);
        address caller = _spoil(terms, spoil);
        bytes32 orderHash = escrow.hashTerms(terms);
        bytes4 fault = Rules.lock(_facts(caller, terms, orderHash), terms);
        bytes memory call_ = abi.encodeCall(escrow.lock, (terms));
        if (!_called("lock", caller, call_, fault, fault == 0 && !_takesExactly(caller))) return;
        _opened(orderHash, terms, secret, State.Locked);
    }

    function lockWithAsk(uint8 who, uint8 whom, uint128 amount, uint64 nonce, uint8 spoil, uint8 forge_) external step {
        (Terms memory terms, bytes32 secret) = _terms(_actor(who), amount, 6 hours, 12 hours);
        uint256 signer = whom % ACTORS;
        Ask memory ask = _ask(terms, actors[signer], nonce % 64);
        if (forge_ % 16 == 1) ask.expiry = uint64(time);
        if (forge_ % 16 == 2) ask.expiry = uint64(time + 1);
        if (forge_ % 16 == 3) ask.nonce = type(uint256).max;
        bytes32 askId = escrow.hashAsk(ask);
        terms.seller = ask.seller;
        terms.sellerPearlKey = ask.sellerPearlKey;
        terms.askId = forge_ % 16 == 4 ? bytes32(uint256(1)) : askId;
        address caller = _spoil(terms, spoil);
        if (forge_ % 16 == 5) signer = (signer + 1) % ACTORS;
        bytes32 orderHash = escrow.hashTerms(terms);
        Facts memory facts = _facts(caller, terms, orderHash);
        (facts.askId, facts.askTaken, facts.minAskNonce) = (askId, askTaken[askId], minAskNonce[ask.seller]);
        facts.askSigned = keyOf[signer] == keyOf[whom % ACTORS] && !_refusesToSign(whom % ACTORS);
        bytes4 fault = Rules.lockWithAsk(facts, terms, ask);
        bytes memory call_ = abi.encodeCall(escrow.lockWithAsk, (terms, ask, _sign(keyOf[signer], askId)));
        if (!_called("lockWithAsk", caller, call_, fault, fault == 0 && !_takesExactly(caller))) return;
        askTaken[askId] = true;
        _opened(orderHash, terms, secret, State.Accepted);
        deals[deals.length - 1].seller = terms.seller;
    }

    function accept(uint8 who, uint16 which, uint8 spoil) external step {
        Deal storage deal = _deal(which);
        address caller = who % 4 == 0 && deal.terms.seller != address(0) ? deal.terms.seller : _actor(who);
        bytes32 key = spoil % 16 == 0 ? bytes32(0) : spoil % 16 == 1 ? deal.terms.buyerPearlKey : SELLER_PEARL_KEY;
        bytes4 fault = _acceptFault(caller, deal, key);
        if (!_called("accept", caller, abi.encodeCall(escrow.accept, (deal.orderHash, key)), fault, false)) return;
        deal.state = State.Accepted;
        deal.seller = caller;
        _holds(gainer == address(0), "a stranger gains");
    }

    function _acceptFault(address caller, Deal storage deal, bytes32 key) private view returns (bytes4 fault) {
        if (paused) return Pausable.EnforcedPause.selector;
        if (deal.state != State.Locked) return WrongState.selector;
        if (caller == deal.terms.buyer) return SellerIsBuyer.selector;
        if (deal.terms.seller != address(0) && deal.terms.seller != caller) return CallerNotSeller.selector;
        fault = Rules.sellerKey(key, deal.terms.buyerPearlKey);
        if (fault == 0) fault = Rules.times(time, deal.terms);
    }

    // ---- the five ways to end

    function cancel(uint8 who, uint16 which) external step {
        Deal storage deal = _deal(which);
        address caller = who % 2 == 0 ? deal.terms.buyer : _actor(who);
        bytes4 fault = caller != deal.terms.buyer ? CallerNotBuyer.selector : bytes4(0);
        if (deal.state != State.Locked) fault = WrongState.selector;
        bool ended = _called("cancel", caller, abi.encodeCall(escrow.cancel, (deal.orderHash)), fault, false);
        if (ended) _ended(deal, State.Cancelled, deal.terms.buyer, 0);
    }

    function claim(uint8 who, uint16 which, bytes32 guess) external step {
        Deal storage deal = _deal(which);
        bytes32 secret = uint256(guess) % 4 == 0 ? guess : deal.secret;
        bool isRight = sha256(abi.encodePacked(secret)) == deal.terms.hashlock;
        bytes4 fault = isRight ? bytes4(0) : SecretWrong.selector;
        if (deal.state != State.Accepted) fault = WrongState.selector;
        bytes memory call_ = abi.encodeCall(escrow.claim, (deal.orderHash, secret));
        if (!_called("claim", _actor(who), call_, fault, false)) return;
        _ended(deal, State.Claimed, deal.seller, (deal.terms.usdcAmount * deal.terms.feeBps) / 10_000);
    }

    function refund(uint8 who, uint16 which) external step {
        Deal storage deal = _deal(which);
        bytes4 fault = time < deal.terms.evmRefundTime ? RefundTooEarly.selector : bytes4(0);
        if (deal.state != State.Accepted && deal.state != State.Locked) fault = WrongState.selector;
        bool ended = _called("refund", _actor(who), abi.encodeCall(escrow.refund, (deal.orderHash)), fault, false);
        if (ended) _ended(deal, State.Refunded, deal.terms.buyer, 0);
    }

    function refundCooperative(uint8 who, uint16 which) external step {
        Deal storage deal = _deal(which);
        address caller = who % 2 == 0 && deal.seller != address(0) ? deal.seller : _actor(who);
        bytes4 fault = caller != deal.seller ? CallerNotSeller.selector : bytes4(0);
        if (deal.state != State.Accepted) fault = WrongState.selector;
        bytes memory call_ = abi.encodeCall(escrow.refundCooperative, (deal.orderHash));
        if (!_called("refundCooperative", caller, call_, fault, false)) return;
        _ended(deal, State.Refunded, deal.terms.buyer, 0);
    }

    // ---- withdrawals

    function withdrawFees(uint8 who, uint8 whom) external step {
        (address caller, address to) = (_account(who), _account(whom));
        if (whom % 8 == 7) to = whom % 16 == 7 ? address(0) : address(escrow);
        bytes4 fault = _withdrawalFault(fees[caller], to);
        bytes memory call_ = abi.encodeCall(escrow.withdrawFees, (to));
        if (!_called("withdrawFees", caller, call_, fault, fault == 0 && _refuses(to))) return;
        _paid(to, fees[caller]);
        owedFees -= fees[caller];
        fees[caller] = 0;
    }

    function withdrawCredit(uint8 who, uint8 whom) external step {
        (address caller, address to) = (_account(who), _account(whom));
        if (whom % 8 == 7) to = whom % 16 == 7 ? address(0) : address(escrow);
        bytes4 fault = _withdrawalFault(credits[caller], to);
        bytes memory call_ = abi.encodeCall(escrow.withdrawCredit, (to));
        if (!_called("withdrawCredit", caller, call_, fault, fault == 0 && _refuses(to))) return;
        _paid(to, credits[caller]);
        owedCredits -= credits[caller];
        credits[caller] = 0;
    }

    function _withdrawalFault(uint256 owed, address to) private view returns (bytes4) {
        if (owed == 0) return NothingOwed.selector;
        return to == address(0) || to == address(escrow) ? PayeeInvalid.selector : bytes4(0);
    }

    function revokeAsks(uint8 who, uint64 below) external step {
        address caller = _actor(who);
        uint256 bound = below % 64;
        bytes4 fault = bound <= minAskNonce[caller] ? NonceNotGreater.selector : bytes4(0);
        bool revoked = _called("revokeAsks", caller, abi.encodeCall(escrow.revokeAsks, (bound)), fault, false);
        if (revoked) minAskNonce[caller] = bound;
    }

    // ---- an owner who does his worst

    function setFee(uint8 who, uint16 bps, uint8 whom) external step {
        address caller = _ownerOr(who);
        address to = whom % 8 == 7 ? (whom % 16 == 7 ? address(0) : address(escrow)) : _account(whom);
        uint16 wanted = uint16(bps % 520);
        bytes4 fault = to == address(0) || to == address(escrow) ? FeeRecipientInvalid.selector : bytes4(0);
        if (wanted > 500) fault = FeeTooHigh.selector;
        if (caller != owner) fault = Ownable.OwnableUnauthorizedAccount.selector;
        if (!_called("setFee", caller, abi.encodeCall(escrow.setFee, (wanted, to)), fault, false)) return;
        (feeBps, feeRecipient) = (wanted, to);
    }

    function pause(uint8 who) external step {
        address caller = _ownerOr(who);
        bytes4 fault = paused ? Pausable.EnforcedPause.selector : bytes4(0);
        if (caller != owner) fault = Ownable.OwnableUnauthorizedAccount.selector;
        if (_called("pause", caller, abi.encodeCall(escrow.pause, ()), fault, false)) paused = true;
    }

    function unpause(uint8 who) external step {
        address caller = _ownerOr(who);
        bytes4 fault = paused ? bytes4(0) : Pausable.ExpectedPause.selector;
        if (caller != owner) fault = Ownable.OwnableUnauthorizedAccount.selector;
        if (_called("unpause", caller, abi.encodeCall(escrow.unpause, ()), fault, false)) paused = false;
    }

    function handOver(uint8 who, uint8 whom) external step {
        address caller = _ownerOr(who);
        address to = _account(whom);
        bytes4 fault = caller != owner ? Ownable.OwnableUnauthorizedAccount.selector : bytes4(0);
        bytes memory call_ = abi.encodeCall(escrow.transferOwnership, (to));
        if (!_called("transferOwnership", caller, call_, fault, false)) return;
        call_ = abi.encodeCall(escrow.acceptOwnership, ());
        address thief = _account(who);
        fault = thief != to ? Ownable.OwnableUnauthorizedAccount.selector : bytes4(0);
        if (_called("acceptOwnership", thief, call_, fault, false)) owner = thief;
        else if (_called("acceptOwnership", to, call_, 0, false)) owner = to;
        _called("renounceOwnership", owner, abi.encodeCall(escrow.renounceOwnership, ()), RenounceForbidden.selector, false);
    }

    // ---- the token, the wallets, the clock

    /// @notice The token turns bad in one way or another, or good again.
    function tokenTurns(uint8 how, uint8 whom, uint16 amount) external step {
        usdc.setReturnsNothing(how % 4 == 1);
        usdc.setTransferFeeBps(how % 8 == 2 ? amount % 100 : 0);
        usdc.setBonus(how % 8 == 3 ? amount : 0);
        usdc.setGasToBurn(how % 8 == 4 ? uint256(amount) * 2 : 0);
        bytes memory inner = _innerCall(whom, amount);
        if (how % 3 == 0) usdc.setHook(address(escrow), inner);
        else usdc.setHook(address(0), "");
        (hooked, feeTaken, bonus) = (how % 3 == 0, how % 8 == 2 ? amount % 100 : 0, how % 8 == 3 ? amount : 0);
    }

    /// @notice The token freezes or thaws anybody, the escrow, too; or it lies about having paid him.
    function tokenFreezes(uint8 whom, bool isFrozen, bool byLying) external step {
        address account = whom % 24 == 0 ? address(escrow) : _account(whom);
        if (byLying) usdc.setReturnsFalse(account, isFrozen);
        else usdc.setRefused(account, isFrozen);
    }

    function walletTurns(uint8 whom, bool refuses) external step {
        wallets[whom % 2].setRefuses(refuses);
    }

    /// @notice Somebody gives the escrow tokens: they stay there, and nobody is owed them.
    function donate(uint8 who, uint64 amount) external step {
        address from = _actor(who);
        // A call that the token makes is judged in `_called` alone.
        if (!hooked) _send(from, address(usdc), abi.encodeCall(usdc.transfer, (address(escrow), amount)));
        _seeGains();
    }

    /// @notice Time passes: a while, or to the edge of an order's bounds.
    function timePasses(uint32 seconds_, uint16 which, uint8 edge) external step {
        uint256 later = time + (seconds_ % 6 hours);
        Terms storage terms = _deal(which).terms;
        if (terms.pearlRefundTime != 0) {
            if (edge % 4 == 1) later = terms.evmRefundTime - (edge % 8 == 1 ? 1 : 0);
            if (edge % 4 == 2) later = terms.pearlRefundTime - 2 hours + (edge % 8 == 2 ? 1 : 0);
        }
        if (later > time) time = later;
        vm.warp(time);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Money under a hash and a time lock: who shows the secret sends it to `claimTo`, after the lock anybody sends it back to `refundTo`.
/// No owner, no fee, no upgrade. What lies here is known by its id alone, the hash of all its terms; every call tells the terms again.
/// The secret opens it until it is taken back, also after the lock, as on chains of Bitcoin's kind.
contract HashTimeLock {
    /// 0 = never funded, 1 = funded, 2 = claimed, 3 = refunded. An id is used once.
    mapping(bytes32 => uint256) public stateOf;

    event Funded(
        bytes32 indexed id,
        bytes32 hash,
        address claimTo,
        address refundTo,
        uint256 amount,
        uint256 lock
    );
    event Claimed(bytes32 indexed id, bytes32 secret);
    event Refunded(bytes32 indexed id);

    error IdTaken();
    error NothingToLock();
    error NotFunded();
    error TooEarly();
    error MoneyNotTaken();

    /// Locks the value of the call. `hash`: SHA-256 of a secret of 32 bytes; `lock`: Unix time from which on it can be taken back.
    function fund(
        bytes32 hash,
        address payable claimTo,
        address payable refundTo,
        uint256 lock
    ) external payable {
        if (msg.value == 0 || claimTo == address(0) || refundTo == address(0)) revert NothingToLock();
        bytes32 id = idOf(hash, claimTo, refundTo, msg.value, lock);
        if (stateOf[id] != 0) revert IdTaken();
        stateOf[id] = 1;
        emit Funded(id, hash, claimTo, refundTo, msg.value, lock);
    }

    /// Anybody may call it; the money goes to `claimTo`. A wrong secret is the id of nothing.
    function claim(
        address payable claimTo,
        address payable refundTo,
        uint256 amount,
        uint256 lock,
        bytes32 secret
    ) external {
        bytes32 id = idOf(sha256(abi.encodePacked(secret)), claimTo, refundTo, amount, lock);
        if (stateOf[id] != 1) revert NotFunded();
        stateOf[id] = 2;
        emit Claimed(id, secret);
        pay(claimTo, amount);
    }

    /// Anybody may call it, in a block whose time is `lock` or later; the money goes to `refundTo`.
    function refund(
        bytes32 hash,
        address payable claimTo,
        address payable refundTo,
        uint256 amount,
        uint256 lock
    ) external {
        if (block.timestamp < lock) revert TooEarly();
        bytes32 id = idOf(hash, claimTo, refundTo, amount, lock);
        if (stateOf[id] != 1) revert NotFunded();
        stateOf[id] = 3;
        emit Refunded(id);
        pay(refundTo, amount);
    }

    function idOf(
        bytes32 hash,
        address claimTo,
        address refundTo,
        uint256 amount,
        uint256 lock
    ) private pure returns (bytes32) {
        return keccak256(abi.encode(hash, claimTo, refundTo, amount, lock));
    }

    /// The state is written before: who is paid and calls again finds nothing. Who does not take it undoes the call.
    function pay(address payable to, uint256 amount) private {
        (bool taken, ) = to.call{value: amount}("");
        if (!taken) revert MoneyNotTaken();
    }
}

/// Code of a transaction, which leaves no contract: makes the HashTimeLock where it is missing and funds it, both or neither. A plain
/// transfer to the place of a contract that is not there (any more: blocks are taken back) would be lost.
contract FundOnce {
    error NoLock();
    error NotMade();

    /// `place`: where the HashTimeLock is; `code`: hash of its code there; `making`: what `maker` (a deployer by CREATE2) makes it of, empty = it is there.
    constructor(
        HashTimeLock place,
        bytes32 code,
        address maker,
        bytes memory making,
        bytes32 hash,
        address payable claimTo,
        address payable refundTo,
        uint256 lock
    ) payable {
        if (address(place).code.length == 0 && making.length != 0) {
            (bool made, ) = maker.call(making);
            if (!made) revert NotMade();
        }
        if (address(place).codehash != code) revert NoLock();
        place.fund{value: msg.value}(hash, claimTo, refundTo, lock);
        assembly ("memory-safe") {
            return(0, 0)
        }
    }
}

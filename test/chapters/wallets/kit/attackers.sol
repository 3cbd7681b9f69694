// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Is paid by a HashTimeLock and calls it again while it is paid, as often as it is let; swallows what goes wrong.
contract Reentrant {
    address private target;
    bytes private again;
    uint256 public tries;

    function aim(address at, bytes calldata call) external {
        target = at;
        again = call;
    }

    receive() external payable {
        if (tries == 3) return;
        tries++;
        (bool ok, ) = target.call(again);
        ok;
    }
}

/// Takes no money until it is told otherwise.
contract Refusing {
    bool private willing;

    function relent() external {
        willing = true;
    }

    receive() external payable {
        require(willing);
    }
}

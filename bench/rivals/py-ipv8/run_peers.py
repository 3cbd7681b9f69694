#!/usr/bin/python3
"""
Run a small py-ipv8 network on loopback, without internet bootstrap, and report what happens as JSON lines.

Each node runs a HiddenTunnelCommunity, a DHTDiscoveryCommunity and a DiscoveryCommunity on one UDP port of 127.0.0.1.
By default every node is a process of its own; the parent merges their lines. Needs Debian's python3-libnacl,
python3-cryptography, python3-aiohttp, python3-typing-extensions and a checkout of py-ipv8 3.2.
"""
import argparse
import asyncio
import base64
import hashlib
import json
import logging
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def arguments(argv=None):
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--count", type=int, default=3, help="relay nodes (default 3)")
    ap.add_argument("--exit", type=int, default=1, help="exit nodes, started after the relays (default 1)")
    ap.add_argument("--base-port", type=int, default=18000, help="node i listens on 127.0.0.1:base+i (default 18000)")
    ap.add_argument("--exit-flags", type=int, default=2 | 4, help="extra peer flags of exits: 2 BitTorrent, 4 IPv8 (default 6)")
    ap.add_argument("--seed", default="run_peers", help="node keys are derived from this text and the node number")
    ap.add_argument("--community-id", default="81ded07332bdc775aa5a46f96de9f8f390bbc9f3",
                    help="tunnel overlay id, hex (Tribler 8.4.3 uses a3591a6bd89bbaca0974062a1287afcfbc6fd6bc)")
    ap.add_argument("--duration", type=float, default=600.0, help="stop by itself after so many seconds (default 600)")
    ap.add_argument("--stats-interval", type=float, default=1.0)
    ap.add_argument("--log-packets", action="store_true", help="one event for each datagram that exits (slow)")
    ap.add_argument("--single-process", action="store_true", help="run all nodes in one process")
    ap.add_argument("--ipv8", default=os.path.join(HERE, "py-ipv8-3.2"), help="py-ipv8 checkout")
    ap.add_argument("--shim", default=None, help="folder to put first on sys.path (a stand-in for ipv8_rust_tunnels)")
    ap.add_argument("--node", type=int, default=None, help=argparse.SUPPRESS)
    ap.add_argument("--log-level", default="ERROR")
    return ap.parse_args(argv)


def emit(ev, **kw):
    """One event line on stdout."""
    sys.stdout.write(json.dumps({"t": round(time.time(), 3), "ev": ev, **kw}) + "\n")
    sys.stdout.flush()


def node_key_bin(seed, i):
    """Private key bytes of node i: both halves from SHA-256."""
    half = lambda what: hashlib.sha256(f"{seed}/{i}/{what}".encode()).digest()  # noqa: E731
    return b"LibNaCLSK:" + half("crypt") + half("sign")


def load_ipv8(args):
    """Import py-ipv8 and define our overlay class on top of it."""
    if args.shim:
        sys.path.insert(0, args.shim)
    sys.path.insert(0, args.ipv8)
    from ipv8.messaging.anonymization import hidden_services
    from ipv8.messaging.anonymization.hidden_services import HiddenTunnelCommunity

    # The PEX overlay of an introduction point would contact the public bootstrap servers: no addresses for it.
    hidden_services.DISPERSY_BOOTSTRAPPER = {"init": {"ip_addresses": [], "dns_addresses": []}}
    # py-ipv8 never picks 127.0.0.1 while there is a network card: without known addresses it falls back to 127.0.0.1.
    from ipv8.messaging.interfaces import endpoint as endpoint_module
    endpoint_module.get_lan_addresses = list

    class LoopbackTunnels(HiddenTunnelCommunity):
        """Tunnel overlay that reports."""

        community_id = bytes.fromhex(args.community_id)
        node_number = -1
        report = staticmethod(emit)
        log_packets = args.log_packets

        def join_circuit(self, create_payload, previous_node_address):
            super().join_circuit(create_payload, previous_node_address)
            self.report("created", node=self.node_number, circuit_id=create_payload.circuit_id,
                        previous_hop="%s:%d" % tuple(previous_node_address)[:2])

        def on_created(self, source_address, data, circuit_id):
            before = set(self.relay_from_to)
            super().on_created(source_address, data, circuit_id)
            for new in set(self.relay_from_to) - before:
                route = self.relay_from_to[new]
                if route.direction == 0:
                    self.report("extended", node=self.node_number, from_circuit_id=new, to_circuit_id=route.circuit_id,
                                next_hop="%s:%d" % tuple(route.hop.address)[:2])

        def exit_data(self, circuit_id, sock_addr, destination, data):
            exit_socket = self.exit_sockets.get(circuit_id)
            if exit_socket and (self.log_packets or not exit_socket.enabled):
                self.report("exited", node=self.node_number, circuit_id=circuit_id, bytes=len(data),
                            destination="%s:%d" % tuple(destination)[:2], first=not exit_socket.enabled)
            super().exit_data(circuit_id, sock_addr, destination, data)

        def on_link_e2e(self, source_address, data, circuit_id):
            before = len(self.relay_from_to)
            super().on_link_e2e(source_address, data, circuit_id)
            if len(self.relay_from_to) != before:
                self.report("linked_e2e", node=self.node_number, circuit_id=circuit_id)

        def on_establish_intro(self, source_address, data, circuit_id):
            super().on_establish_intro(source_address, data, circuit_id)
            self.report("introduction_point", node=self.node_number, circuit_id=circuit_id)

        def on_destroy(self, source_address, data):
            cid = int.from_bytes(data[25 + int.from_bytes(data[23:25], "big"):][:4], "big")
            known = cid in self.relay_from_to or cid in self.exit_sockets
            super().on_destroy(source_address, data)
            if known:
                self.report("destroyed", node=self.node_number, circuit_id=cid)

        def totals(self):
            """Byte counters: relayed cells, and datagrams out of and into the exit sockets."""
            return {"relayed_bytes": sum(r.bytes_up for r in self.relay_from_to.values()),
                    "exit_out_bytes": sum(e.bytes_up for e in self.exit_sockets.values()),
                    "exit_in_bytes": sum(e.bytes_down for e in self.exit_sockets.values()),
                    "relays": len(self.relay_from_to), "exits": len(self.exit_sockets)}

    return LoopbackTunnels


async def start_node(args, cls, i, port, flags, key_bin, ports_to_greet):
    """Create and start one IPv8 instance on 127.0.0.1:port."""
    from ipv8.configuration import ConfigBuilder, Strategy, WalkerDefinition
    from ipv8.dht.discovery import DHTDiscoveryCommunity
    from ipv8.dht.provider import DHTCommunityProvider
    from ipv8.messaging.interfaces.udp.endpoint import UDPv4Address
    from ipv8_service import IPv8

    b = ConfigBuilder(clean=True)
    b.set_address("127.0.0.1")
    b.set_port(port)
    b.set_log_level(args.log_level)
    b.set_working_directory(".")
    b.set_walker_interval(0.5)
    b.add_key_from_bin("me", base64.b64encode(key_bin).decode())
    walk = [WalkerDefinition(Strategy.RandomWalk, 20, {"timeout": 3.0})]
    b.add_overlay("DiscoveryCommunity", "me", walk, [], {}, [])
    b.add_overlay("DHTDiscoveryCommunity", "me",
                  [*walk, WalkerDefinition(Strategy.PingChurn, -1, {})], [], {}, [])
    b.add_overlay("LoopbackTunnels", "me", walk, [],
                  {"min_circuits": 0, "max_circuits": 0, "max_joined_circuits": 1000, "peer_flags": set(flags)}, [])
    ipv8 = IPv8(b.finalize(), extra_communities={"LoopbackTunnels": cls})
    tunnels = ipv8.get_overlay(cls)
    tunnels.node_number = i
    tunnels.ipv8 = ipv8
    tunnels.dht_provider = DHTCommunityProvider(ipv8.get_overlay(DHTDiscoveryCommunity), 0)
    await ipv8.start()
    bound = ipv8.endpoint.get_address()[1]
    if bound != port:
        await ipv8.stop()
        raise OSError(f"port {port} is in use")
    me = UDPv4Address("127.0.0.1", port)
    for o in ipv8.overlays:
        o.my_estimated_lan = o.my_estimated_wan = me

    async def greet():
        """Stand-in for bootstrapping: introduce ourselves to the fixed ports until everybody is known."""
        while True:
            for o in list(ipv8.overlays):
                known = {tuple(p.address) for p in o.get_peers()}
                for p in ports_to_greet:
                    if p != port and ("127.0.0.1", p) not in known:
                        o.walk_to(UDPv4Address("127.0.0.1", p))
            await asyncio.sleep(1.0)
    ipv8.greeter = asyncio.ensure_future(greet())
    return ipv8, tunnels


async def stop_node(ipv8):
    ipv8.greeter.cancel()
    await ipv8.stop()


async def run_nodes(args, indexes):
    """Run the nodes with these numbers in this process until told to stop."""
    logging.basicConfig(level=args.log_level)
    cls = load_ipv8(args)
    total = args.count + args.exit
    ports = [args.base_port + n for n in range(total)]
    nodes = []
    for i in indexes:
        flags = {1, 8} | ({f for f in (2, 4, 32768) if args.exit_flags & f} if i >= args.count else set())
        ipv8, t = await start_node(args, cls, i, ports[i], flags, node_key_bin(args.seed, i), ports)
        nodes.append((i, ipv8, t))
        emit("ready", node=i, address="127.0.0.1:%d" % ports[i], flags=sorted(flags), role="exit" if i >= args.count else "relay",
             public_key=t.my_peer.public_key.key_to_bin().hex(), mid=t.my_peer.mid.hex(),
             community_id=t.community_id.hex())
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for s in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(s, stop.set)
    deadline = time.time() + args.duration
    last, meshed = {}, set()
    while not stop.is_set() and time.time() < deadline:
        try:
            await asyncio.wait_for(stop.wait(), args.stats_interval)
        except asyncio.TimeoutError:
            pass
        for i, _, t in nodes:
            if i not in meshed and len(t.candidates) >= total - 1:
                meshed.add(i)
                emit("meshed", node=i, candidates=len(t.candidates))
            now = t.totals()
            if now != last.get(i) and (any(now.values()) or i in last):
                last[i] = now
                emit("bytes", node=i, **now)
    for i, ipv8, _ in nodes:
        await stop_node(ipv8)
        emit("stopped", node=i)


def parent(args):
    """One process per node; pass their lines on; stop them by process id."""
    kids = []
    argv = [sys.executable, os.path.abspath(__file__), *sys.argv[1:]]
    total = args.count + args.exit
    for i in range(total):
        kids.append(subprocess.Popen([*argv, "--node", str(i)], stdout=sys.stdout))
    emit("started", pids=[k.pid for k in kids], parent=os.getpid())

    def quit_(*_):
        for k in kids:
            if k.poll() is None:
                k.terminate()
    signal.signal(signal.SIGINT, quit_)
    signal.signal(signal.SIGTERM, quit_)
    rc = 0
    for k in kids:
        rc = max(rc, abs(k.wait()))
    emit("done", rc=rc)
    return rc


if __name__ == "__main__":
    ARGS = arguments()
    if ARGS.node is not None:
        asyncio.run(run_nodes(ARGS, [ARGS.node]))
    elif ARGS.single_process:
        asyncio.run(run_nodes(ARGS, range(ARGS.count + ARGS.exit)))
    else:
        sys.exit(parent(ARGS))

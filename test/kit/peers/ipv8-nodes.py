#!/usr/bin/python3
"""
Nodes of py-ipv8 3.2 on loopback in one process, told what to do in JSON lines (ipv8-nodes.ts speaks to it).

IPV8_DIR names a checkout of py-ipv8 at tag 3.2, which is no part of this project. Debian's python3-libnacl,
python3-cryptography, python3-aiohttp and python3-typing-extensions are needed. There are no bootstrap servers: nodes
introduce themselves to ports they are told ("greet") until they know them. Bytes are hexadecimal.
"""
import asyncio
import base64
import hashlib
import json
import os
import socket
import sys
import time

sys.path.insert(0, os.environ["IPV8_DIR"])

from ipv8.messaging.anonymization import hidden_services  # noqa: E402
from ipv8.messaging.anonymization.crypto import TunnelCrypto  # noqa: E402
from ipv8.messaging.anonymization.hidden_services import HiddenTunnelCommunity  # noqa: E402
from ipv8.messaging.interfaces import endpoint as endpoint_module  # noqa: E402
from ipv8.messaging.interfaces.udp.endpoint import UDPv4Address  # noqa: E402
from ipv8.peer import Peer  # noqa: E402

# The PEX overlay of an introduction point would contact the public bootstrap servers: no addresses for it.
hidden_services.DISPERSY_BOOTSTRAPPER = {"init": {"ip_addresses": [], "dns_addresses": []}}
# py-ipv8 prefers the address of a network card: without known addresses it falls back to 127.0.0.1.
endpoint_module.get_lan_addresses = list

SECRETS = []


def free_port():
    """A UDP port that was free a moment ago."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def remembering(make):
    """Key generation that remembers what it made: (public half, secret half) of X25519."""
    def generate_key(self, level):
        key = make(self, level)
        SECRETS.append((key.key.pk.hex(), key.key.sk.hex()))
        return key
    return generate_key


TunnelCrypto.generate_key = remembering(TunnelCrypto.generate_key)


class Tunnels(HiddenTunnelCommunity):
    """Tunnel overlay that can be told its rendezvous point, counts what it does, and echoes hidden data."""

    rendezvous = None
    flags_seen = None

    def __init__(self, settings):
        self.counts = {"created": 0, "extended": 0, "exited": 0, "introduction_points": 0, "linked": 0, "destroyed": 0}
        self.raw = []
        self.waiting = []
        self.echo_hidden = True
        super().__init__(settings)

    def count(self, what):
        self.counts[what] += 1

    def create_circuit(self, goal_hops, ctype="DATA", exit_flags=None, required_exit=None, info_hash=None):
        if ctype == "RP_SEEDER" and self.rendezvous is not None:
            required_exit = self.rendezvous
        return super().create_circuit(goal_hops, ctype, exit_flags, required_exit, info_hash)

    def join_circuit(self, create_payload, previous_node_address):
        super().join_circuit(create_payload, previous_node_address)
        self.count("created")

    def on_created(self, source_address, data, circuit_id):
        before = len(self.relay_from_to)
        super().on_created(source_address, data, circuit_id)
        if len(self.relay_from_to) > before:
            self.count("extended")

    def exit_data(self, circuit_id, sock_addr, destination, data):
        self.count("exited")
        super().exit_data(circuit_id, sock_addr, destination, data)

    def on_link_e2e(self, source_address, data, circuit_id):
        before = len(self.relay_from_to)
        super().on_link_e2e(source_address, data, circuit_id)
        if len(self.relay_from_to) > before:
            self.count("linked")

    def on_establish_intro(self, source_address, data, circuit_id):
        before = len(self.intro_point_for)
        super().on_establish_intro(source_address, data, circuit_id)
        if len(self.intro_point_for) > before:
            self.count("introduction_points")

    def on_destroy(self, source_address, data):
        cid = int.from_bytes(data[25 + int.from_bytes(data[23:25], "big"):][:4], "big")
        known = cid in self.circuits or cid in self.relay_from_to or cid in self.exit_sockets
        super().on_destroy(source_address, data)
        if known:
            self.count("destroyed")

    def on_raw_data(self, circuit, origin, data):
        """What came out of one of our circuits; the hidden seeder sends it back."""
        if circuit.ctype == "RP_SEEDER" and self.echo_hidden:
            self.send_data(circuit.hop.address, circuit.circuit_id, (self.circuit_id_to_ip(circuit.circuit_id), 1024),
                           ("0.0.0.0", 0), data)
        self.raw.append((circuit.circuit_id, data))
        for future in self.waiting:
            if not future.done():
                future.set_result(None)
        self.waiting.clear()

    async def wait_raw(self, wanted, limit):
        """Waits until wanted() of the list of received data; takes the list."""
        deadline = time.monotonic() + limit
        while not wanted(self.raw):
            future = asyncio.get_running_loop().create_future()
            self.waiting.append(future)
            await asyncio.wait_for(future, max(0.001, deadline - time.monotonic()))
        taken, self.raw = self.raw, []
        return taken


class Node:
    """One IPv8 instance: tunnels, DHT and discovery on one port."""

    def __init__(self, seed, number, flags, community):
        half = lambda what: hashlib.sha256(f"{seed}/{number}/{what}".encode()).digest()  # noqa: E731
        self.key = b"LibNaCLSK:" + half("crypt") + half("sign")
        self.flags, self.community, self.port = flags, community, free_port()
        self.greeted = set()
        self.packets = None

    async def start(self):
        from ipv8.configuration import ConfigBuilder, Strategy, WalkerDefinition
        from ipv8.dht.discovery import DHTDiscoveryCommunity
        from ipv8.dht.provider import DHTCommunityProvider
        from ipv8_service import IPv8

        cls = type("LiveTunnels", (Tunnels,), {"community_id": bytes.fromhex(self.community)})
        b = ConfigBuilder(clean=True).set_address("127.0.0.1").set_port(self.port).set_log_level(LEVEL)
        b.set_working_directory(".").set_walker_interval(0.5)
        b.add_key_from_bin("me", base64.b64encode(self.key).decode())
        walk = [WalkerDefinition(Strategy.RandomWalk, 20, {"timeout": 3.0})]
        b.add_overlay("DiscoveryCommunity", "me", walk, [], {}, [])
        b.add_overlay("DHTDiscoveryCommunity", "me", [*walk, WalkerDefinition(Strategy.PingChurn, -1, {})], [], {}, [])
        b.add_overlay("LiveTunnels", "me", walk, [], {"min_circuits": 0, "max_circuits": 0, "max_joined_circuits": 1000,
                                                     "peer_flags": set(self.flags)}, [])
        self.ipv8 = IPv8(b.finalize(), extra_communities={"LiveTunnels": cls})
        self.tunnels = self.ipv8.get_overlay(cls)
        self.dht = self.ipv8.get_overlay(DHTDiscoveryCommunity)
        self.tunnels.ipv8 = self.ipv8
        self.tunnels.dht_provider = DHTCommunityProvider(self.dht, 0)
        await self.ipv8.start()
        if self.ipv8.endpoint.get_address()[1] != self.port:
            raise OSError(f"port {self.port} is in use")
        me = UDPv4Address("127.0.0.1", self.port)
        for overlay in self.ipv8.overlays:
            overlay.my_estimated_lan = overlay.my_estimated_wan = me
        self.greeter = asyncio.ensure_future(self.greet())

    async def greet(self):
        """Stand-in for bootstrapping, PEX overlays included: introduce ourselves each second to whom we do not know."""
        while True:
            for overlay in list(self.ipv8.overlays):
                overlay.my_estimated_lan = overlay.my_estimated_wan = UDPv4Address("127.0.0.1", self.port)
                known = {tuple(p.address) for p in overlay.get_peers()}
                for port in self.greeted - {self.port}:
                    if ("127.0.0.1", port) not in known:
                        overlay.walk_to(UDPv4Address("127.0.0.1", port))
            await asyncio.sleep(1.0)

    async def stop(self):
        self.greeter.cancel()
        await self.ipv8.stop()

    def peer(self, public_key):
        """The verified peer with this key."""
        wanted = bytes.fromhex(public_key)
        for p in self.tunnels.get_peers():
            if p.public_key.key_to_bin() == wanted:
                return p
        raise LookupError("no peer with this key")


NODES = []
LEVEL = os.environ.get("IPV8_LOG", "CRITICAL")


def about(number, node):
    peer = node.tunnels.my_peer
    return {"number": number, "port": node.port, "publicKey": peer.public_key.key_to_bin().hex(),
            "privateKey": node.key.hex(), "mid": peer.mid.hex(), "flags": sorted(node.flags)}


async def op_start(c):
    """Starts one node for each list of flags."""
    first = len(NODES)
    for flags in c["flags"]:
        node = Node(c["seed"], len(NODES), flags, c["community"])
        await node.start()
        NODES.append(node)
    ports = {n.port for n in NODES} | set(c.get("greet", []))
    for node in NODES:
        node.greeted |= ports
    return {"nodes": [about(i, n) for i, n in enumerate(NODES)][first:]}


async def op_greet(c):
    for node in NODES:
        node.greeted |= set(c["ports"])
    return {}


async def op_candidates(c):
    node = NODES[c["node"]]
    return {"candidates": [{"port": p.address[1], "publicKey": p.public_key.key_to_bin().hex(), "flags": sorted(f)}
                           for p, f in node.tunnels.candidates.items()]}


async def op_build(c):
    """Builds one circuit; "exit" is a public key, "first" the port of the first hop."""
    node = NODES[c["node"]]
    t = node.tunnels
    required = node.peer(c["exit"]) if c.get("exit") else None
    keep = t.send_initial_create

    def only_first(circuit, candidates, tries):
        chosen = [p for p in candidates if p.address[1] == c["first"]]
        keep(circuit, chosen or [p for p in t.get_peers() if p.address[1] == c["first"]], tries)
    if c.get("first"):
        t.send_initial_create = only_first
    start = time.perf_counter()
    try:
        circuit = t.create_circuit(c["hops"], required_exit=required)
    finally:
        t.send_initial_create = keep
    if circuit is None:
        raise RuntimeError("no circuit: no candidates")
    if not await asyncio.wait_for(circuit.ready, c.get("limit", 20)):
        raise RuntimeError("the circuit was not completed")
    return {"circuit": circuit.circuit_id, "ms": (time.perf_counter() - start) * 1000,
            "hops": [h.public_key.key_to_bin().hex() for h in circuit.hops]}


async def op_echo(c):
    """Sends datagrams to a UDP echo behind the exit and waits until all came back."""
    t = NODES[c["node"]].tunnels
    circuit = t.circuits[c["circuit"]]
    t.raw = []
    sent = [b"d" + bytes([i]) + os.urandom(c.get("size", 100)) + b"e" for i in range(c.get("count", 8))]
    for data in sent:
        t.send_data(circuit.hop.address, circuit.circuit_id, ("127.0.0.1", c["port"]), ("0.0.0.0", 0), data)
    got = await t.wait_raw(lambda raw: len(raw) >= len(sent), 10)
    return {"same": sorted(d for _, d in got) == sorted(sent), "count": len(got)}


async def op_destroy(c):
    t = NODES[c["node"]].tunnels
    await t.remove_circuit(c["circuit"], "asked for", destroy=4, remove_now=True)
    return {}


async def op_seed(c):
    """Seeds a hidden swarm (lookup hash); "introduction" and "rendezvous" are public keys of who is to serve as such."""
    node = NODES[c["node"]]
    t = node.tunnels
    t.rendezvous = node.peer(c["rendezvous"]) if c.get("rendezvous") else None
    lookup = bytes.fromhex(c["lookup"])
    t.join_swarm(lookup, c["hops"], seeding=True, callback=lambda a: None)
    t.build_tunnels(c["hops"])
    await t.create_introduction_point(lookup, node.peer(c["introduction"]) if c.get("introduction") else None)
    from ipv8.messaging.anonymization.caches import IPRequestCache
    for _ in range(200):
        ready = [x for x in t.circuits.values() if x.ctype == "IP_SEEDER" and x.state == "READY"]
        waiting = [k for k in t.request_cache._identifiers.values() if isinstance(k, IPRequestCache)]
        if ready and not waiting:
            return {"circuit": ready[-1].circuit_id, "hops": [h.public_key.key_to_bin().hex() for h in ready[-1].hops],
                    "seederKey": t.swarms[lookup].seeder_sk.key_to_bin().hex()}
        await asyncio.sleep(0.05)
    raise RuntimeError("no introduction point answered")


async def op_download(c):
    """Joins a hidden swarm as downloader and looks for seeders until one is linked."""
    node = NODES[c["node"]]
    t = node.tunnels
    lookup = bytes.fromhex(c["lookup"])
    linked = asyncio.get_running_loop().create_future()
    t.settings.max_circuits = 2
    t.join_swarm(lookup, c["hops"], seeding=False, callback=lambda a: linked.done() or linked.set_result(a))
    t.build_tunnels(c["hops"])
    start = time.perf_counter()
    end = time.monotonic() + c.get("limit", 40)
    while not linked.done() and time.monotonic() < end:
        swarm = t.swarms[lookup]
        swarm.last_lookup = 0
        if not swarm.connections:
            try:
                await asyncio.wait_for(t.do_peer_discovery(), 5)
            except asyncio.TimeoutError:
                pass
        await asyncio.sleep(0.5)
    if not linked.done():
        raise RuntimeError("nobody was linked; known: %r" % [(p.source, p.peer.address) for p in t.swarms[lookup].intro_points])
    address = linked.result()
    return {"address": list(address), "circuit": t.ip_to_circuit_id(address[0]), "ms": (time.perf_counter() - start) * 1000,
            "sources": [p.source for p in t.swarms[lookup].intro_points]}


async def op_leave(c):
    node = NODES[c["node"]]
    node.tunnels.leave_swarm(bytes.fromhex(c["lookup"]))
    node.tunnels.rendezvous = None
    return {}


async def op_hidden_echo(c):
    """Sends datagrams over a linked circuit and waits until all came back."""
    t = NODES[c["node"]].tunnels
    circuit = t.circuits[c["circuit"]]
    t.raw = []
    sent = [bytes([i]) + os.urandom(c.get("size", 100)) for i in range(c.get("count", 8))]
    for data in sent:
        t.send_data(circuit.hop.address, circuit.circuit_id, (t.circuit_id_to_ip(circuit.circuit_id), 1024),
                    ("0.0.0.0", 0), data)
    got = await t.wait_raw(lambda raw: len(raw) >= len(sent), 10)
    return {"same": sorted(d for _, d in got) == sorted(sent), "count": len(got)}


async def op_facts(c):
    node = NODES[c["node"]]
    t = node.tunnels
    return {"counts": t.counts, "relays": len(t.relay_from_to), "exits": len(t.exit_sockets), "peers": len(t.get_peers()),
            "introductionPointsFor": [k.hex() for k in t.intro_point_for],
            "circuits": [{"id": x.circuit_id, "type": x.ctype, "state": x.state, "e2e": x.e2e,
                          "hops": [h.public_key.key_to_bin().hex() for h in x.hops]} for x in t.circuits.values()],
            "pex": {k.hex(): [p.seeder_pk.hex() for p in o.get_intro_points()] for k, o in t.pex.items()}}


async def op_dht_find(c):
    values = await NODES[c["node"]].dht.find_values(bytes.fromhex(c["target"]))
    return {"values": [v.hex() for v, _ in values]}


async def op_dht_store(c):
    await NODES[c["node"]].dht.store_value(bytes.fromhex(c["target"]), bytes.fromhex(c["value"]))
    return {}


async def op_secrets(c):
    """Every X25519 key pair made since the last call: ephemeral keys and swarm keys."""
    taken = [{"public": p, "secret": s} for p, s in SECRETS]
    SECRETS.clear()
    return {"secrets": taken}


async def main():
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        command = json.loads(line)
        try:
            answer = await globals()["op_" + command["op"]](command)
        except Exception as e:  # noqa: BLE001
            answer = {"error": "%s: %s" % (type(e).__name__, e)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    for node in NODES:
        await node.stop()

asyncio.run(main())

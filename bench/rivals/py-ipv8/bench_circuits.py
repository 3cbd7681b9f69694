#!/usr/bin/python3
"""
py-ipv8 client for a network of run_peers.py: builds circuits of 1, 2 and 3 hops, checks a UDP echo through the exit
and measures build time and throughput. Prints JSON lines. Needs udp_target.py running.
"""
import argparse
import asyncio
import json
import os
import statistics
import struct
import sys
import time

import run_peers


def args_():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--base-port", type=int, default=18000)
    ap.add_argument("--nodes", type=int, default=4, help="number of nodes of the network (relays and exits)")
    ap.add_argument("--my-port", type=int, default=18900)
    ap.add_argument("--target", type=int, default=19999)
    ap.add_argument("--hops", default="1,2,3")
    ap.add_argument("--builds", type=int, default=20, help="circuits built for the build time, per hop count")
    ap.add_argument("--seconds", type=float, default=8.0, help="length of each throughput run")
    ap.add_argument("--size", type=int, default=1000, help="payload bytes of a datagram")
    ap.add_argument("--window", type=int, default=64)
    ap.add_argument("--runs", type=int, default=3)
    ap.add_argument("--kinds", default="up,down,echo", help="what is measured")
    ap.add_argument("--idle-wait", type=float, default=6.0, help="wait so long for a quiet machine before each run")
    ap.add_argument("--ipv8", default=os.path.join(run_peers.HERE, "py-ipv8-3.2"))
    ap.add_argument("--shim", default=None)
    ap.add_argument("--community-id", default="81ded07332bdc775aa5a46f96de9f8f390bbc9f3")
    ap.add_argument("--serve", action="store_true",
                    help="stay: each line {hops, kind, seconds} of the standard input is answered with the figures of one run")
    ap.add_argument("--rp-log", default=None, help="output file of run_peers.py: adds the CPU time of its processes")
    return ap.parse_args()


def cpu_seconds(pids):
    """User and system time of processes."""
    total = 0
    for p in pids:
        with open(f"/proc/{p}/stat") as f:
            v = f.read().rsplit(")", 1)[1].split()
        total += int(v[11]) + int(v[12])
    return total / os.sysconf("SC_CLK_TCK")


class Client:
    def __init__(self, a, tunnels):
        self.a, self.t = a, tunnels
        self.dest = ("127.0.0.1", a.target)
        self.event = asyncio.Event()
        self.echo = {}
        self.acked = self.count = self.got = self.got_bytes = 0
        tunnels.on_raw_data = self.on_raw

    def on_raw(self, circuit, origin, data):
        op = data[1:2]
        seq, cnt = struct.unpack_from(">II", data, 2)
        if op == b"A":
            self.acked, self.count = max(self.acked, seq), max(self.count, cnt)
        elif op in (b"E", b"D"):
            self.got += 1
            self.got_bytes += len(data)
        elif op == b"r":
            self.acked = self.count = self.got = self.got_bytes = 0
        self.event.set()

    def send(self, c, op, seq=0, n=0, size=None):
        size = size or self.a.size
        body = b"d" + op + struct.pack(">II", seq, n)
        self.t.send_data(c.hop.address, c.circuit_id, self.dest, ("0.0.0.0", 0), body + bytes(size - len(body) - 1) + b"e")

    async def wait(self, timeout):
        self.event.clear()
        try:
            await asyncio.wait_for(self.event.wait(), timeout)
            return True
        except asyncio.TimeoutError:
            return False

    async def reset(self, c):
        for _ in range(20):
            self.send(c, b"R", size=20)
            if await self.wait(0.5):
                self.acked = self.count = self.got = self.got_bytes = 0
                return
        raise RuntimeError("no answer from the target")

    async def echo_once(self, c):
        await self.reset(c)
        s = time.perf_counter()
        self.send(c, b"E", 1)
        assert await self.wait(5), "no echo"
        return time.perf_counter() - s

    async def run_echo(self, c):
        """Echo with a window: every payload travels out and back."""
        await self.reset(c)
        s = time.perf_counter()
        sent = lost = 0
        while time.perf_counter() - s < self.a.seconds:
            while sent - self.got - lost < self.a.window:
                sent += 1
                self.send(c, b"E", sent)
            if not await self.wait(1.0):
                lost = sent - self.got
        dt = time.perf_counter() - s
        return self.got_bytes / dt / 1e6, lost

    async def run_up(self, c):
        """Upload: the target acknowledges every 16th datagram."""
        await self.reset(c)
        s = time.perf_counter()
        sent = lost = 0
        while time.perf_counter() - s < self.a.seconds:
            while sent - self.count - lost < self.a.window:
                sent += 1
                self.send(c, b"S", sent, 16)
            if not await self.wait(1.0):
                lost = sent - self.count
        dt = time.perf_counter() - s
        return self.count * self.a.size / dt / 1e6, lost

    async def run_down(self, c):
        """Download: the target is asked for 16 datagrams at a time, a window of them under way."""
        await self.reset(c)
        s = time.perf_counter()
        asked = lost = 0
        while time.perf_counter() - s < self.a.seconds:
            while asked + 16 - self.got - lost <= self.a.window:
                asked += 16
                self.send(c, b"G", 0, 16)
            if not await self.wait(1.0):
                lost = asked - self.got
        dt = time.perf_counter() - s
        return self.got_bytes / dt / 1e6, lost


def cpu_idle():
    """(idle, total) ticks of the machine."""
    with open("/proc/stat") as f:
        v = [int(x) for x in f.readline().split()[1:9]]
    return v[3] + v[4], sum(v)


async def quiet(limit=30.0, share=0.85):
    """Wait until the machine has been mostly idle for two seconds (other programs disturb the figures)."""
    end = time.time() + limit
    idle = 0.0
    while time.time() < end:
        i0, t0 = cpu_idle()
        await asyncio.sleep(2)
        i1, t1 = cpu_idle()
        idle = (i1 - i0) / max(1, t1 - t0)
        if idle >= share:
            break
    return round(idle, 2)


async def serve(a, t, cl, net):
    """One run for each line read; the circuit of a hop count is kept between runs. Ends with the input."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    kept = {}
    while line := await reader.readline():
        try:
            ask = json.loads(line)
            hops, a.seconds = ask["hops"], ask["seconds"]
            c = kept.get(hops)
            if c is None or c.state != "READY":
                times = []
                for last in [False] * ask.get("builds", 0) + [True]:
                    s = time.perf_counter()
                    c = t.create_circuit(hops)
                    if c is None or not await asyncio.wait_for(c.ready, 10):
                        raise RuntimeError("no circuit of %d hops" % hops)
                    times.append(time.perf_counter() - s)
                    if not last:
                        await t.remove_circuit(c.circuit_id, "bench", destroy=2)
                kept[hops] = c
                build_ms = 1e3 * statistics.median(times)
            n0, m0 = cpu_seconds(net), cpu_seconds([os.getpid()])
            rate, lost = await {"up": cl.run_up, "down": cl.run_down}[ask["kind"]](c)
            mb = max(rate * a.seconds, 1e-9)
            out = {"MBps": rate, "lost": lost, "build_ms": build_ms,
                   "cpu_ms_per_MB_nodes": 1e3 * (cpu_seconds(net) - n0) / mb,
                   "cpu_ms_per_MB_client": 1e3 * (cpu_seconds([os.getpid()]) - m0) / mb}
        except Exception as e:
            out = {"failed": repr(e)}
        print(json.dumps(out), flush=True)


async def main():
    a = args_()
    ra = run_peers.arguments(["--ipv8", a.ipv8, "--community-id", a.community_id, *(["--shim", a.shim] if a.shim else [])])
    cls = run_peers.load_ipv8(ra)
    cls.report = staticmethod(lambda *x, **k: None)
    ports = [a.base_port + i for i in range(a.nodes)]
    ipv8, t = await run_peers.start_node(ra, cls, 99, a.my_port, {1, 8}, run_peers.node_key_bin("bench", 0), ports)
    t.settings.remove_tunnel_delay = 0
    for _ in range(100):
        await asyncio.sleep(0.1)
        if len(t.candidates) >= a.nodes and all(t.candidates.values()):
            break
    print(json.dumps({"candidates": {"%d" % p.address[1]: f for p, f in t.candidates.items()}}), flush=True)
    cl = Client(a, t)
    net = []
    if a.rp_log:
        with open(a.rp_log) as f:
            first = json.loads(f.readline())
        net = first.get("pids", [])
    if a.serve:
        await serve(a, t, cl, net)
        await run_peers.stop_node(ipv8)
        return
    for hops in [int(x) for x in a.hops.split(",")]:
        times = []
        for _ in range(a.builds):
            s = time.perf_counter()
            c = t.create_circuit(hops)
            if c is None or not await asyncio.wait_for(c.ready, 60):
                print(json.dumps({"hops": hops, "failed": True}), flush=True)
                continue
            times.append(time.perf_counter() - s)
            await t.remove_circuit(c.circuit_id, "bench", destroy=2)
        c = t.create_circuit(hops)
        await asyncio.wait_for(c.ready, 60)
        path = [h.public_key_bin for h in c.hops]
        rtts = [await cl.echo_once(c) for _ in range(30)]
        out = {"hops": hops, "distinct_hops": len(set(path)), "echo_ok": True,
               "build_ms_median": round(1e3 * statistics.median(times), 2), "build_ms_max": round(1e3 * max(times), 2),
               "builds": len(times), "rtt_ms_median": round(1e3 * statistics.median(rtts), 2)}
        for name, fn in (("up", cl.run_up), ("down", cl.run_down), ("echo", cl.run_echo)):
            if name not in a.kinds.split(","):
                continue
            rs, idles, cpu_net, cpu_me = [], [], [], []
            for _ in range(a.runs):
                idles.append(await quiet(a.idle_wait))
                n0, m0 = cpu_seconds(net), cpu_seconds([os.getpid()])
                rs.append(await fn(c))
                mb = rs[-1][0] * a.seconds
                cpu_net.append((cpu_seconds(net) - n0) / mb)
                cpu_me.append((cpu_seconds([os.getpid()]) - m0) / mb)
            if net:
                out[name + "_cpu_ms_per_MB_nodes"] = round(1e3 * statistics.median(cpu_net), 1)
            out[name + "_cpu_ms_per_MB_client"] = round(1e3 * statistics.median(cpu_me), 1)
            out[name + "_idle_before"] = idles
            out[name + "_MBps"] = [round(r[0], 3) for r in rs]
            out[name + "_MBps_median"] = round(statistics.median(r[0] for r in rs), 3)
            out[name + "_lost"] = sum(r[1] for r in rs)
        print(json.dumps(out), flush=True)
        await t.remove_circuit(c.circuit_id, "bench", destroy=2)
    await run_peers.stop_node(ipv8)


if __name__ == "__main__":
    sys.path.insert(0, run_peers.HERE)
    asyncio.run(main())

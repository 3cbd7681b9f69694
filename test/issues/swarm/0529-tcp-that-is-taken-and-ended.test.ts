// A seeder that takes uTP only, but whose TCP port takes connections to end them at once (libtorrent without incoming
// TCP), or to say nothing: the kinds of encryption that TCP was tried with say nothing of those that uTP may be tried
// with. Before, plain by TCP and encrypted by uTP were the two tries, and 10 s of waiting followed, then 20, then more.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TcpNetwork, TcpStream, TcpStreamHandlers } from '../../../src/ports/tcp.ts'
import { DualNetwork } from '../../../src/torrent/peers/dual-network.ts'
import type { EncryptionMode } from '../../../src/torrent/peers/connection-policy.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { type MemoryHost, MemoryNetwork } from '../../kit/sim/memory-network.ts'
import { assertHolds, type SimNode, SimSwarm } from '../../kit/sim/sim-swarm.ts'

const PORT = 6881
/** Near. */
const LINE = { latencyMs: 1 }
const NOTHING: TcpStreamHandlers = { data: () => undefined, drain: () => undefined, close: () => undefined }

/** What the seeder's TCP port does with a connection. */
type Manner = 'refuses' | 'ends' | 'is silent' | 'serves'

interface Case {
  readonly tcp: Manner
  readonly seeder: EncryptionMode
  readonly leech: EncryptionMode
}

interface Reached {
  readonly ms: number
  /** Calls by TCP and by uTP. */
  readonly tcp: number
  readonly utp: number
}

const torrent = makeTorrent({ length: 300 * 1024 })

class Rig {
  readonly swarm = new SimSwarm(529)
  readonly utp = new MemoryNetwork(this.swarm.clock, true)
  readonly #what: Case

  constructor(what: Case) {
    this.#what = what
  }

  /** Listens by uTP, and by TCP as the case says. */
  seeder(): Promise<SimNode> {
    const { seeder, tcp } = this.#what
    const encryption = { mode: seeder, methods: 'both' } as const
    return this.swarm.seeder(torrent, {
      session: { encryption },
      line: LINE,
      network: ({ ip }) => this.#listening(ip, tcp),
    })
  }

  #listening(ip: string, manner: Manner): TcpNetwork {
    const [tcp, utp] = [this.swarm.network.host(ip), this.utp.host(ip, LINE)]
    if (manner === 'serves') return this.#both(tcp, utp)
    const accept = (stream: TcpStream): TcpStreamHandlers => {
      if (manner === 'ends') this.swarm.clock.after(0, () => stream.destroy())
      return NOTHING
    }
    if (manner !== 'refuses') void tcp.listen({ ip, port: PORT }, accept)
    return utp
  }

  leech(): Promise<SimNode> {
    const encryption = { mode: this.#what.leech, methods: 'both' } as const
    const utp = this.utp.host('10.9.9.9', LINE)
    return this.swarm.node({
      session: { encryption },
      line: LINE,
      swarm: { utp },
      network: tcp => this.#both(tcp, utp),
    })
  }

  /** As a node calls and listens; the hosts know no families. */
  #both(tcp: MemoryHost, utp: MemoryHost): TcpNetwork {
    const dual = new DualNetwork({ tcp, utp, clock: this.swarm.clock })
    return {
      connect: (...all) => dual.connect(...all),
      listen: async (at, accept) => {
        await utp.listen(at, accept)
        return tcp.listen(at, accept)
      },
    }
  }
}

/** How long until everything is here, and by how many calls. */
async function reached(what: Case): Promise<Reached> {
  const rig = new Rig(what)
  const seeder = await rig.seeder()
  const leech = await rig.leech()
  const handle = leech.add(torrent, { peers: [{ ip: seeder.address.ip, port: PORT }] })
  const beginMs = rig.swarm.clock.now()
  await rig.swarm.complete(handle)
  const ms = rig.swarm.clock.now() - beginMs
  assertHolds(leech, torrent)
  const calls = { tcp: leech.host.connects, utp: rig.utp.host('10.9.9.9').connects }
  await rig.swarm.close()
  return { ms, ...calls }
}

for (const seeder of ['off', 'allow', 'prefer', 'require'] as const)
  for (const leech of ['allow', 'prefer'] as const) {
    test(`TCP taken and ended, uTP of mode ${seeder}, called in mode ${leech}`, async () => {
      const { ms, tcp } = await reached({ tcp: 'ends', seeder, leech })
      assert.ok(ms < 2000, `${ms} ms`)
      assert.equal(tcp, 2, 'each kind by TCP once')
    })
  }

test('a mode with one kind of encryption goes on by uTP as well', async () => {
  for (const mode of ['off', 'require'] as const) {
    const { ms, tcp, utp } = await reached({ tcp: 'ends', seeder: mode, leech: mode })
    assert.ok(ms < 2000, `${mode}: ${ms} ms`)
    assert.deepEqual({ tcp, utp }, { tcp: 1, utp: 1 }, mode)
  }
})

test('TCP refused: uTP at once, with each kind', async () => {
  const { ms, utp } = await reached({ tcp: 'refuses', seeder: 'off', leech: 'prefer' })
  assert.ok(ms < 2000, `${ms} ms`)
  assert.equal(utp, 2)
})

test('TCP taken and silent: uTP after 10 s a kind', async () => {
  const { ms } = await reached({ tcp: 'is silent', seeder: 'off', leech: 'allow' })
  assert.ok(ms > 20_000 && ms < 24_000, `${ms} ms`)
})

test('a near seeder that wants the other kind gets it by TCP: uTP costs many times as much', async () => {
  for (const [seeder, leech] of [
    ['require', 'allow'],
    ['off', 'prefer'],
  ] as const) {
    const { ms, tcp, utp } = await reached({ tcp: 'serves', seeder, leech })
    assert.ok(ms < 2000, `${ms} ms`)
    assert.deepEqual({ tcp, utp }, { tcp: 2, utp: 0 })
  }
})

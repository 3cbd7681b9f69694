// One transfer by uTP alone between two network namespaces: on the near side the client that is measured, on the far
// side always libtorrent, a wire or a bad line between them. What arrived is compared byte by byte.

import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { UtpHosts } from '../../test/kit/sim/utp-hosts.ts'
import { startUtpLine, type UtpLineShape } from '../../test/kit/sim/utp-line.ts'
import { type BenchPlace, settle, warmMemory } from './bench-place.ts'
import { assertSameContent, type BenchTorrent } from './bench-torrent.ts'
import { startMeasuredNode } from './measured-node.ts'
import { startMeter } from './process-cost.ts'
import type { Client } from './rivals/client.ts'
import { LibtorrentSession } from './rivals/libtorrent.ts'
import { TributaryNode } from './rivals/tributary.ts'
import type { Figures } from './samples.ts'
import { loopFigures } from './transfer.ts'

const LIMIT_MS = 120_000
/** The transfer has begun when so many bytes have crossed the wire. */
const BEGUN_BYTES = 16 * 1024
const LOOK_MS = 2

/** Who is measured. */
export type NearKind = 'tributary' | 'libtorrent'

/** What is done. */
export interface UtpRun {
  readonly hosts: UtpHosts
  readonly near: NearKind
  /** What the near client does. */
  readonly role: 'leech' | 'seed'
  readonly torrent: BenchTorrent
  readonly line: UtpLineShape
}

/** Does it once. Counted from the first bytes on the wire, which is when both have found each other. */
export async function utpOnce(place: BenchPlace, run: UtpRun): Promise<Figures> {
  const { hosts, torrent, role } = run
  const home = await place.folder.sub(`utp-${place.turn()}`)
  const to = join(home, 'to')
  await mkdir(to)
  const far = await LibtorrentSession.start(hosts.far.ip, 'utp', hosts.far.prefix)
  const near = await startNear(run, join(home, 'home'))
  const line = await startUtpLine(hosts, near.address, far.address, run.line)
  const [seeder, leecher] = role === 'leech' ? [far, near] : [near, far]
  const peer = role === 'leech' ? line.farSeen : line.nearSeen
  try {
    await seed(seeder, torrent)
    await settle()
    await warmMemory(torrent.length / 2 ** 20 + 64)
    await near.takeLoopDelay()
    const before = hosts.near.wireBytes()
    await leecher.add({ torrent, dir: to, from: 'metainfo', peers: [peer] })
    while (hosts.near.wireBytes() - before < BEGUN_BYTES) await new Promise(resolve => setTimeout(resolve, LOOK_MS))
    const stopMeter = startMeter(near.pid)
    const begin = performance.now()
    await leecher.whenComplete(LIMIT_MS)
    const ms = performance.now() - begin
    const figures: Figures = {
      'kB/s': torrent.length / ms,
      'CPU-s/GiB': stopMeter().cpuSec / (torrent.length / 2 ** 30),
      ...(await loopFigures(near)),
    }
    await Promise.all([near.stop(), far.stop()])
    await assertSameContent(torrent, to)
    return figures
  } finally {
    await Promise.all([near.stop(), far.stop(), line.stop()])
    await rm(home, { recursive: true })
  }
}

async function seed(client: Client, torrent: BenchTorrent): Promise<void> {
  if (client instanceof LibtorrentSession) return client.seed(torrent)
  await client.add({ torrent, dir: torrent.dir, from: 'metainfo', peers: [] })
  await client.whenComplete()
}

async function startNear({ hosts, near }: UtpRun, home: string): Promise<Client> {
  const { ip, prefix } = hosts.near
  if (near === 'libtorrent') return LibtorrentSession.start(ip, 'utp', prefix)
  const settings = { 'libtorrent.interface': ip, 'libtorrent.utp': true, 'api.http_host': ip }
  const measured = await startMeasuredNode(home, settings, prefix)
  return TributaryNode.of(measured.node, measured, ip)
}

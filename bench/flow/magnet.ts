// Magnet: from adding a magnet, whose seeder is known, to having the metadata.

import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchPlace, inPlace, settle } from '../lib/bench-place.ts'
import { type BenchTorrent, makeBenchTorrent } from '../lib/bench-torrent.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import { clientsThatCan } from '../lib/rivals/all.ts'
import type { ClientKind } from '../lib/rivals/client.ts'
import type { Figures } from '../lib/samples.ts'
import { startSwarm } from '../lib/transfer.ts'
import { takeTurns } from '../lib/turns.ts'

async function magnetOnce(place: BenchPlace, kind: ClientKind, torrent: BenchTorrent): Promise<Figures> {
  const home = await place.folder.sub(`magnet-${kind.name}-${place.turn()}`)
  const to = join(home, 'to')
  await mkdir(to)
  const swarm = await startSwarm(place, torrent)
  const { client } = await kind.start(join(home, 'home'), place.hosts.next())
  try {
    await settle()
    const { announce } = swarm
    const begin = performance.now()
    await client.add({ torrent: swarm.torrent, dir: to, from: 'magnet', peers: [swarm.seeder.address], announce })
    await client.whenMetadata()
    return { 'metadata ms': performance.now() - begin }
  } finally {
    await client.stop()
    await swarm.stop()
    await rm(home, { recursive: true })
  }
}

export const magnet: Flow = {
  name: 'magnet',
  run: options =>
    inPlace(async place => {
      const { kinds, notes } = clientsThatCan(['magnet'], options.only)
      const failures = [...notes]
      const dir = await place.folder.sub('content')
      const sizes = { name: 'magnet.bin', length: (options.mib ?? 256) * 2 ** 20, pieceLength: 2 ** 20 }
      const torrent = await makeBenchTorrent({ dir, metainfoDir: place.folder.path, ...sizes })
      const turns = kinds.map(kind => ({ client: kind.name, run: () => magnetOnce(place, kind, torrent) }))
      const found = await takeTurns('magnet to metadata', 'metadata ms', turns, options, failures)
      failures.push('the rivals but webtorrent find the seeder at a tracker; tributary and webtorrent by its address')
      return { title: 'Magnet to metadata', cases: [found], notes: failures }
    }),
}

await runAlone(magnet, import.meta.url)

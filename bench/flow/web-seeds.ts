// Web seeds: one torrent of 1 GiB whose only source is nginx (BEP 19), fetched by us and by rivals that take web seeds,
// in turns; what arrived is compared byte by byte.

import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BenchPlace, inPlace, settle, warmMemory } from '../lib/bench-place.ts'
import { assertSameContent, type BenchTorrent, makeBenchTorrent, withWebSeed } from '../lib/bench-torrent.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import { startMeter } from '../lib/process-cost.ts'
import { clientsThatCan } from '../lib/rivals/all.ts'
import type { ClientKind } from '../lib/rivals/client.ts'
import { nginxMissing, startNginx } from '../lib/rivals/nginx.ts'
import type { CaseResult, Figures } from '../lib/samples.ts'
import { loopFigures, SPARE_MIB, transferFigures } from '../lib/transfer.ts'
import { takeTurns } from '../lib/turns.ts'

const MIB = 2 ** 20

/** `kind` fetches the torrent from a fresh nginx, which is all its metainfo names. */
async function fetchOnce(place: BenchPlace, kind: ClientKind, torrent: BenchTorrent): Promise<Figures> {
  const home = await place.folder.sub(`web-seeds-${kind.name}-${place.turn()}`)
  const to = join(home, 'to')
  await mkdir(to)
  const nginx = await startNginx(join(home, 'nginx'), torrent.dir, place.hosts.next())
  const { client } = await kind.start(join(home, 'home'), place.hosts.next())
  try {
    const seeded = await withWebSeed(torrent, home, nginx.baseUrl)
    await settle()
    await warmMemory(torrent.length / MIB + SPARE_MIB)
    await client.takeLoopDelay()
    const stopMeter = startMeter(client.pid)
    const begin = performance.now()
    await client.add({ torrent: seeded, dir: to, from: 'metainfo', peers: [] })
    await client.whenComplete()
    const ms = performance.now() - begin
    // libtorrent says complete before: the CPU for the rest counts too, the time does not.
    await client.whenWritten()
    const figures = { ...transferFigures(torrent.length, ms, stopMeter()), ...(await loopFigures(client)) }
    await client.stop()
    await assertSameContent(torrent, to)
    return figures
  } finally {
    await client.stop()
    await nginx.stop()
    await rm(home, { recursive: true })
  }
}

export const webSeeds: Flow = {
  name: 'web-seeds',
  run: options =>
    inPlace(async place => {
      const missing = nginxMissing()
      if (missing !== null) return { title: 'Web seeds', cases: [], notes: [missing] }
      const mib = options.mib ?? 1024
      const { kinds, notes } = clientsThatCan(['web-seeds'], options.only)
      const [cases, failures]: [CaseResult[], string[]] = [[], [...notes]]
      const dir = await place.folder.sub('content')
      const sizes = { name: 'web-seeds.bin', length: mib * MIB, pieceLength: MIB }
      const torrent = await makeBenchTorrent({ dir, metainfoDir: place.folder.path, ...sizes })
      const turns = kinds.map(kind => ({ client: kind.name, run: () => fetchOnce(place, kind, torrent) }))
      cases.push(await takeTurns('web seed, 1024 KiB pieces', 'MB/s', turns, options, failures))
      return { title: `Web seed ${mib} MiB from one nginx`, cases, notes: failures }
    }),
}

await runAlone(webSeeds, import.meta.url)

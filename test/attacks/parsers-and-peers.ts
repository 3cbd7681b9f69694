// Parsers and peers: what strangers can send to each door of a node, changed, cut and far too large: torrents, magnets,
// JSON, HTTP itself, the peer protocol, answers of a tracker, datagrams. The node must live, answer within a bound,
// stay within its memory and log nothing unhandled. Made from README, src/docs and /docs of a running node alone.

import { makeTestFolder } from '../kit/content/content-on-disk.ts'
import { fuzzSource } from '../kit/sim/fuzz.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { residentMiB } from '../kit/nodes/resident-memory.ts'
import type { Ground } from './ground.ts'
import { bodies, magnets, torrents } from './hostile-bodies.ts'
import { datagrams, flood, peer } from './hostile-peers.ts'
import { startTracker, trackers } from './hostile-trackers.ts'
import { ask } from './raw-request.ts'
import { runAttack } from './tally.ts'

const SECONDS = Number(process.env['SECONDS'] ?? '100')
/** Longest answer of GET /state; the machine may be shared with other work. */
const ANSWER_LIMIT_MS = 3000
const MEMORY_LIMIT_MIB = 700

/** Looks at the node all the time, as its owner does. */
function watch(node: NodeProcess) {
  const seen = { asked: 0, worstMs: 0, failed: 0, peakMiB: 0 }
  let over = false
  const looking = (async () => {
    while (!over) {
      const start = performance.now()
      const answer = await ask(node.port, 'GET', '/state', { headers: { 'x-api-key': node.key }, limitMs: 20_000 })
      seen.asked++
      if (answer.status !== 200) seen.failed++
      seen.worstMs = Math.max(seen.worstMs, performance.now() - start)
      seen.peakMiB = Math.max(seen.peakMiB, residentMiB(node.pid))
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  })()
  return { seen, stop: () => ((over = true), looking) }
}

await runAttack('parsers and peers', async tally => {
  const folder = await makeTestFolder()
  const fuzz = fuzzSource(tally.random.seed)
  const tracker = await startTracker(fuzz)
  const film = makeTorrent({ name: 'film.bin', length: 300_000, announce: [[tracker.url]] })
  const saveas = await folder.sub('to')
  const settings = {
    'libtorrent.dht': true,
    'libtorrent.utp': true,
    'libtorrent.pex': true,
    'libtorrent.dht_bootstrap': '',
    'download_defaults.saveas': saveas,
  }
  const node = await startNode({ settings })
  const watcher = watch(node)
  try {
    await node.request('POST', '/downloads', film.torrent, { 'content-type': 'application/x-bittorrent' })
    const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
    const ground: Ground = {
      tally,
      node,
      fuzz,
      film,
      trackerUrl: tracker.url,
      peerPort: variables.ports['libtorrent~port'] ?? 0,
    }
    const end = performance.now() + SECONDS * 1000
    // Side by side, so that what waits for one does not keep the others.
    const repeat = async (kind: (ground: Ground) => Promise<void>) => {
      do await kind(ground)
      while (performance.now() < end)
    }
    await Promise.all([torrents, magnets, bodies, peer, peer, peer, datagrams, trackers, flood].map(repeat))
    await watcher.stop()
    const { asked, worstMs, failed, peakMiB } = watcher.seen
    tally.note(
      `GET /state asked ${asked} times, slowest ${Math.round(worstMs)} ms; most memory ${Math.round(peakMiB)} MiB; ${tracker.asked()} answers of the tracker`,
    )
    tally.check('GET /state is always answered', failed === 0, () => failed)
    tally.check('GET /state is answered in time', worstMs < ANSWER_LIMIT_MS, () => `${Math.round(worstMs)} ms`)
    tally.check('memory stays within its bound', peakMiB < MEMORY_LIMIT_MIB, () => `${Math.round(peakMiB)} MiB`)
    const { stderr } = node.logs()
    tally.check(
      'nothing unhandled in the log',
      !/unhandled|uncaught/i.test(stderr),
      () => /^.*(unhandled|uncaught).*$/im.exec(stderr)?.[0],
    )
    const ended = await node.kill('SIGTERM')
    tally.check('the node ends', ended.code === 0, () => `${ended.code} ${ended.signal}`)
  } finally {
    await watcher.stop()
    tracker.stop()
    await node.stop()
    await folder.remove()
  }
})

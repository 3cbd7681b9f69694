// Correctness of the list under load: while 16 clients read it, some of many torrents change, and an answer must hold
// every change that is older than 200 ms, and no other.

import { type BenchPlace, pass } from './bench-place.ts'
import { assertSameContent, type BenchTorrent } from './bench-torrent.ts'
import { callJson } from './local-http.ts'
import { LibtorrentSession } from './rivals/libtorrent.ts'
import type { DownloadFacts, TributaryNode } from './rivals/tributary.ts'
import { runWrk } from './wrk.ts'

const MOVING = 100
const MAY_LAG_MS = 200
const LOAD_SEC = 2

type Expected = (moved: boolean, facts: DownloadFacts) => boolean

/** Reads the list MAY_LAG_MS from now; throws unless each of its records is as expected. */
async function assertListed(
  node: TributaryNode,
  moving: ReadonlySet<string>,
  what: string,
  so: Expected,
): Promise<void> {
  await pass(MAY_LAG_MS)
  const wrong = (await node.downloads()).filter(facts => !so(moving.has(facts.infohash), facts))
  if (wrong.length > 0) throw new Error(`${what}: ${wrong.length} records are old: ${JSON.stringify(wrong[0])}`)
}

/** Resumes some, lets libtorrent download them all, stops them; looks at the list after each. All begin stopped. */
async function move(place: BenchPlace, node: TributaryNode, torrents: readonly BenchTorrent[]): Promise<void> {
  const chosen = torrents.filter((_, index) => index % Math.ceil(torrents.length / MOVING) === 0)
  const moving = new Set(chosen.map(torrent => torrent.infoHash))
  const patch = (state: string) =>
    Promise.all(chosen.map(each => callJson(node.to('PATCH', `/downloads/${each.infoHash}`, { state }))))
  const stopped = (facts: DownloadFacts) => facts.status === 'DLSTATUS_STOPPED'
  await patch('resume')
  await assertListed(node, moving, 'resumed', (moved, facts) => moved !== stopped(facts))
  await node.untilAll('DLSTATUS_SEEDING', chosen.length)
  const to = await place.folder.sub(`moved-${place.turn()}`)
  const leecher = await LibtorrentSession.start(place.hosts.next())
  try {
    await leecher.downloadMany(chosen, to, node.address)
  } finally {
    await leecher.stop()
  }
  for (const torrent of chosen) await assertSameContent(torrent, to)
  const sent = chosen[0]?.length ?? 0
  await assertListed(node, moving, 'uploaded', (moved, facts) => facts.total_up === (moved ? sent : 0))
  await patch('stop')
  await assertListed(node, moving, 'stopped', (_, facts) => stopped(facts))
}

/** Makes the changes while wrk reads the list. */
export async function checkMoves(
  place: BenchPlace,
  node: TributaryNode,
  torrents: readonly BenchTorrent[],
  home: string,
): Promise<void> {
  const what = node.api(torrents[0] as BenchTorrent).list
  let over = false
  const load = (async () => {
    while (!over) await runWrk({ what, connections: 16, seconds: LOAD_SEC, home })
  })()
  try {
    await move(place, node, torrents)
  } finally {
    over = true
    await load
  }
}

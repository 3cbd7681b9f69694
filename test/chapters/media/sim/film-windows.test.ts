// A film that is played while it comes in: the chapter reads its facts from what is there, and the engine asks for the
// film's window. Downloads' readers, chapter, folder and thread are the real ones; the swarm is simulated.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMedia } from '../../../../src/chapters/media/wiring/open-media.ts'
import { SystemClock } from '../../../../src/io/clock.ts'
import { SharedParts } from '../../../../src/node/shared-parts.ts'
import type { Kernel, RunningCore } from '../../../../src/node/kernel.ts'
import type { StoredDownload } from '../../../../src/ports/records.ts'
import { DownloadEntry } from '../../../../src/services/downloads/download-entry.ts'
import { KnownFilms } from '../../../../src/services/downloads/known-films.ts'
import { streamableFile } from '../../../../src/services/downloads/stream-files.ts'
import type { Asker } from '../../../../src/services/downloads/streams-api.ts'
import type { FilmFacts } from '../../../../src/torrent/streams/film-facts.ts'
import { makeTestFolder } from '../../../kit/content/content-on-disk.ts'
import { makeTorrent } from '../../../kit/content/make-torrent.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { SimSwarm } from '../../../kit/sim/sim-swarm.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { makeFlac } from '../kit/made-flac.ts'

const PIECE = 1024 * 1024
const PIECES = 40
/** The film takes ten seconds. */
const RATE = (PIECES * PIECE) / 10
const AHEAD_SEC = 5

/** Sees what readers are told. */
class SeenFilms extends KnownFilms {
  readonly told: FilmFacts[] = []

  override follow(...[file, tell]: Parameters<KnownFilms['follow']>): (() => void) | null {
    return super.follow(file, facts => {
      this.told.push(facts)
      tell(facts)
    })
  }
}

test('a reader of a film that is not all there gets the window of the film, in seconds', async () => {
  const folder = await makeTestFolder()
  const swarm = new SimSwarm(711)
  const content = new Uint8Array(PIECES * PIECE)
  content.set(makeFlac().bytes)
  const torrent = makeTorrent({ name: 'film.flac', content, pieceLength: PIECE })
  const node = await swarm.node({ arenaBytes: 64 * PIECE, session: { streamAheadSec: AHEAD_SEC } })
  const handle = node.add(torrent)
  await swarm.join(node, torrent, { has: piece => piece === 0 })
  await swarm.clock.until('its head', () => handle.snapshot().progress > 0, 60_000)

  const entry = new DownloadEntry({ infoHash: torrent.infoHash } as StoredDownload)
  entry.attach(handle)
  const films = new SeenFilms()
  const streamable = (_infohash: string, index: string, asker: Asker) =>
    streamableFile(entry, index, { clock: swarm.clock, films }, asker)
  const downloads = { films, streamable, has: () => true }
  const parts = { stateDir: folder.path, clock: new SystemClock(), log: silentLog, shared: new SharedParts() }
  const kernel = { ...parts, downloads } as unknown as Kernel
  const media = openMedia(kernel)
  await media.start({ rangeArena: node.ranges } as unknown as RunningCore)

  const reader = (await streamable('', '0', new AbortController())).openReader()
  void Promise.resolve(reader.waitFor(10 * PIECE)).catch(() => undefined)
  await waitFor('facts', async () => {
    // The disk of the swarm goes by its clock.
    await swarm.clock.advance(1)
    return films.told.length > 0
  })
  assert.equal(Math.round(films.told.at(-1)?.bytesPerSecond ?? 0), RATE)

  const peer = await swarm.join(node, torrent, {}, { upRate: 4 * PIECE })
  const asked = (): number[] => [...new Set(peer.requests.map(({ piece }) => piece))]
  await swarm.clock.until('a window', () => asked().length >= 20, 60_000)
  // Five seconds are 20 MiB; without facts there would be 8, and the head of the file behind them.
  assert.deepEqual(
    asked().slice(0, 20),
    Array.from({ length: 20 }, (_, at) => 10 + at),
  )
  reader.close()
  await media.stop(1000)
  await swarm.close()
  await folder.remove()
})

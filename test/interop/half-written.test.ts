// What Debian's libtorrent left half-written in a folder: taken as it lies there and downloaded to the end, in the same
// files, and nothing of it is fetched again that is right. v1, v2 and hybrid.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { LibtorrentPeer } from '../kit/peers/libtorrent-peer.ts'
import { LoopbackNode } from '../kit/nodes/loopback-node.ts'
import { type MadeTorrent, makeTorrent, seededBytes } from '../kit/content/make-torrent.ts'
import { asMadeTorrent, makeV2Torrent } from '../kit/content/make-v2-torrent.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const skip = needs('libtorrent')
const MIB = 2 ** 20
const PIECE = 64 * 1024
/** So that libtorrent is amid the download for seconds. */
const RATE = 3 * MIB

const FILES = [
  { path: 'a-film.bin', content: seededBytes(9 * MIB + 777, 61) },
  { path: 'b-film.nfo', content: Buffer.from('words beside the film') },
  { path: 'c-sound.bin', content: seededBytes(3 * MIB + 5, 62) },
]
const KINDS: Readonly<Record<string, () => MadeTorrent>> = {
  v1: () => makeTorrent({ name: 'folder', pieceLength: PIECE, files: FILES }),
  v2: () => asMadeTorrent(makeV2Torrent({ name: 'folder', pieceLength: PIECE, files: FILES })),
  hybrid: () => asMadeTorrent(makeV2Torrent({ name: 'folder', pieceLength: PIECE, files: FILES, hybrid: true })),
}

const bytesOf = ({ files }: MadeTorrent): number => files.reduce((sum, { content }) => sum + content.length, 0)

/** A node that has it, and an empty one. */
async function nodes(t: TestContext, made: MadeTorrent) {
  const from = await new LoopbackNode({ session: { maxUploadRate: RATE } }).start()
  const to = await new LoopbackNode().start()
  t.after(() => Promise.all([from.close(), to.close()]))
  await from.put(made)
  const handle = from.add(made)
  await waitFor('the seed', () => handle.snapshot().status === 'seeding')
  return { from, to }
}

/** libtorrent downloads into the folder and is killed on its way. */
async function leaveHalf(made: MadeTorrent, from: LoopbackNode, folder: string): Promise<void> {
  const torrent = join(from.folder, 'half.torrent')
  await writeFile(torrent, made.torrent)
  const peer = await LibtorrentPeer.start('127.0.0.1')
  try {
    const { ip, port } = from.address
    const id = await peer.add({ torrent, dir: folder, peers: [[ip, port]] })
    await waitFor('half of it', async () => (await peer.status(id)).progress > 0.4, 30_000)
  } finally {
    await peer.stop()
  }
}

describe('files that libtorrent left', { concurrency: 3 }, () => {
  for (const [kind, make] of Object.entries(KINDS)) {
    test(`${kind}: what libtorrent left is taken and downloaded to the end`, { skip, timeout: 60_000 }, async t => {
      const made = make()
      const { from, to } = await nodes(t, made)
      await leaveHalf(made, from, to.folder)
      const inFolder = (name: string): string => join(to.folder, 'folder', name)
      const film = inFolder('a-film.bin')
      const { ino } = statSync(film)
      assert.ok(
        !readFileSync(film).equals(FILES[0]?.content ?? new Uint8Array()),
        'libtorrent was faster than its death',
      )
      const handle = to.add(made, { peers: [from.address] })
      const { snapshot } = handle
      await waitFor('all of it', () => /seeding|error/.test(handle.snapshot().status), 30_000, snapshot.bind(handle))
      assert.equal(handle.snapshot().error, '')
      for (const { path, content } of FILES) assert.ok(readFileSync(inFolder(path)).equals(content), path)
      assert.equal(statSync(film).ino, ino, 'the file is the one that was there')
      assert.deepEqual(
        readdirSync(join(to.folder, 'folder')).sort(),
        FILES.map(({ path }) => path),
      )
      assert.ok(handle.snapshot().totalDown < 0.75 * bytesOf(made), `${handle.snapshot().totalDown} bytes were fetched`)
    })
  }
})

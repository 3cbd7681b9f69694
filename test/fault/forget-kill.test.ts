// kill -9 of a node that drops pieces of a film that is watched and forgotten, between its records and the disk, and
// after the disk: what it claims after the restart is there, every byte it serves is right, and what the records have
// forgotten takes no room.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTestFolder, writeContent, writeTorrent } from '../kit/content/content-on-disk.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { nativeMissing } from '../kit/native-hashes.ts'
import { addDownload, downloadComplete, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { projectRoot } from '../kit/project-root.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const MIB = 2 ** 20
const SIZE = 40 * MIB
const PIECE = 256 * 1024
const BOUND = 2 * MIB
/** Calls of the system at which it is killed (test/kit/doubles/killing-disk.c). */
const CALLS = ['punched film.mkv', 'punch film.mkv']

/** The pieces that a node claims. */
async function claimed(node: NodeProcess, infoHash: string): Promise<number[]> {
  const record = await downloadUntil(
    node,
    infoHash,
    ({ status }) => status === 'DLSTATUS_DOWNLOADING',
    60_000,
    '?get_pieces=1',
  )
  const bits = Buffer.from(record.pieces ?? '', 'base64')
  return Array.from({ length: SIZE / PIECE }, (_, i) => i).filter(i => ((bits[i >> 3] ?? 0) & (0x80 >> (i & 7))) !== 0)
}

test('kill -9 between the records and the disk', { skip: needs('gcc') || nativeMissing, timeout: 180_000 }, async t => {
  const folder = await makeTestFolder()
  const nodes: NodeProcess[] = []
  t.after(async () => {
    for (const node of nodes) await node.stop()
    await folder.remove()
  })
  const library = join(folder.path, 'kill.so')
  execFileSync('gcc', ['-shared', '-fPIC', '-o', library, join(projectRoot, 'test/kit/doubles/killing-disk.c'), '-ldl'])
  const made = makeTorrent({ name: 'film.mkv', length: SIZE, pieceLength: PIECE })
  const home = await folder.sub('seeded')
  await writeContent(made, home, 'film.mkv')
  const seeder = await startNode({ settings: { 'libtorrent.interface': '127.0.0.2' } })
  nodes.push(seeder)
  await downloadComplete(seeder, await addDownload(seeder, await writeTorrent(made, folder.path), home))
  const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const magnet = `magnet:?xt=urn:btih:${made.infoHash}&x.pe=127.0.0.2:${variables.ports['libtorrent~port']}`
  const [stateDir, place] = [await folder.sub('state'), await folder.sub('cache')]
  const [path, gate] = [join(place, 'film.mkv'), join(folder.path, 'gate')]
  const settings = { 'disk.watch_cache_bytes': BOUND }
  const stream = (node: NodeProcess, from: number, to: number) =>
    node.request('GET', `/downloads/${made.infoHash}/stream/0`, undefined, { range: `bytes=${from}-${to - 1}` })

  for (const call of CALLS) {
    rmSync(gate, { force: true })
    const doomed = await startNode({ stateDir, settings, env: { LD_PRELOAD: library, KILL_GATE: gate } })
    nodes.push(doomed)
    await addDownload(doomed, magnet, place, { watch_and_forget: true })
    await claimed(doomed, made.infoHash)
    assert.equal((await stream(doomed, 0, 4 * MIB)).status, 206)
    writeFileSync(gate, call)
    await stream(doomed, 4 * MIB, SIZE).catch(() => undefined)
    await waitFor(`${call}: the node dies there`, () => doomed.process.signalCode === 'SIGKILL', 12_000)

    const node = await startNode({ stateDir, settings })
    nodes.push(node)
    const pieces = await claimed(node, made.infoHash)
    const bytes = readFileSync(path)
    const right = pieces.filter(piece => {
      const [from, to] = [piece * PIECE, (piece + 1) * PIECE]
      const hash = (of: Uint8Array) => createHash('sha1').update(of.subarray(from, to)).digest('hex')
      return hash(bytes) === hash(made.content)
    })
    assert.deepEqual(right, pieces, `${call}: it claims what is not there`)
    assert.ok(pieces.length > 0, 'what was not dropped is still had')
    const room = () => statSync(path).blocks * 512
    await waitFor(`${call}: what was forgotten is given back`, () => room() <= pieces.length * PIECE + MIB, 20_000)
    const again = await stream(node, 2 * MIB, 12 * MIB)
    assert.ok(again.body.equals(made.content.subarray(2 * MIB, 12 * MIB)), `${call}: wrong bytes`)
    await node.stop()
  }
})

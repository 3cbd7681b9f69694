// The archive for arm64, run by qemu-user on another machine: it starts, fetches 64 MiB from a node that runs here,
// answers a range of the stream while they come, and stops. node dist/test/kit/runners/try-arm64.js ARCHIVE.tar.gz; MIB
// changes the size. Ends with 1 when bytes differ or a step takes too long. It needs qemu-user-static, and of a Debian
// for arm64 libc6 and libstdc++6 (packages libc6-arm64-cross, libstdc++6-arm64-cross).

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { makeTestFolder, type TestFolder, writeContent, writeTorrent } from '../content/content-on-disk.ts'
import { type MadeTorrent, makeTorrent } from '../content/make-torrent.ts'
import { addDownload, downloadComplete } from '../nodes/downloads-client.ts'
import { type NodeProcess, startNode } from '../nodes/node-process.ts'

const MIB = 2 ** 20
const SIZE = Number(process.env['MIB'] ?? 64) * MIB
const EMULATOR = '/usr/bin/qemu-aarch64-static'
/** Where Debian's cross compiler has the libraries of arm64. */
const LIBRARIES = '/usr/aarch64-linux-gnu'
const LIMIT_MS = 600_000
const NAME = 'film.mkv'

/** Seconds of what was done, in its order. */
const figures: [string, number][] = []

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const begin = performance.now()
  const result = await work()
  figures.push([what, (performance.now() - begin) / 1000])
  return result
}

function must(is: boolean, text: string): void {
  if (!is) throw new Error(text)
}

/** Starts the program of an unpacked archive; `$1` is the Node of this machine, which cannot run it. */
function startEmulated(place: string, stateDir: string): Promise<NodeProcess> {
  const command = `shift; exec "${EMULATOR}" -L "${LIBRARIES}" "${place}/runtime/node" "$@"`
  const cli = path.join(place, 'dist/src/bundle/tributary.cjs')
  return startNode({ prefix: ['sh', '-c', command, 'sh'], cli, stateDir })
}

async function startSeeder(made: MadeTorrent, folder: TestFolder): Promise<{ seeder: NodeProcess; magnet: string }> {
  const from = await folder.sub('from')
  await writeContent(made, from, NAME)
  const seeder = await startNode()
  await downloadComplete(seeder, await addDownload(seeder, await writeTorrent(made, folder.path), from))
  const { variables } = await seeder.get<{ variables: { ports: Record<string, number> } }>('/variables')
  const magnet = `magnet:?xt=urn:btih:${made.infoHash}&x.pe=127.0.0.1:${variables.ports['libtorrent~port']}`
  return { seeder, magnet }
}

async function readRange(node: NodeProcess, made: MadeTorrent): Promise<void> {
  const from = Math.floor(SIZE / 2)
  const headers = { range: `bytes=${from}-${from + MIB - 1}` }
  const reply = await node.request('GET', `/downloads/${made.infoHash}/stream/0`, undefined, headers)
  must(reply.status === 206, `the range was answered with ${reply.status}`)
  must(reply.body.equals(made.content.subarray(from, from + MIB)), 'the bytes of the range are not those of the file')
}

async function tryOut(place: string, folder: TestFolder): Promise<void> {
  const made = makeTorrent({ name: NAME, length: SIZE, pieceLength: MIB })
  const { seeder, magnet } = await startSeeder(made, folder)
  try {
    const node = await timed('start', () => startEmulated(place, path.join(folder.path, 'state')))
    const machine = execFileSync('readlink', [`/proc/${node.pid}/exe`], { encoding: 'utf8' })
    must(machine.includes('qemu-aarch64'), `it is not qemu that runs, but ${machine}`)
    const to = await folder.sub('to')
    await timed(`all of ${SIZE / MIB} MiB`, async () => {
      const infoHash = await addDownload(node, magnet, to)
      await timed('a range of 1 MiB in the middle', () =>
        node.until(`/downloads/${infoHash}/files`, () => true, LIMIT_MS).then(() => readRange(node, made)),
      )
      await downloadComplete(node, infoHash, LIMIT_MS)
    })
    must((await readFile(path.join(to, NAME))).equals(made.content), 'the file is not what was seeded')
    await timed('the whole file as a stream', async () => {
      const reply = await node.request('GET', `/downloads/${made.infoHash}/stream/0`)
      must(reply.status === 206, `the stream was answered with ${reply.status}`)
      must(reply.body.equals(made.content), `the stream is not the file but ${reply.body.length} other bytes`)
    })
    const { code, stderr } = await timed('stop', () => node.stop())
    must(code === 0, `it ended with ${code}: ${stderr}`)
  } finally {
    await seeder.stop()
  }
}

const [, , archive = ''] = process.argv
must(existsSync(EMULATOR), `missing: ${EMULATOR} (Debian: apt-get install qemu-user-static)`)
must(
  existsSync(`${LIBRARIES}/lib/libstdc++.so.6`),
  `missing: libraries of arm64 in ${LIBRARIES} (libstdc++6-arm64-cross)`,
)
const folder = await makeTestFolder()
try {
  const place = await folder.sub('program')
  execFileSync('tar', ['-xzf', path.resolve(archive), '-C', place, '--strip-components=1'])
  await tryOut(place, folder)
} finally {
  await folder.remove()
  for (const [what, seconds] of figures) process.stdout.write(`${what}: ${seconds.toFixed(1)} s\n`)
}

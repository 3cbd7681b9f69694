// Disks and stopping: a node is killed at drawn moments, its disk is full, read-only or silent, its files are replaced and
// cut under it, and each time it is told to end in the middle. What it answered holds, no wrong byte is served, and it ends
// within five seconds. Made from README, src/docs and /docs of a running node alone. Mounts need root.

import { spawnSync } from 'node:child_process'
import { renameSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addDownload, downloadComplete, downloadUntil } from '../kit/downloads-client.ts'
import { makeTestFolder, type TestFolder, writeTorrent } from '../kit/content-on-disk.ts'
import { type MadeTorrent, makeTorrent, seededBytes } from '../kit/make-torrent.ts'
import { type NodeProcess, startNode } from '../kit/node-process.ts'
import { makeStalledMount } from '../kit/stalled-mount.ts'
import { waitFor } from '../kit/wait-for.ts'
import { AnsweredCommands } from './answered-commands.ts'
import { ask } from './raw-request.ts'
import { runAttack, type Tally } from './tally.ts'

const SECONDS = Number(process.env['SECONDS'] ?? '100')
/** What README and src/docs/configuration.md promise, and what a busy machine may take beside it. */
const STOP_LIMIT_MS = 5500
/** Within this time after a change wrong bytes may be read (src/docs/security.md says a second). */
const NOTICE_MS = 2500
const PIECE = 65_536

/** What every scene has. */
interface Stage {
  readonly tally: Tally
  readonly folder: TestFolder
  readonly stateDir: string
  readonly made: MadeTorrent
  readonly torrent: string
}

/** True where the kernel itself holds a thread of the process (state D): no signal ends that. */
function heldByKernel(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-L', '-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.split('\n').some(line => line.startsWith('D'))
}

/** SIGTERM now: it must end in time with 0, or be held by the kernel; `free` gives the disk back to one that is held. */
async function endIt(tally: Tally, scene: string, node: NodeProcess, free = () => {}): Promise<void> {
  const start = performance.now()
  let held = false
  const look = setTimeout(() => {
    held = heldByKernel(node.pid)
    free()
  }, STOP_LIMIT_MS)
  const ended = await node.kill('SIGTERM')
  clearTimeout(look)
  const tookMs = Math.round(performance.now() - start)
  if (held) tally.note(`${scene}: the kernel held the process, ${tookMs} ms`)
  const told = () => `${tookMs} ms, ${ended.code} ${ended.signal}`
  tally.check(`${scene}: it ends in time`, held || (tookMs < STOP_LIMIT_MS && ended.code === 0), told)
  tally.check(
    `${scene}: nothing unhandled`,
    !/unhandled|uncaught/i.test(ended.stderr),
    () => /^.*(unhandled|uncaught).*$/im.exec(ended.stderr)?.[0],
  )
}

/** Reads drawn ranges of the download; bytes that are answered must be right unless `mayBeWrong`. */
async function readRanges(stage: Stage, node: NodeProcess, count: number, mayBeWrong = () => false): Promise<number> {
  const { tally, made } = stage
  const { content } = made
  let right = 0
  for (let at = 0; at < count; at++) {
    const from = tally.random.below(content.length)
    const to = Math.min(content.length - 1, from + tally.random.below(PIECE * 2))
    const headers = { 'x-api-key': node.key, range: `bytes=${from}-${to}` }
    const excused = mayBeWrong()
    const { status, bytes } = await ask(node.port, 'GET', `/downloads/${made.infoHash}/stream/0`, {
      headers,
      limitMs: 300,
    })
    if (status !== 206) continue
    const same = bytes.equals(content.subarray(from, from + bytes.length))
    if (same) right += bytes.length
    tally.check('no wrong byte is served', same || excused, () => `${from}-${to}: ${bytes.length} bytes`)
  }
  return right
}

async function peerPort(node: NodeProcess): Promise<number> {
  const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
  return variables.ports['libtorrent~port'] ?? 0
}

/** kill -9 at drawn moments under adds, changes, settings and deletions. */
async function kills({ tally, folder, stateDir }: Stage, endMs: number): Promise<void> {
  const commands = new AnsweredCommands(tally, await folder.sub('added'))
  let killed = 0
  for (; killed < 3 || performance.now() < endMs; killed++) {
    const node = await startNode({ stateDir })
    await commands.verify(node)
    const running = commands.run(node)
    await new Promise(resolve => setTimeout(resolve, 50 + tally.random.below(900)))
    await node.kill('SIGKILL')
    await running
  }
  const node = await startNode({ stateDir })
  await commands.verify(node)
  const running = commands.run(node)
  await new Promise(resolve => setTimeout(resolve, tally.random.below(400)))
  await endIt(tally, 'SIGTERM under commands', node)
  await running
  const after = await startNode({ stateDir })
  await commands.verify(after)
  await endIt(tally, 'an idle node', after)
  tally.note(`${killed} kills, ${commands.answered} answered commands`)
}

/** A download that comes in slowly from a node of ours into `to`, with `meanwhile` done to its disk. */
async function leechScene(
  stage: Stage,
  scene: string,
  to: string,
  meanwhile: (node: NodeProcess) => Promise<() => void>,
) {
  const { tally, folder, made, torrent } = stage
  const from = await folder.sub('from')
  writeFileSync(join(from, 'film.bin'), made.content)
  const seeder = await startNode({
    settings: { 'libtorrent.interface': '127.0.0.3', 'libtorrent.max_upload_rate': 2_000_000 },
  })
  const stateDir = await folder.sub(`state-${scene.replaceAll(/\W/g, '-')}`)
  try {
    await addDownload(seeder, torrent, from)
    await downloadComplete(seeder, made.infoHash)
    const node = await startNode({ stateDir, settings: { 'disk.min_free_bytes': 0 } })
    await addDownload(node, `magnet:?xt=urn:btih:${made.infoHash}&x.pe=127.0.0.3:${await peerPort(seeder)}`, to)
    await downloadUntil(node, made.infoHash, record => record.progress > 0.02, 20_000)
    const free = await meanwhile(node)
    await readRanges(stage, node, 6)
    await endIt(tally, scene, node, free)
    free()
    const again = await startNode({ stateDir, settings: { 'disk.min_free_bytes': 0 } })
    const { downloads } = await again.get<{ downloads: { infohash: string }[] }>('/downloads')
    tally.check(
      `${scene}: the download is there after it`,
      downloads.some(({ infohash }) => infohash === made.infoHash),
    )
    await readRanges(stage, again, 6)
    await endIt(tally, `${scene}, started again`, again)
  } finally {
    await seeder.stop()
  }
}

function mount(...args: string[]): void {
  const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`mount ${args.join(' ')}: ${stderr}`)
}

/** A disk that is too small, and one that becomes read-only. */
async function mountScenes(stage: Stage): Promise<void> {
  const small = await stage.folder.sub('small')
  mount('-t', 'tmpfs', '-o', 'size=3m', 'tributary-attack', small)
  try {
    await leechScene(stage, 'full disk', small, async node => {
      await downloadUntil(node, stage.made.infoHash, record => record.status === 'DLSTATUS_STOPPED_ON_ERROR', 20_000)
      return () => {}
    })
  } finally {
    spawnSync('umount', ['--lazy', small])
  }
  const readOnly = await stage.folder.sub('read-only')
  mount('-t', 'tmpfs', '-o', 'size=64m', 'tributary-attack', readOnly)
  try {
    await leechScene(stage, 'read-only disk', readOnly, async node => {
      const headers = { 'x-api-key': node.key, 'content-type': 'application/json' }
      const tell = (state: string) =>
        ask(node.port, 'PATCH', `/downloads/${stage.made.infoHash}`, { headers, body: JSON.stringify({ state }) })
      // While a file is open for writing the kernel refuses the change.
      await tell('stop')
      await downloadUntil(node, stage.made.infoHash, record => record.status === 'DLSTATUS_STOPPED', 10_000)
      const done = await waitFor(
        'a read-only mount',
        () => spawnSync('mount', ['-o', 'remount,ro', readOnly]).status === 0,
        3000,
      ).catch(() => false)
      if (!done) stage.tally.note('read-only disk: a file stayed open, the mount stayed writable')
      await tell('resume')
      return () => void spawnSync('mount', ['-o', 'remount,rw', readOnly])
    })
  } finally {
    spawnSync('umount', ['--lazy', readOnly])
  }
}

/** A disk that stops answering, with readers waiting for it. */
async function stalledScene(stage: Stage): Promise<void> {
  const stalled = await makeStalledMount(await stage.folder.sub('stalled'))
  try {
    await leechScene(stage, 'silent disk', stalled.path, async node => {
      stalled.stall()
      const start = performance.now()
      const state = await ask(node.port, 'GET', '/state', { headers: { 'x-api-key': node.key } })
      stage.tally.check('silent disk: /state is answered', state.status === 200, () => performance.now() - start)
      return () => stalled.recover()
    })
  } finally {
    stalled.recover()
    await stalled.remove()
  }
}

/** Files that are replaced, changed and cut while they are read. */
async function replacedScene(stage: Stage, endMs: number): Promise<void> {
  const { tally, folder, made, torrent } = stage
  const stateDir = await folder.sub('state-replaced')
  const path = join(await folder.sub('seeding'), 'film.bin')
  const other = seededBytes(made.content.length, 99)
  const harm: Record<string, () => void> = {
    replaced: () => (writeFileSync(`${path}.new`, other), renameSync(`${path}.new`, path)),
    'changed in place': () => writeFileSync(path, other, { flag: 'r+' }),
    cut: () => truncateSync(path, 100_000),
    'cut and grown': () => (truncateSync(path, 0), truncateSync(path, made.content.length)),
  }
  for (let round = 0; round < 4 || performance.now() < endMs; round++) {
    const name = Object.keys(harm)[round % 4] ?? ''
    writeFileSync(path, made.content)
    const node = await startNode({ stateDir })
    await addDownload(node, torrent, await folder.sub('seeding'))
    await ask(node.port, 'PATCH', `/downloads/${made.infoHash}`, {
      headers: { 'x-api-key': node.key, 'content-type': 'application/json' },
      body: '{"state":"recheck"}',
    })
    await downloadComplete(node, made.infoHash, 30_000)
    tally.check(`${name}: read well before`, (await readRanges(stage, node, 5)) > 0)
    harm[name]?.()
    const changed = performance.now()
    const early = () => performance.now() - changed < NOTICE_MS
    while (early()) await readRanges(stage, node, 5, early)
    await readRanges(stage, node, 10)
    const reading = readRanges(stage, node, 10)
    await endIt(tally, name, node)
    await reading
    if (name === 'changed in place')
      tally.check('nothing is written back', readFileSync(path).equals(Buffer.from(other)))
  }
}

await runAttack('disks and stopping', async tally => {
  const folder = await makeTestFolder()
  try {
    const made = makeTorrent({
      name: 'film.bin',
      length: 12 * 2 ** 20,
      pieceLength: PIECE,
      seed: 1 + tally.random.below(1e6),
    })
    const stage: Stage = {
      tally,
      folder,
      made,
      stateDir: await folder.sub('state'),
      torrent: await writeTorrent(made, folder.path),
    }
    const start = performance.now()
    await kills(stage, start + SECONDS * 400)
    await replacedScene(stage, start + SECONDS * 700)
    const root = process.getuid?.() === 0
    if (root) await mountScenes(stage)
    else tally.note('full and read-only disks left out: mounts need root')
    if (root && spawnSync('bindfs', ['--version']).status === 0) await stalledScene(stage)
    else tally.note('a silent disk left out: it needs root and bindfs')
  } finally {
    await folder.remove()
  }
})

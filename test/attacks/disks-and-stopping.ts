// Disks and stopping: a node is killed at drawn moments, its disk is full, read-only or silent, its files are replaced
// and cut under it, and each time it is stopped in the middle. What it answered holds, no wrong byte is served, and it
// ends within five seconds. Made from README, src/docs and /docs of a running node alone. Mounts need root.

import { spawnSync } from 'node:child_process'
import { readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addDownload, downloadComplete } from '../kit/nodes/downloads-client.ts'
import { makeTestFolder, writeTorrent } from '../kit/content/content-on-disk.ts'
import { makeTorrent, seededBytes } from '../kit/content/make-torrent.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { AnsweredCommands } from './answered-commands.ts'
import { mountScenes, stalledScene } from './harmed-disks.ts'
import { ask } from './raw-request.ts'
import { endIt, PIECE, readRanges, type Stage } from './stage.ts'
import { runAttack } from './tally.ts'

const SECONDS = Number(process.env['SECONDS'] ?? '100')
/** Within this time after a change wrong bytes may be read (src/docs/security.md says a second). */
const NOTICE_MS = 2500

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

// Disks that are too small, become read-only, or stop answering, under a download that is coming in.

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addDownload, downloadComplete, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { type NodeProcess, startNode } from '../kit/nodes/node-process.ts'
import { makeStalledMount } from '../kit/doubles/stalled-mount.ts'
import { waitFor } from '../kit/wait-for.ts'
import { ask } from './raw-request.ts'
import { endIt, readRanges, type Stage } from './stage.ts'

async function peerPort(node: NodeProcess): Promise<number> {
  const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
  return variables.ports['libtorrent~port'] ?? 0
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
export async function mountScenes(stage: Stage): Promise<void> {
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
export async function stalledScene(stage: Stage): Promise<void> {
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

// A node in a control group of 256 MiB, without swap and with one processor, for some minutes: 1,000 torrents seed at
// rest while three are downloaded from a local seeder again and again, the first of them read with five seeks as it
// comes. `make soak-small`; MINUTES, SEEDS, MIB (of each download) and LIMIT_MIB change how much. Ends with 1 when a
// program of the group was killed for memory, swap was used, bytes differed or a seed was lost.

import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { writeContent, writeTorrent } from '../content/content-on-disk.ts'
import { type MadeTorrent, makeTorrent } from '../content/make-torrent.ts'
import { addDownload, downloadComplete } from '../nodes/downloads-client.ts'
import { claimHosts } from '../nodes/loopback-hosts.ts'
import { type NodeProcess, startNode } from '../nodes/node-process.ts'
import { makeSmallGroup, type SmallGroup, smallGroupMissing } from '../nodes/small-group.ts'
import { LibtorrentPeer } from '../peers/libtorrent-peer.ts'
import { needs } from '../requirements.ts'

const MIB = 2 ** 20
const MINUTES = Number(process.env['MINUTES'] ?? 30)
const SEEDS = Number(process.env['SEEDS'] ?? 1000)
const DOWNLOAD_MIB = Number(process.env['MIB'] ?? 128)
const LIMIT_MIB = Number(process.env['LIMIT_MIB'] ?? 256)
/** Where the stream is read, parts of the file, one after the other. */
const SEEKS = [0, 0.5, 0.2, 0.8, 0.4, 0.95]
const READ_BYTES = 4 * MIB
const ADDED_AT_ONCE = 16

interface Place {
  readonly node: NodeProcess
  readonly folder: string
  readonly seeder: LibtorrentPeer
}

async function addSeeds(node: NodeProcess, folder: string): Promise<void> {
  const dir = path.join(folder, 'seeds')
  const numbers = Array.from({ length: SEEDS }, (_, number) => number).values()
  const lane = async () => {
    for (const number of numbers) {
      const name = `seed-${number}.bin`
      const made = makeTorrent({ name, length: 16_384, pieceLength: 16_384, seed: 1000 + number })
      await writeContent(made, dir, name)
      await addDownload(node, `file:${await writeTorrent(made, folder)}`, dir)
    }
  }
  await Promise.all(Array.from({ length: ADDED_AT_ONCE }, lane))
  await node.until<{ downloads: { status: string }[] }>(
    '/downloads',
    ({ downloads }) => downloads.filter(each => each.status === 'DLSTATUS_SEEDING').length === SEEDS,
    120_000,
  )
}

/** Reads the file of the download at each place, while it comes; throws when bytes differ. */
async function stream(node: NodeProcess, made: MadeTorrent): Promise<void> {
  for (const part of SEEKS) {
    const from = Math.floor(part * (made.content.length - READ_BYTES))
    const headers = { range: `bytes=${from}-${from + READ_BYTES - 1}` }
    const reply = await node.request('GET', `/downloads/${made.infoHash}/stream/0`, undefined, headers)
    const right = made.content.subarray(from, from + READ_BYTES)
    if (reply.status !== 206 || !reply.body.equals(right)) throw new Error(`the stream at ${from}: ${reply.status}`)
  }
}

/** Downloads all at once and removes them with their files. */
async function playRound({ node, folder, seeder }: Place, films: readonly MadeTorrent[]): Promise<void> {
  const to = path.join(folder, 'to')
  for (const { infoHash } of films)
    await addDownload(node, `magnet:?xt=urn:btih:${infoHash}&x.pe=${seeder.ip}:${seeder.port}`, to)
  const [first] = films
  await Promise.all([
    ...films.map(({ infoHash }) => downloadComplete(node, infoHash, 600_000)),
    ...(first === undefined ? [] : [stream(node, first)]),
  ])
  for (const { infoHash } of films) await node.request('DELETE', `/downloads/${infoHash}`, { remove_data: true })
}

function say(group: SmallGroup, rounds: number, begunMs: number): void {
  const { peakMiB, anonMiB, swapMiB, oomKills } = group.figures()
  const seconds = ((performance.now() - begunMs) / 1000).toFixed(0)
  const memory = `peak ${peakMiB.toFixed(0)} MiB of ${LIMIT_MIB} with page cache, ${anonMiB.toFixed(0)} MiB without`
  console.log(`${seconds} s, round ${rounds}: ${memory}, swap ${swapMiB.toFixed(0)} MiB, killed ${oomKills}`)
  if (oomKills > 0 || swapMiB > 0) process.exitCode = 1
}

async function soak(place: Place, group: SmallGroup): Promise<void> {
  const names = ['a.bin', 'b.bin', 'c.bin']
  const films = names.map((name, i) => makeTorrent({ name, length: DOWNLOAD_MIB * MIB, pieceLength: MIB, seed: 7 + i }))
  const from = path.join(place.folder, 'from')
  for (const [i, made] of films.entries()) {
    await writeContent(made, from, names[i] ?? '')
    const torrent = await writeTorrent(made, place.folder)
    await place.seeder.complete(await place.seeder.add({ torrent, dir: from, seed_mode: true }))
  }
  await addSeeds(place.node, place.folder)
  const begunMs = performance.now()
  say(group, 0, begunMs)
  for (let round = 1; round === 1 || performance.now() - begunMs < MINUTES * 60_000; round++) {
    await playRound(place, films)
    say(group, round, begunMs)
  }
  const { downloads } = await place.node.get<{ downloads: { status: string }[] }>('/downloads')
  const seeding = downloads.filter(each => each.status === 'DLSTATUS_SEEDING').length
  console.log(`${seeding} of ${SEEDS} seeds at the end`)
  if (seeding !== SEEDS) process.exitCode = 1
}

async function main(): Promise<void> {
  const hosts = await claimHosts()
  // Not in memory: files of a tmpfs would be charged to the group.
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tributary-small-'))
  const group = makeSmallGroup(LIMIT_MIB)
  const seeder = await LibtorrentPeer.start(hosts.next())
  const settings = { 'libtorrent.interface': hosts.next() }
  const stateDir = path.join(folder, 'state')
  try {
    const node = await startNode({ settings, asUsers: true, stateDir, prefix: group.prefix })
    try {
      await soak({ node, folder, seeder }, group)
    } finally {
      await node.stop()
    }
  } finally {
    await seeder.stop()
    group.remove()
    await rm(folder, { recursive: true, force: true })
    await hosts.release()
  }
}

const missing = smallGroupMissing() ?? (needs('libtorrent') || null)
if (missing === null) await main()
else console.log(`skipped: ${missing}`)

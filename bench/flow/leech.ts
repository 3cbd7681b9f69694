// Leech: one torrent from one libtorrent seeder, at full speed. Our node and libtorrent take turns in the same run; every
// byte is verified by the clients and compared at the end. Usage: leech [MiB] [pieceKiB] [rounds].

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { differences, makeTestFolder, writeContent, writeTorrent } from '../../test/kit/content-on-disk.ts'
import { addDownload, downloadComplete } from '../../test/kit/downloads-client.ts'
import { LibtorrentPeer } from '../../test/kit/libtorrent-peer.ts'
import { claimHosts, type LoopbackHosts } from '../../test/kit/loopback-hosts.ts'
import { type MadeTorrent, makeTorrent } from '../../test/kit/make-torrent.ts'
import { type LoopDelay, startMeasuredNode } from '../lib/measured-node.ts'
import { type ProcessCost, processCost } from '../lib/process-cost.ts'
import { median, report, round } from '../lib/report.ts'

const [mib = 1024, pieceKiB = 1024, rounds = 3] = process.argv.slice(2).map(Number)
const NAME = 'leech.bin'

interface Run {
  readonly seconds: number
  readonly cost: ProcessCost
  readonly loop: LoopDelay | null
}

interface Place {
  readonly hosts: LoopbackHosts
  readonly folder: string
  readonly torrent: string
  readonly made: MadeTorrent
  readonly seeder: LibtorrentPeer
}

async function ours(place: Place, round_: number): Promise<Run> {
  const home = join(place.folder, `ours-${round_}`)
  const measured = await startMeasuredNode(home, { 'libtorrent.interface': place.hosts.next() })
  const before = processCost(measured.node.pid).cpuSec
  measured.resetLoopDelay()
  const begin = performance.now()
  const magnet = `magnet:?xt=urn:btih:${place.made.infoHash}&x.pe=${place.seeder.ip}:${place.seeder.port}`
  await addDownload(measured.node, magnet, home)
  await downloadComplete(measured.node, place.made.infoHash)
  const seconds = (performance.now() - begin) / 1000
  const cost = processCost(measured.node.pid)
  const loop = await measured.stop()
  await check(place, home)
  return { seconds, cost: { ...cost, cpuSec: cost.cpuSec - before }, loop }
}

async function libtorrent(place: Place, round_: number): Promise<Run> {
  const home = join(place.folder, `lt-${round_}`)
  const peer = await LibtorrentPeer.start(place.hosts.next())
  const before = processCost(peer.pid).cpuSec
  const begin = performance.now()
  const id = await peer.add({ torrent: place.torrent, dir: home, peers: [[place.seeder.ip, place.seeder.port]] })
  await peer.complete(id)
  const seconds = (performance.now() - begin) / 1000
  const cost = processCost(peer.pid)
  await peer.stop()
  await check(place, home)
  return { seconds, cost: { ...cost, cpuSec: cost.cpuSec - before }, loop: null }
}

async function check(place: Place, home: string): Promise<void> {
  const wrong = await differences(place.made, home, NAME)
  if (wrong.length > 0) throw new Error(`the download differs: ${wrong.join(', ')}`)
  await rm(home, { recursive: true })
}

function row(name: string, runs: readonly Run[]): Record<string, string | number> {
  const gib = mib / 1024
  const loops = runs.flatMap(run => (run.loop ? [run.loop] : []))
  return {
    client: name,
    'MB/s': round(median(runs.map(run => (mib * 1.048576) / run.seconds)), 0),
    'CPU-s/GiB': round(median(runs.map(run => run.cost.cpuSec / gib))),
    'peak RSS MiB': round(median(runs.map(run => run.cost.peakRssMiB)), 0),
    'loop p99 ms': loops.length > 0 ? round(median(loops.map(loop => loop.p99)), 1) : '',
    'loop max ms': loops.length > 0 ? round(Math.max(...loops.map(loop => loop.max)), 1) : '',
  }
}

async function main(): Promise<void> {
  process.env['TMPDIR'] = '/dev/shm'
  const hosts = await claimHosts()
  const folder = await makeTestFolder()
  const made = makeTorrent({ name: NAME, length: mib * 2 ** 20, pieceLength: pieceKiB * 1024 })
  const from = await folder.sub('seed')
  await writeContent(made, from, NAME)
  const torrent = await writeTorrent(made, folder.path)
  const seeder = await LibtorrentPeer.start(hosts.next())
  await seeder.complete(await seeder.add({ torrent, dir: from, seed_mode: true }))
  const place = { hosts, folder: folder.path, torrent, made, seeder }
  const runs: { ours: Run[]; lt: Run[] } = { ours: [], lt: [] }
  for (let turn = 0; turn < rounds; turn++) {
    runs.lt.push(await libtorrent(place, turn))
    runs.ours.push(await ours(place, turn))
  }
  await seeder.stop()
  await folder.remove()
  await hosts.release()
  const rows = [row('tributary', runs.ours), row('libtorrent', runs.lt)]
  const [mine, rival] = rows.map(entry => ({ rate: Number(entry['MB/s']), cpu: Number(entry['CPU-s/GiB']) }))
  const ratio = {
    client: 'ratio',
    'MB/s': round((mine?.rate ?? 0) / (rival?.rate ?? 1)),
    'CPU-s/GiB': round((mine?.cpu ?? 0) / (rival?.cpu ?? 1)),
  }
  report(`leech ${mib} MiB, ${pieceKiB} KiB pieces, ${rounds} rounds`, [...rows, ratio])
}

await main()

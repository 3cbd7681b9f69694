// The kill switch, with packets counted by the kernel: bound to a device the node sends nothing elsewhere, with
// everything on that could, also while no route leads over the device; when the device's addresses go in the middle of
// a transfer nothing leaves at all, and it goes on when they return (decisions 0282, 0300). The other end is
// libtorrent.

import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import {
  differences,
  makeTestFolder,
  type TestFolder,
  writeContent,
  writeTorrent,
} from '../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete, downloadRecord, downloadUntil } from '../kit/nodes/downloads-client.ts'
import { type FarLibtorrent, startFarLibtorrent } from '../kit/peers/far-libtorrent.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { needs } from '../kit/requirements.ts'
import { makeTwoHosts, type TwoHosts } from '../kit/nodes/two-hosts.ts'
import { waitFor } from '../kit/wait-for.ts'
import { connectedIps, DEAD_TRACKERS, magnetOf, peerPort, silent, withNode } from '../kit/nodes/watched-node.ts'

const MIB = 1024 * 1024
const NAME = 'bound.bin'
/** Bytes/s at which the transfer is still going on when the test acts. */
const SLOW = MIB

describe('bound to a device', {
  skip: needs('netns', 'libtorrent', 'nft', 'nsenter', 'ss'),
  concurrency: 1,
}, () => {
  let hosts: TwoHosts
  let folder: TestFolder
  /** One is reached by uTP over IPv4, the other by TCP over IPv6. */
  let seeds: FarLibtorrent[] = []
  let made: MadeTorrent
  let round = 0

  before(async () => {
    folder = await makeTestFolder()
  })
  beforeEach(async () => {
    round += 1
    hosts = await makeTwoHosts()
    made = makeTorrent({ name: NAME, length: 48 * MIB, pieceLength: MIB, announce: DEAD_TRACKERS.map(url => [url]) })
    const from = await folder.sub(`seed-${round}`)
    await writeContent(made, from, NAME)
    const torrent = await writeTorrent(made, folder.path)
    seeds = []
    for (const ip of [hosts.tunnelIps[4], hosts.tunnelIps[6]]) {
      const seed = await startFarLibtorrent(hosts, ip)
      seeds.push(seed)
      await seed.call('add', { torrent, dir: from, seed_mode: true, upload_limit: SLOW })
    }
    await seeds[0]?.call('settings', { settings: { enable_incoming_utp: true } })
  })
  afterEach(async () => {
    for (const seed of seeds) await seed.stop()
    await hosts?.stop()
  })
  after(() => folder?.remove())

  const magnet = (): string => {
    const peers = [`${hosts.tunnelIps[4]}:${seeds[0]?.port}`, `[${hosts.tunnelIps[6]}]:${seeds[1]?.port}`]
    return magnetOf(made.infoHash, peers, DEAD_TRACKERS)
  }
  const counted = (): number => hosts.packets('outside') + hosts.packets('inside')
  const outside = (): number => hosts.packets('outside')

  test('the addresses go and return in the middle of a transfer', { timeout: 180_000 }, async () => {
    const to = await folder.sub(`node-${round}`)
    await withNode(hosts, { 'libtorrent.interface': 'tun9' }, async node => {
      const infoHash = await addDownload(node, magnet(), to)
      await downloadUntil(node, infoHash, record => record.total_down > 2 * MIB)
      await waitFor('both families', async () => (await connectedIps(node, infoHash)).length === 2)
      assert.ok(hosts.packets('inside') > 0)
      assert.equal(outside(), 0)
      hosts.loseAddresses()
      await silent(counted)
      // Not even a reset over IPv6.
      assert.equal(outside(), 0)
      const record = await downloadRecord(node, infoHash)
      assert.ok(record.progress < 1, 'the transfer was still going on')
      const left = await connectedIps(node, infoHash)
      assert.ok(!left.includes(hosts.tunnelIps[6]), 'the TCP connection was closed')
      const { reasons } = await node.get<{ reasons: { code: string }[] }>(`/downloads/${infoHash}/explain`)
      assert.ok(reasons.some(({ code }) => code === 'interface_gone'))
      const { variables } = await node.get<{
        variables: { network: { bound_to: string[]; kept_to_devices: boolean } }
      }>('/variables')
      assert.deepEqual([variables.network.bound_to, variables.network.kept_to_devices], [[], true])
      assert.equal(hosts.packets('strays'), 0)
      // A tunnel gets its addresses first and its routes after that. No socket of the node is concerned by what the
      // kernel then answers to the other end's retransmissions.
      hosts.returnAddresses()
      await silent(outside)
      hosts.returnRoutes()
      // The listener stands again, at its old port.
      const port = await peerPort(node)
      await waitFor('the transfer to go on', async () => {
        for (const seed of seeds) await seed.call('limit', { id: 0, upload: 0, download: 0 })
        await seeds[0]?.call('connect', { id: 0, ip: hosts.boundIp, port })
        return (await downloadRecord(node, infoHash)).total_down > record.total_down
      })
      await downloadComplete(node, infoHash)
      assert.deepEqual(await differences(made, to, NAME, true), [])
      assert.equal(outside(), 0)
    })
    cell('kill switch', 'other', 'packet counters, libtorrent at the other end')
  })

  test('a node whose device is not there sends nothing, and begins when it comes', { timeout: 180_000 }, async () => {
    hosts.loseAddresses()
    const to = await folder.sub(`node-${round}`)
    await withNode(hosts, { 'libtorrent.interface': 'tun9' }, async node => {
      const infoHash = await addDownload(node, magnet(), to)
      await silent(counted)
      hosts.returnAddresses()
      await silent(outside)
      hosts.returnRoutes()
      await downloadUntil(node, infoHash, record => record.total_down > 0)
      assert.equal(outside(), 0)
    })
  })

  test('the device keeps its addresses and loses its routes: nothing leaves elsewhere', {
    timeout: 180_000,
  }, async () => {
    const to = await folder.sub(`node-${round}`)
    await withNode(hosts, { 'libtorrent.interface': 'tun9' }, async node => {
      const infoHash = await addDownload(node, magnet(), to)
      await waitFor('both families', async () => (await connectedIps(node, infoHash)).length === 2)
      hosts.loseRoutes()
      await silent(outside)
      hosts.returnRoutes()
      const record = await downloadRecord(node, infoHash)
      await downloadUntil(node, infoHash, ({ total_down }) => total_down > record.total_down)
      assert.equal(outside(), 0)
    })
  })

  test('a list of devices and addresses, each with or without a port of its own', { timeout: 120_000 }, async () => {
    const list = `tun9,[fd78:2::1]:7002`
    await withNode(hosts, { 'libtorrent.interface': list }, async node => {
      const port = await peerPort(node)
      // Sockets of the device are bound to it, the address that was named by itself is not.
      const all = [`10.78.1.1%tun9:${port}`, `[fd78:1::1]%tun9:${port}`, '[fd78:2::1]:7002']
      /** Local addresses but those of the interface and of outgoing sockets. */
      const listening = (kind: 't' | 'u'): string[] => {
        const lines = hosts.run('near', 'ss', '-Hln', `-${kind}`).split('\n')
        const local = lines.map(
          line =>
            line
              .trim()
              .split(/\s+/)
              .find(word => /:\d+$/.test(word)) ?? '',
        )
        return local.filter(address => all.includes(address)).sort()
      }
      for (const kind of ['t', 'u'] as const) assert.deepEqual(listening(kind), all.toSorted(), kind)
      hosts.loseAddresses()
      await waitFor('the device to be given up', () => listening('t').length === 1 && listening('u').length === 1)
      assert.deepEqual(listening('t'), all.slice(2))
      hosts.returnAddresses()
      hosts.returnRoutes()
      await waitFor('all to listen again', () => listening('t').length === 3 && listening('u').length === 3)
    })
  })
})

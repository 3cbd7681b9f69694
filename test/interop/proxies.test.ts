// Behind a proxy nothing goes to anybody but the proxy: packets counted by the kernel, with everything on that could
// send. The proxies are dante (SOCKS5, TCP and UDP) and tinyproxy (HTTP), the other ends libtorrent and opentracker.
// Names are known to the proxies only.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
import { DEAD_TRACKERS, magnetOf, silent, withNode } from '../kit/nodes/watched-node.ts'

const MIB = 1024 * 1024
const NAME = 'proxied.bin'
/** Bytes/s at which the transfer is still going on when the test acts. */
const SLOW = 2 * MIB
const TRACKER_NAME = 'open.tracker.example.org'
const TRACKER_PORT = 6969
const DHT_NAME = 'dht.example.org'
/** Another address of the far host: a DHT wants more than one. */
const SECOND_IP = '10.78.3.2'

type Settings = Readonly<Record<string, string | number | boolean>>

/** A proxy in the far host: its settings in the node, and what starts it. */
interface Proxy {
  readonly settings: Settings
  start(): Promise<ChildProcess>
}

describe('behind a proxy', {
  skip: needs('netns', 'root', 'libtorrent', 'nft', 'nsenter', 'ss', 'danted', 'tinyproxy', 'opentracker'),
  concurrency: 1,
}, () => {
  let hosts: TwoHosts
  let folder: TestFolder
  let peer: FarLibtorrent
  let made: MadeTorrent
  let beside: () => number
  const running: ChildProcess[] = []
  let round = 0

  before(async () => {
    folder = await makeTestFolder()
  })
  beforeEach(async () => {
    round += 1
    hosts = await makeTwoHosts()
    beside = countBeside(hosts)
    made = makeTorrent({ name: NAME, length: 32 * MIB, pieceLength: MIB })
    peer = await startFarLibtorrent(hosts, hosts.farIp)
  })
  afterEach(async () => {
    for (const child of running.splice(0)) await endGroup(child)
    await peer?.stop()
    await hosts?.stop()
  })
  after(() => folder?.remove())

  /** Starts a program in the far host, where alone names are known. */
  const inFar = async (listens: RegExp, ...command: string[]): Promise<ChildProcess> => {
    const names = join(folder.path, 'hosts')
    await writeFile(names, `${hosts.farIp} ${TRACKER_NAME}\n${SECOND_IP} ${DHT_NAME}\n`)
    const script = 'mount --bind "$0" /etc/hosts && exec "$@"'
    const [program = '', ...rest] = [...hosts.prefix('far'), 'unshare', '-m', 'bash', '-c', script, names, ...command]
    // A group of its own: dante works in children of its own.
    const child = spawn(program, rest, { stdio: 'ignore', detached: true })
    running.push(child)
    await waitFor('the program to listen', () => listens.test(hosts.run('far', 'ss', '-Hltn')))
    return child
  }

  const dante = async (): Promise<Proxy> => {
    const file = join(folder.path, 'danted.conf')
    await writeFile(
      file,
      `internal: ${hosts.gatewayIp} port = 1080
external: ${hosts.gatewayIp}
clientmethod: none
socksmethod: none
user.privileged: root
user.unprivileged: root
client pass { from: 0.0.0.0/0 to: 0.0.0.0/0 }
socks pass { from: 0.0.0.0/0 to: 0.0.0.0/0 command: connect udpassociate }
socks pass { from: 0.0.0.0/0 to: 0.0.0.0/0 command: udpreply }
`,
    )
    return {
      settings: { 'libtorrent.proxy_type': 2, 'libtorrent.proxy_server': `${hosts.gatewayIp}:1080` },
      start: () => inFar(/:1080\b/, 'danted', '-f', file),
    }
  }

  const tinyproxy = async (): Promise<Proxy> => {
    const file = join(folder.path, 'tinyproxy.conf')
    const lines = ['Port 8888', `Listen ${hosts.gatewayIp}`, 'Timeout 600', 'MaxClients 100', 'Allow 0.0.0.0/0']
    await writeFile(file, [...lines, 'BasicAuth somebody secret', ''].join('\n'))
    return {
      settings: {
        'libtorrent.proxy_type': 5,
        'libtorrent.proxy_server': `${hosts.gatewayIp}:8888`,
        'libtorrent.proxy_auth': 'somebody:secret',
      },
      start: () => inFar(/:8888\b/, 'tinyproxy', '-d', '-c', file),
    }
  }

  const settingsOf = (proxy: Proxy): Settings => ({ 'libtorrent.interface': '', ...proxy.settings })
  const magnet = (): string => magnetOf(made.infoHash, [`${hosts.farIp}:${peer.port}`], DEAD_TRACKERS)

  /** The other side has all of it. */
  const seeding = async (limit: object): Promise<void> => {
    const from = await folder.sub(`seed-${round}`)
    await writeContent(made, from, NAME)
    const torrent = await writeTorrent(made, folder.path)
    await peer.call('add', { torrent, dir: from, seed_mode: true, ...limit })
  }

  for (const [name, make] of Object.entries({ dante, tinyproxy })) {
    test(`through ${name}; when it ends nothing leaves, and it goes on when it is back`, {
      timeout: 240_000,
    }, async () => {
      await seeding({ upload_limit: SLOW })
      const proxy = await make()
      const first = await proxy.start()
      const to = await folder.sub(`node-${round}`)
      await withNode(hosts, settingsOf(proxy), async node => {
        const infoHash = await addDownload(node, magnet(), to)
        await downloadUntil(node, infoHash, record => record.total_down > 2 * MIB)
        await endGroup(first)
        await silent(beside)
        assert.ok((await downloadRecord(node, infoHash)).progress < 1, 'the transfer was still going on')
        await proxy.start()
        await peer.call('limit', { id: 0, upload: 0, download: 0 })
        await downloadComplete(node, infoHash, 150_000)
        assert.equal(beside(), 0)
      })
      assert.deepEqual(await differences(made, to, NAME, true), [])
      noteCell(name, 'to node')
    })

    test(`uploads through ${name}`, { timeout: 120_000 }, async () => {
      const proxy = await make()
      await proxy.start()
      const torrent = await writeTorrent(made, folder.path)
      const theirs = await folder.sub(`leech-${round}`)
      await peer.call('add', { torrent, dir: theirs })
      const ours = await folder.sub(`node-${round}`)
      await writeContent(made, ours, NAME)
      await withNode(hosts, settingsOf(proxy), async node => {
        await addDownload(node, magnet(), ours)
        await waitFor(
          'all of it over there',
          async () => (await peer.call('status', { id: 0 }))['progress'] === 1,
          90_000,
        )
        assert.equal(beside(), 0)
      })
      assert.deepEqual(await differences(made, theirs, NAME, true), [])
      noteCell(name, 'from node')
    })
  }

  test('datagrams through dante: a tracker by name, and uTP alone', { timeout: 180_000 }, async () => {
    await peer.call('settings', { settings: { enable_incoming_utp: true, enable_incoming_tcp: false } })
    await seeding({})
    const proxy = await dante()
    await proxy.start()
    const root = await folder.sub(`tracker-${round}`)
    // It changes its root to this folder and becomes nobody.
    for (const path of [folder.path, root]) await chmod(path, 0o755)
    await writeFile(join(root, 'whitelist'), `${made.infoHash}\n`)
    const at = ['-i', hosts.farIp, '-p', `${TRACKER_PORT}`, '-P', `${TRACKER_PORT}`]
    await inFar(new RegExp(`:${TRACKER_PORT}\\b`), 'opentracker', ...at, '-d', root, '-w', 'whitelist')
    await peer.call('tracker', { id: 0, url: `udp://${hosts.farIp}:${TRACKER_PORT}/announce` })
    const to = await folder.sub(`node-${round}`)
    await withNode(hosts, settingsOf(proxy), async node => {
      const url = `udp://${TRACKER_NAME}:${TRACKER_PORT}/announce`
      const infoHash = await addDownload(node, magnetOf(made.infoHash, [], [url]), to)
      await downloadComplete(node, infoHash)
      assert.equal(beside(), 0)
    })
    assert.deepEqual(await differences(made, to, NAME, true), [])
  })

  test('the DHT through dante, its first node by name', { timeout: 180_000 }, async () => {
    hosts.run('far', 'ip', 'addr', 'add', `${SECOND_IP}/32`, 'dev', 'lo')
    const other = await startFarLibtorrent(hosts, SECOND_IP)
    try {
      const at = { 0: `${hosts.farIp}:${peer.port}`, 1: `${SECOND_IP}:${other.port}` }
      const dht = { enable_dht: true, dht_restrict_routing_ips: false, dht_restrict_search_ips: false }
      await other.call('settings', { settings: { ...dht, dht_bootstrap_nodes: at[0] } })
      await peer.call('settings', { settings: { ...dht, dht_bootstrap_nodes: at[1], enable_incoming_utp: true } })
      await seeding({})
      const proxy = await dante()
      await proxy.start()
      const to = await folder.sub(`node-${round}`)
      const bootstrap = `${DHT_NAME}:${other.port}`
      await withNode(hosts, { ...settingsOf(proxy), 'libtorrent.dht_bootstrap': bootstrap }, async node => {
        const infoHash = await addDownload(node, magnetOf(made.infoHash, [], []), to)
        await downloadComplete(node, infoHash)
        assert.equal(beside(), 0)
      })
      assert.deepEqual(await differences(made, to, NAME, true), [])
    } finally {
      await other.stop()
    }
  })
})

function noteCell(proxy: string, direction: 'to node' | 'from node'): void {
  const feature = proxy === 'dante' ? 'SOCKS5' : 'HTTP proxy'
  cell(feature, 'libtorrent', direction)
  cell(feature, 'other', direction)
}

/** Packets of near to anybody but the proxy, on any wire. */
function countBeside(hosts: TwoHosts): () => number {
  const rules = `table inet beside {
    counter beside { }
    chain out {
      type filter hook output priority 1; policy accept;
      oifname { "lo", "ctl1" } accept
      ip daddr ${hosts.gatewayIp} accept
      meta l4proto { tcp, udp } counter name beside
    }
  }`
  hosts.run('near', 'nft', rules)
  return () =>
    Number(/packets (\d+)/.exec(hosts.run('near', 'nft', 'list', 'counter', 'inet', 'beside', 'beside'))?.[1])
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  process.kill(-child.pid, 'SIGKILL')
  await ended
}

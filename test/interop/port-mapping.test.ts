// Port mapping with miniupnpd (Debian, nftables) as the gateway: this namespace is the home network, a second one the
// router, a third one the internet. Each protocol maps the port, renews it when the gateway has forgotten it, and
// closes it at the end; libtorrent and a DHT question from outside reach a whole node.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { SystemClock } from '../../src/io/clock.ts'
import { GatewayHttpClient } from '../../src/io/net/gateway-http-client.ts'
import { ProcGateways } from '../../src/io/net/proc-gateways.ts'
import { SystemRandom } from '../../src/io/random.ts'
import { DgramNetwork } from '../../src/io/net/udp-dgram.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { GatewayRoute } from '../../src/ports/gateway.ts'
import { PortMapper } from '../../src/portmap/mapper.ts'
import type { MappingClient } from '../../src/portmap/mapping-client.ts'
import { NatPmpClient } from '../../src/portmap/nat-pmp-client.ts'
import { PcpClient } from '../../src/portmap/pcp-client.ts'
import { UpnpClient } from '../../src/portmap/upnp-client.ts'
import {
  differences,
  makeTestFolder,
  type TestFolder,
  writeContent,
  writeTorrent,
} from '../kit/content/content-on-disk.ts'
import { type DaemonProcess, startDaemon } from '../kit/nodes/daemon-process.ts'
import { addDownload } from '../kit/nodes/downloads-client.ts'
import { startFarLibtorrent } from '../kit/peers/far-libtorrent.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { needs } from '../kit/requirements.ts'
import { silentLog } from '../kit/doubles/silent-log.ts'
import { waitFor } from '../kit/wait-for.ts'
import { peerPort } from '../kit/nodes/watched-node.ts'

const run = promisify(execFile)
const skip = needs('netns', 'root', 'ip', 'nft', 'unshare', 'nsenter', 'miniupnpd', 'libtorrent')

const HOME = '192.168.77.2'
const ROUTER = '192.168.77.1'
/** miniupnpd maps nothing when its outside address is a reserved one. */
const OUTSIDE = '11.22.33.44'
const STRANGER = '11.22.33.55'

const RULES = `table inet filter {
  chain miniupnpd { }
  chain prerouting_miniupnpd { }
  chain postrouting_miniupnpd { }
  chain forward { type filter hook forward priority 0; policy accept; jump miniupnpd; }
  chain prerouting { type nat hook prerouting priority -100; policy accept; jump prerouting_miniupnpd; }
  chain postrouting { type nat hook postrouting priority 100; policy accept; jump postrouting_miniupnpd; oifname "wan0" masquerade; }
}
`

const CONFIG = `ext_ifname=wan0
listening_ip=lan1
enable_natpmp=yes
enable_upnp=yes
secure_mode=yes
system_uptime=no
min_lifetime=120
max_lifetime=86400
upnp_table_name=filter
upnp_nat_table_name=filter
upnp_forward_chain=miniupnpd
upnp_nat_chain=prerouting_miniupnpd
upnp_nat_postrouting_chain=postrouting_miniupnpd
uuid=00000000-0000-4000-8000-000000000077
allow 1024-65535 192.168.77.0/24 1024-65535
deny 0-65535 0.0.0.0/0 0-65535
`

/** Long pauses are this much shorter: renewals come within seconds. */
const HASTE = 40
const LONG_MS = 10_000

const clock = new SystemClock()
const hasty: Clock = {
  now: () => clock.now(),
  wallMs: () => clock.wallMs(),
  after: (delayMs, then) => clock.after(delayMs < LONG_MS ? delayMs : delayMs / HASTE, then),
  every: (intervalMs, then) => clock.every(intervalMs, then),
}

/** A network namespace that lives as long as its process, which ends with this one. */
async function namespace(): Promise<ChildProcess> {
  const child = spawn('unshare', ['-n', 'cat'], { stdio: ['pipe', 'ignore', 'ignore'] })
  // The process is in its own namespace once it is no longer in ours.
  const own = (await run('readlink', ['/proc/self/ns/net'])).stdout
  await waitFor('a namespace', async () => {
    const link = await run('readlink', [`/proc/${child.pid}/ns/net`]).catch(() => null)
    return link !== null && link.stdout !== own
  })
  return child
}

function prefixOf(space: ChildProcess): [string, ...string[]] {
  return ['nsenter', '-t', String(space.pid), '-n', '--']
}

async function within(space: ChildProcess, command: string): Promise<string> {
  const [program, ...rest] = [...prefixOf(space), 'bash', '-c', command] as const
  return (await run(program, rest)).stdout
}

describe('port mapping by miniupnpd', { skip, concurrency: 1 }, () => {
  let router: ChildProcess
  let stranger: ChildProcess
  let daemon: DaemonProcess
  let folder: TestFolder
  let server: Server
  /** Of this process: others share the namespace. */
  const lan = `lan${process.pid}`

  const startGateway = async (): Promise<void> => {
    const files = ['-f', join(folder.path, 'config'), '-P', join(folder.path, 'pid')]
    const [program, ...rest] = [...prefixOf(router), 'miniupnpd', '-d', ...files] as const
    daemon = startDaemon(program, rest)
    await waitFor('miniupnpd to listen', async () => {
      daemon.assertRunning()
      return (await within(router, 'cat /proc/net/udp')).includes(':14E7')
    })
  }

  before(async () => {
    router = await namespace()
    stranger = await namespace()
    await run('ip', ['link', 'add', lan, 'type', 'veth', 'peer', 'name', 'lan1', 'netns', String(router.pid)])
    await run('ip', ['addr', 'add', `${HOME}/24`, 'dev', lan])
    await run('ip', ['link', 'set', lan, 'up'])
    await run('ip', ['route', 'add', 'default', 'via', ROUTER, 'dev', lan])
    await within(router, `ip link set lo up; ip addr add ${ROUTER}/24 dev lan1; ip link set lan1 up`)
    await within(router, `ip link add wan0 type veth peer name wan1 netns ${stranger.pid}`)
    await within(
      router,
      `ip addr add ${OUTSIDE}/24 dev wan0; ip link set wan0 up; echo 1 > /proc/sys/net/ipv4/ip_forward`,
    )
    await within(stranger, `ip link set lo up; ip addr add ${STRANGER}/24 dev wan1; ip link set wan1 up`)
    folder = await makeTestFolder()
    await writeFile(join(folder.path, 'rules'), RULES)
    await writeFile(join(folder.path, 'config'), CONFIG)
    await within(router, `nft -f ${folder.path}/rules`)
    await startGateway()
    server = createServer(socket => socket.end('hello from home'))
    await new Promise<void>(resolve => server.listen(0, HOME, resolve))
  })

  after(async () => {
    server?.close()
    await daemon?.stop()
    // Wires go with the namespaces of their other ends.
    for (const space of [router, stranger]) space?.kill('SIGKILL')
    await folder?.remove()
  })

  /** Where the gateway leads to this node, a rule each. */
  const rules = async (): Promise<string[]> =>
    (await within(router, 'nft list ruleset')).split('\n').filter(line => line.includes(`dnat ip to ${HOME}`))

  const udp = new DgramNetwork()
  const deps = { clock: hasty, udp, random: new SystemRandom(), http: new GatewayHttpClient() }

  const protocols: Record<MappingClient['name'], (route: GatewayRoute) => MappingClient> = {
    PCP: route => new PcpClient(route, deps),
    'NAT-PMP': route => new NatPmpClient(route, deps),
    UPnP: route => new UpnpClient(route, deps, { description: 'Tributary test' }),
  }

  for (const name of ['PCP', 'NAT-PMP', 'UPnP'] as const) {
    test(`${name}: from outside to the port, renewed after the gateway forgot it, and taken away`, {
      timeout: 90_000,
    }, async () => {
      const { port } = server.address() as AddressInfo
      const mapper = new PortMapper(
        { portAt: () => port, description: 'Tributary test', lifetimeSec: 120 },
        {
          ...deps,
          gateways: new ProcGateways(ip => ip === HOME),
          log: silentLog,
          changed: () => undefined,
          clientsFor: route => [protocols[name](route)],
        },
      )
      mapper.start()
      await waitFor(
        'both mappings',
        () => mapper.rows().length === 2,
        30_000,
        () => [mapper.problems(), daemon.output()],
      )
      const [row] = mapper.rows()
      assert.ok(row)
      assert.deepEqual([row.via, row.gateway, row.externalIp], [name, ROUTER, OUTSIDE])
      const reachAt = (at: number): string => `exec 3<>/dev/tcp/${OUTSIDE}/${at} && timeout 5 cat <&3`
      assert.equal(await within(stranger, reachAt(row.externalPort)), 'hello from home')
      await daemon.stop()
      await within(router, `nft flush ruleset; nft -f ${folder.path}/rules`)
      assert.deepEqual(await rules(), [])
      await startGateway()
      await waitFor('the renewal', async () => {
        const port = mapper.rows()[0]?.externalPort ?? 0
        return (await within(stranger, reachAt(port)).catch(() => '')) === 'hello from home'
      })
      // Also the second one is not being renewed just now.
      await waitFor('both again', async () => (await rules()).length === 2)
      await mapper.stop(5_000)
      assert.deepEqual(await rules(), [])
      await assert.rejects(within(stranger, reachAt(row.externalPort)))
      cell(name, 'other', 'miniupnpd')
    })
  }

  for (const [how, settings] of Object.entries({
    PCP: { natpmp: true, upnp: false },
    UPnP: { natpmp: false, upnp: true },
  })) {
    test(`a node behind the gateway is reached from outside, TCP and UDP (${how})`, { timeout: 120_000 }, async () => {
      const made = makeTorrent({ name: 'mapped.bin', length: 3_000_000, pieceLength: 256 * 1024 })
      const torrent = await writeTorrent(made, folder.path)
      const ours = await folder.sub(`node-${how}`)
      await writeContent(made, ours, 'mapped.bin')
      const node = await startNode({
        settings: {
          'libtorrent.interface': lan,
          'libtorrent.dht': true,
          'libtorrent.dht_bootstrap': '',
          'libtorrent.natpmp': settings.natpmp,
          'libtorrent.upnp': settings.upnp,
        },
      })
      const host = { prefix: () => prefixOf(stranger) }
      const leech = await startFarLibtorrent(host, STRANGER)
      try {
        await addDownload(node, torrent, ours)
        const port = await peerPort(node)
        await waitFor('both mappings', async () => (await rules()).length === 2)
        const theirs = await folder.sub(`stranger-${how}`)
        await leech.call('add', { torrent, dir: theirs, peers: [[OUTSIDE, port]] })
        await waitFor('all of it outside', async () => (await leech.call('status', { id: 0 }))['progress'] === 1)
        assert.deepEqual(await differences(made, theirs, 'mapped.bin', true), [])
        const ping = `d1:ad2:id20:${'x'.repeat(20)}e1:q4:ping1:t2:aa1:y1:qe`
        const ask = `exec 3<>/dev/udp/${OUTSIDE}/${port}; printf %s '${ping}' >&3; timeout 5 head -c 1 <&3`
        assert.equal(await within(stranger, ask), 'd')
        const { variables } = await node.get<{
          variables: { network: { mappings: { via: string; protocol: string; external_port: number }[] } }
        }>('/variables')
        const told = variables.network.mappings.map(row => [row.via, row.protocol, row.external_port])
        assert.deepEqual(told, [
          [how, 'tcp', port],
          [how, 'udp', port],
        ])
        // Addresses are not told at this level.
        assert.match(node.logs().stderr, new RegExp(`${how}.*"externalIp":"address-[0-9a-f]+".*port mapped`))
        assert.ok(!node.logs().stderr.includes(OUTSIDE))
      } finally {
        await leech.stop()
        await node.stop()
      }
      assert.deepEqual(await rules(), [])
    })
  }
})

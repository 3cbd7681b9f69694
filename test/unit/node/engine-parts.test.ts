// An engine that cannot start leaves nothing behind that runs.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { AddressPolicy } from '../../../src/io/net/address-policy.ts'
import { makeNetworkStack } from '../../../src/io/net/network-stack.ts'
import { networkOptions } from '../../../src/node/engine/network-options.ts'
import { type EngineDeps, startEngine } from '../../../src/node/engine/engine-parts.ts'
import { settingsSchema, type Settings } from '../../../src/node/settings/settings-schema.ts'
import { SharedArena } from '../../../src/pools/arena.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { makeTestFolder } from '../../kit/content/content-on-disk.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

/** All defaults, with the port and one list of addresses. */
function settingsWith(port: number, list: string): Settings {
  const sections = Object.entries(settingsSchema).map(([name, options]) => [
    name,
    Object.fromEntries(
      Object.entries(options).map(([option, spec]) => [option, (spec as { default: unknown }).default]),
    ),
  ])
  const values = Object.fromEntries(sections) as Settings
  return {
    ...values,
    libtorrent: { ...values.libtorrent, port, dht: false, lsd: false, upnp: false, natpmp: false },
    network: { ...values.network, ip_filter: [list] },
  }
}

test('a port that is taken: the watch on the lists of addresses ends with the start', { timeout: 20_000 }, async t => {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const list = join(folder.path, 'list.p2p')
  await writeFile(list, 'somebody:192.0.2.0-192.0.2.255\n')
  const other = createServer()
  other.listen(0, '::')
  await once(other, 'listening')
  t.after(() => other.close())
  const settings = settingsWith((other.address() as AddressInfo).port, list)
  const clock = new VirtualClock()
  const random = new SeededRandom(1)
  const policy = new AddressPolicy([])
  const stack = makeNetworkStack(networkOptions(settings.libtorrent), { clock, random, log: silentLog, policy })
  const deps = { clock, random, log: silentLog, policy, stack, additions: { hidden: [], anonymous: null } }
  const rangeArena = new SharedArena({ id: 'range', bytes: 1 << 20 })
  const rest = {
    rangeArena,
    values: { load: () => Promise.resolve(null) },
    contents: {},
    journal: {},
    events: {},
    volumes: {},
  }
  const starting = startEngine({ stateDir: folder.path, settings, version: '0' }, {
    ...deps,
    ...rest,
  } as unknown as EngineDeps)
  await assert.rejects(starting, { code: 'PortTaken' })
  assert.equal(clock.pending, 0, 'something waits for a time that nobody will end')
})

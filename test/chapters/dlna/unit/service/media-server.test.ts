// How listeners and announcers come and go with the interfaces, whatever fails.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import type { LanInterface } from '../../../../../src/chapters/dlna/ports/lan-interfaces.ts'
import { DeviceGrants } from '../../../../../src/chapters/dlna/service/device-grants.ts'
import { MediaServer } from '../../../../../src/chapters/dlna/service/media-server.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'
import { MadeDownloads } from '../../kit/made-downloads.ts'

const LAN: LanInterface = { name: 'eth0', ip: '192.168.1.2', bits: 24 }

interface Rig {
  readonly server: MediaServer
  readonly clock: VirtualClock
  /** What happened, in its order: `join`, `listen`, `closed`, `goodbye`, `left`. */
  readonly happened: string[]
  /** What fails. */
  fails: '' | 'interfaces' | 'join' | 'listen' | 'leave'
}

async function rig(fails: Rig['fails'] = ''): Promise<Rig> {
  const clock = new VirtualClock()
  const random = new SeededRandom(1)
  const file = { read: async () => null, write: async () => undefined }
  const grants = new DeviceGrants({ clock, random, file, log: silentLog })
  await grants.open()
  const happened: string[] = []
  const server = new MediaServer(
    { name: 'x', version: '1', port: 4000 },
    {
      clock,
      random,
      log: silentLog,
      grants,
      downloads: new MadeDownloads([]).service,
      listening: {
        listenFor: async ({ port }) => {
          happened.push('listen')
          if (found.fails === 'listen') throw new AppError('PortTaken')
          return { port, close: () => void happened.push('closed') }
        },
      },
      network: {
        join: async () => {
          happened.push('join')
          if (found.fails === 'join') throw new AppError('PortTaken')
          return {
            announce: async bytes => {
              if (Buffer.from(bytes).includes('byebye')) happened.push('goodbye')
            },
            send: () => undefined,
            close: async () => {
              if (found.fails === 'leave') throw new Error('it cannot be left')
              happened.push('left')
            },
          }
        },
      },
      post: async () => undefined,
      durations: async () => null,
      interfaces: () => {
        if (found.fails === 'interfaces') throw new Error('EMFILE')
        return [LAN]
      },
    },
  )
  const found: Rig = { server, clock, happened, fails }
  await server.start()
  return found
}

test('interfaces that cannot be seen for a while are said, and followed again; the end closes everything', async () => {
  const found = await rig('interfaces')
  assert.match(found.server.problem, /EMFILE/)
  found.fails = ''
  await found.clock.advance(15_000)
  assert.deepEqual([found.server.problem, found.server.interfaces.length], ['', 1])
  found.fails = 'interfaces'
  await found.clock.advance(60_000)
  assert.match(found.server.problem, /EMFILE/)
  assert.equal(found.server.interfaces.length, 1, 'what is served goes on')
  await found.server.stop()
  assert.ok(found.happened.includes('closed') && found.happened.includes('left'), found.happened.join())
})

test('nobody is answered any more when goodbye is said, and also when the group cannot be left', async () => {
  const found = await rig()
  await found.server.stop()
  assert.deepEqual(found.happened, ['join', 'listen', 'closed', ...Array.from({ length: 6 }, () => 'goodbye'), 'left'])
  const stuck = await rig('leave')
  await stuck.server.stop()
  assert.ok(stuck.happened.includes('closed'))
  assert.equal(stuck.clock.pending, 0)
})

test('where searches cannot be heard nothing listens, and it is tried less and less often', async () => {
  const found = await rig('join')
  assert.match(found.server.problem, /^eth0: /)
  await found.clock.advance(24 * 3_600_000)
  assert.equal(found.happened.indexOf('listen'), -1)
  const { length } = found.happened
  assert.ok(length >= 140 && length <= 160, `${length} tries a day`)
  found.fails = ''
  await found.clock.advance(600_000)
  assert.deepEqual([found.server.problem, found.server.interfaces.length], ['', 1])
  await found.server.stop()
})

test('a port that is taken is tried less and less often, and the group left each time without a word', async () => {
  const found = await rig('listen')
  await found.clock.advance(24 * 3_600_000)
  const count = (what: string): number => found.happened.filter(one => one === what).length
  assert.ok(count('listen') <= 160, `${count('listen')} tries a day`)
  assert.deepEqual([count('join'), count('goodbye')], [count('left'), 0])
  await found.server.stop()
})

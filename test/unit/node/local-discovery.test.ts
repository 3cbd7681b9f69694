// Which torrents the local network hears of, and which are woken by what it tells.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type InfoHash, parseInfoHash } from '../../../src/base/ids.ts'
import { type DiscoveredSession, discoveryOf } from '../../../src/node/engine/local-discovery.ts'
import type { TorrentHandle } from '../../../src/torrent/index.ts'
import { decodeLsdAnnounce, encodeLsdAnnounce, LSD_GROUPS } from '../../../src/wire/net/lsd.ts'
import { MemoryCable } from '../../kit/sim/memory-multicast.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const hash = (index: number): InfoHash => parseInfoHash((index + 1).toString(16).padStart(40, '0')) as InfoHash

type State = { announced: boolean; private: boolean | null; suspended: boolean }

/** A session of `count` torrents, all in `state`, and who was given peers. */
async function world(count: number, state: State) {
  const clock = new VirtualClock()
  const cable = new MemoryCable()
  const given: InfoHash[] = []
  const handles = new Map<InfoHash, TorrentHandle>()
  for (let index = 0; index < count; index += 1) {
    const infoHash = hash(index)
    const addPeers = (): void => {
      assert.ok(!handle.suspended, 'awake')
      given.push(infoHash)
    }
    const handle = {
      ...state,
      infoHash,
      wake: () => {
        handle.suspended = false
        return Promise.resolve({ addPeers })
      },
    }
    handles.set(infoHash, handle as unknown as TorrentHandle)
  }
  const session: DiscoveredSession = {
    listenPort: 6881,
    called: name => handles.get(name),
    list: () => handles.values(),
    namesOf: name => [name],
  }
  const multicast = cable.host({ 4: '192.168.0.1', 6: 'fd00::1' })
  const discovery = discoveryOf(session, { clock, random: new SeededRandom(1), log: silentLog, multicast })
  await discovery.start()
  const tell = (first: number, end: number): void => {
    const infoHashes = Array.from({ length: end - first }, (_, index) => hash(first + index))
    const bytes = encodeLsdAnnounce(4, { port: 7000, infoHashes, cookie: null })
    cable.send(LSD_GROUPS[4], bytes, { ip: '192.168.0.9', port: 6771 })
  }
  const told = (): InfoHash[] => {
    const announces = cable.sent.map(({ text }) => decodeLsdAnnounce(Buffer.from(text, 'latin1')))
    return announces.filter(({ port }) => port === session.listenPort).flatMap(({ infoHashes }) => infoHashes)
  }
  return { clock, discovery, given, tell, told }
}

test('a suspended seed is woken by a neighbour who takes part', async () => {
  const { clock, discovery, given, tell, told } = await world(1, { announced: true, private: false, suspended: true })
  assert.deepEqual([...new Set(told())], [hash(0)])
  tell(0, 1)
  await clock.advance(0)
  assert.deepEqual(given, [hash(0)])
  await discovery.stop()
})

test('torrents that are private, may be or do not run are not told of, and neither found', async () => {
  for (const state of [
    { announced: true, private: true, suspended: false },
    { announced: true, private: null, suspended: false },
    { announced: false, private: false, suspended: true },
  ]) {
    const { clock, discovery, given, tell, told } = await world(1, state)
    tell(0, 1)
    await clock.advance(10_000)
    assert.deepEqual([told(), given], [[], []])
    await discovery.stop()
  }
})

test('a neighbour with all our seeds wakes them little by little', async () => {
  const { clock, discovery, given, tell } = await world(40, { announced: true, private: false, suspended: true })
  tell(0, 20)
  tell(20, 40)
  await clock.advance(0)
  assert.equal(given.length, 20)
  await clock.advance(10_000)
  assert.ok(given.length > 20 && given.length < 25, `${given.length}`)
  await clock.advance(120_000)
  assert.equal(new Set(given).size, 40)
  await discovery.stop()
})

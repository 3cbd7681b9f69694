// TorrentAnnouncers: who is asked, when and with which event, in a world where only the test moves time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DueQueue } from '../../../src/tracker/due-queue.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { reply, settle, TrackerWorld } from './tracker-kit.ts'

const url = (host: string): string => `http://${host}/announce`

function statuses(world: { rows(): readonly { url: string; status: string }[] }): Record<string, string> {
  return Object.fromEntries(world.rows().map(row => [new URL(row.url).host, row.status]))
}

test('started is said once, then regular announces follow in the interval of the tracker', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply({ interval: 900, peers: Buffer.from([10, 0, 0, 1, 0x1a, 0xe1]) }))
  const torrent = world.create([[url('a')]])
  assert.deepEqual(statuses(torrent), { a: 'Not contacted yet' })
  torrent.start()
  await world.clock.advance(0)
  assert.deepEqual(world.http.events('a'), ['started'])
  const query = world.http.announces('a')[0]?.query
  assert.equal(query?.get('port'), '6881')
  assert.equal(query?.get('left'), '1000')
  assert.equal(query?.get('uploaded'), '0')
  assert.equal(query?.get('downloaded'), '0')
  assert.equal(query?.get('compact'), '1')
  assert.equal(query?.get('numwant'), '50')
  assert.match(query?.get('key') ?? '', /^[0-9a-f]{8}$/)
  assert.equal(query?.has('ip'), false)
  assert.deepEqual(world.peers, ['10.0.0.1:6881'])
  const row = { url: url('a'), status: 'Working', peers: 1, seeders: 3, leechers: 4, tier: 0, nextSec: 901 }
  assert.deepEqual(torrent.rows(), [row])
  await world.clock.advance(899_000)
  assert.deepEqual(world.http.events('a'), ['started'])
  await world.clock.advance(1_000)
  assert.deepEqual(world.http.events('a'), ['started', ''])
  assert.equal(world.http.announces('a')[1]?.query.get('key'), query?.get('key'))
})

test('what a tracker says of our address is passed on, and a partial seed says `paused`', async () => {
  const world = new TrackerWorld()
  const ip = '11:external ip4:\x01\x02\x03\x04'
  world.http.trackers.set('a', () => `d8:completei3e${ip}10:incompletei4e8:intervali900e5:peers0:e`)
  world.create([[url('a')]]).start()
  await world.clock.advance(0)
  assert.deepEqual(world.external, ['1.2.3.4 a'])
  world.partialSeed = true
  await world.clock.advance(900_000)
  world.partialSeed = false
  await world.clock.advance(900_000)
  assert.deepEqual(world.http.events('a'), ['started', 'paused', ''])
})

test('an interval of the tracker is held between one minute and one day', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('fast', () => reply({ interval: 1 }))
  world.http.trackers.set('slow', () => reply({ interval: 999_999_999 }))
  world.create([[url('fast')]]).start()
  world.create([[url('slow')]]).start()
  await world.clock.advance(59_000)
  assert.equal(world.http.announces('fast').length, 1)
  await world.clock.advance(1_000)
  assert.equal(world.http.announces('fast').length, 2)
  await world.clock.advance(86_400_000)
  assert.equal(world.http.announces('slow').length, 2)
})

test('announceSoon waits for the min interval, and not for the interval', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply({ interval: 1_800, min: 300 }))
  const torrent = world.create([[url('a')]])
  torrent.start()
  await world.clock.advance(10_000)
  torrent.announceSoon()
  await world.clock.advance(289_000)
  torrent.announceSoon()
  assert.equal(world.http.announces('a').length, 1)
  await world.clock.advance(1_000)
  assert.equal(world.http.announces('a').length, 2)
})

test('the next tier is asked only when every tracker of the tier before has failed', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('b', () => reply())
  world.http.trackers.set('c', () => reply())
  const torrent = world.create([[url('a'), url('b')], [url('c')]])
  torrent.start()
  await world.clock.advance(0)
  assert.deepEqual(world.http.events('b'), ['started'])
  assert.deepEqual(world.http.events('c'), [])
  assert.equal(statuses(torrent)['c'], 'Not contacted yet')
  world.http.trackers.delete('b')
  await world.clock.advance(1_800_000)
  assert.deepEqual(world.http.events('c'), ['started'])
  assert.deepEqual(statuses(torrent), {
    a: 'Error: the connection was refused',
    b: 'Error: the connection was refused',
    c: 'Working',
  })
})

test('the order within a tier is shuffled, and the tracker that answers moves to the front', async () => {
  const hosts = Array.from({ length: 12 }, (_, i) => `t${i}`)
  const world = new TrackerWorld()
  world.http.trackers.set('t7', () => reply())
  const torrent = world.create([hosts.map(url), [url('other')]])
  assert.notDeepEqual(torrent.tiers()[0], hosts.map(url))
  assert.deepEqual(torrent.tiers()[0]?.toSorted(), hosts.map(url).toSorted())
  assert.notEqual(torrent.tiers()[0]?.[0], url('t7'))
  torrent.start()
  await world.clock.advance(0)
  assert.equal(torrent.tiers()[0]?.[0], url('t7'))
  assert.deepEqual(torrent.tiers()[1], [url('other')])
  world.http.seen.length = 0
  await world.clock.advance(1_800_000)
  assert.deepEqual(
    world.http.seen.map(seen => seen.host),
    ['t7'],
  )
})

test('a tier comes back when one of its trackers answers again', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('b', () => reply({ interval: 1_800 }))
  const torrent = world.create([[url('a')], [url('b')]])
  torrent.start()
  await world.clock.advance(0)
  assert.deepEqual(world.http.events('b'), ['started'])
  world.http.trackers.set('a', () => reply())
  await world.clock.advance(1_800_000)
  assert.deepEqual(world.http.events('a'), ['started', 'started'])
  assert.deepEqual(world.http.events('b'), ['started'])
})

test('completed goes once to every tracker that heard started, and to no other', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply())
  world.http.trackers.set('b', () => reply())
  const torrent = world.create([[url('a')], [url('b')], [url('c')]])
  torrent.start()
  await world.clock.advance(0)
  world.http.trackers.delete('a')
  await world.clock.advance(1_800_000)
  assert.deepEqual(world.http.events('b'), ['started'])
  world.http.trackers.set('a', () => reply())
  world.left = 0
  torrent.completed()
  torrent.completed()
  await world.clock.advance(0)
  assert.deepEqual(world.http.events('a'), ['started', '', 'completed'])
  assert.deepEqual(world.http.events('b'), ['started', 'completed'])
  assert.deepEqual(world.http.events('c'), [])
  assert.equal(world.http.announces('b')[1]?.query.get('left'), '0')
  torrent.completed()
  await world.clock.advance(7_200_000)
  assert.equal(world.http.events('a').filter(event => event === 'completed').length, 1)
  assert.equal(world.http.events('b').filter(event => event === 'completed').length, 1)
})

test('a completed that failed is said again, one that came before started is not', async () => {
  const world = new TrackerWorld()
  world.left = 0
  world.http.trackers.set('a', () => reply())
  const torrent = world.create([[url('a')]])
  torrent.start()
  await world.clock.advance(0)
  world.http.trackers.set('a', query => (query.get('event') === 'completed' ? 'down' : reply()))
  torrent.completed()
  await world.clock.advance(0)
  world.http.trackers.set('a', () => reply())
  await world.clock.advance(60_000)
  assert.deepEqual(world.http.events('a'), ['started', 'completed', 'completed'])

  const late = world.create([[url('late')]])
  late.start()
  await world.clock.advance(0)
  late.completed()
  world.http.trackers.set('late', () => reply())
  await world.clock.advance(1_830_000)
  assert.deepEqual(world.http.events('late').slice(0, 3), ['started', 'started', ''])
})

test('stopped goes once to every tracker that heard started, and stop settles', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply())
  world.http.trackers.set('b', () => reply())
  const torrent = world.create([[url('a')], [url('b')], [url('c')]])
  torrent.start()
  await world.clock.advance(0)
  world.http.trackers.delete('a')
  await world.clock.advance(1_800_000)
  world.http.trackers.set('a', () => reply())
  const stopped = torrent.stop(5_000)
  assert.equal(torrent.stop(5_000), stopped)
  await world.clock.advance(0)
  await stopped
  assert.deepEqual(world.http.events('a'), ['started', '', 'stopped'])
  assert.deepEqual(world.http.events('b'), ['started', 'stopped'])
  assert.deepEqual(world.http.events('c'), [])
  assert.equal(world.http.announces('b')[1]?.query.get('numwant'), '0')
  await world.clock.advance(86_400_000)
  assert.equal(world.http.announces('b').length, 2)
  await torrent.stop(1_000)
  assert.equal(world.http.announces('b').length, 2)
})

test('stop waits a moment for a started on its way, and no longer than its deadline for anything', async () => {
  const world = new TrackerWorld({ stopGraceMs: 500 })
  world.http.trackers.set('silent', () => 'silent')
  const torrent = world.create([[url('silent')]])
  torrent.start()
  await world.clock.advance(0)
  let settled = false
  void torrent.stop(5_000).then(() => {
    settled = true
  })
  await world.clock.advance(499)
  assert.equal(settled, false)
  await world.clock.advance(1)
  assert.equal(settled, true)
  assert.deepEqual(world.http.events('silent'), ['started'])

  world.http.trackers.set('deaf', query => (query.get('event') === 'stopped' ? 'silent' : reply()))
  const other = world.create([[url('deaf')]])
  other.start()
  await world.clock.advance(0)
  settled = false
  void other.stop(5_000).then(() => {
    settled = true
  })
  await world.clock.advance(4_999)
  assert.equal(settled, false)
  await world.clock.advance(1)
  assert.equal(settled, true)
})

test('a torrent that is started again says started again', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply())
  const torrent = world.create([[url('a')]])
  torrent.start()
  await world.clock.advance(0)
  const stopped = torrent.stop(5_000)
  torrent.start()
  await world.clock.advance(0)
  await stopped
  await world.clock.advance(0)
  assert.deepEqual(world.http.events('a'), ['started', 'stopped', 'started'])
})

test('failures are asked again in growing pauses, with jitter, up to a bound', async () => {
  const world = new TrackerWorld({ backoffBaseSec: 10, backoffMaxSec: 1_000 })
  const torrent = world.create([[url('a')]])
  const times: number[] = []
  world.http.trackers.set('a', () => {
    times.push(world.clock.now())
    return 'down'
  })
  torrent.start()
  await world.clock.advance(10_000_000)
  const pauses = times.slice(1).map((time, i) => (time - (times[i] ?? 0)) / 1_000)
  for (const [i, pause] of pauses.entries()) {
    const least = Math.min(1_000, 10 * 2 ** i)
    assert.ok(pause >= least && pause <= least * 1.25 + 0.1, `pause ${i} is ${pause}`)
  }
  assert.ok(
    pauses.some(pause => pause % 10 !== 0),
    'no jitter',
  )
})

test('a failure reason stands in the row; retry in is honoured, also never', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => 'd14:failure reason8:not here8:retry ini30ee')
  world.http.trackers.set('b', () => 'd14:failure reason4:away8:retry in5:nevere')
  world.http.trackers.set('c', () => '<html>no</html>')
  const a = world.create([[url('a')]])
  const b = world.create([[url('b')]])
  const c = world.create([[url('c')]])
  for (const torrent of [a, b, c]) torrent.start()
  await world.clock.advance(1_790_000)
  assert.equal(a.rows()[0]?.status, 'Error: not here')
  assert.equal(c.rows()[0]?.status, 'Error: the tracker answered with a web page')
  assert.deepEqual([a.rows()[0]?.failure, c.rows()[0]?.failure], ['refused', 'unanswered'])
  assert.equal(world.http.announces('a').length, 1)
  await world.clock.advance(86_400_000)
  assert.ok(world.http.announces('a').length > 10)
  assert.equal(world.http.announces('b').length, 1)
})

test('an announce without counts is followed by a scrape; a tracker without scrape is not asked twice', async () => {
  const world = new TrackerWorld()
  const scrape =
    'd5:filesd20:\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\u0001d8:completei11e10:downloadedi1e10:incompletei22eeee'
  world.http.trackers.set('a', (_, path) => (path === '/scrape' ? scrape : reply({ counts: false })))
  world.http.trackers.set('b', (_, path) => (path === '/scrape' ? 'down' : reply({ counts: false })))
  const torrent = world.create([[url('a')]])
  const other = world.create([[url('b')]])
  torrent.start()
  other.start()
  await world.clock.advance(0)
  assert.deepEqual([torrent.rows()[0]?.seeders, torrent.rows()[0]?.leechers], [11, 22])
  assert.equal(other.rows()[0]?.status, 'Working')
  await world.clock.advance(1_800_000)
  assert.equal(world.http.seen.filter(seen => seen.host === 'b' && seen.path === '/scrape').length, 1)
})

test('a tracker id goes back with every further announce to that tracker', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply({ extra: '10:tracker id3:x y' }))
  world.create([[url('a')]]).start()
  await world.clock.advance(1_800_000)
  assert.equal(world.http.announces('a')[0]?.query.has('trackerid'), false)
  assert.equal(world.http.announces('a')[1]?.query.get('trackerid'), 'x y')
})

test('unusable URLs are rows with an error and never asked', async () => {
  const world = new TrackerWorld()
  const torrent = world.create([['wss://a/announce', 'no url', 'http://']])
  torrent.start()
  await world.clock.advance(86_400_000)
  assert.deepEqual(world.http.seen, [])
  for (const row of torrent.rows()) assert.equal(row.status, 'Error: this kind of tracker is not supported')
  assert.equal(torrent.rows().length, 3)
})

test('nothing is announced before the port is known', async () => {
  const world = new TrackerWorld()
  world.announcers.setListenPort(0)
  world.http.trackers.set('a', () => reply())
  world.create([[url('a')]]).start()
  await world.clock.advance(60_000)
  assert.deepEqual(world.http.seen, [])
  world.announcers.setListenPort(7_000)
  await world.clock.advance(0)
  assert.equal(world.http.announces('a')[0]?.query.get('port'), '7000')
})

test('trackers added later are new tiers, known ones are not added, and are asked at once when none works', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('b', () => reply())
  const torrent = world.create([[url('a')]])
  torrent.start()
  await world.clock.advance(0)
  assert.deepEqual(torrent.addTiers([[url('a'), url('b')], [url('b')]]), [url('b')])
  assert.deepEqual(torrent.tiers(), [[url('a')], [url('b')]])
  await world.clock.advance(0)
  assert.deepEqual(world.http.events('b'), ['started'])
})

test('announces at once are bounded, in all and for one host, and all get their turn', async () => {
  const world = new TrackerWorld({ maxRunning: 5, maxPerHost: 3 })
  world.http.trackers.set('a', () => reply())
  for (let i = 0; i < 40; i++) world.create([[url('a')]]).start()
  await world.clock.advance(0)
  assert.equal(world.http.peak, 3)
  assert.equal(world.http.announces('a').length, 40)
  for (let i = 0; i < 40; i++) {
    world.http.trackers.set(`h${i}`, () => reply())
    world.create([[url(`h${i}`)]]).start()
  }
  await world.clock.advance(0)
  assert.equal(world.http.peak, 5)
  assert.equal(new Set(world.http.seen.map(seen => seen.host)).size, 41)
})

test('a thousand idle torrents wait on one timer', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply())
  const torrents = Array.from({ length: 1_000 }, () => world.create([[url('a')]]))
  for (const torrent of torrents) torrent.start()
  while (world.http.announces('a').length < 1_000 || world.http.running > 0) await world.clock.advance(0)
  await settle()
  assert.equal(world.clock.pending, 1)
  await world.announcers.close()
  assert.equal(world.clock.pending, 0)
})

test('seeds that begin in turn do not begin in step', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply())
  world.wanted = 0
  for (let i = 0; i < 200; i++) world.create([[url('a')]]).start()
  await world.clock.advance(0)
  // Fifty a second: every 20 ms if they were in step.
  const phases = new Set<number>()
  for (let ms = 0; ms < 1000; ms += 4) {
    const before = world.http.announces('a').length
    await world.clock.advance(4)
    if (world.http.announces('a').length > before) phases.add(ms % 20)
  }
  assert.ok(phases.size > 2, [...phases].join(' '))
  await world.announcers.close()
})

test('2,000 seeds of one tracker: begun in turn, eight at a time, and who wants peers is not behind them', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply())
  world.wanted = 0
  const seeds = Array.from({ length: 2000 }, () => world.create([[url('a')]]))
  for (const seed of seeds) seed.start()
  await world.clock.advance(0)
  const atOnce = world.http.announces('a').length
  assert.ok(atOnce >= 40 && atOnce <= 60, `${atOnce} at once`)
  world.wanted = 50
  world.create([[url('a')]]).start()
  await world.clock.advance(0)
  assert.equal(world.http.announces('a').length, atOnce + 1)
  world.wanted = 0
  for (let second = 0; second < 38; second++) {
    const before = world.http.announces('a').length
    await world.clock.advance(1000)
    const begun = world.http.announces('a').length - before
    assert.ok(begun >= 40 && begun <= 60, `${begun} in one second`)
  }
  await world.clock.advance(3000)
  assert.equal(world.http.announces('a').length, 2001)
  assert.equal(world.http.peak, 8)
  const ends = seeds.map(seed => seed.stop(3000))
  for (let turn = 0; turn < 50; turn++) await settle()
  await world.clock.advance(3000)
  await Promise.all(ends)
  assert.equal(world.http.events('a').filter(event => event === 'stopped').length, 2000)
})

test('a tracker that is taken away hears stopped, and the others are asked', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply())
  world.http.trackers.set('b', () => reply())
  const torrent = world.create([[url('a')], [url('b')]])
  torrent.start()
  await world.clock.advance(0)
  assert.deepEqual(world.http.events('a'), ['started'])
  assert.deepEqual(world.http.events('b'), [])
  const { revision } = torrent
  assert.deepEqual(torrent.remove([url('a'), url('z')]), [url('a')])
  assert.ok(torrent.revision > revision)
  await world.clock.advance(0)
  assert.deepEqual(world.http.events('a'), ['started', 'stopped'])
  assert.deepEqual(world.http.events('b'), ['started'])
  assert.deepEqual(torrent.tiers(), [[url('b')]])
  assert.deepEqual(
    torrent.rows().map(row => row.url),
    [url('b')],
  )
  await world.clock.advance(7_200_000)
  assert.equal(world.http.announces('a').length, 2)
  // It can come back.
  assert.deepEqual(torrent.addTiers([[url('a')]]), [url('a')])
})

test('a tracker is taken away before the start, and the last one too', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply())
  const torrent = world.create([[url('a')]])
  assert.deepEqual(torrent.remove([url('a')]), [url('a')])
  torrent.start()
  await world.clock.advance(10_000)
  assert.deepEqual(world.http.announces('a'), [])
  assert.deepEqual(torrent.rows(), [])
  await torrent.stop(1000)
})

test('a forced announce goes out whatever the interval, to one or to all, and never before the min interval', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply({ interval: 1_800, min: 300 }))
  const torrent = world.create([[url('a')], [url('b')]])
  assert.equal(torrent.announceNow(null), 0)
  torrent.start()
  await world.clock.advance(1_000)
  assert.equal(torrent.announceNow([url('a')]), 0)
  assert.equal(torrent.announceNow(null), 1, 'the one that was never asked')
  await world.clock.advance(298_000)
  assert.equal(torrent.announceNow([url('a')]), 0)
  await world.clock.advance(1_000)
  assert.equal(torrent.announceNow([url('a')]), 1)
  await world.clock.advance(0)
  assert.deepEqual(world.http.events('a'), ['started', ''])
  assert.equal(torrent.announceNow([url('a')]), 0)
  assert.equal(world.http.announces('b').length, 1)
  assert.equal(torrent.announceNow([url('nobody')]), 0)
})

test('seeds that have told nobody yet end at once: no chance is drawn and no deadline kept for any', async t => {
  const world = new TrackerWorld()
  const drawn = t.mock.method(SeededRandom.prototype, 'bytes')
  world.http.trackers.set('a', () => reply({ interval: 900 }))
  world.wanted = 0
  const many = Array.from({ length: 200 }, () => world.create([[url('a')]]))
  for (const torrent of many) torrent.start()
  assert.equal(drawn.mock.callCount(), 0)
  const made = t.mock.method(DueQueue.prototype, 'create')
  await Promise.all(many.map(torrent => torrent.stop(1000)))
  assert.equal(made.mock.callCount(), 0)
  assert.equal(world.http.announces('a').length, 0)
})

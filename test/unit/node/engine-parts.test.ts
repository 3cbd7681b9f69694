// An engine that cannot start leaves nothing behind that runs, whichever of its stages fails.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { AddressPolicy } from '../../../src/io/net/address-policy.ts'
import { plainLanes } from '../../../src/io/files/volume-lanes.ts'
import { makeNetworkStack, type NetworkStack } from '../../../src/io/net/network-stack.ts'
import { parseInfoHash } from '../../../src/base/ids.ts'
import type {
  EngineAdditions,
  EngineSharing,
  FurtherEngines,
  HiddenTorrentsOfNode,
} from '../../../src/node/engine/engine-additions.ts'
import { noAnonymity } from '../../../src/node/engine/no-anonymity.ts'
import { networkOptions } from '../../../src/node/engine/network-options.ts'
import type { EngineDeps } from '../../../src/node/engine/engine-options.ts'
import { type EngineParts, startEngine } from '../../../src/node/engine/engine-parts.ts'
import { settingsSchema, type Settings } from '../../../src/node/settings/settings-schema.ts'
import { SharedArena } from '../../../src/pools/arena.ts'
import type { Timer } from '../../../src/ports/clock.ts'
import type { ContentSources } from '../../../src/ports/content-source.ts'
import type { Log } from '../../../src/ports/log.ts'
import type { NetworkPlace } from '../../../src/ports/network-place.ts'
import type { TcpNetwork } from '../../../src/ports/tcp.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { makeTestFolder } from '../../kit/content/content-on-disk.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { settle, VirtualClock } from '../../kit/sim/virtual-clock.ts'

/** All defaults without what looks around, with one list of addresses. */
function settingsWith(list: string): Settings {
  const sections = Object.entries(settingsSchema).map(([name, options]) => [
    name,
    Object.fromEntries(
      Object.entries(options).map(([option, spec]) => [option, (spec as { default: unknown }).default]),
    ),
  ])
  const values = Object.fromEntries(sections) as Settings
  return {
    ...values,
    libtorrent: { ...values.libtorrent, port: 0, dht_bootstrap: [], lsd: false, upnp: false, natpmp: false },
    network: { ...values.network, ip_filter: [list] },
  }
}

const broken = (): never => {
  throw new Error('on purpose')
}

/** Before the first save of the DHT's table: the last timer of a start. */
const FIRST_SAVE_MS = 30_000

/** A clock that gives no timer of that length. */
class RefusingClock extends VirtualClock {
  override after(delayMs: number, run: () => void): Timer {
    return delayMs === FIRST_SAVE_MS ? broken() : super.after(delayMs, run)
  }
}

/** What a stage that fails changes of the world. */
interface World {
  settings: Settings
  clock: VirtualClock
  stack: NetworkStack
  additions: EngineAdditions
  log: Log
  readonly folder: string
  readonly takenPort: number
}

const hidden: HiddenTorrentsOfNode = {
  folder: '/nowhere',
  owns: () => false,
  drop: () => Promise.resolve(),
  events: events => events,
  contents: contents => contents,
  attach: () => undefined,
}

/** Each stage of a start, the first ones first, and how it is made to fail. */
const stages: readonly (readonly [name: string, breakIt: (world: World) => void, error: object])[] = [
  [
    'memory for blocks',
    world => (world.settings = withValues(world, 'disk', { arena_bytes: Number.MAX_SAFE_INTEGER })),
    { name: 'RangeError' },
  ],
  ['piece workers', world => (world.log = logWithout('disk')), { message: 'on purpose' }],
  ['trackers', world => (world.log = logWithout('tracker')), { message: 'on purpose' }],
  ['the table of the DHT', world => (world.log = logWithout('dht')), { message: 'on purpose' }],
  ['the session', world => (world.additions = addition({ contents: broken })), { message: 'on purpose' }],
  ['torrents of the node itself', world => (world.additions = addition({ attach: broken })), { message: 'on purpose' }],
  ['engines over circuits', world => (world.additions = { hidden: [], anonymous: broken }), { message: 'on purpose' }],
  ['the IP filter', world => (world.settings = settingsWith(join(world.folder, 'none'))), { code: 'BadConfiguration' }],
  [
    'listening',
    world => (world.settings = withValues(world, 'libtorrent', { port: world.takenPort })),
    { code: 'PortTaken' },
  ],
  ['the swarm', world => (world.stack = { ...world.stack, place: unwatchable }), { message: 'on purpose' }],
  ['saving the table', world => (world.clock = new RefusingClock()), { message: 'on purpose' }],
]

const unwatchable: NetworkPlace = { localIp: () => '127.0.0.1', endpoints: () => [], watch: broken }

function addition(changes: Partial<HiddenTorrentsOfNode>): EngineAdditions {
  return { hidden: [{ ...hidden, ...changes }], anonymous: null }
}

function withValues<S extends 'disk' | 'libtorrent'>(world: World, section: S, values: Partial<Settings[S]>): Settings {
  return { ...world.settings, [section]: { ...world.settings[section], ...values } }
}

/** A log that fails when the part of that name asks for its own. */
function logWithout(part: string): Log {
  const log: Log = { ...silentLog, part: name => (name === part ? broken() : log) }
  return log
}

/** A world in which everything works, but for what `breakIt` changes of it. */
async function makeWorld(t: TestContext): Promise<World> {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const list = join(folder.path, 'list.p2p')
  await writeFile(list, 'somebody:192.0.2.0-192.0.2.255\n')
  const other = createServer()
  other.listen(0, '::')
  await once(other, 'listening')
  t.after(() => other.close())
  const settings = settingsWith(list)
  const clock = new VirtualClock()
  const policy = new AddressPolicy([])
  const options = networkOptions(settings.libtorrent)
  const stack = makeNetworkStack(options, { clock, random: new SeededRandom(1), log: silentLog, policy })
  const additions = { hidden: [hidden], anonymous: null }
  const { port: takenPort } = other.address() as AddressInfo
  return { settings, clock, stack, additions, log: silentLog, folder: folder.path, takenPort }
}

/** Of this process: what an engine may leave behind. */
function openResources(): string[] {
  return process.getActiveResourcesInfo().filter(name => /^(TCP|UDP|Timeout|FSEvent|StatWatcher)/.test(name))
}

/** The same, when handles that are closed already had some turns of the loop to go; `count`: as many are expected. */
async function openAfterTurns(count: number): Promise<string[]> {
  for (let turn = 0; turn < 20 && openResources().length > count; turn += 1) await settle()
  return openResources()
}

/** Starts the engine; a piece is hashed by a thread before it listens, so that a thread is there to be ended. */
function startIn(world: World): Promise<EngineParts> {
  const { clock, settings, folder, additions, stack, log } = world
  let contents: ContentSources | null = null
  const note: HiddenTorrentsOfNode = { ...hidden, attach: engine => void (contents = engine.contents) }
  const tcp: TcpNetwork = {
    connect: (...call) => stack.peers.tcp.connect(...call),
    async listen(at, accept) {
      if (contents !== null) await hashOne(contents, folder)
      return stack.peers.tcp.listen(at, accept)
    },
  }
  const peers = { ...stack.peers, tcp }
  const rest = {
    additions: { ...additions, hidden: [...additions.hidden, note] },
    random: new SeededRandom(1),
    policy: new AddressPolicy([]),
    rangeArena: new SharedArena({ id: 'range', bytes: 1 << 20 }),
    values: { get: () => Promise.resolve(null) },
    volumes: plainLanes(new VirtualClock()),
    contents: {},
    journal: {},
    events: {},
  }
  const deps = { ...rest, clock, log, stack: { ...stack, peers, local: null } } as unknown as EngineDeps
  return startEngine({ stateDir: folder, settings, version: '0' }, deps)
}

/** By a thread: the main one does no piece of that size. */
async function hashOne(contents: ContentSources, folder: string): Promise<void> {
  const length = 1 << 20
  const path = join(folder, 'content')
  await writeFile(path, new Uint8Array(length))
  const content = await contents.list(path, new AbortController().signal)
  const files = content.files.map(file => ({ ...file, offset: 0, index: 0, padding: false }))
  const one = content.hasher({ files, pieceLength: length, totalLength: length, sha1: true })
  await one.digest({ first: 0, count: 1, trees: [] })
  await one.close()
}

for (const [name, breakIt, error] of stages)
  test(`a start that fails at ${name} leaves nothing that runs`, { timeout: 20_000 }, async t => {
    const world = await makeWorld(t)
    breakIt(world)
    const threads = threadsFrom(t)
    const before = openResources()
    await assert.rejects(startIn(world), error)
    assert.equal(world.clock.pending, 0, 'something waits for a time that nobody will end')
    assert.deepEqual(await openAfterTurns(before.length), before)
    assert.deepEqual(threads.running(), [])
  })

test('a start with every stage well has a thread, sockets and timers, and its stop leaves none', async t => {
  const world = await makeWorld(t)
  const threads = threadsFrom(t)
  const before = openResources()
  const engine = await startIn(world)
  assert.ok(world.clock.pending > 0)
  assert.ok(openResources().length > before.length)
  assert.equal(threads.running().length, 1)
  await engine.stop(1_000)
  assert.equal(world.clock.pending, 0)
  assert.deepEqual(await openAfterTurns(before.length), before)
  assert.deepEqual(threads.running(), [])
})

test('engines over circuits share memory and limits, but not who makes way for films: their peers would see it', async t => {
  const world = await makeWorld(t)
  let share: EngineSharing['share'] | undefined
  const anonymous = (sharing: EngineSharing): FurtherEngines => {
    share = sharing.share
    return noAnonymity
  }
  world.additions = { hidden: [], anonymous }
  const engine = await startIn(world)
  await engine.stop(1_000)
  const own = engine.session.share
  assert.ok(share !== undefined)
  assert.ok(share.budget === own.budget && share.downLimiter === own.downLimiter)
  const film = parseInfoHash('1'.repeat(40)) ?? assert.fail()
  own.turns.tell(film, { levelSec: 0, need: 1, rate: 0 }, 0)
  assert.deepEqual([own.turns.active, share.turns.active], [true, false])
})

/** Threads made from here on that have not ended. */
function threadsFrom(t: TestContext): { running(): number[] } {
  const made: Worker[] = []
  const note = (worker: Worker): void => void made.push(worker)
  process.on('worker', note)
  t.after(() => process.off('worker', note))
  return { running: () => made.map(({ threadId }) => threadId).filter(id => id !== -1) }
}

// The overlay as the node has it: started once, when it is needed; a start that failed may be tried again; no event
// comes after the end. Its key is made once; peers of last time are read with care.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import { SystemRandom } from '../../../../../src/io/random.ts'
import { makeOverlayCrypto } from '../../../../../src/chapters/overlay/io/overlay-crypto.ts'
import { LateCircuits } from '../../../../../src/chapters/circuits/wiring/late-circuits.ts'
import { openOverlayKey, OVERLAY_KEY_FILE } from '../../../../../src/chapters/overlay/wiring/overlay-key.ts'
import { nothingRuns } from '../../../../../src/chapters/overlay/wiring/overlay-nothing.ts'
import { overlaysOptions, startsAtOnce } from '../../../../../src/chapters/overlay/wiring/overlay-options.ts'
import { OverlayParts } from '../../../../../src/chapters/overlay/wiring/overlay-parts.ts'
import { noRider } from '../../../../../src/chapters/overlay/wiring/overlay-rider.ts'
import { OverlayPeers, readSaved } from '../../../../../src/chapters/overlay/wiring/overlay-peers.ts'
import type { RunningOverlay } from '../../../../../src/chapters/overlay/wiring/overlay-start.ts'
import type { OverlaySettings } from '../../../../../src/chapters/overlay/wiring/settings-overlay.ts'
import { settingsTable } from '../../../../kit/all-settings.ts'
import type { CircuitEvent } from '../../../../../src/chapters/overlay/ports/overlay-facts.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

function settings(changes: Record<string, unknown> = {}): OverlaySettings {
  const sections = Object.entries(settingsTable).map(([name, section]) => [
    name,
    Object.fromEntries(
      Object.entries(section).map(([option, spec]) => [
        option,
        `${name}.${option}` in changes ? changes[`${name}.${option}`] : spec.default,
      ]),
    ),
  ])
  return Object.fromEntries(sections) as OverlaySettings
}

const removed = { kind: 'removed', reason: 'test' } as unknown as CircuitEvent

test('it starts once, at the first need; events come through; after the end none comes', async () => {
  let starts = 0
  let stops = 0
  let tell: (event: CircuitEvent) => void = () => undefined
  const running: RunningOverlay = {
    rider: noRider,
    communities: {
      open: () => {
        throw new RangeError('not asked for here')
      },
    },
    dht: { find: () => Promise.resolve([]), store: () => Promise.resolve(0), connect: () => Promise.resolve(null) },
    check: { verify: () => false },
    facts: {
      ...nothingRuns,
      running: true,
      runtimeS: () => 7,
      watch: happened => {
        tell = happened
        return () => (tell = () => undefined)
      },
    },
    stop: () => {
      stops++
      return Promise.resolve()
    },
  }
  const start = (): Promise<RunningOverlay> => {
    starts++
    return starts === 1 ? Promise.reject(new AppError('PortTaken', 'taken')) : Promise.resolve(running)
  }
  const parts = new OverlayParts({
    settings: () => settings(),
    log: silentLog,
    clock: new VirtualClock(),
    start,
  } as unknown as ConstructorParameters<typeof OverlayParts>[0])
  const seen: CircuitEvent[] = []
  parts.facts.watch(event => seen.push(event))
  assert.equal(parts.facts.running, false)
  await parts.startIfAsked(false)
  assert.equal(starts, 0)
  await assert.rejects(
    parts.open(),
    (error: AppError) => error.code === 'CircuitsUnavailable' && /taken/.test(error.message),
  )
  const [one, two] = await Promise.all([parts.open(), parts.open()])
  assert.equal(one, two)
  assert.equal(await parts.communities(), running.communities)
  const { communities, dht, check } = running
  assert.deepEqual(await parts.withDht(), { communities, dht, check })
  assert.equal(starts, 2)
  assert.equal(parts.facts.runtimeS(), 7)
  tell(removed)
  await parts.stop(1_000)
  tell(removed)
  assert.deepEqual(seen, [removed])
  assert.equal(stops, 1)
  assert.equal(parts.facts.running, false)
  await assert.rejects(parts.open(), (error: AppError) => error.code === 'CircuitsUnavailable')
})

test('circuits are made when somebody asks for them, and their events told from then on', () => {
  let made = 0
  let tell: (event: CircuitEvent) => void = () => undefined
  let stopped = 0
  const late = new LateCircuits(() => {
    made++
    const facts = { ...nothingRuns, candidates: () => ({ relays: 3, exits: 1 }) }
    const watch = (happened: typeof tell): (() => void) => {
      tell = happened
      return () => (tell = () => undefined)
    }
    const lane = () => Promise.reject(new AppError('CircuitsUnavailable'))
    return { circuits: { lane }, facts: { ...facts, watch }, stop: () => stopped++ }
  })
  const seen: CircuitEvent[] = []
  const end = late.facts.watch(event => seen.push(event))
  assert.deepEqual(late.facts.candidates(), { relays: 0, exits: 0 })
  assert.equal(made, 0)
  assert.throws(() => late.circuits, /not open/)
  late.open()
  const { circuits } = late
  late.open()
  assert.equal(late.circuits, circuits)
  assert.equal(made, 1)
  assert.equal(late.facts.candidates().relays, 3)
  tell(removed)
  end()
  tell(removed)
  assert.deepEqual(seen, [removed])
  late.stop()
  assert.equal(stopped, 1)
})

test('other overlays may run where circuits may not', async () => {
  const running = { communities: {}, facts: nothingRuns, stop: () => Promise.resolve() } as unknown as RunningOverlay
  const partsWith = (changes: Record<string, unknown>): OverlayParts =>
    new OverlayParts({
      settings: () => settings(changes),
      log: silentLog,
      clock: new VirtualClock(),
      start: () => Promise.resolve(running),
    } as unknown as ConstructorParameters<typeof OverlayParts>[0])
  const parts = partsWith({ 'tunnel_community.enabled': false })
  assert.equal(await parts.communities(), running.communities)
  await assert.rejects(parts.open(), /tunnel_community\.enabled/)
  await assert.rejects(partsWith({ 'ipv8.enabled': false }).communities(), /ipv8\.enabled/)
  await assert.rejects(partsWith({ 'ipv8.enabled': false }).withDht(), /ipv8\.enabled/)
  await parts.stop(1_000)
  await assert.rejects(parts.communities(), /stopping/)
})

test('settings forbid it, start it with the node, choose port and first addresses', () => {
  const parts = new OverlayParts({
    settings: () => settings({ 'dispersy.enabled': false }),
  } as unknown as ConstructorParameters<typeof OverlayParts>[0])
  assert.throws(
    () => parts.check(),
    (error: AppError) => error.code === 'CircuitsUnavailable' && /dispersy\.enabled/.test(error.message),
  )
  assert.ok(!startsAtOnce(settings()))
  assert.ok(
    startsAtOnce(settings({ 'ipv8.start': 'always' })) &&
      startsAtOnce(settings({ 'tunnel_community.exitnode_enabled': true })),
  )
  assert.ok(!startsAtOnce(settings({ 'ipv8.start': 'always', 'ipv8.enabled': false })))
  assert.deepEqual(overlaysOptions(settings()), { ip: null, port: 7759, bootstrap: null, stepMs: 500 })
  const chosen = {
    'dispersy.port': 4000,
    'ipv8.address': '127.0.0.1',
    'ipv8.bootstrap_override': 'a.example:1, 30.0.0.1:2',
  }
  const { ip, port, bootstrap } = overlaysOptions(settings(chosen))
  assert.deepEqual([ip, port], ['127.0.0.1', 4000])
  assert.deepEqual(bootstrap, [
    { host: 'a.example', port: 1 },
    { host: '30.0.0.1', port: 2 },
  ])
  assert.deepEqual(overlaysOptions(settings({ 'ipv8.bootstrap_override': ':', 'ipv8.port': -1 })).bootstrap, [])
})

test('the key is made once, for its owner alone; what is no key is not overwritten', async t => {
  const dir = await mkdtemp(join(os.tmpdir(), 'tributary-key-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  const crypto = makeOverlayCrypto(new SystemRandom())
  const first = await openOverlayKey(dir, crypto)
  const again = await openOverlayKey(dir, crypto)
  assert.deepEqual(again.publicKey, first.publicKey)
  const path = join(dir, OVERLAY_KEY_FILE)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  await writeFile(path, 'half a key')
  await assert.rejects(openOverlayKey(dir, crypto), (error: AppError) => error.code === 'StateUnreadable')
  assert.equal(await readFile(path, 'utf8'), 'half a key')
})

test('saved peers: only what can be an address is read; nobody known does not take the place of somebody', async () => {
  const id = 'ab'.repeat(20)
  const good = { ip: '30.0.0.1', port: 5 }
  const bad = [
    { ip: '224.0.0.1', port: 5 },
    { ip: 'x', port: 5 },
    { ip: '30.0.0.1', port: 0 },
    { ip: '30.0.0.1', port: 1.5 },
    null,
    7,
    {},
  ]
  assert.deepEqual(readSaved(JSON.stringify({ [id]: [...bad, good], nonsense: [good] })), { [id]: [good] })
  assert.deepEqual(readSaved('[]'), {})
  assert.deepEqual(readSaved('null'), {})
  let row: Uint8Array | null = Buffer.from('{"broken')
  let known: readonly (typeof good)[] = []
  const values = {
    get: () => Promise.resolve(row),
    set: (_key: string, value: Uint8Array) => {
      row = value
      return Promise.resolve()
    },
    getOrSet: (_key: string, value: Uint8Array) => Promise.resolve(value),
  }
  const clock = new VirtualClock()
  let asked = 0
  const peers = new OverlayPeers({
    clock,
    log: silentLog,
    values,
    peers: () => ({ [id]: known }),
    askAgain: () => asked++,
  })
  assert.deepEqual(await peers.load(), {})
  peers.start()
  known = [good]
  await clock.advance(31_000)
  assert.deepEqual(await peers.load(), { [id]: [good] })
  assert.equal(asked, 1)
  await clock.advance(60_000)
  assert.equal(asked, 3)
  known = []
  await peers.stop()
  assert.deepEqual(await peers.load(), { [id]: [good] })
  assert.equal(clock.pending, 0)
})

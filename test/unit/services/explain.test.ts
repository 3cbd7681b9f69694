// Why a download does not move: every code, and which comes first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TrackerRow } from '../../../src/ports/announcer.ts'
import type { CircuitFacts } from '../../../src/ports/overlay-network.ts'
import { conditionOf } from '../../../src/services/downloads/reasons/condition.ts'
import { explain } from '../../../src/services/downloads/reasons/explain.ts'
import { explainCodes } from '../../../src/services/downloads/reasons/explain-codes.ts'
import { type ExplainFacts, isMoving } from '../../../src/services/downloads/reasons/reasons.ts'
import type { NetworkTrouble } from '../../../src/torrent/index.ts'
import type {
  PeerSnapshot,
  TorrentObstacles,
  TorrentSnapshot,
  TorrentStatus,
  WebSeedRow,
} from '../../../src/torrent/types.ts'
import { NO_CONTROLS } from '../../../src/services/downloads/download-controls.ts'
import { idleWebSeed } from '../../../src/torrent/web-seeds/web-seed-row.ts'
import { noObstacles } from './service-doubles.ts'

const stored: ExplainFacts['stored'] = { userStopped: false, goalReached: false, movingTo: null, selectedFiles: null }
const seen = new Set<string>()
const NO_CIRCUITS: CircuitFacts = { candidates: 0, exits: 0, ready: 0, building: 0, lastFailure: null }

interface Told {
  readonly status: TorrentStatus
  readonly snapshot?: Partial<TorrentSnapshot>
  readonly peers?: readonly Partial<PeerSnapshot>[]
  readonly trackers?: readonly string[]
  readonly obstacles?: Partial<TorrentObstacles>
  readonly stored?: Partial<ExplainFacts['stored']>
  readonly moving?: boolean
  readonly webSeeds?: readonly WebSeedRow['state'][]
  readonly circuits?: Partial<CircuitFacts>
}

function factsOf(told: Told): ExplainFacts {
  const rows = (told.trackers ?? ['Working']).map(
    (status): TrackerRow => ({ url: 'http://t/', status, peers: 0, seeders: null, leechers: null }),
  )
  return {
    stored: { ...stored, ...told.stored },
    loadError: '',
    ...(told.circuits === undefined ? {} : { circuits: { ...NO_CIRCUITS, ...told.circuits } }),
    torrent: {
      snapshot: { downRate: 0, upRate: 0, ...told.snapshot, status: told.status } as TorrentSnapshot,
      peers: (told.peers ?? []) as PeerSnapshot[],
      trackers: rows,
      obstacles: { ...noObstacles, ...told.obstacles },
      moving: told.moving ?? false,
      webSeeds: (told.webSeeds ?? []).map(state => ({ ...idleWebSeed('http://a.test/'), state })),
    },
  }
}

function codes(facts: ExplainFacts): string[] {
  const reasons = explain(facts)
  for (const { code, message } of reasons) {
    assert.ok(message.startsWith(explainCodes[code as keyof typeof explainCodes]), message)
    seen.add(code)
  }
  return reasons.map(reason => reason.code)
}

const reasons = (told: Told): string[] => codes(factsOf(told))

const idle: Partial<PeerSnapshot> = { downInterested: false, downChoked: true, upInterested: false }
const choking: Partial<PeerSnapshot> = { ...idle, downInterested: true }
const silent: Partial<PeerSnapshot> = { ...choking, downChoked: false }

test('a download that is not loaded', () => {
  assert.deepEqual(codes({ stored, loadError: '', torrent: null }), ['loading'])
  assert.deepEqual(codes({ stored, loadError: 'broken', torrent: null }), ['load_failed'])
})

test('states that say it themselves', () => {
  assert.deepEqual(reasons({ status: 'stopped' }), ['stopped'])
  assert.deepEqual(reasons({ status: 'stopped', stored: { goalReached: true } }), ['seeding_goal_reached'])
  assert.deepEqual(reasons({ status: 'queued' }), ['queued'])
  assert.deepEqual(reasons({ status: 'error' }), ['failed'])
  assert.deepEqual(reasons({ status: 'error', obstacles: { waitsForSpace: true } }), ['disk_full'])
  const failing = { status: 'checking', obstacles: { diskRetries: true } } as const
  assert.deepEqual(reasons(failing), ['disk_errors', 'checking'])
  assert.deepEqual(reasons({ status: 'error', obstacles: { foreignFile: true } }), ['foreign_file'])
  assert.deepEqual(reasons({ status: 'waiting-check' }), ['waiting_for_check'])
  assert.deepEqual(reasons({ status: 'checking' }), ['checking'])
  assert.deepEqual(reasons({ status: 'allocating' }), ['allocating'])
  const moving = { status: 'checking', moving: true, stored: { movingTo: '/new' } } as const
  assert.deepEqual(reasons(moving), ['moving_storage', 'checking'])
  assert.deepEqual(reasons({ ...moving, moving: false }), ['checking'], 'it waits for another move')
})

test('a volume that does not answer comes before peers and trackers, and is named', () => {
  const stalled = (told: Told, stalledVolume: string | null) => explain({ ...factsOf(told), stalledVolume })
  const told: Told = { status: 'downloading', peers: [silent] }
  assert.deepEqual(
    stalled(told, null).map(({ code }) => code),
    ['peers_silent'],
  )
  const [reason, ...others] = stalled(told, '/mnt/films')
  assert.deepEqual([reason?.code, others], ['volume_stalled', []])
  assert.match(reason?.message ?? '', /does not answer.* mounted at \/mnt\/films\./)
  assert.deepEqual(
    stalled({ status: 'stopped' }, '/mnt/films').map(({ code }) => code),
    ['stopped'],
  )
  seen.add('volume_stalled')
})

test('nothing is in the way of one that moves', () => {
  const facts = factsOf({ status: 'downloading', snapshot: { downRate: 5 }, peers: [silent] })
  assert.deepEqual(codes(facts), [])
  assert.equal(isMoving(facts), true)
  assert.equal(isMoving(factsOf({ status: 'downloading' })), false)
  assert.deepEqual(reasons({ status: 'seeding', snapshot: { upRate: 5 } }), [])
})

test('nobody is connected: trackers first, then addresses', () => {
  const alone = (trackers: string[], obstacles: Partial<TorrentObstacles> = {}) =>
    reasons({ status: 'downloading', trackers, obstacles })
  assert.deepEqual(alone([]), ['no_trackers', 'no_peers_known'])
  assert.deepEqual(alone(['Error: refused', 'Error: timeout']), ['no_tracker_answers', 'no_peers_known'])
  assert.deepEqual(alone(['Error: refused'], { private: true }), ['private_without_tracker', 'no_peers_known'])
  assert.deepEqual(alone(['Updating', 'Error: x']), ['trackers_pending', 'no_peers_known'])
  assert.deepEqual(alone(['Working', 'Error: x']), ['no_peers_known'])
  assert.deepEqual(alone(['Working'], { addresses: 3, dialing: 1 }), ['connecting'])
  assert.deepEqual(alone(['Working'], { addresses: 3, allBlocked: true }), ['all_blocked'])
  assert.deepEqual(alone(['Working'], { addresses: 3, allBlocked: true, allFiltered: true }), ['all_filtered'])
  assert.deepEqual(alone(['Working'], { addresses: 3, connectionsFull: true }), ['connection_limit'])
  assert.deepEqual(alone(['Working'], { addresses: 3 }), ['nobody_reachable'])
  const refused = (encryption: 'require' | 'off') => alone(['Working'], { addresses: 3, encryption })
  assert.deepEqual(refused('require'), ['encryption_required', 'nobody_reachable'])
  assert.deepEqual(refused('off'), ['encryption_off', 'nobody_reachable'])
  const trouble = (networkTrouble: NetworkTrouble) => alone(['Error: x'], { addresses: 3, networkTrouble })
  assert.deepEqual(trouble('interface_gone'), ['interface_gone', 'no_tracker_answers', 'nobody_reachable'])
  assert.deepEqual(trouble('proxy_failing'), ['proxy_failing', 'no_tracker_answers', 'nobody_reachable'])
})

test('watched and forgotten: nothing is missing while nobody reads', () => {
  const facts = factsOf({ status: 'downloading', peers: [idle] })
  const forgets = { ...facts, stored: { ...facts.stored, controls: { ...NO_CONTROLS, watchAndForget: true } } }
  assert.deepEqual(codes(forgets), ['nobody_reads'])
  assert.deepEqual(codes({ ...forgets, beingRead: true }), ['nothing_offered'])
})

test('the DHT names peers like a tracker, rows of other sources do not', () => {
  const row = (url: string, status: string): TrackerRow => ({ url, status, peers: 0, seeders: null, leechers: null })
  const withRows = (rows: TrackerRow[]) => {
    const facts = factsOf({ status: 'downloading' })
    return codes({ ...facts, torrent: facts.torrent === null ? null : { ...facts.torrent, trackers: rows } })
  }
  assert.deepEqual(withRows([row('[DHT]', 'Working'), row('[PeX]', 'Working')]), ['no_peers_known'])
  assert.deepEqual(withRows([row('[DHT]', 'Disabled'), row('[PeX]', 'Working')]), ['no_trackers', 'no_peers_known'])
  const failing = [row('http://t/', 'Error: x'), row('[DHT]', 'Working'), row('[LSD]', 'Working')]
  assert.deepEqual(withRows(failing), ['no_tracker_answers', 'no_peers_known'])
})

test('connected peers that give nothing', () => {
  const downloading = (peers: Partial<PeerSnapshot>[], obstacles: Partial<TorrentObstacles> = {}) =>
    reasons({ status: 'downloading', peers, obstacles })
  assert.deepEqual(downloading([idle, idle]), ['nothing_offered'])
  assert.deepEqual(downloading([idle, choking]), ['all_choke'])
  assert.deepEqual(downloading([choking, silent]), ['peers_silent'])
  const missing = { piecesLeft: 4, piecesNobodyHas: 2 }
  assert.deepEqual(downloading([idle], missing), ['pieces_nobody_has', 'nothing_offered'])
  assert.deepEqual(downloading([silent], { downLimited: true }), ['rate_limited'])
  assert.deepEqual(downloading([silent], { makesWay: true }), ['makes_way'])
})

test('web seeds count when none of them gives anything', () => {
  const downloading = (...webSeeds: WebSeedRow['state'][]) => reasons({ status: 'downloading', trackers: [], webSeeds })
  assert.deepEqual(downloading('off', 'waiting'), ['web_seeds_failing', 'no_trackers', 'no_peers_known'])
  assert.deepEqual(downloading('off', 'active'), ['no_trackers', 'no_peers_known'])
})

test('a file that somebody changed comes first, and is named', () => {
  const changedFiles = [{ name: 'album/a.flac', change: 'cut' }] as const
  assert.equal(reasons({ status: 'seeding', obstacles: { changedFiles } })[0], 'file_changed')
  const [first] = explain(factsOf({ status: 'downloading', obstacles: { changedFiles } }))
  assert.equal(first?.message, `${explainCodes.file_changed} Changed: album/a.flac (cut).`)
})

test('a magnet and a seed', () => {
  assert.deepEqual(reasons({ status: 'metadata', trackers: [] }), [
    'waiting_for_metadata',
    'no_trackers',
    'no_peers_known',
  ])
  assert.deepEqual(reasons({ status: 'metadata', peers: [idle] }), ['waiting_for_metadata'])
  assert.deepEqual(reasons({ status: 'seeding', peers: [idle] }), ['nobody_interested'])
  assert.deepEqual(reasons({ status: 'seeding', stored: { selectedFiles: [] } }), [
    'nothing_selected',
    'nobody_interested',
  ])
  assert.deepEqual(reasons({ status: 'seeding', peers: [{ upInterested: true }], obstacles: { upLimited: true } }), [
    'rate_limited',
  ])
})

test('no circuit where one is needed comes first; one that moves needs none', () => {
  const status = 'downloading'
  const first = (circuits: Partial<CircuitFacts>, more: Partial<Told> = {}) => reasons({ status, circuits, ...more })[0]
  assert.equal(first({}), 'no_relays_known')
  assert.equal(first({ candidates: 2 }), 'no_exits_known')
  assert.equal(first({ candidates: 2, exits: 1 }), 'building_circuits')
  assert.equal(first({ candidates: 2, exits: 1 }, { status: 'seeding' }), 'building_circuits')
  assert.equal(first({ candidates: 2, exits: 1 }, { status: 'metadata' }), 'building_circuits')
  for (const one of [{ ready: 1 }, {}]) {
    const moving = one.ready === undefined ? { snapshot: { downRate: 5 } } : {}
    assert.ok(!reasons({ status, circuits: one, ...moving }).some(code => /relays|exits|circuits/.test(code)))
  }
  const failed = explain(factsOf({ status, circuits: { candidates: 1, exits: 1, lastFailure: 'no answer' } }))[0]
  assert.equal(failed?.message, `${explainCodes.building_circuits} The last failure: no answer`)
})

test('a tracker that refuses is told with its own words, and without the passkey', () => {
  const url = 'http://tracker.test:6969/0123456789abcdef/announce'
  const refusing = (words: string, more: Partial<TrackerRow> = {}): TrackerRow => {
    return {
      url,
      status: `Error: ${words}`,
      peers: 0,
      seeders: null,
      leechers: null,
      failure: 'refused',
      words,
      ...more,
    }
  }
  const told = (rows: TrackerRow[], more: Partial<Told> = {}) => {
    const facts = factsOf({ status: 'downloading', ...more })
    return { ...facts, torrent: facts.torrent === null ? null : { ...facts.torrent, trackers: rows } }
  }
  const words = 'Unregistered torrent or unknown passkey'
  const facts = told([refusing(words)], { obstacles: { private: true } })
  assert.deepEqual(codes(facts), ['tracker_refused', 'no_peers_known'])
  assert.equal(explain(facts)[0]?.message, `${explainCodes.tracker_refused} The tracker tracker.test said: ${words}`)
  const parameters = { tracker: 'tracker.test', words }
  assert.deepEqual(conditionOf(facts), { code: 'tracker_refused', trouble: true, parameters })
  assert.deepEqual(codes(told([refusing(words, { status: 'Updating' })])), ['tracker_refused', 'no_peers_known'])
  const repeated = conditionOf(told([refusing('no /0123456789abcdef/announce here')]))
  assert.equal(repeated?.parameters?.words, 'no /… here')
  const said = (address: string, text: string) =>
    conditionOf(told([refusing(text, { url: address })]))?.parameters?.words
  assert.equal(said(url, 'unknown passkey 0123456789abcdef'), 'unknown passkey /…')
  const asked = 'http://tracker.test/announce?passkey=fedcba9876543210&x=1'
  assert.equal(said(asked, '1 of fedcba9876543210'), '1 of /…')
  assert.equal(said(asked, 'not /announce?passkey=fedcba9876543210&x=1'), 'not /announce/…')
  assert.equal(conditionOf(told([refusing('é'.repeat(4000))]))?.parameters?.words, 'é'.repeat(120))
  const one = { ...refusing('time-out'), failure: 'unanswered' } as const
  assert.deepEqual(codes(told([one])), ['no_tracker_answers', 'no_peers_known'])
  assert.equal(conditionOf(told([one]))?.parameters?.words, 'time-out')
  const magnet = told([refusing(words)], { status: 'metadata' })
  assert.deepEqual(codes(magnet), ['tracker_refused', 'waiting_for_metadata', 'no_peers_known'])
  const seed = told([refusing(words)], { status: 'seeding', snapshot: { upRate: 9 }, obstacles: { private: true } })
  assert.equal(conditionOf(seed)?.code, 'tracker_refused', 'also while peers of before are served')
})

test('what a row says beside its status, and what is trouble', () => {
  const shown = (told: Told) => {
    const condition = conditionOf(factsOf(told))
    return condition === null ? '' : `${condition.code}${condition.trouble ? '!' : ''}`
  }
  const early = { quiet: false }
  assert.equal(shown({ status: 'downloading', peers: [silent], snapshot: { downRate: 5 } }), '')
  assert.equal(shown({ status: 'downloading', peers: [silent] }), 'peers_silent!')
  assert.equal(shown({ status: 'downloading', peers: [silent], obstacles: early }), '', 'it has just begun')
  assert.equal(shown({ status: 'downloading' }), 'no_peers_known!')
  assert.equal(shown({ status: 'downloading', obstacles: early }), 'no_peers_known')
  assert.equal(shown({ status: 'downloading', obstacles: { addresses: 1, dialing: 1 } }), 'connecting')
  assert.equal(shown({ status: 'metadata' }), 'waiting_for_metadata!')
  assert.equal(shown({ status: 'metadata', obstacles: early }), 'waiting_for_metadata')
  assert.equal(shown({ status: 'metadata', peers: [idle] }), 'waiting_for_metadata')
  assert.equal(shown({ status: 'downloading', circuits: { candidates: 2, exits: 1 } }), 'building_circuits')
  assert.equal(shown({ status: 'error', obstacles: { waitsForSpace: true } }), 'disk_full!')
  assert.equal(shown({ status: 'stopped' }), '')
  assert.equal(shown({ status: 'seeding', peers: [idle] }), '')
  assert.equal(shown({ status: 'seeding', trackers: [] }), '', 'a seed that nobody looks for is no trouble')
  assert.equal(shown({ status: 'seeding', trackers: ['Error: x'] }), 'no_tracker_answers!')
  assert.equal(shown({ status: 'seeding', moving: true, stored: { movingTo: '/b' } }), 'moving_storage')
  const facts = factsOf({ status: 'queued' })
  const third = { ...facts, torrent: facts.torrent === null ? null : { ...facts.torrent, queueAhead: 2 } }
  assert.deepEqual(conditionOf(third), { code: 'queued', trouble: false, parameters: { place: 3 } })
  assert.equal(explain(third)[0]?.message, `${explainCodes.queued} It is number 3 in line.`)
  assert.equal(conditionOf({ stored, loadError: 'broken', torrent: null })?.trouble, true)
})

test('every code was seen', () => {
  assert.deepEqual([...seen].sort(), Object.keys(explainCodes).sort())
})

// Why a download does not move: from what the engine and the records know to reasons with stable codes, the one that
// counts most first. Pure. Users should not have to guess from "stalled".

import type { TrackerRow } from '../../ports/announcer.ts'
import type { CircuitFacts } from '../../ports/overlay-network.ts'
import type { StoredDownload } from '../../ports/records.ts'
import type { PeerSnapshot, TorrentObstacles, TorrentSnapshot, WebSeedRow } from '../../torrent/types.ts'
import type { ExplainReason } from '../downloads/download-records-api.ts'

/** Every code with its text. */
export const explainCodes = {
  load_failed: 'The download could not be loaded; its error says why.',
  loading: 'The download is still being loaded after the start.',
  volume_stalled: 'The volume of its files does not answer. It goes on by itself when that answers again.',
  disk_full: 'The disk is full. It goes on by itself when there is space.',
  disk_errors: 'Its disk reports errors. What failed is tried again for a minute; then it stops.',
  foreign_file:
    'A file that is not of it lies in its place. Move that away, choose another folder or deselect it; or resume with overwrite.',
  failed: 'An error stopped it; resume to try again.',
  file_changed:
    'Somebody else changed a file: nothing of it is served until it is checked, and what no longer fits is fetched again.',
  seeding_goal_reached: 'It has reached its ratio or its time of seeding. Resume lets it seed on.',
  stopped: 'It was stopped. Resume starts it.',
  queued: 'Others go first: it waits for its turn (settings active_*).',
  moving_storage: 'Its files are being moved: reads and writes wait.',
  waiting_for_check: 'It waits until its data can be checked (setting active_checking).',
  checking: 'Its data is being checked.',
  allocating: 'Its files are being made ready.',
  no_relays_known: 'It goes through circuits, and no peer of their network is known yet.',
  no_exits_known: 'It goes through circuits, and no peer that carries traffic out of them is known yet.',
  building_circuits: 'It goes through circuits: the first are being built.',
  waiting_for_metadata: 'Its metadata is not known yet: a peer that has it is needed.',
  nobody_reads: 'It is watched and forgotten: something is fetched only while somebody reads it.',
  nothing_selected: 'No file is selected.',
  web_seeds_failing: 'None of its web seeds gives what is missing.',
  no_trackers: 'It has no tracker, and the DHT is off or not for it: hardly anybody names peers.',
  private_without_tracker: 'It is private, and none of its trackers answers: only they may name peers.',
  no_tracker_answers: 'None of its trackers answers.',
  trackers_pending: 'Its trackers have not answered yet.',
  no_peers_known: 'Nobody named a peer.',
  interface_gone: 'Nothing that the node is bound to (setting interface) has an address: it sends nothing.',
  proxy_failing: 'The proxy does not answer, or turns the node away.',
  all_filtered: 'Every peer that is known is in the lists of setting ip_filter.',
  all_blocked: 'Every peer that is known is banned or filtered.',
  encryption_required: 'Peers end the handshake: maybe they know no encryption, which setting encryption requires.',
  encryption_off: 'Peers end the handshake: maybe they insist on encryption, which is off (setting encryption).',
  connection_limit: 'There are as many connections as there may be (setting max_connections).',
  connecting: 'Connections to peers are being made.',
  nobody_reachable: 'Peers are known, but none can be reached now.',
  pieces_nobody_has: 'Pieces that are missing are with no connected peer.',
  nothing_offered: 'No connected peer has anything that is missing.',
  all_choke: 'Every connected peer that could give something chokes us: it serves others first.',
  peers_silent: 'Peers were asked and do not answer.',
  makes_way: 'A film that is played runs short: it asks for nothing until that has enough ahead.',
  rate_limited: 'A rate limit holds it back.',
  nobody_interested: 'Nobody who is connected wants anything.',
} as const satisfies Record<string, string>

/** A code of the table. */
export type ExplainCode = keyof typeof explainCodes

/** What is known of a download; null members: it is not loaded. */
export interface ExplainFacts {
  readonly stored: Pick<StoredDownload, 'userStopped' | 'goalReached' | 'movingTo' | 'selectedFiles'> & {
    readonly controls?: StoredDownload['controls']
  }
  readonly loadError: string
  /** Where the volume of its files is mounted while that does not answer; absent or null: it does. */
  readonly stalledVolume?: string | null
  /** A reader is open; absent = none is. */
  readonly beingRead?: boolean
  /** Circuits it goes through; absent or null: it goes through none. */
  readonly circuits?: CircuitFacts | null
  readonly torrent: {
    readonly snapshot: TorrentSnapshot
    readonly peers: readonly PeerSnapshot[]
    readonly trackers: readonly TrackerRow[]
    readonly obstacles: TorrentObstacles
    readonly webSeeds: readonly WebSeedRow[]
    /** Its files are being moved now (not: waiting for their turn). */
    readonly moving: boolean
  } | null
}

type LoadedFacts = NonNullable<ExplainFacts['torrent']>

/** Payload goes in or out. */
export function isMoving({ torrent }: ExplainFacts): boolean {
  return torrent !== null && (torrent.snapshot.downRate > 0 || torrent.snapshot.upRate > 0)
}

/** The reasons, the one that counts most first. */
export function explain(facts: ExplainFacts): ExplainReason[] {
  const stalled = typeof facts.stalledVolume === 'string' && mindsVolume(facts)
  // Peers and trackers are not to blame then.
  const codes: readonly ExplainCode[] = stalled ? ['volume_stalled'] : codesOf(facts)
  return codes.map(code => ({ code, message: messageOf(code, facts) }))
}

/** It would do something with its files. */
function mindsVolume({ torrent }: ExplainFacts): boolean {
  return torrent === null || !['stopped', 'queued', 'metadata'].includes(torrent.snapshot.status)
}

/**
 * Of circuits it is said too how the last one failed, of changed files which they are; a file that is in the way is
 * named.
 */
function messageOf(code: ExplainCode, { circuits, torrent, stalledVolume }: ExplainFacts): string {
  if (code === 'foreign_file') return torrent?.snapshot.error || explainCodes[code]
  if (code === 'file_changed') return `${explainCodes[code]} ${changesOf(torrent)}`
  if (code === 'volume_stalled' && typeof stalledVolume === 'string')
    return `The volume of its files, mounted at ${stalledVolume}, does not answer. It goes on by itself when that answers again.`
  const failure = CIRCUIT_CODES.has(code) ? (circuits?.lastFailure ?? '') : ''
  return failure === '' ? explainCodes[code] : `${explainCodes[code]} The last failure: ${failure}`
}

function changesOf(torrent: ExplainFacts['torrent']): string {
  const files = torrent?.obstacles.changedFiles ?? []
  return `Changed: ${files.map(({ name, change }) => `${name} (${change})`).join(', ')}.`
}

const CIRCUIT_CODES: ReadonlySet<ExplainCode> = new Set(['no_relays_known', 'no_exits_known', 'building_circuits'])

/** Why there is no circuit, where one is needed. */
function circuitCodes({ circuits, torrent }: ExplainFacts): ExplainCode[] {
  if (circuits === undefined || circuits === null || circuits.ready > 0) return []
  if (torrent !== null && torrent.snapshot.downRate > 0) return []
  if (circuits.candidates === 0) return ['no_relays_known']
  return [circuits.exits === 0 ? 'no_exits_known' : 'building_circuits']
}

function codesOf(facts: ExplainFacts): ExplainCode[] {
  const { stored, loadError, torrent } = facts
  if (torrent === null) return [loadError === '' ? 'loading' : 'load_failed']
  const codes: ExplainCode[] = torrent.moving && stored.movingTo !== null ? ['moving_storage'] : []
  if (torrent.obstacles.changedFiles.length > 0) codes.push('file_changed')
  if (torrent.obstacles.diskRetries) codes.unshift('disk_errors')
  switch (torrent.snapshot.status) {
    case 'error':
      return [errorCode(torrent), ...codes]
    case 'stopped':
      return [stored.goalReached ? 'seeding_goal_reached' : 'stopped', ...codes]
    case 'queued':
      return ['queued', ...codes]
    case 'waiting-check':
      return [...codes, 'waiting_for_check']
    case 'checking':
      return [...codes, 'checking']
    case 'allocating':
      return [...codes, 'allocating']
    case 'metadata':
      return [...codes, ...circuitCodes(facts), 'waiting_for_metadata', ...swarmCodes(torrent)]
    case 'downloading':
      if (stored.controls?.watchAndForget === true && facts.beingRead !== true) return [...codes, 'nobody_reads']
      return [...codes, ...circuitCodes(facts), ...downloadCodes(torrent)]
    case 'seeding':
      return [...codes, ...circuitCodes(facts), ...seedCodes(stored, torrent)]
  }
}

function errorCode({ obstacles }: LoadedFacts): ExplainCode {
  if (obstacles.waitsForSpace) return 'disk_full'
  return obstacles.foreignFile ? 'foreign_file' : 'failed'
}

function downloadCodes(torrent: LoadedFacts): ExplainCode[] {
  const { snapshot, peers, obstacles } = torrent
  const codes: ExplainCode[] = []
  if (obstacles.makesWay) codes.push('makes_way')
  if (obstacles.downLimited) codes.push('rate_limited')
  if (obstacles.piecesLeft > 0 && obstacles.piecesNobodyHas > 0 && peers.length > 0) codes.push('pieces_nobody_has')
  if (snapshot.downRate > 0 || obstacles.downLimited || obstacles.makesWay) return codes
  if (webSeedsFail(torrent)) codes.push('web_seeds_failing')
  if (peers.length === 0) return [...codes, ...swarmCodes(torrent)]
  return [...codes, ...peerCodes(peers), ...swarmCodes(torrent)]
}

/** It has web seeds, and each has failed. */
function webSeedsFail({ webSeeds }: LoadedFacts): boolean {
  return webSeeds.length > 0 && webSeeds.every(row => row.state === 'off' || row.state === 'waiting')
}

/** What the connected peers do instead of sending. */
function peerCodes(peers: readonly PeerSnapshot[]): ExplainCode[] {
  const useful = peers.filter(peer => peer.downInterested)
  if (useful.length === 0) return ['nothing_offered']
  if (useful.every(peer => peer.downChoked)) return ['all_choke']
  return ['peers_silent']
}

function seedCodes(stored: ExplainFacts['stored'], torrent: LoadedFacts): ExplainCode[] {
  const { snapshot, peers, obstacles } = torrent
  const codes: ExplainCode[] = []
  if (stored.selectedFiles?.length === 0) codes.push('nothing_selected')
  if (obstacles.upLimited) codes.push('rate_limited')
  if (snapshot.upRate > 0 || obstacles.upLimited) return codes
  if (!peers.some(peer => peer.upInterested)) codes.push('nobody_interested')
  return [...codes, ...trackerCodes(torrent)]
}

/** Why there are no (more) peers. */
function swarmCodes(torrent: LoadedFacts): ExplainCode[] {
  const { peers, obstacles } = torrent
  const trouble = obstacles.networkTrouble
  const codes: ExplainCode[] = [...(trouble === null ? [] : [trouble]), ...trackerCodes(torrent)]
  if (peers.length > 0) return codes
  if (obstacles.encryption !== null) {
    codes.push(obstacles.encryption === 'require' ? 'encryption_required' : 'encryption_off')
  }
  if (obstacles.dialing > 0) codes.push('connecting')
  else if (obstacles.addresses === 0) codes.push('no_peers_known')
  else if (obstacles.allBlocked) codes.push(obstacles.allFiltered ? 'all_filtered' : 'all_blocked')
  else if (obstacles.connectionsFull) codes.push('connection_limit')
  else codes.push('nobody_reachable')
  return codes
}

function trackerCodes({ trackers: rows, obstacles }: LoadedFacts): ExplainCode[] {
  const trackers = rows.filter(row => !row.url.startsWith('['))
  // The DHT names peers too.
  const others = rows.some(row => row.url === '[DHT]' && row.status === 'Working')
  if (trackers.length === 0) return others ? [] : ['no_trackers']
  if (trackers.some(row => row.status === 'Working')) return []
  const failed = trackers.every(row => row.status.startsWith('Error'))
  if (!failed) return ['trackers_pending']
  return [obstacles.private === true ? 'private_without_tracker' : 'no_tracker_answers']
}

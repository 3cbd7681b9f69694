// Why a download does not move: from what the engine and the records know to reasons with stable codes, the one that
// counts most first. Pure. Users should not have to guess from "stalled".

import type { TrackerRow } from '../../../ports/announcer.ts'
import type { CircuitFacts } from '../../../ports/overlay-network.ts'
import type { StoredDownload } from '../../../ports/records.ts'
import type { PeerSnapshot, TorrentObstacles, TorrentSnapshot, WebSeedRow } from '../../../torrent/types.ts'
import { cutText } from '../../../wire/plain-text.ts'
import type { ReasonParameters } from '../download-records-api.ts'
import type { ExplainCode } from './explain-codes.ts'

/** Bytes of words that others said, in one reason. */
const MAX_WORDS_BYTES = 240

/** `/announce`: what is longer may hold a passkey. */
const LONGEST_PLAIN_PATH = 9
/** Shorter parts of an address are words. */
const LEAST_PASSKEY = 16

/** What is known of a download; null members: it is not loaded. Members may be getters: each is read when it counts. */
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
    /** How many go before it in the queue; absent or null: it does not wait, or many do. */
    readonly queueAhead?: number | null
  } | null
}

/** One reason, with what its sentence names. */
export interface Reason {
  readonly code: ExplainCode
  readonly parameters?: ReasonParameters
}

type LoadedFacts = NonNullable<ExplainFacts['torrent']>

/** Payload goes in or out. */
export function isMoving({ torrent }: ExplainFacts): boolean {
  return torrent !== null && (torrent.snapshot.downRate > 0 || torrent.snapshot.upRate > 0)
}

/** The reasons, the one that counts most first. */
export function reasonsOf(facts: ExplainFacts): Reason[] {
  return codesOf(facts).map(code => reasonOf(code, facts))
}

/** Their codes. Made for each row of a list: it must cost little. */
export function codesOf(facts: ExplainFacts): ExplainCode[] {
  // Peers and trackers are not to blame then.
  return stalls(facts) ? ['volume_stalled'] : stateCodes(facts)
}

/** Of one that moves: what is amiss all the same; null = nothing. Reads little. */
export function codeWhileMoving(facts: ExplainFacts): ExplainCode | null {
  if (stalls(facts)) return 'volume_stalled'
  const { torrent } = facts
  if (torrent === null) return null
  return standingCodes(facts, torrent)[0] ?? (isRefusedPrivate(torrent) ? 'tracker_refused' : null)
}

/** The volume of its files does not answer, and it would do something with them. */
function stalls(facts: ExplainFacts): boolean {
  return typeof facts.stalledVolume === 'string' && mindsVolume(facts)
}

/** It would do something with its files. */
function mindsVolume({ torrent }: ExplainFacts): boolean {
  return torrent === null || !['stopped', 'queued', 'metadata'].includes(torrent.snapshot.status)
}

/** A code with what its sentence names. */
export function reasonOf(code: ExplainCode, facts: ExplainFacts): Reason {
  const parameters = parametersOf(code, facts)
  return parameters === null ? { code } : { code, parameters }
}

/** What the sentence of a code names, as far as it is known. */
function parametersOf(code: ExplainCode, facts: ExplainFacts): ReasonParameters | null {
  const { circuits, loadError, torrent, stalledVolume: mount } = facts
  switch (code) {
    case 'volume_stalled':
      return typeof mount === 'string' ? { mount } : null
    case 'load_failed':
      return named('error', loadError)
    case 'failed':
    case 'foreign_file':
      return named('error', torrent?.snapshot.error ?? '')
    case 'file_changed':
      return named(
        'files',
        (torrent?.obstacles.changedFiles ?? []).map(file => `${file.name} (${file.change})`).join(', '),
      )
    case 'queued':
      return typeof torrent?.queueAhead === 'number' ? { place: torrent.queueAhead + 1 } : null
    case 'no_relays_known':
    case 'no_exits_known':
    case 'building_circuits':
      return named('failure', circuits?.lastFailure ?? '')
    case 'tracker_refused':
      return wordsOf(torrent?.trackers.find(isRefusing))
    case 'private_without_tracker':
    case 'no_tracker_answers':
      return wordsOf(torrent?.trackers.find(isFailing))
    default:
      return null
  }
}

function named(name: 'error' | 'files' | 'failure', text: string): ReasonParameters | null {
  return text === '' ? null : { [name]: cutText(text, MAX_WORDS_BYTES) }
}

/** The tracker by its host alone: paths hold passkeys. */
function wordsOf(row: TrackerRow | undefined): ReasonParameters | null {
  if (row === undefined) return null
  const words = row.words ?? row.status.replace(/^Error: /, '')
  const { hostname: tracker = '', pathname: path = '', search = '', searchParams } = URL.parse(row.url) ?? {}
  // One that repeats the url it was asked for, or a part of it, would tell the passkey.
  const parts = [...path.split('/'), ...(searchParams?.values() ?? [])].filter(part => part.length >= LEAST_PASSKEY)
  const secrets = [path.length > LONGEST_PLAIN_PATH ? path : '', search, ...parts].filter(secret => secret !== '')
  const told = secrets.reduce((text, secret) => text.replaceAll(secret, '/…'), words)
  return { tracker: cutText(tracker, MAX_WORDS_BYTES), words: cutText(told, MAX_WORDS_BYTES) }
}

/** Why there is no circuit, where one is needed. */
function circuitCodes({ circuits, torrent }: ExplainFacts): ExplainCode[] {
  if (circuits === undefined || circuits === null || circuits.ready > 0) return []
  if (torrent !== null && torrent.snapshot.downRate > 0) return []
  if (circuits.candidates === 0) return ['no_relays_known']
  return [circuits.exits === 0 ? 'no_exits_known' : 'building_circuits']
}

function stateCodes(facts: ExplainFacts): ExplainCode[] {
  const { stored, loadError, torrent } = facts
  if (torrent === null) return [loadError === '' ? 'loading' : 'load_failed']
  const codes = standingCodes(facts, torrent)
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
      return [...codes, ...circuitCodes(facts), ...metadataCodes(torrent)]
    case 'downloading':
      if (stored.controls?.watchAndForget === true && facts.beingRead !== true) return [...codes, 'nobody_reads']
      codes.push(...circuitCodes(facts))
      addDownloadCodes(codes, torrent)
      return codes
    case 'seeding':
      codes.push(...circuitCodes(facts))
      addSeedCodes(codes, stored, torrent)
      return codes
  }
}

/** What counts in every state. */
function standingCodes({ stored }: ExplainFacts, { moving, obstacles }: LoadedFacts): ExplainCode[] {
  const codes: ExplainCode[] = obstacles.diskRetries ? ['disk_errors'] : []
  if (moving && stored.movingTo !== null) codes.push('moving_storage')
  if (obstacles.changedFiles.length > 0) codes.push('file_changed')
  return codes
}

function errorCode({ obstacles }: LoadedFacts): ExplainCode {
  if (obstacles.waitsForSpace) return 'disk_full'
  return obstacles.foreignFile ? 'foreign_file' : 'failed'
}

/** Where its trackers alone name peers a refusal says more than that it waits. */
function metadataCodes(torrent: LoadedFacts): ExplainCode[] {
  const codes: ExplainCode[] = []
  addSwarmCodes(codes, torrent)
  const refused = !isNamedElsewhere(torrent) && torrent.peers.length === 0 && codes.includes('tracker_refused')
  if (!refused) return ['waiting_for_metadata', ...codes]
  return ['tracker_refused', 'waiting_for_metadata', ...codes.filter(code => code !== 'tracker_refused')]
}

function addDownloadCodes(codes: ExplainCode[], torrent: LoadedFacts): void {
  const { snapshot, obstacles } = torrent
  if (isRefusedPrivate(torrent)) codes.push('tracker_refused')
  if (obstacles.makesWay) codes.push('makes_way')
  if (obstacles.downLimited) codes.push('rate_limited')
  const { peers } = torrent
  if (peers.length > 0 && obstacles.piecesLeft > 0 && obstacles.piecesNobodyHas > 0) codes.push('pieces_nobody_has')
  if (snapshot.downRate > 0 || obstacles.downLimited || obstacles.makesWay) return
  if (webSeedsFail(torrent)) codes.push('web_seeds_failing')
  if (peers.length > 0) codes.push(peerCode(peers))
  addSwarmCodes(codes, torrent)
}

/** It has web seeds, and each has failed. */
function webSeedsFail({ webSeeds }: LoadedFacts): boolean {
  return webSeeds.length > 0 && webSeeds.every(row => row.state === 'off' || row.state === 'waiting')
}

/** What the connected peers do instead of sending. */
function peerCode(peers: readonly PeerSnapshot[]): ExplainCode {
  const useful = peers.filter(peer => peer.downInterested)
  if (useful.length === 0) return 'nothing_offered'
  return useful.every(peer => peer.downChoked) ? 'all_choke' : 'peers_silent'
}

function addSeedCodes(codes: ExplainCode[], { selectedFiles }: ExplainFacts['stored'], torrent: LoadedFacts): void {
  const { snapshot, peers, obstacles } = torrent
  if (isRefusedPrivate(torrent)) codes.push('tracker_refused')
  if (selectedFiles?.length === 0) codes.push('nothing_selected')
  if (obstacles.upLimited) codes.push('rate_limited')
  if (snapshot.upRate > 0 || obstacles.upLimited) return
  // Others find it by the DHT, whatever its trackers do.
  const found = isNamedElsewhere(torrent)
  if (!found) addSourceCodes(codes, torrent)
  if (!peers.some(peer => peer.upInterested)) codes.push('nobody_interested')
  if (found) addSourceCodes(codes, torrent)
}

/** Only its trackers may name peers, and they refuse it: that is so even while peers of before are there. */
function isRefusedPrivate(torrent: LoadedFacts): boolean {
  return torrent.obstacles.private === true && trackerCode(torrent) === 'tracker_refused'
}

/** Why there are no (more) peers. */
function addSwarmCodes(codes: ExplainCode[], torrent: LoadedFacts): void {
  const { peers, obstacles } = torrent
  const alone = peers.length === 0
  const connects = alone && obstacles.dialing > 0
  if (connects && obstacles.networkTrouble === null) codes.push('connecting')
  // What is under way says more than what failed before.
  addSourceCodes(codes, torrent)
  if (!alone) return
  if (obstacles.encryption !== null)
    codes.push(obstacles.encryption === 'require' ? 'encryption_required' : 'encryption_off')
  if (!connects) codes.push(addressCode(obstacles))
}

/** What keeps those away that would name peers. */
function addSourceCodes(codes: ExplainCode[], torrent: LoadedFacts): void {
  const { networkTrouble } = torrent.obstacles
  if (networkTrouble !== null) codes.push(networkTrouble)
  const code = trackerCode(torrent)
  if (code !== null && !codes.includes(code)) codes.push(code)
}

/** Why none of the addresses that are known is connected. */
function addressCode(obstacles: TorrentObstacles): ExplainCode {
  if (obstacles.addresses === 0) return 'no_peers_known'
  if (obstacles.allBlocked) return obstacles.allFiltered ? 'all_filtered' : 'all_blocked'
  return obstacles.connectionsFull ? 'connection_limit' : 'nobody_reachable'
}

/** The DHT names peers too. */
function isNamedElsewhere({ trackers }: LoadedFacts): boolean {
  for (const row of trackers) if (row.url === '[DHT]') return row.status === 'Working'
  return false
}

const isRefusing = (row: TrackerRow): boolean => row.failure === 'refused'

/** Also while it is asked once more. */
const isFailing = (row: TrackerRow): boolean => row.failure !== undefined || row.status.startsWith('Error')

/** Null: one of them works, or the DHT stands in for all. */
function trackerCode(torrent: LoadedFacts): ExplainCode | null {
  let [count, failing, refused] = [0, 0, false]
  for (const row of torrent.trackers) {
    if (row.url.startsWith('[')) continue
    if (row.status === 'Working') return null
    count += 1
    if (isFailing(row)) failing += 1
    refused ||= isRefusing(row)
  }
  if (count === 0) return isNamedElsewhere(torrent) ? null : 'no_trackers'
  if (failing < count) return 'trackers_pending'
  if (refused) return 'tracker_refused'
  return torrent.obstacles.private === true ? 'private_without_tracker' : 'no_tracker_answers'
}

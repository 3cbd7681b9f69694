// One BitTorrent client in a benchmark, ours or a rival, behind one interface: what a flow asks of it, and what a kind
// of client can do at all.

import type { BenchTorrent } from '../bench-torrent.ts'
import type { HttpRequest } from '../local-http.ts'
import type { LoopDelay } from '../measured-node.ts'

export interface PeerAddress {
  readonly ip: string
  readonly port: number
}

/** A torrent to add. */
export interface AddJob {
  readonly torrent: BenchTorrent
  /** Where the data lies or will lie. */
  readonly dir: string
  readonly from: 'metainfo' | 'magnet'
  /** Peers by address. Clients that take none, or take a tracker's quicker, find them at the tracker. */
  readonly peers: readonly PeerAddress[]
  /** The tracker that names the peers, for magnets; a torrent made by withTracker has it inside. */
  readonly announce?: string
  /** Prefer the tracker to addresses. */
  readonly viaTracker?: boolean
  /** Fetch only what readers ask for, where a client has that choice. */
  readonly onlyAsked?: boolean
  /** Fetch from the start to the end, where a client has that choice. */
  readonly inOrder?: boolean
}

/** The calls of a client's own HTTP interface that are compared. */
export interface ApiRequests {
  /** Everything listed, with the fields that interface's users ask for. */
  readonly list: HttpRequest
  /** The cheapest call there is. */
  readonly trivial: HttpRequest
  /** The files of one torrent, where that is a call of its own. */
  readonly files?: HttpRequest
}

/** A running client. Flows call only what its kind `can`. */
export interface Client {
  readonly pid: number
  readonly address: PeerAddress
  /** Resolves when the client has taken the command. */
  add(job: AddJob): Promise<void>
  /** The torrent added last is complete and seeding. */
  whenComplete(limitMs?: number): Promise<void>
  /** All bytes of the torrent added last, which is complete, are in its files. */
  whenWritten(): Promise<void>
  /** The metadata of the magnet added last is here. */
  whenMetadata(limitMs?: number): Promise<void>
  /** Not measured: what must be so before `check`. */
  prepareCheck(job: AddJob): Promise<void>
  /** A full hash check of the complete data; rejects when it finds anything wrong. */
  check(job: AddJob): Promise<void>
  /** The complete file of the torrent added last, over HTTP. */
  file(torrent: BenchTorrent): HttpRequest
  /**
   * The first bytes of the one file of the torrent that was just added, by the way this client has for players, where
   * that is not `file`. `dir`: where its data lies.
   */
  firstBytes?(torrent: BenchTorrent, from: number, length: number, dir: string): Promise<FirstBytes>
  /** Adds small complete torrents: `seeding` (checked or trusted, as the client does it quickest) or `stopped`. */
  addMany(torrents: readonly BenchTorrent[], dir: string, state: 'seeding' | 'stopped'): Promise<void>
  /** How many torrents it lists. */
  count(): Promise<number>
  api(torrent: BenchTorrent): ApiRequests
  /** Delays of the main loop since the last call; null where there is no such loop to watch. */
  takeLoopDelay(): Promise<LoopDelay | null>
  stop(): Promise<void>
}

/** The beginning of what a player asked for; times as of performance.now(). */
export interface FirstBytes {
  /** Something of it is here. */
  readonly firstAt: number
  /** All of it is. */
  readonly lastAt: number
  readonly bytes: Buffer
}

/** `play`: a place of a torrent that is not complete comes first; `play-in-order`: only from its start. */
export type Ability =
  | 'leech'
  | 'seed'
  | 'recheck'
  | 'magnet'
  | 'stream'
  | 'play'
  | 'play-in-order'
  | 'api'
  | 'start'
  | 'restart'
  | 'web-seeds'

/** How a client came up. */
export interface Started {
  readonly client: Client
  /** From the start of the process to its first answer, ms. */
  readonly firstAnswerMs: number
  /** ... until it says it has started, ms; the same where there is no such distinction. It answers meanwhile. */
  readonly startedMs: number | Promise<number>
}

export interface ClientKind {
  readonly name: string
  readonly can: ReadonlySet<Ability>
  /** Why it cannot run on this machine; null when it can. */
  missing(): string | null
  /** Starts it with its state in `home` (made when missing; a second start there finds the first one's state). */
  start(home: string, ip: string): Promise<Started>
}

/** The base of clients that lack some of the interface: each missing part says so. */
export abstract class PartialClient {
  /** Says complete only when all is written. */
  async whenWritten(): Promise<void> {}

  /** Not for this client. */
  async whenMetadata(_limitMs?: number): Promise<void> {
    throw new Error('this client has no magnets here')
  }

  /** Not for this client. */
  async prepareCheck(_job: AddJob): Promise<void> {
    throw new Error('this client has no check here')
  }

  /** Not for this client. */
  async check(_job: AddJob): Promise<void> {
    throw new Error('this client has no check here')
  }

  /** Not for this client. */
  file(_torrent: BenchTorrent): HttpRequest {
    throw new Error('this client serves no files')
  }

  /** Not for this client. */
  api(_torrent: BenchTorrent): ApiRequests {
    throw new Error('this client has no HTTP interface')
  }

  /** Not for this client. */
  async addMany(_torrents: readonly BenchTorrent[], _dir: string, _state: 'seeding' | 'stopped'): Promise<void> {
    throw new Error('this client takes no lists here')
  }

  /** Not for this client. */
  async count(): Promise<number> {
    throw new Error('this client has no list here')
  }

  /** Another language, or no main loop of ours to watch. */
  async takeLoopDelay(): Promise<LoopDelay | null> {
    return null
  }
}

// What is kept of announces over a restart, so that a tracker is not asked before its min interval is over, and gets
// `completed` once (decision 0481).

import type { InfoHash, PeerAddress } from '../base/ids.ts'

/** What one tracker said of one torrent. Times in ms since 1970. */
export interface KeptAnnounce {
  readonly infoHash: InfoHash
  /** Its announce URL. */
  readonly tracker: string
  /** Not before: its min interval after it was asked last. Counts when no `stopped` was sent since. */
  readonly mayAskAtMs: number
  /** The same after a `stopped`: its min interval after the last `started`. */
  readonly mayStartAtMs: number
  /** Its min interval, ms: a further announce may be lost with the process before its answer is here. */
  readonly minMs: number
  /** Peers of its last answer, where peers were wanted: they are called again instead of asking for new ones. */
  readonly peers: readonly PeerAddress[]
  /** `completed` has not been sent to it yet. */
  readonly owesCompleted: boolean
}

/** A tracker as the run before left it. */
export interface HeldTracker {
  /** Not before this, ms since 1970; may have passed. */
  readonly untilMs: number
  readonly minMs: number
  readonly peers: readonly PeerAddress[]
  readonly owesCompleted: boolean
}

/** The kept announces of all torrents. */
export interface KeptAnnounces {
  /** What the run before left of this tracker, once; null when nothing is known. */
  take(infoHash: InfoHash, tracker: string): HeldTracker | null
  /**
   * Keeps this over a kill of the process: at once, or, where it is not `pressing`, within a minute, so that a thousand
   * regular announces do not keep a disk awake. Settles when it is kept, or is left for later; never rejects: what
   * cannot be written is lost.
   */
  note(announce: KeptAnnounce, pressing: boolean): Promise<void>
  /** Keeps this over a power cut too, before `completed` leaves. False: it could not be written. */
  settle(announce: KeptAnnounce): Promise<boolean>
}

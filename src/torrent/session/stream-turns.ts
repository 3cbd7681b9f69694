// Who may ask for pieces while films are played: where a film runs short, all other downloads stop asking until it has
// enough ahead, and of films that are short together the one with the least is first. Only as far as that helps: where
// the film gains little of what the others lose, its own peers are the bound, and the others go on. Shared by all
// sessions of a process, which have one line. Knows no clock. Decision 0547.

import type { InfoHash } from '../../base/ids.ts'

/** A film with less ahead is short, until it has so much. */
const SHORT_SEC = 15
const FED_SEC = 25
/** Films whose levels differ by less are equal. */
const EQUAL_SEC = 5
/**
 * What the film gains shows when what the others were asked for has come in: no sooner than rates, which are means of
 * some seconds, and no later than the second.
 */
const JUDGED_MS = 4000
const LATEST_JUDGED_MS = 28_000
/** It is in vain when it looks so for this long: rates drop for a moment after a jump. */
const SURE_MS = 2000
/** What was found out holds when it is short again within this time. */
const KNOWN_MS = 10_000
/** The others have come to rest when so much is left of their rates. */
const REST_SHARE = 0.25
/** Of what the others lose it must gain this share. */
const GAIN_SHARE = 0.25
/** It is not tried again for so long, twice as long each time. */
const VAIN_MS = 30_000
const MOST_VAIN_MS = 300_000
/** Of whom nothing is heard for so long: nobody makes way for it. */
const STALE_MS = 5000
/** What was found out of one without readers is kept so long: each request of a player may be a reader of its own. */
const KEPT_MS = MOST_VAIN_MS
/** Torrents that are remembered. */
const MAX_STREAMS = 256
/** Others that are remembered of one film: more say nothing new. */
const MAX_STOPPED = 1024
/** Who comes back more often before it could be judged gets no time for its rate to rise. */
const MOST_RETURNS = 3
/** What its readers wait for has not moved for so long: what comes in is no use to them. */
const STUCK_MS = 15_000
/**
 * Others have stood for so long, of which each second that they did not takes three back: then they have a turn, in
 * which nobody makes way. So a quarter of the time is theirs, whatever films are played and by whom.
 */
const MOST_HELD_MS = 600_000
const TURN_MS = 15_000
const TURN_WORTH = 3

/** What a torrent with readers tells of itself. */
export interface StreamTold {
  /** Seconds of film that the reader with the least has ahead; Infinity: enough; null: nobody plays now. */
  readonly levelSec: number | null
  /** How far what is there goes on from one of them, bytes of the torrent: it moves as long as they are helped. */
  readonly frontier?: number
  /** Bytes/s that its films are played with, as far as that is known, and that come in. */
  readonly need: number
  readonly rate: number
}

/** Bytes/s of one that stopped: when it did, and as it asked last. */
interface Stopped {
  readonly before: number
  now: number
}

/** One torrent with readers. */
class Stream {
  levelSec = Number.POSITIVE_INFINITY
  toldMs = 0
  #short = false
  #sinceMs = 0
  /** Bytes/s of the film before the others stopped. */
  #before = 0
  readonly #stopped = new Map<InfoHash, Stopped>()
  #endedMs = Number.NEGATIVE_INFINITY
  #wasFirst = false
  #wasFed = false
  /** How often it came back since it was judged last. */
  #returns = 0
  #frontier = -1
  /** When that moved last. */
  #movedMs = 0
  /** Since when it looks in vain. */
  #vainSinceMs = Number.POSITIVE_INFINITY
  #vainUntilMs = Number.NEGATIVE_INFINITY
  #vainMs = 0

  /** Others make way for it. */
  isFirst(nowMs: number): boolean {
    return this.#short && nowMs >= this.#vainUntilMs && nowMs - this.toldMs <= STALE_MS
  }

  /** Its readers have gone, or none of them plays: what was found out stays. */
  left(nowMs: number): void {
    if (this.#wasFirst) this.#endedMs = nowMs
    this.#wasFirst = false
    this.#short = false
    this.levelSec = Number.POSITIVE_INFINITY
  }

  /** `othersTurn`: nobody makes way now. What it gains is seen afresh after that. */
  told(told: StreamTold, nowMs: number, othersTurn: boolean): void {
    const { levelSec } = told
    this.toldMs = nowMs
    if (levelSec === null) return this.left(nowMs)
    if (levelSec >= FED_SEC) this.#fed(nowMs)
    else if (levelSec < SHORT_SEC) this.#short = true
    this.levelSec = levelSec
    const wasFirst = this.#wasFirst
    this.#wasFirst = !othersTurn && this.isFirst(nowMs)
    if (!this.#wasFirst) return
    if (!wasFirst) this.#begin(told.rate, nowMs)
    this.#judge(told, nowMs)
  }

  #fed(nowMs: number): void {
    this.left(nowMs)
    this.#wasFed = true
    this.#vainMs = 0
    this.#vainUntilMs = Number.NEGATIVE_INFINITY
  }

  #judge({ rate, need, frontier }: StreamTold, nowMs: number): void {
    if (frontier === undefined || frontier !== this.#frontier) this.#movedMs = nowMs
    this.#frontier = frontier ?? -1
    const sinceMs = nowMs - this.#sinceMs
    if (nowMs - this.#movedMs < STUCK_MS && !this.#isInVain(rate, need, sinceMs)) {
      this.#vainSinceMs = Number.POSITIVE_INFINITY
      if (sinceMs >= JUDGED_MS) this.#returns = 0
    } else if (nowMs - (this.#vainSinceMs = Math.min(nowMs, this.#vainSinceMs)) >= SURE_MS) {
      this.#vainMs = Math.min(MOST_VAIN_MS, Math.max(VAIN_MS, 2 * this.#vainMs))
      this.#vainUntilMs = nowMs + this.#vainMs
      this.#wasFirst = false
      this.#movedMs = this.#vainUntilMs
    }
  }

  /** Another one stops for it, which had `rate`. */
  stops(other: InfoHash, rate: number): void {
    const known = this.#stopped.get(other)
    if (known !== undefined) known.now = rate
    else if (this.#stopped.size < MAX_STOPPED) this.#stopped.set(other, { before: rate, now: rate })
  }

  #begin(rate: number, nowMs: number): void {
    const awayMs = nowMs - this.#endedMs
    const wasFed = this.#wasFed
    this.#wasFed = false
    if (awayMs < KNOWN_MS && wasFed) {
      this.#sinceMs = this.#movedMs = nowMs
      this.#vainSinceMs = Number.POSITIVE_INFINITY
      for (const stopped of this.#stopped.values()) stopped.now = stopped.before
      return
    }
    if (awayMs < KNOWN_MS) {
      // As if it had not been away: who comes and goes is judged too. Rates need a moment, but not each time.
      this.#returns += 1
      this.#sinceMs += awayMs
      if (this.#returns <= MOST_RETURNS) this.#sinceMs = Math.max(this.#sinceMs, nowMs - JUDGED_MS / 2)
      this.#vainSinceMs += awayMs
      this.#movedMs += awayMs
      return
    }
    this.#returns = 0
    this.#sinceMs = this.#movedMs = nowMs
    this.#vainSinceMs = Number.POSITIVE_INFINITY
    this.#before = rate
    this.#stopped.clear()
  }

  #isInVain(rate: number, need: number, sinceMs: number): boolean {
    if (this.#stopped.size === 0 || sinceMs < JUDGED_MS) return false
    let [lost, left] = [0, 0]
    for (const { before, now } of this.#stopped.values()) {
      lost += before
      left += now
    }
    // The others had not begun: nothing is known of what they would take. A film that is quick enough is fed soon.
    if (lost === 0) return rate === 0 || rate < need
    if (left > REST_SHARE * lost && sinceMs < LATEST_JUDGED_MS) return false
    return rate - this.#before < GAIN_SHARE * lost
  }
}

/** The films of all sessions. */
export class StreamTurns {
  readonly #streams = new Map<InfoHash, Stream>()
  /** The least that one has for which others make way; Infinity: there is none. */
  #leastSec = Number.POSITIVE_INFINITY
  #sortedMs = 0
  /** How long others have stood; see MOST_HELD_MS. */
  #heldMs = 0
  #othersTurn = false

  /** Somebody may have to make way. */
  get active(): boolean {
    return this.#leastSec < Number.POSITIVE_INFINITY
  }

  /** Every quarter of a second or so from a torrent with readers; null: it has none. */
  tell(who: InfoHash, told: StreamTold | null, nowMs: number): void {
    let stream = this.#streams.get(who)
    if (told === null) {
      if (stream === undefined || stream.levelSec === Number.POSITIVE_INFINITY) return
      stream.left(nowMs)
    } else {
      if (stream === undefined) stream = this.#made(who)
      stream.told(told, nowMs, this.#othersTurn)
    }
    this.#sort(nowMs)
  }

  /** The one that was heard of first goes where there are too many. */
  #made(who: InfoHash): Stream {
    const [oldest] = this.#streams.keys()
    if (this.#streams.size >= MAX_STREAMS && oldest !== undefined) this.#streams.delete(oldest)
    const stream = new Stream()
    this.#streams.set(who, stream)
    return stream
  }

  /** Whether `who` has others before it. */
  waits(who: InfoHash, nowMs: number): boolean {
    if (this.active && nowMs - this.#sortedMs > STALE_MS) this.#sort(nowMs)
    return this.active && (this.#streams.get(who)?.levelSec ?? Number.POSITIVE_INFINITY) > this.#leastSec + EQUAL_SEC
  }

  /** Whether `who`, which would ask now, is not to; `rate`: bytes/s that come in for it. */
  makesWay(who: InfoHash, rate: number, nowMs: number): boolean {
    if (!this.waits(who, nowMs)) return false
    for (const [other, stream] of this.#streams) if (other !== who && stream.isFirst(nowMs)) stream.stops(who, rate)
    return true
  }

  /** How long others have stood, and whether it is their turn. */
  #count(elapsedMs: number): void {
    if (this.active) this.#heldMs += Math.min(STALE_MS, elapsedMs)
    else this.#heldMs = Math.max(0, this.#heldMs - TURN_WORTH * elapsedMs)
    if (this.#heldMs >= MOST_HELD_MS) this.#othersTurn = true
    else if (this.#heldMs <= MOST_HELD_MS - TURN_WORTH * TURN_MS) this.#othersTurn = false
  }

  #sort(nowMs: number): void {
    this.#count(Math.max(0, nowMs - this.#sortedMs))
    this.#sortedMs = nowMs
    this.#leastSec = Number.POSITIVE_INFINITY
    for (const [who, stream] of this.#streams) {
      if (nowMs - stream.toldMs > KEPT_MS) this.#streams.delete(who)
      else if (!this.#othersTurn && stream.isFirst(nowMs)) this.#leastSec = Math.min(this.#leastSec, stream.levelSec)
    }
  }
}

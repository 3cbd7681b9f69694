// Who may ask for pieces while films are played: where a film runs short, all other downloads stop asking until it has
// enough ahead, and of films that are short together the one with the least is first. Only as far as that helps: where
// the film gains little of what the others lose, its own peers are the bound, and the others go on. Shared by all
// sessions of a process, which have one line. Knows no clock. Decision 0547.

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
/** Of whom nothing is heard for so long: it is over. */
const STALE_MS = 5000

/** What a torrent with readers tells of itself. */
export interface StreamTold {
  /** Seconds of film that the reader with the least has ahead; Infinity: enough. */
  readonly levelSec: number
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
  readonly #stopped = new Map<object, Stopped>()
  #endedMs = Number.NEGATIVE_INFINITY
  /** Since when it looks in vain. */
  #vainSinceMs = Number.POSITIVE_INFINITY
  #vainUntilMs = Number.NEGATIVE_INFINITY
  #vainMs = 0

  /** Others make way for it. */
  isFirst(nowMs: number): boolean {
    return this.#short && nowMs >= this.#vainUntilMs
  }

  told({ levelSec, need, rate }: StreamTold, nowMs: number): void {
    const wasFirst = this.isFirst(this.toldMs)
    this.levelSec = levelSec
    this.toldMs = nowMs
    if (levelSec >= FED_SEC) {
      if (this.#short) this.#endedMs = nowMs
      this.#short = false
      this.#vainMs = 0
      this.#vainUntilMs = Number.NEGATIVE_INFINITY
    } else if (levelSec < SHORT_SEC) this.#short = true
    if (!this.isFirst(nowMs)) return
    if (!wasFirst) this.#begin(rate, nowMs)
    else if (!this.#isInVain(rate, need, nowMs - this.#sinceMs)) this.#vainSinceMs = Number.POSITIVE_INFINITY
    else if (nowMs - (this.#vainSinceMs = Math.min(nowMs, this.#vainSinceMs)) >= SURE_MS) {
      this.#vainMs = Math.min(MOST_VAIN_MS, Math.max(VAIN_MS, 2 * this.#vainMs))
      this.#vainUntilMs = nowMs + this.#vainMs
    }
  }

  /** Another one stops for it, which had `rate`. */
  stops(other: object, rate: number): void {
    const known = this.#stopped.get(other)
    if (known === undefined) this.#stopped.set(other, { before: rate, now: rate })
    else known.now = rate
  }

  #begin(rate: number, nowMs: number): void {
    this.#sinceMs = nowMs
    this.#vainSinceMs = Number.POSITIVE_INFINITY
    if (nowMs - this.#endedMs < KNOWN_MS) {
      for (const stopped of this.#stopped.values()) stopped.now = stopped.before
      return
    }
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
  readonly #streams = new Map<object, Stream>()
  /** The least that one has for which others make way; Infinity: there is none. */
  #leastSec = Number.POSITIVE_INFINITY
  #sortedMs = 0

  /** Somebody may have to make way. */
  get active(): boolean {
    return this.#leastSec < Number.POSITIVE_INFINITY
  }

  /** Every quarter of a second or so from a torrent with readers; null: it has none. */
  tell(who: object, told: StreamTold | null, nowMs: number): void {
    if (told === null) {
      if (this.#streams.delete(who)) this.#sort(nowMs)
      return
    }
    let stream = this.#streams.get(who)
    if (stream === undefined) this.#streams.set(who, (stream = new Stream()))
    stream.told(told, nowMs)
    this.#sort(nowMs)
  }

  /** Whether `who` has others before it. */
  waits(who: object): boolean {
    return this.active && (this.#streams.get(who)?.levelSec ?? Number.POSITIVE_INFINITY) > this.#leastSec + EQUAL_SEC
  }

  /** Whether `who`, which would ask now, is not to; `rate`: bytes/s that come in for it. */
  makesWay(who: object, rate: number, nowMs: number): boolean {
    if (nowMs - this.#sortedMs > STALE_MS) this.#sort(nowMs)
    if (!this.waits(who)) return false
    for (const [other, stream] of this.#streams) if (other !== who && stream.isFirst(nowMs)) stream.stops(who, rate)
    return true
  }

  #sort(nowMs: number): void {
    this.#sortedMs = nowMs
    this.#leastSec = Number.POSITIVE_INFINITY
    for (const [who, stream] of this.#streams) {
      if (nowMs - stream.toldMs > STALE_MS) this.#streams.delete(who)
      else if (stream.isFirst(nowMs)) this.#leastSec = Math.min(this.#leastSec, stream.levelSec)
    }
  }
}

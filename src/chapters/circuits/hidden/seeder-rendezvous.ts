// How a downloader meets seeders: attempts by one way after the other, the next one beside the last when that is silent
// for a few seconds, until one is linked. One object a swarm; each seeder is met once at a time, and linked with one
// circuit.

import { errorText } from '../../../base/errors.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { addressOfCircuit } from '../wire/hidden-names.ts'
import { type AttemptDeps, attemptMeeting, type LinkedCircuit } from './hidden-attempt.ts'
import type { ContactCircuits } from './hidden-contact.ts'
import {
  MEETING_PATIENCE_A_HOP_MS,
  MEETING_PATIENCE_MS,
  MEETING_PATIENCE_RTTS,
  MEETING_TRIES,
} from './hidden-limits.ts'
import { seederText } from './hidden-points.ts'
import type { HiddenCircuit } from './hidden-seam.ts'
import type { MeetingWay, MeetingWays } from './hidden-ways.ts'

/** What a downloader needs to meet seeders. */
export interface SeederRendezvousDeps extends AttemptDeps {
  readonly contact: ContactCircuits
  readonly clock: Clock
  readonly log: Log
}

/** Whose seeders are met. */
export interface SeederRendezvousOptions {
  readonly lookup: Uint8Array
  /** Of the download. */
  readonly hops: number
  /** Gets the address given to each linked circuit. */
  readonly found: (at: PeerAddress) => void
}

/** One seeder that is being met. */
interface Meeting {
  readonly seeder: string
  readonly ways: MeetingWays
  readonly ending: AbortController
  readonly end: (linked: boolean) => void
  tries: number
  running: number
  timer: Timer | null
}

/** The rendezvous with the seeders of one swarm. */
export class SeederRendezvous {
  readonly #options: SeederRendezvousOptions
  readonly #deps: SeederRendezvousDeps
  /** Seeders that are being met. */
  readonly #pending = new Map<string, Meeting>()
  /** Seeders that we are linked with. */
  readonly #linked = new Set<string>()
  readonly #circuits = new Map<HiddenCircuit, string>()
  #closed = false

  constructor(options: SeederRendezvousOptions, deps: SeederRendezvousDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Keys (as seederText) of the seeders that we are linked with. */
  get linked(): ReadonlySet<string> {
    return this.#linked
  }

  /** Linked and on their way. */
  get busy(): number {
    return this.#linked.size + this.#pending.size
  }

  /** Neither linked nor on its way. */
  isFree(seederKey: Uint8Array): boolean {
    const text = seederText(seederKey)
    return !this.#linked.has(text) && !this.#pending.has(text)
  }

  /** Meets a seeder that isFree; true: we are linked. Never rejects. */
  meet(seederKey: Uint8Array, ways: MeetingWays): Promise<boolean> {
    return new Promise(resolve => {
      const seeder = seederText(seederKey)
      const meeting: Meeting = {
        seeder,
        ways,
        ending: new AbortController(),
        tries: 0,
        running: 0,
        timer: null,
        end: linked => {
          meeting.timer?.cancel()
          meeting.timer = null
          this.#pending.delete(seeder)
          meeting.ending.abort()
          resolve(linked)
        },
      }
      this.#pending.set(seeder, meeting)
      this.#try(meeting)
    })
  }

  /** A circuit is gone; true: it was linked with a seeder, and its removal was not ours. */
  circuitGone(circuit: HiddenCircuit): boolean {
    const seeder = this.#circuits.get(circuit)
    if (seeder === undefined) return false
    this.#circuits.delete(circuit)
    this.#linked.delete(seeder)
    return !this.#closed
  }

  /** Ends all. */
  close(): void {
    this.#closed = true
    for (const meeting of [...this.#pending.values()]) meeting.end(false)
    for (const circuit of [...this.#circuits.keys()]) circuit.remove('the download left its hidden swarm')
  }

  /** Begins the next attempt, if there is a way; the meeting ends with the last one. */
  #try(meeting: Meeting): void {
    if (meeting.ending.signal.aborted) return
    meeting.timer?.cancel()
    meeting.timer = null
    const way = meeting.tries < MEETING_TRIES ? meeting.ways.best() : null
    if (way === null) {
      if (meeting.running === 0) meeting.end(false)
      return
    }
    meeting.tries++
    meeting.running++
    void this.#run(meeting, way)
  }

  async #run(meeting: Meeting, way: MeetingWay): Promise<void> {
    const { lookup, hops } = this.#options
    const { signal } = meeting.ending
    let known = false
    const answered = (was: boolean): void => {
      if (!known && !signal.aborted) this.#answered(meeting, way, was)
      known = true
    }
    const heard = (): void => {
      answered(true)
      this.#wait(meeting, way, () => undefined)
    }
    this.#wait(meeting, way, () => answered(false))
    try {
      const done = await attemptMeeting({ ...way, lookup, hops, signal, heard }, this.#deps)
      if (done !== null) this.#take(meeting, done)
      else if (!signal.aborted) answered(false)
    } catch (error) {
      this.#deps.log.debug('a hidden seeder was not reached', { error: errorText(error) })
    }
    meeting.running--
    this.#try(meeting)
  }

  #answered({ ways }: Meeting, way: MeetingWay, was: boolean): void {
    ways.answered(way, was)
    this.#deps.contact.answered(way.contact, was)
  }

  /** Another attempt begins when nothing more is heard for a while. */
  #wait(meeting: Meeting, { contact }: MeetingWay, silent: () => void): void {
    if (meeting.ending.signal.aborted) return
    meeting.timer?.cancel()
    const mostMs = MEETING_PATIENCE_A_HOP_MS * this.#options.hops
    const wayMs = MEETING_PATIENCE_RTTS * (contact.rttMs ?? Number.POSITIVE_INFINITY)
    const delayMs = MEETING_PATIENCE_MS + Math.min(mostMs, wayMs)
    meeting.timer = this.#deps.clock.after(delayMs, () => {
      meeting.timer = null
      silent()
      this.#try(meeting)
    })
  }

  #take({ seeder, ending, end }: Meeting, { circuit, keys }: LinkedCircuit): void {
    if (ending.signal.aborted) {
      keys.wipe()
      circuit.remove('another one was sooner')
      return
    }
    circuit.setEndToEnd({ seal: keys.backward, open: keys.forward })
    this.#circuits.set(circuit, seeder)
    this.#linked.add(seeder)
    this.#deps.counts.linked++
    end(true)
    this.#options.found(addressOfCircuit(circuit.id))
  }
}

// Tells the network of one interface that the server is there: at the start, from time to time, and goodbye; answers
// searches after a random part of the time that the searcher gives. Invariant: answers are bounded for each searcher
// and for all, go only into the interface's own network, and are never longer on the way than a few seconds.

import { Allowance } from '../../../base/allowance.ts'
import { DecodeError } from '../../../base/errors.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import { KeyedRateLimiter } from '../../../base/keyed-rate-limiter.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import { sameNetwork } from '../../../wire/net/ip-network.ts'
import type { LanInterface } from '../ports/lan-interfaces.ts'
import type { SsdpNetwork, SsdpSocket } from '../ports/ssdp-network.ts'
import {
  decodeSearch,
  encodeAlive,
  encodeAnswer,
  encodeByebye,
  MAX_AGE_SEC,
  meantBy,
  type SsdpIdentity,
  targetsOf,
} from '../wire/ssdp.ts'

/** Announcements are repeated well within the time they are kept. */
const REPEAT_MS = (MAX_AGE_SEC * 1000) / 3
/** Datagrams get lost: the first announcement is made twice. */
const AGAIN_MS = 400
/** Answers are spread over so long at most, whatever the searcher would wait. */
const MOST_DELAY_MS = 1_800
/** Searches that are answered: of one searcher, and of all. */
const OF_ONE = { burst: 10, refillMs: 1_000 }
const OF_ALL = { burst: 40, refillMs: 100 }
const MAX_SEARCHERS = 256
const MAX_PENDING = 64

/** What an announcer works with. */
export interface AnnouncerDeps {
  readonly clock: Clock
  readonly random: Random
  readonly network: SsdpNetwork
  /** Whether an address may hear from this server. */
  mayAsk(ip: string): boolean
}

/** Tells the network of one interface that the server is there, and answers searches in it. */
export class Announcer {
  readonly #at: LanInterface
  readonly #identity: SsdpIdentity
  readonly #deps: AnnouncerDeps
  readonly #all = new Allowance(OF_ALL.burst, OF_ALL.refillMs)
  readonly #searchers = new KeyedRateLimiter(OF_ONE, MAX_SEARCHERS)
  readonly #pending = new Set<Timer>()
  #socket: SsdpSocket | null = null
  #repeat: Timer | null = null
  #isAnnounced = false

  constructor(at: LanInterface, identity: SsdpIdentity, deps: AnnouncerDeps) {
    this.#at = at
    this.#identity = identity
    this.#deps = deps
  }

  /** Joins the group: whether searches can be heard is known before there is anything to announce. As start() fails. */
  async join(): Promise<void> {
    this.#socket ??= await this.#deps.network.join(this.#at, (bytes, from) => this.#received(bytes, from))
  }

  /** Joins the group where that was not done, and announces. AppErrors PortTaken, SourceFailed. */
  async start(): Promise<void> {
    const { clock } = this.#deps
    await this.join()
    this.#isAnnounced = true
    void this.#announce()
    this.#later(AGAIN_MS, () => void this.#announce())
    this.#repeat = clock.every(REPEAT_MS, () => void this.#announce())
  }

  /** Says goodbye and leaves. Never rejects. */
  async stop(): Promise<void> {
    this.#repeat?.cancel()
    for (const timer of this.#pending) timer.cancel()
    this.#pending.clear()
    const socket = this.#socket
    this.#socket = null
    if (socket === null) return
    const { udn } = this.#identity
    const said = this.#isAnnounced ? targetsOf(udn) : []
    await Promise.all(said.map(target => socket.announce(encodeByebye(target, udn))))
    await socket.close()
  }

  async #announce(): Promise<void> {
    for (const target of targetsOf(this.#identity.udn))
      await this.#socket?.announce(encodeAlive(target, this.#identity))
  }

  #received(bytes: Uint8Array, from: PeerAddress): void {
    const { ip, bits } = this.#at
    if (!this.#isAnnounced || !sameNetwork(from.ip, ip, bits) || !this.#deps.mayAsk(from.ip)) return
    try {
      const { target, maxWaitSec } = decodeSearch(bytes)
      const meant = meantBy(target, this.#identity.udn)
      if (meant.length > 0 && this.#mayAnswer(from.ip)) this.#answer(meant, from, maxWaitSec)
    } catch (error) {
      // Others use the group too.
      if (!(error instanceof DecodeError)) throw error
    }
  }

  #mayAnswer(ip: string): boolean {
    const nowMs = this.#deps.clock.now()
    return this.#pending.size < MAX_PENDING && this.#searchers.take(ip, nowMs) && this.#all.take(nowMs)
  }

  #answer(meant: readonly string[], to: PeerAddress, maxWaitSec: number): void {
    const { clock, random } = this.#deps
    this.#later(random.below(Math.min(maxWaitSec * 1000, MOST_DELAY_MS)), () => {
      const date = new Date(clock.wallMs()).toUTCString()
      for (const target of meant) this.#socket?.send(encodeAnswer(target, this.#identity, date), to)
    })
  }

  #later(ms: number, run: () => void): void {
    const timer = this.#deps.clock.after(ms, () => {
      this.#pending.delete(timer)
      run()
    })
    this.#pending.add(timer)
  }
}

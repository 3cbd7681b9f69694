// One follower of events: newline-delimited JSON or server-sent events (decisions part 6), kept open by an empty line or
// a comment. What the client does not take is bounded; a follower over the bound is cut off and reconnects.

import type { Clock, Timer } from '../../ports/clock.ts'
import type { EventRecord, EventSubscription } from '../../services/api.ts'
import type { EventsReply } from '../route.ts'
import type { Header } from '../header-block.ts'
import type { Reply } from './reply.ts'

/** Something is sent at least this often (decisions part 6). */
const KEEP_ALIVE_MS = 15_000
/** Bytes that may wait in the native buffer for a slow client. */
const MAX_WAITING_BYTES = 1024 * 1024

/** Headers of the answer; `serverSent`: the client asked for text/event-stream. */
export function eventHeaders(serverSent: boolean): Header[] {
  const type = serverSent ? 'text/event-stream' : 'application/x-ndjson; charset=utf-8'
  return [
    ['Content-Type', type],
    ['Cache-Control', 'no-cache'],
    // nginx would hold events back otherwise.
    ['X-Accel-Buffering', 'no'],
  ]
}

/** Whether an Accept header asks for server-sent events. */
export function wantsServerSent(accept: string): boolean {
  return accept.toLowerCase().includes('text/event-stream')
}

/** One follower, from start() until its client goes. */
export class EventStream {
  readonly #reply: Reply
  readonly #serverSent: boolean
  readonly #drained: (() => void)[] = []
  #blocked = false
  #waitingBytes = 0
  #timer: Timer | null = null
  #subscription: EventSubscription | null = null

  constructor(reply: Reply, serverSent: boolean) {
    this.#reply = reply
    this.#serverSent = serverSent
  }

  /** Follows until the client goes. Throws what the service throws; nothing is written then. */
  start(source: EventsReply, clock: Clock): void {
    this.#reply.onAbort(() => this.#stop())
    const subscription = source.events.follow(
      source.since,
      record => this.#deliver(record),
      () => this.#room(),
    )
    if (!this.#reply.alive) return subscription.close()
    this.#subscription = subscription
    if (!this.#reply.started) this.#send(this.#silence())
    this.#reply.res.onWritable(() => this.#writable())
    this.#timer = clock.every(KEEP_ALIVE_MS, () => void this.#send(this.#silence()))
  }

  #deliver(record: EventRecord): boolean {
    const json = JSON.stringify({ id: record.id, type: record.type, event: record.event })
    if (!this.#serverSent) return this.#send(`${json}\n`)
    // 0 says that no event is known yet: as the id to go on from, it would bring back the whole log.
    return this.#send(`${record.id === 0 ? '' : `id: ${record.id}\n`}data: ${json}\n\n`)
  }

  #silence(): string {
    return this.#serverSent ? ':\n\n' : '\n'
  }

  // False when the follower is gone or too slow.
  #send(text: string): boolean {
    if (!this.#reply.alive) return false
    const bytes = Buffer.from(text)
    if (this.#blocked && this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      this.#reply.cut()
      return false
    }
    let accepted = true
    const write = () => {
      accepted = this.#reply.res.write(bytes)
    }
    if (this.#reply.started) this.#reply.res.cork(write)
    else this.#reply.begin(200, eventHeaders(this.#serverSent), write)
    if (!accepted) this.#blocked = true
    if (this.#blocked) this.#waitingBytes += bytes.length
    return true
  }

  #room(): undefined | Promise<void> {
    if (!this.#blocked || !this.#reply.alive) return undefined
    return new Promise(resolve => this.#drained.push(resolve))
  }

  #writable(): boolean {
    this.#blocked = false
    this.#waitingBytes = 0
    for (const resolve of this.#drained.splice(0)) resolve()
    return true
  }

  #stop(): void {
    this.#timer?.cancel()
    this.#subscription?.close()
    for (const resolve of this.#drained.splice(0)) resolve()
  }
}

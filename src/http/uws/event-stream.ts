// One follower of events: newline-delimited JSON or server-sent events (decisions part 6), kept open by an empty line
// or a comment. A follower whose client does not take what it was sent gets no more until it does (the hub then serves
// it from the log); one that takes nothing at all is cut off, so that it costs a bounded buffer for a bounded time.

import { type Deferred, makeDeferred } from '../../base/deferred.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { EventRun, EventSubscription } from '../../services/events/events-api.ts'
import type { Header } from '../header-block.ts'
import type { EventsReply } from '../route.ts'
import type { EventLines } from './event-lines.ts'
import type { Reply } from './reply.ts'

/** Something is sent at least this often (decisions part 6). */
const KEEP_ALIVE_MS = 15_000
/** Bytes that may wait in the native buffer for a slow client, whatever the hub sends. */
const MAX_WAITING_BYTES = 1024 * 1024

const SERVER_SENT_HEAD = Buffer.from('data: ')
const LINE_FEED = Buffer.from('\n')

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
  readonly #lines: EventLines
  /** The client has not taken what it was sent. */
  #blocked = false
  #waitingBytes = 0
  /** Nothing was taken since the last keep-alive. */
  #stalled = false
  #room: Deferred<void> | null = null
  #timer: Timer | null = null
  #subscription: EventSubscription | null = null
  #list: EventSubscription | null = null

  constructor(reply: Reply, serverSent: boolean, lines: EventLines) {
    this.#reply = reply
    this.#serverSent = serverSent
    this.#lines = lines
  }

  /** Follows until the client goes. Throws what the service throws; nothing is written then. */
  start(source: EventsReply, clock: Clock): void {
    this.#reply.onAbort(() => this.#stop())
    const subscription = source.events.follow(
      source.since,
      run => this.#deliver(run),
      () => this.#roomLater(),
    )
    if (!this.#reply.alive) return subscription.close()
    this.#subscription = subscription
    const room = () => this.#roomLater()
    this.#list = source.downloads?.followList(line => this.#deliverLine(line), room) ?? null
    if (!this.#reply.started) this.#write(this.#silence())
    this.#reply.res.onWritable(() => this.#writable())
    this.#timer = clock.every(KEEP_ALIVE_MS, () => this.#keepAlive())
  }

  /** False when the follower is gone or too slow. */
  #deliver(run: EventRun): boolean {
    this.#write(this.#lines.bytes(run, this.#serverSent))
    return this.#reply.alive
  }

  /** A line that is not of the log. False when the follower is gone. */
  #deliverLine(line: Uint8Array): boolean {
    this.#write(this.#serverSent ? Buffer.concat([SERVER_SENT_HEAD, line, LINE_FEED]) : line)
    return this.#reply.alive
  }

  #silence(): string {
    return this.#serverSent ? ':\n\n' : '\n'
  }

  #keepAlive(): void {
    if (!this.#blocked) return this.#write(this.#silence())
    if (this.#stalled) return this.#reply.cut()
    this.#stalled = true
  }

  #write(text: string | Uint8Array): void {
    if (!this.#reply.alive) return
    const bytes = typeof text === 'string' ? Buffer.from(text) : text
    if (this.#blocked && this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) return this.#reply.cut()
    let accepted = true
    const write = () => {
      accepted = this.#reply.res.write(bytes)
    }
    if (this.#reply.started) this.#reply.res.cork(write)
    else this.#reply.begin(200, eventHeaders(this.#serverSent), write)
    if (!accepted) this.#blocked = true
    if (this.#blocked) this.#waitingBytes += bytes.length
  }

  #roomLater(): undefined | Promise<void> {
    if (!this.#blocked || !this.#reply.alive) return undefined
    this.#room ??= makeDeferred<void>()
    return this.#room.promise
  }

  #writable(): boolean {
    this.#blocked = false
    this.#stalled = false
    this.#waitingBytes = 0
    // What waits in the native buffer goes only along with something new.
    this.#write(this.#silence())
    if (!this.#blocked) this.#giveRoom()
    return true
  }

  #giveRoom(): void {
    this.#room?.resolve()
    this.#room = null
  }

  #stop(): void {
    this.#timer?.cancel()
    this.#subscription?.close()
    this.#list?.close()
    this.#giveRoom()
  }
}

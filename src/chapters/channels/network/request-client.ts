// Questions to peers of the overlay of channels, and the answers that come in parts. Each peer has a window that grows
// with whole answers and shrinks with lost ones. Invariant: each question ends exactly once, within its time; nothing
// here trusts what came.

import { Allowance } from '../../../base/allowance.ts'
import { addressKey, type PeerAddress } from '../../../base/ids.ts'
import type { Peer, Overlay } from '../../overlay/core/index.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import { ComingAnswer, type AnswerPart } from '../wire/answer-parts.ts'
import { ANSWER_STATE, answerPart } from '../wire/channel-messages.ts'

/** Questions that wait for answers. */
const MAX_ASKED = 256
/** An answer begins within this. */
const ANSWER_MS = 2_500
/** No further part for so long: the rest is lost. */
const QUIET_MS = 400
/**
 * Questions of ours to one peer: saved up, and one more each so many milliseconds; peers check 50 signatures a second
 * of us.
 */
const QUESTIONS_TO_PEER = { burst: 100, refillMs: 25 } as const
/** Questions to one peer that are out at a time: at first, at most. */
const FIRST_WINDOW = 4
/** Questions to one peer that are out at a time, at most. */
const MAX_WINDOW = 16
/** Questions that wait for room at their peer. */
const MAX_WAITING = 2_048

/** What came of a question. */
export interface Answer {
  /** `whole`: all parts; `partly`: some; `silent`: none; `busy` and `absent`: the peer said so. */
  readonly came: 'whole' | 'partly' | 'silent' | 'busy' | 'absent'
  /** By number. */
  readonly items: ReadonlyMap<number, Uint8Array>
}

/** A question: which message, and how many items its answer has at most. */
export interface Question {
  /** The whole packet, signed. */
  pack(identifier: number): Uint8Array
  readonly mostItems: number
}

/** What it works with. */
export interface ChannelRequestClientDeps {
  readonly overlay: Overlay
  readonly clock: Clock
  readonly random: Random
}

interface Waiting {
  readonly from: string
  readonly answer: ComingAnswer
  timer: Timer
  end(): void
}

/** What is known of a peer's line. */
class Line {
  readonly allowance = new Allowance(QUESTIONS_TO_PEER.burst, QUESTIONS_TO_PEER.refillMs)
  readonly queue: (() => void)[] = []
  window = FIRST_WINDOW
  out = 0
  timer: Timer | null = null
}

const silence: Answer = { came: 'silent', items: new Map() }

/** Questions to peers of the overlay of channels, and the answers that come in parts. */
export class ChannelRequestClient {
  readonly #deps: ChannelRequestClientDeps
  readonly #waiting = new Map<number, Waiting>()
  readonly #lines = new WeakMap<Peer, Line>()
  /** Lines whose timers run. */
  readonly #timed = new Set<Line>()
  #queued = 0
  #closed = false

  /** It hears answers from here on. */
  constructor(deps: ChannelRequestClientDeps) {
    this.#deps = deps
    deps.overlay.onPlain(answerPart, (part, from) => this.#came(part, from))
  }

  /** How many further questions the peer's window has room for. */
  room(peer: Peer): number {
    const line = this.#line(peer)
    return Math.max(0, line.window - line.out - line.queue.length)
  }

  /** Asks; waits for its turn where the peer's window is full. Never rejects. */
  ask(peer: Peer, question: Question): Promise<Answer> {
    if (this.#closed || this.#queued >= MAX_WAITING) return Promise.resolve(silence)
    return new Promise(resolve => {
      const line = this.#line(peer)
      this.#queued++
      line.queue.push(() => this.#send(peer, line, question, resolve))
      this.#pump(line)
    })
  }

  /** All questions end now, and further ones at once. */
  close(): void {
    this.#closed = true
    for (const waiting of [...this.#waiting.values()]) waiting.end()
    for (const line of this.#timed) {
      line.timer?.cancel()
      this.#pump(line)
    }
    this.#timed.clear()
  }

  #line(peer: Peer): Line {
    let line = this.#lines.get(peer)
    if (line === undefined) this.#lines.set(peer, (line = new Line()))
    return line
  }

  #pump(line: Line): void {
    while (line.queue.length > 0 && (this.#closed || line.out < line.window)) {
      if (!this.#closed && !line.allowance.take(this.#deps.clock.now())) {
        return this.#pumpLater(line)
      }
      this.#queued--
      line.queue.shift()?.()
    }
  }

  #pumpLater(line: Line): void {
    this.#timed.add(line)
    line.timer ??= this.#deps.clock.after(QUESTIONS_TO_PEER.refillMs, () => {
      line.timer = null
      this.#timed.delete(line)
      this.#pump(line)
    })
  }

  #send(peer: Peer, line: Line, question: Question, resolve: (answer: Answer) => void): void {
    const { overlay, clock } = this.#deps
    if (this.#closed || this.#waiting.size >= MAX_ASKED) return resolve(silence)
    const identifier = this.#freshId()
    const answer = new ComingAnswer(question.mostItems)
    line.out++
    const end = (): void => {
      if (!this.#waiting.delete(identifier)) return
      waiting.timer.cancel()
      line.out--
      const result = resultOf(answer)
      line.window = nextWindow(line.window, result.came)
      resolve(result)
      this.#pump(line)
    }
    const waiting: Waiting = { from: addressKey(peer.address), answer, timer: clock.after(ANSWER_MS, end), end }
    this.#waiting.set(identifier, waiting)
    overlay.sendBytes(question.pack(identifier), peer.address)
  }

  #came(part: AnswerPart, from: PeerAddress): void {
    const waiting = this.#waiting.get(part.identifier)
    if (waiting === undefined || waiting.from !== addressKey(from) || !waiting.answer.add(part))
      return this.#deps.overlay.countDropped()
    waiting.timer.cancel()
    if (waiting.answer.complete) waiting.end()
    else waiting.timer = this.#deps.clock.after(QUIET_MS, () => waiting.end())
  }

  #freshId(): number {
    for (;;) {
      const id = this.#deps.random.below(0x1_0000_0000)
      if (!this.#waiting.has(id)) return id
    }
  }
}

function resultOf(answer: ComingAnswer): Answer {
  const { items } = answer
  if (answer.state === ANSWER_STATE.busy) return { came: 'busy', items }
  if (answer.state === ANSWER_STATE.absent) return { came: 'absent', items }
  if (answer.complete) return { came: 'whole', items }
  return answer.begun ? { came: 'partly', items } : silence
}

function nextWindow(window: number, came: Answer['came']): number {
  if (came === 'whole' || came === 'absent') return Math.min(MAX_WINDOW, window + 1)
  return Math.max(1, came === 'partly' ? window - 1 : window >> 1)
}

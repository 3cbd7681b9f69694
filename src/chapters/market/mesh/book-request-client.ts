// Questions to peers of the overlay of the market, and their answers. Invariant: each question ends exactly once,
// within its time; nothing here trusts what came, but that it came from where the question went and names it.

import { Allowance } from '../../../base/allowance.ts'
import { addressKey, type PeerAddress } from '../../../base/ids.ts'
import type { Overlay, Peer } from '../../overlay/core/index.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import type { PayloadOf } from '../../overlay/wire/message.ts'
import { askDigests, askList, askStatements, digests, list, statements } from '../wire/market-messages.ts'

/** An answer begins within this; a question is asked twice. */
const ANSWER_MS = 1_500
/** No further part for so long: the rest is lost. */
const QUIET_MS = 400
/** Questions that wait for answers. */
const MAX_ASKED = 128
/**
 * Questions of ours to one peer: saved up, and one more each so many milliseconds; overlays check 50 signatures a
 * second of an address.
 */
const QUESTIONS_TO_PEER = { burst: 60, refillMs: 30 } as const
/** Parts of an answer: as many as all statements need that a question names. */
const MAX_ANSWER_PARTS = 8

/** What it works with. */
export interface BookRequestClientDeps {
  readonly overlay: Overlay
  readonly clock: Clock
  readonly random: Random
}

/** A prefix, and what we have under it. */
export type AskedNode = PayloadOf<typeof askDigests>['nodes'][number]
/** What lies below a prefix at the peer. */
export type ToldNode = PayloadOf<typeof digests>['nodes'][number]
/** Hashes under a prefix at the peer. */
export type ToldList = Pick<PayloadOf<typeof list>, 'more' | 'hashes'>

type Kind = 'digests' | 'list' | 'statements'

interface Waiting {
  readonly kind: Kind
  readonly from: string
  readonly peer: Peer
  readonly parts: Map<number, unknown>
  timer: Timer
  end(): void
}

/** Questions to peers of the overlay of the market, and their answers. */
export class BookRequestClient {
  readonly #deps: BookRequestClientDeps
  readonly #waiting = new Map<number, Waiting>()
  readonly #lines = new WeakMap<Peer, Allowance>()
  /** What waits for its turn. */
  readonly #pauses = new Set<() => void>()
  #closed = false

  /** It hears answers from here on. */
  constructor(deps: BookRequestClientDeps) {
    this.#deps = deps
    const { overlay } = deps
    overlay.onPlain(digests, (told, from) => this.#came('digests', told.identifier, from, 0, 1, told.nodes))
    overlay.onPlain(list, (told, from) => this.#came('list', told.identifier, from, 0, 1, told))
    overlay.onPlain(statements, (told, from) =>
      this.#came('statements', told.identifier, from, told.part, told.parts, told.statements),
    )
  }

  /** Of these prefixes those whose digests differ; null: no answer. Never rejects. */
  async digests(peer: Peer, nodes: readonly AskedNode[]): Promise<readonly ToldNode[] | null> {
    const { overlay } = this.#deps
    const [told] = await this.#ask(peer, 'digests', identifier => overlay.pack(askDigests, { identifier, nodes }))
    return (told as readonly ToldNode[] | undefined) ?? null
  }

  /** Hashes under a prefix; null: no answer. Never rejects. */
  async list(peer: Peer, prefix: string): Promise<ToldList | null> {
    const { overlay } = this.#deps
    const [told] = await this.#ask(peer, 'list', identifier => overlay.pack(askList, { identifier, prefix }))
    return (told as ToldList | undefined) ?? null
  }

  /**
   * Encodings of what the peer gave of these; whether it is what was asked for is the caller's to see. Never rejects.
   */
  async statements(peer: Peer, hashes: readonly string[]): Promise<readonly Uint8Array[]> {
    const { overlay } = this.#deps
    const told = await this.#ask(peer, 'statements', identifier => overlay.pack(askStatements, { identifier, hashes }))
    return (told as (readonly Uint8Array[])[]).flat()
  }

  /** All questions end now, and further ones at once. */
  close(): void {
    this.#closed = true
    for (const waiting of [...this.#waiting.values()]) waiting.end()
    for (const go of [...this.#pauses]) go()
  }

  /** Asks, and once more when nothing came. */
  async #ask(peer: Peer, kind: Kind, pack: (identifier: number) => Uint8Array): Promise<unknown[]> {
    for (let attempt = 0; attempt < 2; attempt++) {
      await this.#turn(peer)
      const parts = await this.#askOnce(peer, kind, pack)
      if (parts.length > 0 || this.#closed) return parts
    }
    return []
  }

  #askOnce(peer: Peer, kind: Kind, pack: (identifier: number) => Uint8Array): Promise<unknown[]> {
    const { overlay, clock } = this.#deps
    if (this.#closed || this.#waiting.size >= MAX_ASKED) return Promise.resolve([])
    return new Promise(resolve => {
      const identifier = this.#freshId()
      const parts = new Map<number, unknown>()
      const end = (): void => {
        if (!this.#waiting.delete(identifier)) return
        waiting.timer.cancel()
        resolve([...parts.values()])
      }
      const from = addressKey(peer.address)
      const waiting: Waiting = { kind, from, peer, parts, timer: clock.after(ANSWER_MS, end), end }
      this.#waiting.set(identifier, waiting)
      overlay.sendBytes(pack(identifier), peer.address)
    })
  }

  #came(kind: Kind, identifier: number, from: PeerAddress, part: number, parts: number, told: unknown): void {
    const waiting = this.#waiting.get(identifier)
    const isOurs = waiting !== undefined && waiting.kind === kind && waiting.from === addressKey(from)
    if (!isOurs || part >= parts || parts > MAX_ANSWER_PARTS || waiting.parts.has(part))
      return this.#deps.overlay.countDropped()
    waiting.parts.set(part, told)
    waiting.timer.cancel()
    if (waiting.parts.size >= parts) waiting.end()
    else waiting.timer = this.#deps.clock.after(QUIET_MS, () => waiting.end())
  }

  /** Waits until the peer may be asked again. */
  async #turn(peer: Peer): Promise<void> {
    const { clock } = this.#deps
    const line = this.#lines.get(peer) ?? new Allowance(QUESTIONS_TO_PEER.burst, QUESTIONS_TO_PEER.refillMs)
    this.#lines.set(peer, line)
    while (!this.#closed && !line.take(clock.now())) await this.#pause(QUESTIONS_TO_PEER.refillMs)
  }

  #pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const go = (): void => {
        timer.cancel()
        this.#pauses.delete(go)
        resolve()
      }
      const timer = this.#deps.clock.after(ms, go)
      this.#pauses.add(go)
    })
  }

  #freshId(): number {
    for (;;) {
      const id = this.#deps.random.below(0x1_0000_0000)
      if (!this.#waiting.has(id)) return id
    }
  }
}

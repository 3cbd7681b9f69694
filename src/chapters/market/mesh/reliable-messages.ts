// Messages between traders: signed, sent until they are confirmed, and heard once. Each names its receiver, an id by
// chance, and its time; a recorded one can neither be sent to another trader nor be replayed. Statements within are
// checked before they are passed on.

import { Allowance } from '../../../base/allowance.ts'
import { DecodeError, errorText } from '../../../base/errors.ts'
import type { Overlay, SignedSender } from '../../overlay/core/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import type { NegotiationMessage } from '../wire/negotiation.ts'
import { type Envelope, NEGOTIATION_MESSAGES, negotiationOf, negotiationPayload } from '../wire/negotiation-payloads.ts'
import { traderOf } from '../wire/order-codec.ts'
import type { OrderStatement, TraderId } from '../wire/types.ts'
import { NONCE_BYTES, received } from '../wire/market-messages.ts'
import type { Book } from '../core/book.ts'
import type { StatementIntake, Taken } from './statement-intake.ts'
import { MAX_AHEAD_MS } from '../core/limits.ts'
import { MAX_REMEMBERED_TRADERS } from './limits.ts'
import type { PeerLookup } from './peer-lookup.ts'
import { KeyedRateLimiter } from '../../../base/keyed-rate-limiter.ts'
import { TtlMap } from '../../../base/ttl-map.ts'

/** A message that is older, or so far ahead of our clock, is not heard; ids are remembered as long. */
export const SAID_MS = 60_000
/** Ids that are remembered; above that, messages are not heard. */
const MAX_NONCES = 8_192
/** Messages of one trader: saved up, and one more each so many milliseconds. */
const MESSAGES_OF_TRADER = { burst: 40, refillMs: 500 } as const
/** Messages of all traders that are no peers. */
const MESSAGES_OF_STRANGERS = { burst: 200, refillMs: 50 } as const
/** A message that is not confirmed is sent again after each of these. */
const SEND_AGAIN_MS: readonly number[] = [700, 1_500, 3_000, 4_000]
/** After so many of them the trader is looked up once more. */
const SOUGHT_AFTER = 2
/** Messages that wait to be confirmed. */
const MAX_SENDING = 256

/** What it works with. */
export interface ReliableMessagesDeps {
  readonly overlay: Overlay
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly book: Pick<Book, 'get'>
  readonly incoming: StatementIntake
  readonly peerLookup: PeerLookup
  /** A message has come. */
  heard(from: TraderId, said: NegotiationMessage): void
}

/** A message that is on its way: true = it was confirmed. */
type Confirm = (confirmed: boolean) => void

/** Messages between traders: signed, sent until they are confirmed, and heard once. */
export class ReliableMessages {
  readonly #deps: ReliableMessagesDeps
  readonly #startedMs: number
  /** Ids of messages that were heard (true), or are being looked at. */
  readonly #nonces = new TtlMap<boolean>(MAX_NONCES, 2 * SAID_MS)
  readonly #ofTraders = new KeyedRateLimiter(MESSAGES_OF_TRADER, MAX_REMEMBERED_TRADERS)
  readonly #ofStrangers = new Allowance(MESSAGES_OF_STRANGERS.burst, MESSAGES_OF_STRANGERS.refillMs)
  readonly #sending = new Map<string, Confirm>()
  #under = 0
  #refused = 0
  #closed = false

  /** It hears from here on. */
  constructor(deps: ReliableMessagesDeps) {
    this.#deps = deps
    this.#startedMs = deps.clock.wallMs()
    const { overlay } = deps
    for (const kind of kinds())
      overlay.onSigned(NEGOTIATION_MESSAGES[kind] as (typeof NEGOTIATION_MESSAGES)['decline'], (values, from) =>
        this.#came(kind, values, from),
      )
    overlay.onPlain(received, ({ nonce }) => {
      const confirm = this.#sending.get(nonce)
      if (confirm === undefined) overlay.countDropped()
      else confirm(true)
    })
  }

  /** Messages that were not heard: repeated, old, for others, or too many. */
  get refused(): number {
    return this.#refused
  }

  /** Sends until the trader confirms; false: it cannot be reached. Never rejects. */
  async send(to: TraderId, said: NegotiationMessage): Promise<boolean> {
    const { overlay, peerLookup, log } = this.#deps
    if (this.#closed || to === overlay.identity.member || this.#under >= MAX_SENDING) return false
    this.#under++
    try {
      const address = await peerLookup.find(to)
      return address !== null && !this.#isClosed() && (await this.#sendTo(to, address, said))
    } catch (error) {
      log.error('a message to a trader could not be made', { kind: said.kind, error: errorText(error) })
      return false
    } finally {
      this.#under--
    }
  }

  /** Nothing is sent any more. */
  close(): void {
    this.#closed = true
    for (const confirm of [...this.#sending.values()]) confirm(false)
  }

  async #sendTo(to: TraderId, first: { ip: string; port: number }, said: NegotiationMessage): Promise<boolean> {
    const { overlay, clock, random, peerLookup } = this.#deps
    const nonce = Buffer.from(random.bytes(NONCE_BYTES)).toString('hex')
    const { message, values } = negotiationPayload(said, { to, nonce, saidMs: clock.wallMs() })
    const packet = overlay.pack(message, values)
    let address = first
    for (const [attempt, waitMs] of SEND_AGAIN_MS.entries()) {
      if (attempt === SOUGHT_AFTER) address = (await peerLookup.seek(to)) ?? address
      if (this.#isClosed()) return false
      overlay.sendBytes(packet, address)
      if (await this.#confirmed(nonce, waitMs)) return true
    }
    return false
  }

  #confirmed(nonce: string, waitMs: number): Promise<boolean> {
    return new Promise(resolve => {
      const confirm: Confirm = confirmed => {
        timer.cancel()
        this.#sending.delete(nonce)
        resolve(confirmed)
      }
      const timer = this.#deps.clock.after(waitMs, () => confirm(false))
      this.#sending.set(nonce, confirm)
    })
  }

  #came(kind: NegotiationMessage['kind'], values: Parameters<typeof negotiationOf>[1], sender: SignedSender): void {
    const read = this.#read(kind, values)
    const from = traderOf(sender.publicKey)
    if (read === null || !this.#isNow(read.envelope) || this.#deps.incoming.isBlamed(from)) return this.#refuse()
    const name = `${from}${read.envelope.nonce}`
    const nowMs = this.#deps.clock.now()
    const before = this.#nonces.get(name, nowMs)
    // Ours was lost: it is confirmed again, and not heard again.
    if (before === true) this.#confirm(read.envelope, sender)
    if (before !== undefined || !this.#nonces.hasRoom(nowMs) || !this.#may(from, sender, nowMs)) return this.#refuse()
    this.#nonces.set(name, false, nowMs)
    this.#deps.peerLookup.heard(from, sender)
    void this.#checked(from, read.said).then(said => {
      if (said === null || this.#closed) {
        this.#nonces.delete(name)
        return this.#refuse()
      }
      this.#nonces.set(name, true, nowMs)
      this.#confirm(read.envelope, sender)
      this.#deps.heard(from, said)
    })
  }

  #read(
    kind: NegotiationMessage['kind'],
    values: Parameters<typeof negotiationOf>[1],
  ): ReturnType<typeof negotiationOf> | null {
    try {
      return negotiationOf(kind, values)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      return null
    }
  }

  /** For us, and said lately: not before we came, since what we heard before that is not known any more. */
  #isNow({ to, saidMs }: Envelope): boolean {
    const { overlay, clock } = this.#deps
    const isLate = Math.abs(clock.wallMs() - saidMs) > SAID_MS || saidMs < this.#startedMs - MAX_AHEAD_MS
    return to === overlay.identity.member && !isLate
  }

  #may(from: TraderId, { peer }: SignedSender, nowMs: number): boolean {
    return (peer !== null || this.#ofStrangers.take(nowMs)) && this.#ofTraders.take(from, nowMs)
  }

  /** The message with a statement that is known to be signed; null: it is not. */
  async #checked(from: TraderId, said: NegotiationMessage): Promise<NegotiationMessage | null> {
    if (said.kind !== 'match' && said.kind !== 'propose') return said
    const { statement } = said
    if (said.kind === 'propose' && statement.terms.trader !== from) return null
    const newest = this.#believed(statement, await this.#deps.incoming.takeStatement(statement, from, false))
    return newest === null ? null : { ...said, statement: newest }
  }

  #believed(statement: OrderStatement, taken: Taken): OrderStatement | null {
    if (taken === 'new' || taken === 'newer' || taken === 'full') return statement
    // What is older was perhaps not checked; what the book has was.
    return taken === 'known' || taken === 'older' ? this.#deps.book.get(statement.terms) : null
  }

  #confirm({ nonce }: Envelope, { address }: SignedSender): void {
    this.#deps.overlay.send(received, { nonce }, address)
  }

  #refuse(): void {
    this.#refused++
  }

  /** After a promise: the field may have changed, which the compiler does not see. */
  #isClosed(): boolean {
    return this.#closed
  }
}

function kinds(): readonly NegotiationMessage['kind'][] {
  return Object.keys(NEGOTIATION_MESSAGES) as NegotiationMessage['kind'][]
}

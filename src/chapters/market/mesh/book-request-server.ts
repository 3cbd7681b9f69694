// Answers questions about our book. Only known peers at their known addresses are answered, so that no host gets
// datagrams that another one asked for; each peer, and all together, have so many answers, and every answer is bounded
// by its question. A peer that asks for more gets no answer.

import { Allowance } from '../../../base/allowance.ts'
import { addressKey } from '../../../base/ids.ts'
import type { Overlay, Peer, SignedSender } from '../../overlay/core/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Shape, ValuesOf } from '../../overlay/wire/fields.ts'
import {
  askDigests,
  askList,
  askStatements,
  digests,
  list,
  MAX_LISTED,
  MAX_TOLD_STATEMENTS,
  statements,
} from '../wire/market-messages.ts'
import type { PacketMessage, PayloadOf } from '../../overlay/wire/message.ts'
import { type BookDigests, DIGEST_DEPTH } from '../core/book-digests.ts'
import { MAX_REMEMBERED_PEERS } from './limits.ts'
import { KeyedRateLimiter } from '../../../base/keyed-rate-limiter.ts'

/** Questions of a peer that are answered: the same, a little more. */
export const ANSWERED_OF_PEER = { burst: 100, refillMs: 20 } as const
/** Questions of all peers that are answered. */
export const ANSWERED_OF_ALL = { burst: 600, refillMs: 4 } as const

/** What it works with. */
export interface BookRequestServerDeps {
  readonly overlay: Overlay
  readonly clock: Clock
  readonly book: BookDigests
  /** Whether this peer is not to be heard. */
  isBlamed(member: string): boolean
}

const DIGITS = [...'0123456789abcdef']

/** Answers questions about our book. */
export class BookRequestServer {
  readonly #deps: BookRequestServerDeps
  readonly #ofPeers = new KeyedRateLimiter(ANSWERED_OF_PEER, MAX_REMEMBERED_PEERS)
  readonly #ofAll = new Allowance(ANSWERED_OF_ALL.burst, ANSWERED_OF_ALL.refillMs)
  #answered = 0
  #refused = 0

  /** It answers from here on. */
  constructor(deps: BookRequestServerDeps) {
    this.#deps = deps
    this.#answer(askDigests, (asked, peer) => this.#digests(asked, peer))
    this.#answer(askList, (asked, peer) => this.#list(asked, peer))
    this.#answer(askStatements, (asked, peer) => this.#statements(asked, peer))
  }

  /** Questions that were answered, and that were not. */
  get counts(): { readonly answered: number; readonly refused: number } {
    return { answered: this.#answered, refused: this.#refused }
  }

  #answer<S extends Shape>(message: PacketMessage<S>, answer: (values: ValuesOf<S>, peer: Peer) => void): void {
    this.#deps.overlay.onSigned(message, (values, from) => {
      const peer = atHome(from)
      if (peer === null) return this.#deps.overlay.countDropped()
      if (!this.#may(peer)) {
        this.#refused++
        return
      }
      this.#answered++
      answer(values, peer)
    })
  }

  #may({ member }: Peer): boolean {
    const nowMs = this.#deps.clock.now()
    return !this.#deps.isBlamed(member) && this.#ofPeers.take(member, nowMs) && this.#ofAll.take(nowMs)
  }

  #digests({ identifier, nodes }: PayloadOf<typeof askDigests>, peer: Peer): void {
    const { overlay, book } = this.#deps
    const differing = nodes.filter(({ prefix, count, digest }) => {
      if (prefix.length >= DIGEST_DEPTH) return false
      const ours = book.digest(prefix)
      return ours.digest !== digest || ours.count !== count
    })
    const told = differing.map(({ prefix }) => ({
      prefix,
      branches: DIGITS.map(digit => book.digest(prefix + digit)),
    }))
    overlay.send(digests, { identifier, nodes: told }, peer)
  }

  #list({ identifier, prefix }: PayloadOf<typeof askList>, peer: Peer): void {
    const { overlay, book } = this.#deps
    const hashes = book.hashes(prefix, MAX_LISTED + 1)
    const more = hashes.length > MAX_LISTED
    overlay.send(list, { identifier, more, hashes: hashes.slice(0, MAX_LISTED) }, peer)
  }

  #statements({ identifier, hashes }: PayloadOf<typeof askStatements>, peer: Peer): void {
    const { overlay, book } = this.#deps
    const found = [...new Set(hashes)].flatMap(hash => book.statement(hash)?.bytes ?? [])
    const parts = Math.max(1, Math.ceil(found.length / MAX_TOLD_STATEMENTS))
    for (let part = 0; part < parts; part++) {
      const some = found.slice(part * MAX_TOLD_STATEMENTS, (part + 1) * MAX_TOLD_STATEMENTS)
      overlay.send(statements, { identifier, part, parts, statements: some }, peer)
    }
  }
}

/** The peer that signed, where it is known to be; null for strangers, and for packets from another place. */
export function atHome({ peer, address }: SignedSender): Peer | null {
  return peer !== null && addressKey(peer.address) === addressKey(address) ? peer : null
}

// What peer exchange (BEP 11) and holepunching (BEP 55) remember of one connection. It is kept with the peer and goes
// with it. Invariant: addresses sent and received are bounded, whatever the peer sends and however peers come and go.

import { Allowance } from '../../base/allowance.ts'
import type { PeerAddress } from '../../base/ids.ts'

/** Addresses a peer has given and not dropped; more are passed over, as libtorrent does. */
export const MAX_GIVEN = 50
/** Addresses that were sent to a peer and not dropped again. While there are so many, none is added. */
export const MAX_TOLD = 500
/** A minute between two messages (BEP 11); a second one is let through early: clocks and lines are not exact. */
const PACE = { messages: 2, refillMs: 60_000 }
/** Beyond six messages in a minute a peer is dropped, as libtorrent does. */
const FLOOD = { messages: 6, refillMs: 10_000 }
/** New addresses taken of one peer: a peer that drops and adds for ever must not send us round the world. */
const FRESH = { addresses: 100, refillMs: 3000 }
/** Requests to introduce: what we ask one peer for, what one may ask of us, what is passed on to one. */
const PUNCHES = { count: 5, refillMs: 10_000 }

/** What was exchanged with one peer. */
export class ExchangeState {
  /** Sent to it, by key: to be sent as dropped when they are gone. */
  readonly told = new Map<string, PeerAddress>()
  /** Given by it, by key; the value is the IP address. It can introduce us to these (BEP 55). */
  readonly given = new Map<string, string>()
  /** Nothing is sent to it before this clock time, ms; null until it is first looked at. */
  nextTellMs: number | null = null
  readonly pace = new Allowance(PACE.messages, PACE.refillMs)
  readonly flood = new Allowance(FLOOD.messages, FLOOD.refillMs)
  readonly fresh = new Allowance(FRESH.addresses, FRESH.refillMs)
}

/** How much holepunching is done with one peer. */
export class PunchState {
  /** Introductions we ask it for. */
  readonly asked = new Allowance(PUNCHES.count, PUNCHES.refillMs)
  /** Introductions it asks us for. */
  readonly relays = new Allowance(PUNCHES.count, PUNCHES.refillMs)
  /** Calls that are passed on to it: others ask for them. */
  readonly forwards = new Allowance(PUNCHES.count, PUNCHES.refillMs)
  /** Calls it makes us do without our having asked: it may name anybody. */
  readonly calls = new Allowance(PUNCHES.count, PUNCHES.refillMs)
}

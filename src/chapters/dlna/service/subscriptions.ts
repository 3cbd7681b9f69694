// Who hears of changes: subscriptions to the events of services. Events go to the address that asked for them and to
// no other, whatever it names (CallStranger, CVE-2020-12695), one at a time, the newest state only. Invariants: bounded
// in number and by address; nothing goes to whoever did not take several events in succession, or is over its time.

import { DecodeError } from '../../../base/errors.ts'
import { KeyedRateLimiter } from '../../../base/keyed-rate-limiter.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import type { EventPost } from '../ports/event-post.ts'
import { type Callback, decodeCallbacks, decodeTimeout, encodeEvent } from '../wire/gena.ts'
import type { ServiceTemplate } from '../wire/services.ts'

const MAX_SUBSCRIPTIONS = 64
const MAX_OF_ADDRESS = 8
/** New ones of one address: so many at once, then one in so long; and addresses that are remembered for that. */
const NEW_OF_ADDRESS = { burst: 16, refillMs: 2_000 }
const MAX_ADDRESSES = 256
/** Shortest and longest time of one, seconds. */
const LEAST_SEC = 300
const MOST_SEC = 1800
/** The first event comes after the answer that names its subscription, later ones so far apart. */
const FIRST_MS = 100
const PAUSE_MS = 2_000
const MAX_FAILURES = 3
const MAX_SEQUENCE = 2 ** 32

/** A subscription is refused with this HTTP status. */
export class SubscriptionRefused extends Error {
  readonly status: 400 | 412 | 503

  constructor(status: 400 | 412 | 503, text: string) {
    super(text)
    this.name = 'SubscriptionRefused'
    this.status = status
  }
}

/** Who asks for events, with the headers of the request; empty when absent. */
export interface SubscriptionRequest {
  readonly remoteIp: string
  /** The address of this machine that was asked. */
  readonly localIp: string
  readonly callback: string
  readonly nt: string
  readonly sid: string
  readonly timeout: string
}

/** What subscriptions work with. */
export interface SubscriptionsDeps {
  readonly clock: Clock
  readonly random: Random
  readonly post: EventPost
  /** The evented variables of a service, as they are. */
  variables(service: ServiceTemplate): Readonly<Record<string, string | number>>
}

interface Subscription {
  readonly sid: string
  readonly service: ServiceTemplate
  readonly callback: Callback
  readonly localIp: string
  endsMs: number
  sequence: number
  failures: number
  /** An event is on its way, or waits for its time. */
  busy: boolean
  /** Something changed since it was made. */
  behind: boolean
  /** Fires when it is over: what is on its way then goes no further, so that there are no more events than those. */
  readonly over: AbortController
}

/** Who hears of changes: subscriptions, whose events go to the address that asked for them and to no other. */
export class Subscriptions {
  readonly #deps: SubscriptionsDeps
  readonly #all = new Map<string, Subscription>()
  readonly #fresh = new KeyedRateLimiter(NEW_OF_ADDRESS, MAX_ADDRESSES)

  constructor(deps: SubscriptionsDeps) {
    this.#deps = deps
  }

  /** How many there are. */
  get size(): number {
    const nowMs = this.#deps.clock.now()
    for (const subscription of this.#all.values()) if (subscription.endsMs <= nowMs) this.#end(subscription)
    return this.#all.size
  }

  /** A new one, or a longer time for an old one. Throws SubscriptionRefused. */
  subscribe(service: ServiceTemplate, request: SubscriptionRequest): { sid: string; seconds: number } {
    const { callback, nt, sid, timeout } = request
    const seconds = decodeTimeout(timeout, LEAST_SEC, MOST_SEC)
    const endsMs = this.#deps.clock.now() + seconds * 1000
    if (sid !== '') {
      if (callback !== '' || nt !== '') throw new SubscriptionRefused(400, 'It names a subscription and asks for one.')
      this.#find(service, request).endsMs = endsMs
      return { sid, seconds }
    }
    if (nt !== 'upnp:event') throw new SubscriptionRefused(412, 'NT must be upnp:event.')
    return { sid: this.#add(service, request, endsMs), seconds }
  }

  /** Ends one. Throws SubscriptionRefused. */
  unsubscribe(service: ServiceTemplate, request: SubscriptionRequest): void {
    const { callback, nt } = request
    if (callback !== '' || nt !== '') throw new SubscriptionRefused(400, 'Only SID may be named.')
    this.#end(this.#find(service, request))
  }

  /** Variables of a service have changed. */
  changed(service: ServiceTemplate): void {
    if (this.size === 0) return
    for (const subscription of this.#all.values()) if (subscription.service === service) this.#tell(subscription)
  }

  /** No event goes to this address any more. */
  forget(ip: string): void {
    for (const subscription of this.#all.values()) if (subscription.callback.ip === ip) this.#end(subscription)
  }

  /** Ends all. */
  stop(): void {
    for (const subscription of this.#all.values()) this.#end(subscription)
  }

  #end(subscription: Subscription): void {
    this.#all.delete(subscription.sid)
    subscription.over.abort()
  }

  #find(service: ServiceTemplate, { sid, remoteIp }: SubscriptionRequest): Subscription {
    const found = this.size === 0 ? undefined : this.#all.get(sid)
    if (found === undefined || found.service !== service || found.callback.ip !== remoteIp)
      throw new SubscriptionRefused(412, 'There is no such subscription.')
    return found
  }

  #add(service: ServiceTemplate, request: SubscriptionRequest, endsMs: number): string {
    const { remoteIp, localIp } = request
    const callback = callbacksOf(request.callback).find(({ ip }) => ip === remoteIp)
    if (callback === undefined) throw new SubscriptionRefused(412, 'Events go to the address that asks for them.')
    const ofAddress = [...this.#all.values()].filter(one => one.callback.ip === remoteIp)
    if (ofAddress.length >= MAX_OF_ADDRESS || this.size >= MAX_SUBSCRIPTIONS)
      throw new SubscriptionRefused(503, 'There are too many subscriptions.')
    if (!this.#fresh.take(remoteIp, this.#deps.clock.now()))
      throw new SubscriptionRefused(503, 'There were too many subscriptions of late.')
    const hex = Buffer.from(this.#deps.random.bytes(16)).toString('hex')
    const sid = `uuid:${hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`
    const subscription = {
      sid,
      service,
      callback,
      localIp,
      endsMs,
      sequence: 0,
      failures: 0,
      busy: true,
      behind: false,
      over: new AbortController(),
    }
    this.#all.set(sid, subscription)
    this.#deps.clock.after(FIRST_MS, () => void this.#send(subscription))
    return sid
  }

  #tell(subscription: Subscription): void {
    if (subscription.busy) {
      subscription.behind = true
      return
    }
    subscription.busy = true
    void this.#send(subscription)
  }

  /** Never rejects. */
  async #send(subscription: Subscription): Promise<void> {
    const { sid, service, callback, localIp } = subscription
    if (this.#all.get(sid) !== subscription) return
    subscription.behind = false
    const headers = {
      'Content-Type': 'text/xml; charset="utf-8"',
      NT: 'upnp:event',
      NTS: 'upnp:propchange',
      SID: sid,
      SEQ: String(subscription.sequence),
    }
    subscription.sequence = subscription.sequence + 1 < MAX_SEQUENCE ? subscription.sequence + 1 : 1
    const body = encodeEvent(this.#deps.variables(service))
    try {
      await this.#deps.post({ ...callback, headers, body, localIp }, subscription.over.signal)
      subscription.failures = 0
    } catch {
      subscription.failures += 1
      if (subscription.failures >= MAX_FAILURES) this.#end(subscription)
    }
    this.#deps.clock.after(PAUSE_MS, () => this.#after(subscription))
  }

  #after(subscription: Subscription): void {
    subscription.busy = false
    if (subscription.behind) this.#tell(subscription)
  }
}

function callbacksOf(header: string): readonly Callback[] {
  try {
    return decodeCallbacks(header)
  } catch (error) {
    if (error instanceof DecodeError) throw new SubscriptionRefused(412, error.message)
    throw error
  }
}

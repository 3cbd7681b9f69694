// Heads of channels in the DHT (BEP 44): those of own channels are put again before nodes forget them, those of
// subscribed ones are looked for at intervals and put again where few nodes have them, so that a channel outlives its
// owner's computer. Also finds channels known by their id only. Knows no overlay. Bounded: few look-ups at a time, and
// fewer each with many channels.

import { DecodeError } from '../../../base/errors.ts'
import { Ending } from '../../../base/ending.ts'
import type { ChannelCatalogue, KnownChannel } from '../ports/channel-catalogue.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { FoundSignedItem, TargetedItems } from '../../../ports/dht-items.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import { decodeHead } from '../wire/head-codec.ts'
import { channelIdBytes } from '../wire/ids.ts'
import type { ChannelHead, ChannelId } from '../wire/types.ts'

/** Items end after two hours (BEP 44); this leaves room for a failure. */
const PUT_EVERY_MS = 45 * 60_000
/** After a look-up that found nothing, or a put that no node took; then twice as long. */
const RETRY_MS = 30_000
/** The wanted look-ups of all channels together come no more often than this, each. */
const SPACING_MS = 5000
/** Look-ups at a time. */
const MAX_LOOKUPS = 2
/** A head that fewer nodes have is put again. */
const WANTED_COPIES = 4
/** An own head that names its pack is put this long after it came; one whose pack is being made waits longer. */
const SOON_MS = 500
const PACK_WAIT_MS = 15_000
/** A search for an unknown id asks again after this: a young node may not have met the DHT yet. */
const ASK_AGAIN_MS = 3000
/** Channels looked after at a time. */
const MAX_FOLLOWED = 5000
const NO_SALT = new Uint8Array(0)

/** What it needs of the node. */
export interface HeadKeeperDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly items: TargetedItems
  readonly catalogue: Pick<ChannelCatalogue, 'wanted' | 'known' | 'offerHead' | 'watch'>
  /** Between two looks for the head of a subscribed channel. */
  intervalMs(): number
}

interface Followed {
  readonly channel: ChannelId
  timer: Timer | null
  /** It waits for its turn or has it. */
  busy: boolean
  /** Asked for meanwhile. */
  again: boolean
  misses: number
}

/** How it goes. */
export interface HeadCounts {
  readonly followed: number
  readonly lookups: number
  readonly puts: number
  readonly refused: number
}

/**
 * Heads of channels in the DHT (BEP 44): those of own channels are put again before nodes forget them, those of
 * subscribed ones are looked for at intervals and put again where few nodes have them, so that a channel outlives its
 * owner's computer. start() once, stop() once.
 */
export class HeadKeeper {
  readonly #deps: HeadKeeperDeps
  readonly #followed = new Map<ChannelId, Followed>()
  readonly #ending = new Ending()
  readonly #waiting: (() => void)[] = []
  readonly #underWay = new Set<Promise<unknown>>()
  #lookups = 0
  #unwatch: () => void = () => undefined
  #counts = { lookups: 0, puts: 0, refused: 0 }

  constructor(deps: HeadKeeperDeps) {
    this.#deps = deps
  }

  get counts(): HeadCounts {
    return { followed: this.#followed.size, ...this.#counts }
  }

  /** Looks after the channels that are wanted, from now on. */
  async start(): Promise<void> {
    const { catalogue } = this.#deps
    this.#unwatch = catalogue.watch(event => {
      if (event.kind === 'standing') this.#standing(event.channel, event.standing)
      else if (event.kind === 'head' && event.own) void this.#ownHead(event.channel)
    })
    for (const { channel } of await catalogue.wanted()) this.#follow(channel, this.#deps.random.below(SPACING_MS))
  }

  /** Settles when nothing is under way. */
  async stop(): Promise<void> {
    this.#unwatch()
    this.#ending.end(new Error('the node is stopping'))
    for (const { timer } of this.#followed.values()) timer?.cancel()
    this.#followed.clear()
    for (const go of this.#waiting.splice(0)) go()
    await Promise.allSettled(this.#underWay)
  }

  /** Looks for the head of any channel; true once the catalogue has one. Never rejects. */
  find(channel: ChannelId, limitMs: number): Promise<boolean> {
    return this.#tracked(this.#find(channel, limitMs)).catch(() => false)
  }

  /** Looks for the head of this channel now. */
  hurry(channel: ChannelId): void {
    if (this.#followed.has(channel)) this.#careIn(channel, 0)
  }

  async #find(channel: ChannelId, limitMs: number): Promise<boolean> {
    const { clock } = this.#deps
    const endMs = clock.now() + limitMs
    const late = this.#wait(limitMs).then(() => false)
    while (clock.now() < endMs && !this.#ending.over) {
      if (await Promise.race([this.#lookOnce(channel), late])) return true
      await this.#ending.until(Promise.race([this.#wait(ASK_AGAIN_MS), late]))
    }
    return false
  }

  /** Whether there was a head that the catalogue takes. */
  async #lookOnce(channel: ChannelId): Promise<boolean> {
    const found = await this.#inTurn(() => this.#lookUp(channel))
    if (found === null) return false
    return (await this.#offer(found.head)) !== 'refused'
  }

  #wait(ms: number): Promise<void> {
    return new Promise(resolve => this.#deps.clock.after(ms, resolve))
  }

  #standing(channel: ChannelId, standing: KnownChannel['standing'] | null): void {
    if (standing === 'own' || standing === 'subscribed') return this.#follow(channel, SOON_MS)
    this.#followed.get(channel)?.timer?.cancel()
    this.#followed.delete(channel)
  }

  #follow(channel: ChannelId, delayMs: number): void {
    if (this.#ending.over || this.#followed.size >= MAX_FOLLOWED) return
    if (!this.#followed.has(channel))
      this.#followed.set(channel, { channel, timer: null, busy: false, again: false, misses: 0 })
    this.#careIn(channel, delayMs)
  }

  /** It is put at once when it names its pack, or nothing is in it: else another head will follow soon. */
  async #ownHead(channel: ChannelId): Promise<void> {
    const known = await this.#tracked(this.#deps.catalogue.known(channel)).catch(() => null)
    const whole = known === null || known.head === null || known.head.pack !== null || known.head.records === 0
    this.#follow(channel, whole ? SOON_MS : PACK_WAIT_MS)
  }

  #careIn(channel: ChannelId, delayMs: number): void {
    const entry = this.#followed.get(channel)
    if (entry === undefined || this.#ending.over) return
    entry.timer?.cancel()
    entry.timer = this.#deps.clock.after(delayMs, () => void this.#tracked(this.#care(entry)).catch(() => undefined))
  }

  /** One look at one channel; sets the next one. */
  async #care(entry: Followed): Promise<void> {
    if (entry.busy) {
      entry.again = true
      return
    }
    entry.busy = true
    let nextMs = RETRY_MS
    try {
      nextMs = await this.#inTurn(() => this.#careNow(entry))
    } catch (error) {
      entry.misses++
      nextMs = backOff(entry.misses)
      if (!this.#ending.over) this.#deps.log.warn('the head of a channel could not be looked after', { error })
    } finally {
      entry.busy = false
    }
    if (this.#followed.get(entry.channel) !== entry) return
    const soon = entry.again
    entry.again = false
    this.#careIn(entry.channel, soon ? 0 : nextMs - this.#deps.random.below(Math.max(1, Math.floor(nextMs / 5))))
  }

  /** How long until the next look. */
  async #careNow(entry: Followed): Promise<number> {
    const known = await this.#deps.catalogue.known(entry.channel)
    if (known === null || this.#ending.over) return PUT_EVERY_MS
    const done = known.standing === 'own' ? await this.#putOwn(known) : await this.#lookFor(known)
    entry.misses = done ? 0 : entry.misses + 1
    const wantedMs = known.standing === 'own' ? PUT_EVERY_MS : this.#intervalMs()
    return done ? wantedMs : Math.min(wantedMs, backOff(entry.misses))
  }

  #intervalMs(): number {
    return Math.min(PUT_EVERY_MS, Math.max(this.#deps.intervalMs(), this.#followed.size * SPACING_MS))
  }

  async #putOwn({ head, channel }: KnownChannel): Promise<boolean> {
    if (head === null) return true
    const { stored, newer } = await this.#put(head)
    if (newer !== null) this.#deps.log.warn('somebody else has the key of this channel', { channel, seq: newer.seq })
    return stored > 0
  }

  /** True when there is a head in the DHT now. */
  async #lookFor({ head: held, channel }: KnownChannel): Promise<boolean> {
    const found = await this.#lookUp(channel)
    if (found !== null && found.head.sequence > (held?.sequence ?? 0)) await this.#offer(found.head)
    else if (held !== null && (found === null || found.head.sequence < held.sequence || found.copies < WANTED_COPIES))
      return (await this.#put(held)).stored > 0
    return found !== null
  }

  async #offer(head: ChannelHead) {
    const verdict = await this.#deps.catalogue.offerHead(head, 'dht')
    if (verdict === 'refused') this.#counts.refused++
    return verdict
  }

  async #put(head: ChannelHead) {
    this.#counts.puts++
    const { publicKey: key, sequence, value, signature } = head
    const item = { key, salt: NO_SALT, seq: BigInt(sequence), value, signature }
    return this.#ending.until(this.#deps.items.store(item))
  }

  async #lookUp(channel: ChannelId): Promise<{ readonly head: ChannelHead; readonly copies: number } | null> {
    this.#counts.lookups++
    const found = await this.#ending.until(this.#deps.items.findTarget(channelIdBytes(channel)))
    if (found === null) return null
    const head = headOf(found)
    if (head === null) this.#counts.refused++
    return head === null ? null : { head, copies: found.copies }
  }

  /** Few look at a time. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#lookups >= MAX_LOOKUPS) await new Promise<void>(resolve => this.#waiting.push(resolve))
    this.#lookups++
    try {
      return await work()
    } finally {
      this.#lookups--
      this.#waiting.shift()?.()
    }
  }

  #tracked<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work)
    const done = (): void => void this.#underWay.delete(work)
    work.then(done, done)
    return work
  }
}

function backOff(misses: number): number {
  return Math.min(PUT_EVERY_MS, RETRY_MS * 2 ** Math.min(misses - 1, 20))
}

/** Null: the item is no head. */
function headOf({ key, seq, value, signature }: FoundSignedItem): ChannelHead | null {
  if (seq > BigInt(Number.MAX_SAFE_INTEGER)) return null
  try {
    return decodeHead({ publicKey: key, sequence: Number(seq), value, signature })
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return null
  }
}

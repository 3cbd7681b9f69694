// One overlay of the introduction points of a hidden swarm (8.6): with each introduction they tell each other which
// seeders they introduce. We take part while we introduce a seeder of the swarm, and never as seeder or downloader.

import type { PeerAddress } from '../../../base/ids.ts'
import { DecodeError } from '../../../base/errors.ts'
import type { Community, CommunityOptions, Peer } from '../../overlay/core/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import { list16 } from '../../overlay/wire/fields.ts'
import { pexCommunityId } from '../wire/hidden-names.ts'
import { decodePayload, encodePayload } from '../../overlay/wire/message.ts'
import { isCircuitKey } from '../../overlay/wire/public-key.ts'
import type { HiddenCounts } from './hidden-counts.ts'
import { type IntroductionPointName, pointKey, seederText } from './hidden-points.ts'

/** Peers that are looked for in one. */
const PEX_PEERS = 10
/** Between two steps of its walk. */
const PEX_STEP_MS = 5_000
/** Seeders named in one introduction. */
const PEX_KEYS = 10
/** Seeders of others that are remembered. */
const PEX_ENTRIES = 20
/** Used for so long. */
const PEX_ENTRY_AGE_MS = 300_000

const extraBytes = { fields: { seederKeys: list16 } } as const

/** An overlay as exchanges use it. */
export type ExchangeOverlay = Pick<Community, 'introductions' | 'close'>

/** What an exchange works with. */
export interface ExchangeDeps {
  readonly communities: { open(options: CommunityOptions): ExchangeOverlay }
  readonly clock: Clock
  readonly random: Random
  readonly counts: HiddenCounts
  /** Who we are as introduction point. */
  readonly ownKey: Uint8Array
  readonly ownAddress: () => PeerAddress
}

interface Entry {
  readonly point: IntroductionPointName
  readonly heardMs: number
}

/** The overlay of one swarm. */
export class IntroductionExchange {
  readonly #deps: ExchangeDeps
  readonly #community: ExchangeOverlay
  /** Seeders that we introduce. */
  readonly #own = new Map<string, Uint8Array>()
  /** What others introduce, newest last. */
  readonly #entries = new Map<string, Entry>()

  /** `lookup`: the swarm's lookup info hash. Throws RangeError as Communities.open. */
  constructor(lookup: Uint8Array, deps: ExchangeDeps) {
    this.#deps = deps
    this.#community = deps.communities.open({
      communityId: pexCommunityId(lookup),
      name: 'PexCommunity',
      targetPeers: PEX_PEERS,
      stepMs: PEX_STEP_MS,
      churn: true,
    })
    this.#community.introductions.setExtra(() => this.#extra())
    this.#community.introductions.onExtra((peer, extra) => this.#take(peer, extra))
  }

  /** We introduce no seeder of this swarm. */
  get isIdle(): boolean {
    return this.#own.size === 0
  }

  /** Announces a seeder from now on. */
  announce(seederKey: Uint8Array): void {
    this.#own.set(seederText(seederKey), seederKey)
  }

  /** Announces it no longer. */
  withdraw(seederKey: Uint8Array): void {
    this.#own.delete(seederText(seederKey))
  }

  /** Everything that is known now, our own included. */
  points(): readonly IntroductionPointName[] {
    this.#forgetOld()
    const { ownKey: publicKey, ownAddress } = this.#deps
    const address = ownAddress()
    const own = [...this.#own.values()].map(seederKey => ({ address, publicKey, seederKey }))
    return [...[...this.#entries.values()].map(({ point }) => point), ...own]
  }

  close(): void {
    this.#community.close()
  }

  #extra(): Uint8Array {
    const keys = [...this.#own.values()]
    const seederKeys: Uint8Array[] = []
    while (keys.length > 0 && seederKeys.length < PEX_KEYS)
      seederKeys.push(...keys.splice(this.#deps.random.below(keys.length), 1))
    return encodePayload(extraBytes, { seederKeys })
  }

  #take({ publicKey, address }: Peer, extra: Uint8Array): void {
    if (extra.length === 0) return
    try {
      const { seederKeys } = decodePayload(extraBytes, extra)
      for (const seederKey of seederKeys.slice(0, PEX_KEYS))
        if (isCircuitKey(seederKey)) this.#add({ address, publicKey, seederKey: Uint8Array.from(seederKey) })
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      this.#deps.counts.malformed++
    }
  }

  #add(point: IntroductionPointName): void {
    const key = pointKey(point)
    this.#entries.delete(key)
    this.#entries.set(key, { point, heardMs: this.#deps.clock.now() })
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= PEX_ENTRIES) break
      this.#entries.delete(oldest)
    }
  }

  #forgetOld(): void {
    const nowMs = this.#deps.clock.now()
    for (const [key, { heardMs }] of this.#entries) if (nowMs - heardMs > PEX_ENTRY_AGE_MS) this.#entries.delete(key)
  }
}

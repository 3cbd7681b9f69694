// Looks for peers of one overlay by walking (protocol section 4.3): asks at addresses that others named, else asks a
// peer for an introduction, else asks the bootstrap servers. Rests while there are enough peers, and while too many
// have not answered.

import { addressKey, type PeerAddress } from '../../../base/ids.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import type { Bootstrap } from './bootstrap.ts'
import type { Introductions } from './introductions.ts'
import type { Overlay } from './overlay.ts'
import type { Walkable } from './walkable.ts'

/** An address that does not answer within this is forgotten (section 12). */
const WALK_TIMEOUT_MS = 3_000
/** Requests of a walk that are unanswered at a time (section 12). */
const WALK_WINDOW = 5
/** A walk rests at so many peers (section 12). */
const TARGET_PEERS = 20

/** Of 256 steps so many go to an address that nobody answered from yet. */
const NEW_ADDRESS_OF_256 = 205
/** Of 100 questions to known nodes so many go to a server. */
const SERVER_OF_100 = 5

/** What a walk works with. */
export interface RandomWalkDeps {
  readonly overlay: Overlay
  readonly introductions: Introductions
  readonly walkable: Walkable
  readonly bootstrap: Bootstrap
  readonly clock: Clock
  readonly random: Random
}

/**
 * Looks for peers of one overlay by walking (protocol section 4.3): asks at addresses that others named, else asks a
 * peer for an introduction, else asks the bootstrap servers.
 */
export class RandomWalk {
  readonly #deps: RandomWalkDeps
  readonly #target: number
  /** Asked, not answered; when. */
  readonly #asked = new Map<string, { readonly address: PeerAddress; readonly atMs: number }>()

  /** `target`: peers at which the walk rests. */
  constructor(target: number | undefined, deps: RandomWalkDeps) {
    this.#deps = deps
    this.#target = target ?? TARGET_PEERS
    deps.introductions.onAnswered(address => {
      this.#asked.delete(addressKey(address))
      deps.walkable.remove(address)
    })
  }

  /** One step, of those that come twice a second. */
  step(): void {
    const { overlay, walkable, random, introductions } = this.#deps
    this.#forgetSilent()
    const known = overlay.peers().length
    if (known >= this.#target || this.#asked.size >= WALK_WINDOW) return
    const fresh =
      random.below(256) < NEW_ADDRESS_OF_256 ? walkable.pick(address => !this.#asked.has(addressKey(address))) : null
    if (fresh !== null) return this.#ask(fresh)
    const peer = overlay.randomPeer()
    if (peer !== null && random.below(100) >= SERVER_OF_100) return introductions.askPeer(peer)
    this.#askServers(peer !== null)
  }

  #ask(address: PeerAddress): void {
    this.#asked.set(addressKey(address), { address, atMs: this.#deps.clock.now() })
    this.#deps.introductions.ask(address)
  }

  /** All of them when we know no peer, else one. */
  #askServers(one: boolean): void {
    const { bootstrap, introductions, overlay, random } = this.#deps
    const servers = bootstrap.addresses()
    if (!one) return bootstrap.ask(overlay.id, address => introductions.ask(address))
    const server = servers[random.below(servers.length)]
    if (server !== undefined) introductions.ask(server)
  }

  #forgetSilent(): void {
    const { clock, walkable } = this.#deps
    const nowMs = clock.now()
    for (const [key, { address, atMs }] of this.#asked) {
      if (nowMs - atMs < WALK_TIMEOUT_MS) continue
      this.#asked.delete(key)
      walkable.remove(address)
    }
  }
}

// Addresses of peers from one run of the overlay to the next, so that it finds its network without asking servers: a
// row of the records, written now and then and at the end. A row that cannot be read is as good as none.

import { errorText } from '../../../base/errors.ts'
import type { PeerAddress } from '../../../base/ids.ts'
import { canBeNode } from '../core/index.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { NodeValues } from '../../../ports/records.ts'

const KEY = 'overlay peers'
const SAVE_EVERY_MS = 5 * 60_000
const FIRST_SAVE_MS = 30_000
/**
 * One lost datagram must not cost the only address that is known: as often as the first addresses of the network are
 * asked again.
 */
const ASK_AGAIN_MS = 30_000
/** Addresses kept of an overlay, and overlays. */
const MOST_ADDRESSES = 128
const MOST_OVERLAYS = 8

/** Addresses by community id in hex. */
export type SavedOverlayPeers = Readonly<Record<string, readonly PeerAddress[]>>

/** What it needs of the node. */
export interface OverlayPeersDeps {
  readonly clock: Clock
  readonly log: Log
  readonly values: NodeValues
  /** What is known now. */
  peers(): SavedOverlayPeers
  /** Overlays without peers ask again where there were peers. */
  askAgain(): void
}

/**
 * Addresses of peers from one run of the overlay to the next, so that it finds its network without asking servers: a
 * row of the records, written now and then and at the end.
 */
export class OverlayPeers {
  readonly #deps: OverlayPeersDeps
  #timers: Timer[] = []
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: OverlayPeersDeps) {
    this.#deps = deps
  }

  /** What was saved last. Never rejects. */
  async load(): Promise<SavedOverlayPeers> {
    try {
      const bytes = await this.#deps.values.get(KEY)
      return bytes === null ? {} : readSaved(Buffer.from(bytes).toString('utf8'))
    } catch (error) {
      this.#deps.log.warn('the saved peers of the overlay are not known', { error: errorText(error) })
      return {}
    }
  }

  /** Saves from time to time, and asks again. */
  start(): void {
    const { clock, askAgain } = this.#deps
    const save = (): void => void this.save()
    this.#timers = [
      clock.after(FIRST_SAVE_MS, save),
      clock.every(SAVE_EVERY_MS, save),
      clock.every(ASK_AGAIN_MS, askAgain),
    ]
  }

  /** Saves now; a failure is logged. An empty list does not replace one with peers. */
  save(): Promise<void> {
    const peers = this.#deps.peers()
    if (Object.values(peers).every(addresses => addresses.length === 0)) return this.#writing
    this.#writing = this.#writing.then(async () => {
      try {
        await this.#deps.values.set(KEY, Buffer.from(JSON.stringify(peers)))
      } catch (error) {
        this.#deps.log.warn('the peers of the overlay could not be saved', { error: errorText(error) })
      }
    })
    return this.#writing
  }

  /** Saves a last time what is known at the call. */
  stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) timer.cancel()
    return this.save()
  }
}

/** The saved addresses that can be used; anything else is passed over. */
export function readSaved(text: string): SavedOverlayPeers {
  const parsed: unknown = JSON.parse(text)
  if (typeof parsed !== 'object' || parsed === null) return {}
  const entries = Object.entries(parsed).slice(0, MOST_OVERLAYS)
  return Object.fromEntries(
    entries
      .filter(([id]) => /^[0-9a-f]{40}$/.test(id))
      .map(([id, list]) => [id, Array.isArray(list) ? list.slice(0, MOST_ADDRESSES).flatMap(readAddress) : []]),
  )
}

function readAddress(value: unknown): PeerAddress[] {
  if (typeof value !== 'object' || value === null || !('ip' in value) || !('port' in value)) return []
  const { ip, port } = value
  if (typeof ip !== 'string' || typeof port !== 'number' || !Number.isInteger(port)) return []
  return canBeNode({ ip, port }) ? [{ ip, port }] : []
}

// The overlays' cryptography on worker threads (port overlay-crypto-pool). A quiet node never starts one: the main
// thread does what comes, until it has spent a fifth of its time on it. Bounds: slots of memory; what finds none is
// refused, as a flood must be. Invariants: a slot is zeroed before it is free again; counters are used up before a
// worker seals with them, so none is used twice.

import { AppError } from '../../../base/errors.ts'
import { openedBy, pairSecrets, startSecret } from '../io/overlay-crypto.ts'
import type { Slot } from '../../../ports/arena.ts'
import type { Log } from '../../../ports/log.ts'
import type {
  HandshakeAnswer,
  HandshakeDone,
  HandshakeFinished,
  HandshakeStart,
  LayerKey,
  OverlayCrypto,
  OverlayKeyPair,
} from '../ports/overlay-crypto.ts'
import type { CellText, OverlayCryptoPool } from '../ports/overlay-crypto-pool.ts'
import type { Random } from '../../../ports/random.ts'
import { KEY_FORM_BYTES, KEY_HALF_BYTES, type PublicKey, signingHalf } from '../wire/public-key.ts'
import { SharedArena } from '../../../pools/arena.ts'
import { nowUs } from '../../../pools/contract/batch.ts'
import type { SealJobName } from '../../../pools/contract/jobs.ts'
import { BATCH_BYTES, partsOf, putParts, SEAL_SLOT_BYTES } from './seal-slot.ts'
import { CellBatches } from './cell-batches.ts'
import { WorkerPool } from '../../../pools/pool.ts'
import { workerUrl } from '../../../io/worker-url.ts'

/** The main thread does without a worker until it has spent this much in a window (a fifth of it). */
const HERE_US = 2_000
const WINDOW_US = 10_000
/** Signatures and handshakes at the workers and waiting: 30 ms of a core. */
const SLOTS = 256
/** Batches of cells likewise. */
const BATCHES = 4

/** Jobs over one slot. */
type SlotJobName = Exclude<SealJobName, 'seal.layers'>

/** What a pool may take. */
export interface SealPoolOptions {
  /** Most threads; default 1, since handshakes are not a node's main work. */
  readonly threads?: number
  /** Microseconds of a window that the main thread does without a worker; 0 = everything goes to the workers. */
  readonly hereUs?: number
  /** The worker's file, for tests. */
  readonly worker?: URL
  /** Memory of signatures and handshakes; default sealSlots(). */
  readonly slots?: SharedArena
}

/** What it needs. */
export interface SealPoolDeps {
  readonly crypto: OverlayCrypto
  readonly random: Random
  readonly log: Log
  /** Microseconds of a clock that never goes back; default: the monotonic one. */
  readonly nowUs?: () => number
}

/** Figures of the present moment. */
export interface SealPoolStats {
  readonly threads: number
  readonly slotsInUse: number
  /** Since the start: asked for and done here, sent to a worker, refused. */
  readonly here: number
  readonly sent: number
  readonly refused: number
}

/** The pool; threads start at the first flood and end 30 s after the last. */
export class SealPool implements OverlayCryptoPool {
  readonly #crypto: OverlayCrypto
  readonly #random: Random
  readonly #nowUs: () => number
  readonly #hereUs: number
  readonly #slots: SharedArena
  readonly #batches: CellBatches
  readonly #pool: WorkerPool
  #windowUs = 0
  #spentUs = 0
  #here = 0
  #sent = 0
  #refused = 0

  constructor(options: SealPoolOptions, deps: SealPoolDeps) {
    this.#crypto = deps.crypto
    this.#random = deps.random
    this.#nowUs = deps.nowUs ?? nowUs
    this.#hereUs = options.hereUs ?? HERE_US
    this.#slots = options.slots ?? sealSlots()
    const batches = new SharedArena({ id: 'seal', slotBytes: BATCH_BYTES, bytes: BATCHES * BATCH_BYTES })
    this.#pool = new WorkerPool(
      {
        threads: options.threads ?? 1,
        worker: options.worker ?? workerUrl('seal'),
        workerData: ring => ({ slots: this.#slots.buffer, batches: batches.buffer, ring }),
      },
      { log: deps.log },
    )
    this.#batches = new CellBatches(batches, this.#pool)
  }

  async verify(key: PublicKey, signedPart: Uint8Array, signature: Uint8Array): Promise<boolean> {
    return this.verifyOrLater(key, signedPart, signature)
  }

  verifyOrLater(key: PublicKey, signedPart: Uint8Array, signature: Uint8Array): boolean | Promise<boolean> {
    const here = (): boolean => this.#crypto.verify(key, signedPart, signature)
    if (this.#mayHere()) return this.#doHere(here)
    return this.#send('seal.verify', [key.form, signature, signedPart], here, slot => slot !== null)
  }

  async sign(own: OverlayKeyPair, message: Uint8Array): Promise<Uint8Array> {
    const parts = [pairSecrets(own).seed, signingHalf(own.publicKey), message]
    return this.#run('seal.sign', parts, () => own.sign(message), ownPart)
  }

  async respond(own: OverlayKeyPair, ephemeral: Uint8Array): Promise<HandshakeDone | null> {
    if (ephemeral.length !== KEY_HALF_BYTES) return null
    const here = (): HandshakeDone | null => this.#crypto.respond(own, ephemeral)
    if (this.#mayHere()) return this.#doHere(here)
    const fresh = this.#random.bytes(KEY_HALF_BYTES)
    const parts = [pairSecrets(own).agreement, ephemeral, fresh]
    return this.#send('seal.answer', parts, here, slot => {
      fresh.fill(0)
      if (slot === null) return null
      const [answer, auth, material] = partsOf(slot) as [Uint8Array, Uint8Array, Uint8Array]
      const keys = this.#crypto.session(material, 'hop')
      return { ephemeral: answer.slice(), auth: auth.slice(), keys }
    })
  }

  async finish(
    start: HandshakeStart,
    hopKey: Uint8Array,
    answer: HandshakeAnswer,
    sealed: Uint8Array,
  ): Promise<HandshakeFinished | null> {
    const secret = startSecret(start)
    if (secret === null || hopKey.length !== KEY_FORM_BYTES || answer.ephemeral.length !== KEY_HALF_BYTES) return null
    const here = (): HandshakeFinished | null => start.finish(hopKey, answer, sealed)
    return this.#run('seal.finish', [secret, hopKey, answer.ephemeral, answer.auth], here, slot => {
      if (slot === null) return null
      return openedBy(this.#crypto.session(partsOf(slot)[0] as Uint8Array, 'originator'), sealed)
    })
  }

  async sealAll(keys: readonly LayerKey[], cells: readonly CellText[]): Promise<readonly boolean[]> {
    return this.#batches.run(keys, cells, false)
  }

  async openAll(keys: readonly LayerKey[], cells: readonly CellText[]): Promise<readonly boolean[]> {
    return this.#batches.run(keys, cells, true)
  }

  stats(): SealPoolStats {
    const { threads } = this.#pool.stats()
    const slotsInUse = this.#slots.slotCount - this.#slots.freeCount
    return { threads, slotsInUse, here: this.#here, sent: this.#sent, refused: this.#refused }
  }

  async stop(): Promise<void> {
    await this.#pool.stop()
  }

  /** Here, while there is time for it, else at a worker. */
  async #run<T>(
    name: SlotJobName,
    parts: readonly Uint8Array[],
    here: () => T,
    read: (slot: Uint8Array | null) => T,
  ): Promise<T> {
    return this.#mayHere() ? this.#doHere(here) : this.#send(name, parts, here, read)
  }

  /**
   * At a worker; `read` gets the slot as the job left it, or null when the job came to nothing. What has no room is
   * done here.
   */
  async #send<T>(
    name: SlotJobName,
    parts: readonly Uint8Array[],
    here: () => T,
    read: (slot: Uint8Array | null) => T,
  ): Promise<T> {
    const slot = this.#slots.lease()
    if (slot === null) {
      this.#refused++
      throw new AppError('PoolBusy')
    }
    try {
      if (!putParts(slot.bytes, parts)) return this.#doHere(here)
      this.#sent++
      const { done } = await this.#pool.run(name, { at: slot.offset })
      return read(done ? slot.bytes : null)
    } finally {
      this.#giveBack(slot)
    }
  }

  #giveBack(slot: Slot): void {
    slot.bytes.fill(0)
    this.#slots.release(slot)
  }

  #mayHere(): boolean {
    const now = this.#nowUs()
    if (now - this.#windowUs >= WINDOW_US) {
      this.#windowUs = now
      this.#spentUs = 0
    }
    return this.#spentUs < this.#hereUs
  }

  #doHere<T>(work: () => T): T {
    const began = this.#nowUs()
    this.#here++
    try {
      return work()
    } finally {
      this.#spentUs += this.#nowUs() - began
    }
  }
}

/** Memory for what is at the workers and waits for them. */
export function sealSlots(): SharedArena {
  return new SharedArena({ id: 'seal', slotBytes: SEAL_SLOT_BYTES, bytes: SLOTS * SEAL_SLOT_BYTES })
}

/** The only part of a slot, copied. */
function ownPart(slot: Uint8Array | null): Uint8Array {
  if (slot === null) throw new AppError('WorkerLost')
  return (partsOf(slot)[0] as Uint8Array).slice()
}

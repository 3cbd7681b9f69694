// What OverlayCrypto does, away from the main thread when much is asked at once: floods of creates and signatures, and
// layers of many cells of one circuit. Small work is done on the main thread, in the same turn. All of it rejects with
// AppError PoolBusy when more waits than there is memory for (drop what you asked for), WorkerLost or Aborted.

import type { PublicKey } from '../wire/public-key.ts'
import type {
  HandshakeAnswer,
  HandshakeDone,
  HandshakeFinished,
  HandshakeStart,
  LayerKey,
  OverlayKeyPair,
} from './overlay-crypto.ts'

/** A cell's text in memory with room for layers: 8 bytes before and 16 behind for each. */
export interface CellText {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

/** The same functions, later. What they are given must stay as it is until they have answered. */
export interface OverlayCryptoPool {
  /** OverlayCrypto.verify. */
  verify(key: PublicKey, signedPart: Uint8Array, signature: Uint8Array): Promise<boolean>
  /**
   * The same, and at once while the main thread has time for it: a quiet node takes its packets in the turn they come.
   */
  verifyOrLater(key: PublicKey, signedPart: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>
  /** OverlayKeyPair.sign. */
  sign(own: OverlayKeyPair, message: Uint8Array): Promise<Uint8Array>
  /** OverlayCrypto.respond. */
  respond(own: OverlayKeyPair, ephemeral: Uint8Array): Promise<HandshakeDone | null>
  /** HandshakeStart.finish. */
  finish(
    start: HandshakeStart,
    hopKey: Uint8Array,
    answer: HandshakeAnswer,
    sealed: Uint8Array,
  ): Promise<HandshakeFinished | null>
  /**
   * Seals each text with each of `keys` (at most 8), in this order, in place; each then reaches from start - 8 to end +
   * 16 for each key. One answer a cell, as of LayerKey.seal.
   */
  sealAll(keys: readonly LayerKey[], cells: readonly CellText[]): Promise<readonly boolean[]>
  /**
   * Opens each text with each of `keys` (at most 8), in this order, in place. One answer a cell, as of LayerKey.open.
   */
  openAll(keys: readonly LayerKey[], cells: readonly CellText[]): Promise<readonly boolean[]>
  /** Ends the threads; what waits is Aborted. */
  stop(): Promise<void>
}

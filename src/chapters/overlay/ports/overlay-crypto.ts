// Keys, signatures, handshakes and layers of the overlays (IPv8, sections 2 and 7.3), as the overlays and circuits see
// them. Everything here answers at once; OverlayCryptoPool does the same away from the main thread. Keys are memory
// that wipe() zeroes.

import type { PublicKey } from '../wire/public-key.ts'

/** Bytes that sealing writes before a text and behind it: the counter, and the tag. */
export const LAYER_HEAD_BYTES = 8
/** Bytes of the tag. */
export const LAYER_TAG_BYTES = 16
/** By how much a text grows with each layer. */
export const LAYER_BYTES = LAYER_HEAD_BYTES + LAYER_TAG_BYTES

/** One key pair: an identity, or that of a seeder. Also a PacketSigner. */
export interface OverlayKeyPair {
  /** 74 bytes. */
  readonly publicKey: Uint8Array
  /** 20 bytes. */
  readonly mid: Uint8Array
  /** 64 bytes of Ed25519. Throws Error after wipe(). */
  sign(bytes: Uint8Array): Uint8Array
  /** 74 bytes to keep in a file; the caller wipes them. Throws Error after wipe(). */
  privateForm(): Uint8Array
  wipe(): void
}

/** One direction of a layer. Never throws on what came from the network. */
export interface LayerKey {
  /**
   * Puts a layer around bytes[start..end), in place: it then reaches from start - 8 to end + 16. False after wipe();
   * then the text is zeroed, so that a caller that overlooks it sends nothing in clear. Throws RangeError when there is
   * no room. No memory is asked for but views.
   */
  seal(bytes: Uint8Array, start: number, end: number): boolean
  /**
   * Takes the layer off bytes[start..end), in place: the text then reaches from start + 8 to end - 16. False when it is
   * forged, too short or the key is wiped; then these bytes may hold anything. Any counter will do.
   */
  open(bytes: Uint8Array, start: number, end: number): boolean
  wipe(): void
}

/** Keys that the originator of a circuit shares with one of its hops. */
export interface SessionKeys {
  /** Away from the originator. */
  readonly forward: LayerKey
  readonly backward: LayerKey
  wipe(): void
}

/** The hop's half of a handshake. */
export interface HandshakeAnswer {
  /** Its ephemeral public key, 32 bytes. */
  readonly ephemeral: Uint8Array
  /** 32 bytes that bind it to the originator's ephemeral key; of the hop's own key they prove nothing. */
  readonly auth: Uint8Array
}

/** What a hop has at the end of a handshake. The first thing that it seals forward goes with the answer. */
export interface HandshakeDone extends HandshakeAnswer {
  readonly keys: SessionKeys
}

/** What an originator has at the end of a handshake. */
export interface HandshakeFinished {
  readonly keys: SessionKeys
  /** What came sealed with the answer: candidates, or where the rendezvous is. */
  readonly text: Uint8Array
}

/** A handshake that the originator has begun. */
export interface HandshakeStart {
  /** Its ephemeral public key, 32 bytes. */
  readonly ephemeral: Uint8Array
  /**
   * The keys, or null when the answer is not one of the owner of `hopKey` (74 bytes). What shows that is `sealed`,
   * which came with it (candidates of created and extended, `rendezvous` of created-e2e): only who has the hop's own
   * key could seal it. Can be asked again with another answer until wipe().
   */
  finish(hopKey: Uint8Array, answer: HandshakeAnswer, sealed: Uint8Array): HandshakeFinished | null
  wipe(): void
}

/**
 * Which end of a circuit has the keys: the originator never uses the forward counter that the hop has used before it.
 */
export type CircuitEnd = 'originator' | 'hop'

/** All of it. */
export interface OverlayCrypto {
  /** What does the work. */
  readonly made: 'sodium-native' | 'node:crypto'
  /** A new pair. */
  generate(): OverlayKeyPair
  /** The pair of a private form. Throws DecodeError when it is none. */
  fromPrivate(form: Uint8Array): OverlayKeyPair
  /** Whether `signature` is one of the owner of `key` over `signedPart`; false for anything malformed. */
  verify(key: PublicKey, signedPart: Uint8Array, signature: Uint8Array): boolean
  /** Begins a handshake with a hop yet to be named. */
  begin(): HandshakeStart
  /** Answers one as hop; null for a key with which no agreement is possible. */
  respond(own: OverlayKeyPair, ephemeral: Uint8Array): HandshakeDone | null
  /** Keys of 72 bytes of `material` (circuit-secrets.ts), which stay the caller's. */
  session(material: Uint8Array, end: CircuitEnd): SessionKeys
}

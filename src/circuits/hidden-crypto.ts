// What hidden services ask of cryptography: the handshake between downloader and seeder (7.3, 8.4), and the one text that is sealed
// with its keys before there is a circuit between the two. Types only.

import type { EndToEndKeys } from './hidden-seam.ts'

/** A seeder's key pair in one swarm; the secret half stays with who made it. */
export interface SwarmKey {
  /** 74 bytes. */
  readonly publicKey: Uint8Array
  /** Answers a downloader's ephemeral key (X, 32 bytes); null: it is no usable key. */
  answer(ephemeral: Uint8Array): Promise<MeetingAnswer | null>
}

/** The seeder's side of a handshake. */
export interface MeetingAnswer {
  readonly keys: EndToEndKeys
  /** Y and the proof, 32 bytes each. */
  readonly ephemeral: Uint8Array
  readonly auth: Uint8Array
}

/** The downloader's side of a handshake that waits for its answer. */
export interface MeetingHandshake {
  /** X, 32 bytes. */
  readonly ephemeral: Uint8Array
  /** Null: the proof is wrong, so whoever answered is not that seeder (74 bytes). */
  finish(seederKey: Uint8Array, answer: Uint8Array, auth: Uint8Array): Promise<EndToEndKeys | null>
}

/** Handshakes and the sealed text. */
export interface HiddenCrypto {
  /** A fresh pair. */
  newKey(): SwarmKey
  begin(): MeetingHandshake
  /** Seals a rendezvous info forward, with counter 2: the first use of the keys. */
  seal(keys: EndToEndKeys, info: Uint8Array): Uint8Array
  /** Opens what seal() made; null: it is forged. */
  open(keys: EndToEndKeys, sealed: Uint8Array): Uint8Array | null
}

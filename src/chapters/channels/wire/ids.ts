// Ids of channels and records, made only by the checking functions here.

import { createHash } from 'node:crypto'

import { DecodeError } from '../../../base/errors.ts'
import { mutableTarget } from '../../../wire/dht/dht-item.ts'
import type { ChannelId, RecordId } from './types.ts'

/** Bytes of an Ed25519 public key. */
export const KEY_BYTES = 32
/** Bytes of an Ed25519 signature. */
export const SIGNATURE_BYTES = 64
/** Bytes of a channel id. */
export const CHANNEL_ID_BYTES = 20
/** Bytes of a record id. */
export const RECORD_ID_BYTES = 32

const HEX_40 = /^[0-9a-fA-F]{40}$/
const NO_SALT = new Uint8Array(0)

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

/**
 * The id of the channel of this raw Ed25519 public key, 32 bytes: also the BEP 44 target of its head. Throws
 * DecodeError.
 */
export function channelIdOf(publicKey: Uint8Array): ChannelId {
  if (publicKey.length !== KEY_BYTES) throw new DecodeError(`a key has ${KEY_BYTES} bytes, not ${publicKey.length}`)
  return hex(mutableTarget(publicKey, NO_SALT)) as ChannelId
}

/** The channel id that `text` spells in hexadecimal (any case), or null. */
export function parseChannelId(text: string): ChannelId | null {
  return HEX_40.test(text) ? (text.toLowerCase() as ChannelId) : null
}

/** The channel id of 20 raw bytes. Throws DecodeError for any other length. */
export function channelIdFromBytes(bytes: Uint8Array): ChannelId {
  if (bytes.length !== CHANNEL_ID_BYTES) throw new DecodeError('a channel id has 20 bytes')
  return hex(bytes) as ChannelId
}

/** The 20 raw bytes of a channel id. */
export function channelIdBytes(channel: ChannelId): Uint8Array {
  return Buffer.from(channel, 'hex')
}

/** The id of a record: SHA-256 of its whole encoding. */
export function recordIdOf(encoding: Uint8Array): RecordId {
  return createHash('sha256').update(encoding).digest('hex') as RecordId
}

/** The record id of 32 raw bytes. Throws DecodeError for any other length. */
export function recordIdFromBytes(bytes: Uint8Array): RecordId {
  if (bytes.length !== RECORD_ID_BYTES) throw new DecodeError('a record id has 32 bytes')
  return hex(bytes) as RecordId
}

/** The 32 raw bytes of a record id. */
export function recordIdBytes(record: RecordId): Uint8Array {
  return Buffer.from(record, 'hex')
}

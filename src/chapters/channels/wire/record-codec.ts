// Records of channels as bytes: version, kind, channel, author, clock, time, what is said, signature. Each record has
// one encoding, since its id is the hash of it; anything else is refused. Signatures are made and checked by functions
// that the caller passes in.

import { DecodeError } from '../../../base/errors.ts'
import { OverlayReader } from '../../overlay/wire/reader.ts'
import { OverlayWriter } from '../../overlay/wire/writer.ts'
import { readU48, writeU48 } from './fields.ts'
import { CHANNEL_ID_BYTES, channelIdBytes, channelIdFromBytes, KEY_BYTES, recordIdOf, SIGNATURE_BYTES } from './ids.ts'
import { RECORD_KINDS, readContent, writeContent } from './record-content.ts'
import { signedPart } from './record-signature.ts'
import { type ChannelRecord, MAX_RECORD_BYTES, type UnsignedRecord } from './types.ts'

const VERSION = 1

/** Makes an Ed25519 signature of 64 bytes. */
export type Sign = (bytes: Uint8Array) => Uint8Array

/**
 * The record of `unsigned`, signed by `sign`. Files and trackers that do not fit are left out, targets put in order:
 * the content answered is what the record says. Throws RangeError for numbers out of range and DecodeError for what no
 * reader would take.
 */
export function encodeRecord(unsigned: UnsignedRecord, sign: Sign): ChannelRecord {
  const to = new OverlayWriter()
  to.u8(VERSION)
  to.u8(RECORD_KINDS.indexOf(unsigned.content.kind) + 1)
  to.put(channelIdBytes(unsigned.channel))
  to.put(unsigned.author)
  writeU48(unsigned.clock, to)
  writeU48(unsigned.timeS, to)
  writeContent(unsigned.content, to)
  to.put(sign(signedPart(to.done())))
  return decodeRecord(to.done())
}

/** The record that `bytes` are, copied. Its signature is not checked: see verifyRecord. Throws DecodeError. */
export function decodeRecord(bytes: Uint8Array): ChannelRecord {
  if (bytes.length > MAX_RECORD_BYTES) throw new DecodeError(`a record of ${bytes.length} bytes`)
  const own = Uint8Array.from(bytes)
  const from = new OverlayReader(own, 0, Math.max(0, own.length - SIGNATURE_BYTES))
  if (from.u8() !== VERSION) throw new DecodeError('a version that is not known')
  const kind = RECORD_KINDS[from.u8() - 1]
  if (kind === undefined) throw new DecodeError('a kind that is not known')
  const channel = channelIdFromBytes(from.take(CHANNEL_ID_BYTES))
  const author = from.take(KEY_BYTES)
  const clock = readU48(from)
  if (clock === 0) throw new DecodeError('clocks begin with 1')
  const timeS = readU48(from)
  const content = readContent(kind, from)
  from.finish()
  return { channel, author, clock, timeS, content, id: recordIdOf(own), bytes: own }
}

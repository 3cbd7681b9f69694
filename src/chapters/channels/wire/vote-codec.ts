// Votes on channels as bytes: version, channel, voter, value, time, signature. One encoding each; anything else is
// refused.

import { DecodeError } from '../../../base/errors.ts'
import { OverlayReader } from '../../overlay/wire/reader.ts'
import { OverlayWriter } from '../../overlay/wire/writer.ts'
import { readU48, writeU48 } from './fields.ts'
import { CHANNEL_ID_BYTES, channelIdBytes, channelIdFromBytes, KEY_BYTES, SIGNATURE_BYTES } from './ids.ts'
import type { Sign } from './record-codec.ts'
import type { Verify } from './record-signature.ts'
import type { ChannelVote } from './types.ts'

const VERSION = 1
const DOMAIN = Buffer.from('tributary channel vote 1\n', 'latin1')

/** Bytes of every vote. */
export const VOTE_BYTES = 1 + CHANNEL_ID_BYTES + KEY_BYTES + 1 + 6 + SIGNATURE_BYTES

/** The vote, signed by `sign`. Throws RangeError for a time out of range, DecodeError for a key of a wrong length. */
export function encodeVote(unsigned: Omit<ChannelVote, 'bytes'>, sign: Sign): ChannelVote {
  const to = new OverlayWriter()
  to.u8(VERSION)
  to.put(channelIdBytes(unsigned.channel))
  to.put(unsigned.voter)
  to.u8(unsigned.value + 1)
  writeU48(unsigned.timeS, to)
  to.put(sign(Buffer.concat([DOMAIN, to.done()])))
  return decodeVote(to.done())
}

/** The vote that `bytes` are, copied; its signature is not checked: see verifyVote. Throws DecodeError. */
export function decodeVote(bytes: Uint8Array): ChannelVote {
  if (bytes.length !== VOTE_BYTES) throw new DecodeError(`a vote of ${bytes.length} bytes`)
  const own = Uint8Array.from(bytes)
  const from = new OverlayReader(own)
  if (from.u8() !== VERSION) throw new DecodeError('a version that is not known')
  const channel = channelIdFromBytes(from.take(CHANNEL_ID_BYTES))
  const voter = from.take(KEY_BYTES)
  const value = valueOf(from.u8())
  const timeS = readU48(from)
  return { channel, voter, value, timeS, bytes: own }
}

function valueOf(written: number): ChannelVote['value'] {
  if (written === 0) return -1
  if (written === 1) return 0
  if (written === 2) return 1
  throw new DecodeError(`a vote of ${written}`)
}

/** Whether the vote is signed by its voter. */
export function verifyVote(vote: ChannelVote, verify: Verify): boolean {
  const end = vote.bytes.length - SIGNATURE_BYTES
  return verify(vote.voter, Buffer.concat([DOMAIN, vote.bytes.subarray(0, end)]), vote.bytes.subarray(end))
}

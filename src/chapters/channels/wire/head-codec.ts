// Heads of channels: items of the DHT (BEP 44) whose value is `{ih, n, r, t}`, and the same in one piece for messages
// and tables. The value is kept as it came: its bytes are what is signed. Keys that are not known are left alone.

import { sameBytes } from '../../../base/same-bytes.ts'
import { DecodeError } from '../../../base/errors.ts'
import { type InfoHash, infoHashBytes, infoHashFromBytes } from '../../../base/ids.ts'
import { type BencodeDict, decodeBencode, encodeBencode, getBytes, getInt } from '../../../wire/bencode.ts'
import { MAX_ITEM_BYTES, signedBytes } from '../../../wire/dht/dht-item.ts'
import { OverlayReader } from '../../overlay/wire/reader.ts'
import { OverlayWriter } from '../../overlay/wire/writer.ts'
import { MOST_U48 } from './fields.ts'
import { channelIdOf, KEY_BYTES, SIGNATURE_BYTES } from './ids.ts'
import type { Sign } from './record-codec.ts'
import type { Verify } from './record-signature.ts'
import { type ChannelHead, MAX_CHANNEL_RECORDS } from './types.ts'

const VERSION = 1
const ROOT_BYTES = 32
const INFO_HASH_BYTES = 20
const NO_SALT = new Uint8Array(0)

/** What an owner says of its channel. */
export type UnsignedHead = Pick<ChannelHead, 'publicKey' | 'sequence' | 'records' | 'root' | 'timeS' | 'pack'>

/** The parts of a mutable item that a head is made of. */
export interface HeadItem {
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  readonly sequence: number
  /** Raw bencode. */
  readonly value: Uint8Array
  /** 64 bytes. */
  readonly signature: Uint8Array
}

/** The head of `unsigned`, signed by `sign`. Throws DecodeError for what no reader would take. */
export function encodeHead(unsigned: UnsignedHead, sign: Sign): ChannelHead {
  const { publicKey, sequence } = unsigned
  const ih = unsigned.pack === null ? undefined : infoHashBytes(unsigned.pack)
  const value = encodeBencode({ ih, n: unsigned.records, r: unsigned.root, t: unsigned.timeS })
  return decodeHead({ publicKey, sequence, value, signature: sign(signedBytes(NO_SALT, BigInt(sequence), value)) })
}

/** The head that an item is, copied. Its signature is not checked: see verifyHead. Throws DecodeError. */
export function decodeHead(item: HeadItem): ChannelHead {
  const { sequence } = item
  if (!Number.isSafeInteger(sequence) || sequence < 1) throw new DecodeError(`sequence ${sequence}`)
  if (item.signature.length !== SIGNATURE_BYTES) throw new DecodeError('a signature has 64 bytes')
  if (item.value.length > MAX_ITEM_BYTES) throw new DecodeError(`a head of ${item.value.length} bytes`)
  const value = Uint8Array.from(item.value)
  const dict = decodeBencode(value)
  if (!(dict instanceof Map)) throw new DecodeError('the value of a head is a dictionary')
  if (!sameBytes(encodeBencode(dict), value)) throw new DecodeError('the value of a head is not in order')
  return {
    channel: channelIdOf(item.publicKey),
    publicKey: Uint8Array.from(item.publicKey),
    sequence,
    ...readValue(dict),
    value,
    signature: Uint8Array.from(item.signature),
  }
}

function readValue(dict: BencodeDict): Pick<ChannelHead, 'records' | 'root' | 'timeS' | 'pack'> {
  const records = getInt(dict, 'n')
  const timeS = getInt(dict, 't')
  const root = getBytes(dict, 'r')
  if (records === null || records < 0 || records > MAX_CHANNEL_RECORDS) throw new DecodeError('a count of records')
  if (timeS === null || timeS < 0 || timeS > MOST_U48) throw new DecodeError('a time')
  if (root?.length !== ROOT_BYTES) throw new DecodeError('a root has 32 bytes')
  return { records, timeS, root: Uint8Array.from(root), pack: readPack(dict) }
}

function readPack(dict: BencodeDict): InfoHash | null {
  if (!dict.has('ih')) return null
  const bytes = getBytes(dict, 'ih')
  if (bytes?.length !== INFO_HASH_BYTES) throw new DecodeError('an info hash has 20 bytes')
  return infoHashFromBytes(bytes)
}

/** Whether the head is signed by the owner of its channel. */
export function verifyHead(head: ChannelHead, verify: Verify): boolean {
  return verify(head.publicKey, signedBytes(NO_SALT, BigInt(head.sequence), head.value), head.signature)
}

/** The head in one piece: what messages carry and tables keep, at most 1,107 bytes, mostly about 180. */
export function headToBytes(head: HeadItem): Uint8Array {
  const to = new OverlayWriter()
  to.u8(VERSION)
  to.put(head.publicKey)
  to.u64(BigInt(head.sequence))
  to.put(head.signature)
  to.v16(head.value)
  return to.done()
}

/** The head that `bytes` are, copied; not checked. Throws DecodeError. */
export function headFromBytes(bytes: Uint8Array): ChannelHead {
  const from = new OverlayReader(bytes)
  if (from.u8() !== VERSION) throw new DecodeError('a version that is not known')
  const publicKey = from.take(KEY_BYTES)
  const sequence = Number(from.u64())
  const signature = from.take(SIGNATURE_BYTES)
  const value = from.v16(MAX_ITEM_BYTES)
  from.finish()
  return decodeHead({ publicKey, sequence, value, signature })
}

// What an item of the DHT says of a torrent that is updated (BEP 46): `{ih: <20 bytes>}`. Other keys are left alone.

import { DecodeError } from '../base/errors.ts'
import { type InfoHash, infoHashBytes, infoHashFromBytes } from '../base/ids.ts'
import { decodeBencode, encodeBencode, getBytes } from './bencode.ts'

const INFO_HASH_BYTES = 20

/** The info hash in an item's value, which is raw bencode; of a v2 torrent the truncated one. Throws DecodeError. */
export function decodeUpdateItem(value: Uint8Array): InfoHash {
  const item = decodeBencode(value)
  const infoHash = item instanceof Map ? getBytes(item, 'ih') : null
  if (infoHash?.length !== INFO_HASH_BYTES) throw new DecodeError('the item names no info hash')
  return infoHashFromBytes(infoHash)
}

/** The raw bencode of an item that names `infoHash`. */
export function encodeUpdateItem(infoHash: InfoHash): Uint8Array {
  return encodeBencode({ ih: infoHashBytes(infoHash) })
}

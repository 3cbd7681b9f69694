// Messages that peers find and reach each other with: any bytes give a value or a DecodeError, and a value is read back
// from what is written of it.

import assert from 'node:assert/strict'
import { DecodeError } from '../../src/base/errors.ts'
import { infoHashFromBytes, type PeerAddress } from '../../src/base/ids.ts'
import { formatIp, isPeerIp } from '../../src/wire/net/compact-address.ts'
import { decodeLsdAnnounce, encodeLsdAnnounce, type LsdAnnounce, MAX_LSD_HASHES } from '../../src/wire/net/lsd.ts'
import { decodeDontHave, encodeDontHave } from '../../src/wire/peer/lt-donthave.ts'
import { decodeUploadOnly, encodeUploadOnly } from '../../src/wire/peer/upload-only.ts'
import { decodeHolepunch, encodeHolepunch } from '../../src/wire/peer/ut-holepunch.ts'
import { decodePex, encodePex, type PexContact, type PexMessage } from '../../src/wire/peer/ut-pex.ts'
import { type Fuzz, fuzz } from '../kit/sim/fuzz.ts'

/** What `decode` says of `bytes`, or null for a DecodeError; anything else it throws fails the test. */
function valueOf<T>(decode: (bytes: Uint8Array) => T, bytes: Uint8Array): T | null {
  try {
    return decode(bytes)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

function address(source: Fuzz): PeerAddress {
  for (;;) {
    const bytes = Uint8Array.from({ length: source.pick([4, 16]) }, () => source.below(256))
    if (isPeerIp(bytes)) return { ip: formatIp(bytes), port: 1 + source.below(65_535) }
  }
}

function contact(source: Fuzz): PexContact {
  const flag = (): boolean => source.below(2) === 1
  const flags = { encryption: flag(), seed: flag(), utp: flag(), holepunch: flag(), reachable: flag() }
  return { address: address(source), flags }
}

/** The order of families is not kept: those of IPv4 come first. */
function inOrder(message: PexMessage): PexMessage {
  const isSix = (ip: string): number => (ip.includes(':') ? 1 : 0)
  return {
    added: [...message.added].sort((a, b) => isSix(a.address.ip) - isSix(b.address.ip)),
    dropped: [...message.dropped].sort((a, b) => isSix(a.ip) - isSix(b.ip)),
  }
}

function announce(source: Fuzz): LsdAnnounce {
  const infoHashes = Array.from({ length: 1 + source.below(MAX_LSD_HASHES) }, (_, index) =>
    infoHashFromBytes(Uint8Array.from({ length: 20 }, (_unused, at) => (at === 0 ? index : source.below(255) + 1))),
  )
  return { port: 1 + source.below(65_535), infoHashes, cookie: source.pick([null, 'c00c1e', 'a b']) }
}

fuzz('peer exchange: what is written is read back', 0.15, source => {
  const message: PexMessage = {
    added: Array.from({ length: source.below(60) }, () => contact(source)),
    dropped: Array.from({ length: source.below(60) }, () => address(source)),
  }
  assert.deepEqual(decodePex(encodePex(message)), inOrder(message))
})

fuzz('peer exchange: any bytes give a message or a DecodeError', 0.25, source => {
  const seed = encodePex({ added: [contact(source), contact(source)], dropped: [address(source)] })
  const value = valueOf(decodePex, source.pick([source.mutate(seed), source.bytes(200)]))
  if (value !== null) assert.deepEqual(decodePex(encodePex(value)), inOrder(value))
})

fuzz('holepunch, donthave and upload_only: any bytes give a message or a DecodeError', 0.25, source => {
  const seed = source.pick([
    encodeHolepunch({ type: 'rendezvous', address: address(source) }),
    encodeHolepunch({ type: 'connect', address: address(source) }),
    encodeHolepunch({ type: 'error', address: address(source), code: source.below(6) }),
    encodeDontHave(source.below(2 ** 31)),
    encodeUploadOnly(source.below(2) === 1),
  ])
  const bytes = source.pick([seed, source.mutate(seed), source.bytes(30)])
  const punch = valueOf(decodeHolepunch, bytes)
  if (punch !== null && punch.type !== 'unknown') assert.deepEqual(decodeHolepunch(encodeHolepunch(punch)), punch)
  const piece = valueOf(decodeDontHave, bytes)
  if (piece !== null) assert.deepEqual(new Uint8Array(encodeDontHave(piece)), new Uint8Array(bytes))
  const uploadOnly = valueOf(decodeUploadOnly, bytes)
  if (uploadOnly !== null) assert.equal(decodeUploadOnly(encodeUploadOnly(uploadOnly)), uploadOnly)
})

fuzz('local discovery: what is written is read back', 0.15, source => {
  const value = announce(source)
  assert.deepEqual(decodeLsdAnnounce(encodeLsdAnnounce(source.pick([4, 6]), value)), value)
})

fuzz('local discovery: any bytes give an announce or a DecodeError', 0.2, source => {
  const seed = encodeLsdAnnounce(source.pick([4, 6]), announce(source))
  const value = valueOf(decodeLsdAnnounce, source.pick([source.mutate(seed), source.bytes(1600)]))
  if (value !== null) assert.deepEqual(decodeLsdAnnounce(encodeLsdAnnounce(4, value)), value)
})

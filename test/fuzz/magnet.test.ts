// Magnet links: any text gives a magnet or a DecodeError; what is read can be written and read again.

import assert from 'node:assert/strict'
import { DecodeError } from '../../src/base/errors.ts'
import { formatMagnet, type Magnet, parseMagnet } from '../../src/wire/metainfo/magnet.ts'
import { fuzz } from '../kit/sim/fuzz.ts'

const SEEDS = [
  'magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c1367a88a&dn=a+b%20c&tr=http%3A%2F%2Fa%2Fx&x.pe=1.2.3.4:5&so=0,2-4',
  'magnet:?xt=urn:btih:YEX6DQDLXISUVHOJ6UM3GNNKPQJWPKEK&tr.1=udp://b:1&x.pe=[::1]:2&so=7',
  'magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c1367a88a&xt=urn:btmh:1220d8dd32ac93357c368556af3ac1d95c9d76bd0dff6fa9833ecdac3d53134efabb',
  'magnet:?xt=urn:btmh:1220d8dd32ac93357c368556af3ac1d95c9d76bd0dff6fa9833ecdac3d53134efabb&dn=x&so=0',
]

fuzz('any text gives a magnet or a DecodeError', 1, source => {
  const text = Buffer.from(source.mutate(Buffer.from(source.pick(SEEDS)))).toString(
    source.pick(['utf8', 'latin1', 'utf16le'] as const),
  )
  let magnet: Magnet
  try {
    magnet = parseMagnet(text)
  } catch (error) {
    if (error instanceof DecodeError) return
    throw error
  }
  assert.deepEqual(parseMagnet(formatMagnet(magnet)), magnet)
})

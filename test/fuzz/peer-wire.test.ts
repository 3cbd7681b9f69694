// The peer wire: any stream gives messages or a DecodeError; how it is cut into chunks changes nothing.

import assert from 'node:assert/strict'
import { DecodeError } from '../../src/base/errors.ts'
import { type BlockSink, type MessageSink, PeerDecoder } from '../../src/wire/peer/decoder.ts'
import { clientName } from '../../src/wire/peer/client-name.ts'
import { decodeExtendedHandshake, encodeExtendedHandshake } from '../../src/wire/peer/extension.ts'
import { decodeHandshake } from '../../src/wire/peer/handshake.ts'
import {
  encodeBitfield,
  encodeExtended,
  encodeHashes,
  encodeHashReject,
  encodeHashRequest,
  encodeHave,
  encodeKeepAlive,
  encodePieceHead,
  encodePlain,
  encodePort,
  encodeReject,
  encodeRequest,
} from '../../src/wire/peer/messages.ts'
import { decodeMetadataMessage, encodeMetadataData, encodeMetadataRequest } from '../../src/wire/peer/ut-metadata.ts'
import { type Fuzz, fuzz } from '../kit/sim/fuzz.ts'

const LIMIT = 4096

/** What a stream says, in text; with the DecodeError that ended it. */
function read(chunks: readonly Uint8Array[]): string[] {
  const seen: string[] = []
  let target: Uint8Array | null = null
  const sink: MessageSink & BlockSink = {
    message: message => seen.push(JSON.stringify(message)),
    blockStart: (_piece, begin, length) => {
      assert.ok(length <= LIMIT)
      target = begin % 2 === 0 ? new Uint8Array(length) : null
      return target
    },
    blockEnd: (piece, begin, _length, stored) =>
      seen.push(`block ${piece} ${begin} ${stored} ${Buffer.from(target ?? []).toString('hex')}`),
  }
  const decoder = new PeerDecoder(sink, sink, { maxMessageBytes: LIMIT })
  try {
    for (const chunk of chunks) decoder.push(chunk)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    seen.push(error.message)
  }
  return seen
}

function message(source: Fuzz): Uint8Array {
  const data = source.bytes(source.pick([0, 20, 3000]))
  const number = source.below(2 ** 31)
  const root = new Uint8Array(32).fill(number)
  const range = { root, baseLayer: source.below(40), index: number, count: 2, proofLayers: 1 }
  return source.pick([
    () => encodeHashRequest(range),
    () => encodeHashReject(range),
    () => encodeHashes(range, new Uint8Array(32 * source.below(20)).fill(number)),
    () => encodeKeepAlive(),
    () => encodePlain('unchoke'),
    () => encodeHave(number),
    () => encodeRequest(number, source.below(100), 16384),
    () => encodeReject(number, 0, 1),
    () => encodePort(number & 0xffff),
    () => encodeBitfield(data),
    () => encodeExtended(number & 0xff, data),
    () => Buffer.concat([encodePieceHead(number, source.below(1000), data.length), data]),
  ])()
}

function cut(source: Fuzz, stream: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = []
  const largest = source.pick([1, 5, 20, 1000])
  for (let at = 0; at < stream.length; ) {
    const end = at + 1 + source.below(largest)
    chunks.push(stream.slice(at, end))
    at = end
  }
  return chunks
}

fuzz('good streams read the same in any chunks', 0.4, source => {
  const stream = new Uint8Array(Buffer.concat(Array.from({ length: 1 + source.below(8) }, () => message(source))))
  const whole = read([stream])
  assert.deepEqual(read(cut(source, stream)), whole)
})

fuzz('broken streams read the same in any chunks, and end in a DecodeError at worst', 0.3, source => {
  const messages = Array.from({ length: 1 + source.below(4) }, () => message(source))
  const stream = source.mutate(new Uint8Array(Buffer.concat(messages)))
  assert.deepEqual(read(cut(source, stream)), read([stream]))
})

fuzz('payloads of extensions and handshakes give a value or a DecodeError', 0.3, source => {
  const seed = source.pick([
    encodeExtendedHandshake({
      m: new Map([['ut_metadata', 1]]),
      version: 'x',
      metadataSize: 99,
      yourIp: Uint8Array.of(1, 2, 3, 4),
    }),
    encodeMetadataRequest(3),
    encodeMetadataData(0, 5, Buffer.from('hello')),
  ])
  const bytes = source.mutate(seed)
  for (const decode of [decodeExtendedHandshake, decodeMetadataMessage, decodeHandshake]) {
    try {
      decode(bytes)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
    }
  }
  clientName(source.bytes(20))
})

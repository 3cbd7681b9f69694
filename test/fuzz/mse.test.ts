// The encrypted handshake: any bytes in any chunks end in a result, in a DecodeError or in waiting, keep no more than
// the longest handshake, and mean the same however they are cut. Keys are made up, so that many inputs can be tried.

import assert from 'node:assert/strict'
import { DecodeError } from '../../src/base/errors.ts'
import { type InfoHash, infoHashBytes, parseInfoHash } from '../../src/base/ids.ts'
import type { MseMethod, MseSide } from '../../src/wire/mse/mse-handshake.ts'
import { MseInitiator } from '../../src/wire/mse/mse-initiator.ts'
import type { KeyAgreement, MseRandom } from '../../src/wire/mse/mse-keys.ts'
import { MseResponder } from '../../src/wire/mse/mse-responder.ts'
import { MseTorrents } from '../../src/wire/mse/mse-torrents.ts'
import { type Fuzz, fuzz } from '../kit/sim/fuzz.ts'
import { naiveChoice, naiveOffer } from '../kit/peers/naive-mse.ts'

const infoHash = parseInfoHash('00112233445566778899aabbccddeeff00112233') as InfoHash
const skey = infoHashBytes(infoHash)
const SECRET = Buffer.alloc(96, 7)
const METHODS: readonly MseMethod[] = ['rc4', 'plaintext']
/** Key, padding, two hashes, VC, offer, padding, length of IA. */
const MOST_KEPT = 96 + 512 + 40 + 14 + 512 + 2
/** Key and padding, then VC, choice and padding. */
const MOST_SAID = 96 + 512 + 14 + 512

const keys: KeyAgreement = { publicKey: () => new Uint8Array(96), secret: () => SECRET }
const random: MseRandom = { bytes: count => new Uint8Array(count), below: () => 3 }
const torrents = new MseTorrents()
torrents.add(infoHash)

const responder = (): MseSide => new MseResponder({ find: hash => torrents.find(hash), methods: METHODS, random, keys })
const initiator = (): MseSide =>
  new MseInitiator({ infoHash, methods: METHODS, random, keys, initial: () => new Uint8Array(68) })

/** What a side makes of a key and what follows it, in text. */
function read(side: MseSide, chunks: readonly Uint8Array[]): string {
  let said = 0
  let behind: Uint8Array[] = []
  const answer = (): void => {
    while (side.wanted > 0) side.compute()
    said += side.takeOutput()?.length ?? 0
  }
  answer()
  try {
    for (const chunk of chunks) {
      if (side.result !== null) behind.push(chunk)
      else {
        const count = side.push(chunk)
        answer()
        if (side.result !== null) behind = [side.rest(), chunk.subarray(count)]
      }
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    assert.equal(side.result, null)
    return `${error.message} ${said}`
  }
  const result = side.result
  if (result === null) return `waits ${said}`
  assert.ok(said <= MOST_SAID)
  return `${result.method} ${result.encryptedBytes} ${said} ${Buffer.concat(behind).toString('hex')}`
}

function cut(source: Fuzz, stream: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = []
  const largest = source.pick([1, 7, 30, 700, 3000])
  for (let at = 0; at < stream.length; ) {
    const end = at + 1 + source.below(largest)
    chunks.push(stream.slice(at, end))
    at = end
  }
  return chunks
}

/** What an initiator says behind its key: good, or nearly. */
function offerStream(source: Fuzz): Uint8Array {
  const offer = naiveOffer(SECRET, skey, {
    provide: source.pick([0, 1, 2, 3, 0xffffffff]),
    padC: source.bytes(source.pick([0, 20, 512, 600])),
    initial: source.bytes(100),
    vc: source.pick([Buffer.alloc(8), Buffer.alloc(8), Buffer.alloc(8), Buffer.alloc(8, 1)]),
  })
  return new Uint8Array(Buffer.concat([source.bytes(source.pick([0, 40, 512, 600])), offer.bytes, source.bytes(2000)]))
}

function choiceStream(source: Fuzz): Uint8Array {
  const choice = naiveChoice(SECRET, skey, {
    select: source.pick([0, 1, 2, 2, 3]),
    padD: source.bytes(source.pick([0, 20, 512, 600])),
  })
  return new Uint8Array(Buffer.concat([source.bytes(source.pick([0, 40, 512, 600])), choice.bytes, source.bytes(2000)]))
}

const key = new Uint8Array(96).fill(9)

fuzz('a responder reads the same in any chunks', 0.3, source => {
  let stream = offerStream(source)
  if (source.below(2) === 0) stream = source.mutate(stream)
  assert.equal(read(responder(), [key, ...cut(source, stream)]), read(responder(), [key, stream]))
})

fuzz('an initiator reads the same in any chunks', 0.3, source => {
  let stream = choiceStream(source)
  if (source.below(2) === 0) stream = source.mutate(stream)
  assert.equal(read(initiator(), [key, ...cut(source, stream)]), read(initiator(), [key, stream]))
})

fuzz('whatever comes, whenever keys are made, no more is kept than the longest handshake', 0.4, source => {
  const side = source.pick([responder, initiator])()
  let kept = 0
  const rubbish = Uint8Array.from({ length: 3000 }, () => source.below(256))
  try {
    for (const chunk of cut(source, source.pick([rubbish, new Uint8Array(3000), offerStream(source)]))) {
      kept += side.push(chunk)
      if (side.result !== null) break
      assert.ok(kept <= MOST_KEPT, `${kept} bytes and no end`)
      if (source.below(3) === 0 && side.wanted > 0) side.compute()
      assert.ok((side.takeOutput()?.length ?? 0) <= MOST_SAID)
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
  }
})

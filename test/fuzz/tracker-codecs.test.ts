// Any bytes from a tracker give a value within its bounds or a DecodeError, never anything else; what was encoded
// decodes to the same. The seed is printed by fast-check on failure.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DecodeError } from '../../src/base/errors.ts'
import {
  decodeCompactPeers,
  encodeCompactPeer,
  formatIp,
  isMappedIpv4,
  isPeerIp,
} from '../../src/wire/net/compact-address.ts'
import { decodeAnnounce, decodeScrape } from '../../src/wire/tracker/tracker-http.ts'
import { MAX_PEERS_PER_ANSWER } from '../../src/wire/tracker/tracker-types.ts'
import { decodeUdpAnswer } from '../../src/wire/tracker/tracker-udp.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 3_000)

function onlyDecodeErrors<T>(run: () => T): T | null {
  try {
    return run()
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error))
    return null
  }
}

/** Bytes that are bencode more often than chance: keys of answers, broken here and there. */
const nearBencode = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '5:peers',
        '6:peers6',
        '8:interval',
        '14:failure reason',
        '10:tracker id',
        '11:external ip',
        '8:retry in',
      ),
      fc.constantFrom('d', 'l', 'e', 'i5e', 'i-1e', '0:', '6:abcdef', '5:files', '5:never', 'd2:ip7:1.2.3.44:porti5ee'),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 20 },
  )
  .map(parts => Buffer.from(`d${parts.join('')}e`))

test('HTTP answers', () => {
  const body = fc.oneof(fc.uint8Array({ maxLength: 200 }), nearBencode)
  fc.assert(
    fc.property(body, bytes => {
      const reply = onlyDecodeErrors(() => decodeAnnounce(bytes))
      if (reply !== null && !('reason' in reply)) assert.ok(reply.peers.length <= MAX_PEERS_PER_ANSWER)
      onlyDecodeErrors(() => decodeScrape(bytes, [Buffer.alloc(20, 0x61)]))
    }),
    { numRuns },
  )
})

test('UDP answers', () => {
  const datagram = fc
    .tuple(fc.constantFrom(0, 1, 2, 3, 4), fc.uint8Array({ maxLength: 200 }))
    .map(([action, rest]) => Buffer.concat([Buffer.from([0, 0, 0, action]), rest]))
  fc.assert(
    fc.property(
      fc.oneof(datagram, fc.uint8Array({ maxLength: 40 })),
      fc.constantFrom(4 as const, 16 as const),
      (bytes, ip) => {
        const answer = onlyDecodeErrors(() => decodeUdpAnswer(bytes, ip))
        if (answer?.action === 'announce') for (const peer of answer.peers) assert.ok(peer.port > 0)
      },
    ),
    { numRuns },
  )
})

test('a peer survives encode -> decode', () => {
  const ip = fc.oneof(fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.uint8Array({ minLength: 16, maxLength: 16 }))
  fc.assert(
    fc.property(ip, fc.integer({ min: 1, max: 65_535 }), (bytes, port) => {
      if (!isPeerIp(bytes) || isMappedIpv4(bytes)) return
      const address = { ip: formatIp(bytes), port }
      const encoded = encodeCompactPeer(address)
      assert.deepEqual(decodeCompactPeers(encoded, bytes.length === 4 ? 4 : 16, 1), [address])
    }),
    { numRuns },
  )
})

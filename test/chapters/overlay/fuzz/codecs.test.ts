// Packets of the overlay, its peers and its DHT: any bytes are read or refused, whatever reads them.

import assert from 'node:assert/strict'
import { decodeCandidates } from '../../../../src/chapters/overlay/wire/candidates.ts'
import * as dht from '../../../../src/chapters/overlay/wire/dht-messages.ts'
import {
  decodeIntroductionPoint,
  decodeValue,
  encodeIntroductionPoint,
  valueKey,
} from '../../../../src/chapters/overlay/wire/dht-value.ts'
import * as discovery from '../../../../src/chapters/overlay/wire/discovery-messages.ts'
import * as introductions from '../../../../src/chapters/overlay/wire/introduction-messages.ts'
import { prefixKey, splitSigned } from '../../../../src/chapters/overlay/wire/packet.ts'
import { decodePeerFlags, encodePeerFlags } from '../../../../src/chapters/overlay/wire/peer-flags.ts'
import { isCircuitKey, parsePublicKey } from '../../../../src/chapters/overlay/wire/public-key.ts'
import { attempt, fuzzMessages } from '../kit/fuzz-messages.ts'

fuzzMessages([introductions, discovery, dht], bytes => {
  const split = attempt(() => splitSigned(bytes))
  if (split !== null) assert.equal(split.signedPart.length + split.key.signatureBytes, bytes.length)
  const key = attempt(() => parsePublicKey(bytes))
  assert.ok(key !== null || !isCircuitKey(bytes))
  const offered = attempt(() => decodeCandidates(bytes))
  assert.ok(offered === null || [...offered.relays, ...offered.exits].every(isCircuitKey))
  const value = attempt(() => decodeValue(bytes))
  if (value !== null) valueKey(value)
  const point = attempt(() => decodeIntroductionPoint(bytes))
  if (point !== null) assert.deepEqual(decodeIntroductionPoint(encodeIntroductionPoint(point).subarray(1)), point)
  prefixKey(bytes)
  const flags = decodePeerFlags(bytes)
  assert.equal(decodePeerFlags(encodePeerFlags(flags)), flags)
  attempt(() => discovery.idsOf(bytes))
})

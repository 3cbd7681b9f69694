// Peer ids made and named, and the allowed-fast set against the vectors of BEP 6.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { parseInfoHash } from '../../../../src/base/ids.ts'
import { allowedFastSet } from '../../../../src/wire/peer/allowed-fast.ts'
import { clientName } from '../../../../src/wire/peer/client-name.ts'
import { makePeerId } from '../../../../src/wire/peer/peer-id.ts'

const random = { bytes: (count: number): Uint8Array => randomBytes(count) }

test('peer ids carry the version and twelve harmless characters', () => {
  const id = Buffer.from(makePeerId(random, '0.1.0')).toString('latin1')
  assert.match(id, /^-TB0100-[0-9A-Za-z.-]{12}$/)
  assert.match(Buffer.from(makePeerId(random, '1.12.99-beta')).toString('latin1'), /^-TB1CZ0-/)
  assert.match(Buffer.from(makePeerId(random, 'x')).toString('latin1'), /^-TB0000-/)
  assert.notDeepEqual(makePeerId(random, '0.1.0'), makePeerId(random, '0.1.0'))
})

test('names the clients that are met most', () => {
  const named = (id: string): string => clientName(Buffer.from(id, 'latin1'))
  assert.equal(named('-TR3000-abcdefghijkl'), 'Transmission 3.00')
  assert.match(named('-qB4250-abcdefghijkl'), /^qBittorrent 4\.2\.5/)
  assert.match(named('-LT2080-abcdefghijkl'), /^libtorrent/i)
  assert.equal(named('-TB0100-abcdefghijkl'), 'Tributary 0.1.0')
  assert.equal(named('\0'.repeat(20)), 'unknown')
})

test('no peer id makes it throw or speak in control characters', () => {
  for (let round = 0; round < 2000; round++) {
    const id = randomBytes(20)
    if (round % 2)
      id.write(['-AZ', '-UT', 'exbc', 'M4-', '-BC', '-FG', 'FUTB', '-KT'][round % 8] as string, 0, 'latin1')
    assert.doesNotMatch(clientName(id), /\p{Cc}/u)
  }
  assert.equal(clientName(new Uint8Array(3)), 'unknown')
  assert.equal(clientName(new Uint8Array(0)), 'unknown')
})

test('allowed fast: the vectors of BEP 6', () => {
  const infoHash = parseInfoHash('aa'.repeat(20))
  assert.ok(infoHash)
  assert.deepEqual(allowedFastSet('80.4.4.200', infoHash, 1313, 7), [1059, 431, 808, 1217, 287, 376, 1188])
  assert.deepEqual(allowedFastSet('80.4.4.200', infoHash, 1313, 9), [1059, 431, 808, 1217, 287, 376, 1188, 353, 508])
  assert.deepEqual(allowedFastSet('80.4.4.200', infoHash, 3), [0, 1, 2])
  assert.deepEqual(allowedFastSet('::1', infoHash, 1313), [])
  assert.deepEqual(allowedFastSet('1.2.3.999', infoHash, 1313), [])
  assert.equal(new Set(allowedFastSet('1.2.3.4', infoHash, 11)).size, 10)
})

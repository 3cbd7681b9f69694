// The order in which an address is tried, what is remembered of it, and how an incoming connection is recognised.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  accepts,
  ENCRYPTION_MODES,
  type EncryptionMode,
  kindOf,
  type LinkKind,
  methodsOf,
  newLinkMemory,
  nextKind,
  noteFailure,
  noteSeriesFailed,
  noteSuccess,
} from '../../../src/torrent/peers/connection-policy.ts'

/** The kinds tried one after the other while everything that opens fails. */
function series(mode: EncryptionMode, memory = newLinkMemory()): string[] {
  const tried: LinkKind[] = []
  for (;;) {
    const kind = nextKind(mode, memory)
    tried.push(kind)
    assert.ok(tried.length < 5, 'a series without an end')
    if (!noteFailure(mode, memory, kind, true)) return tried
  }
}

test('each mode has its order, and a series ends', () => {
  assert.deepEqual(series('prefer'), ['encrypted', 'plain'])
  assert.deepEqual(series('allow'), ['plain', 'encrypted'])
  assert.deepEqual(series('require'), ['encrypted'])
  assert.deepEqual(series('off'), ['plain'])
})

test('the next series begins as the first did', () => {
  for (const mode of ENCRYPTION_MODES) {
    const memory = newLinkMemory()
    assert.deepEqual(series(mode, memory), series(mode, memory))
  }
})

test('what worked is tried first, until neither works', () => {
  const memory = newLinkMemory()
  noteSuccess(memory, 'plain')
  assert.equal(nextKind('prefer', memory), 'plain')
  assert.deepEqual(series('prefer', memory), ['plain', 'encrypted'])
  assert.deepEqual(series('prefer', memory), ['encrypted', 'plain'])
  assert.equal(noteFailure('prefer', memory, 'encrypted', true), true)
  noteSuccess(memory, 'plain')
  assert.equal(nextKind('prefer', memory), 'plain')
})

test('an address where nothing opens teaches nothing, and is not tried again at once', () => {
  for (const mode of ENCRYPTION_MODES) {
    const memory = newLinkMemory()
    const first = nextKind(mode, memory)
    assert.equal(noteFailure(mode, memory, first, false), false)
    assert.equal(nextKind(mode, memory), first)
  }
})

test('whom TCP says nothing for is tried by uTP alone, with each kind; when that fails both are asked again', () => {
  const memory = newLinkMemory()
  assert.deepEqual(series('allow', memory), ['plain', 'encrypted'])
  assert.equal(noteSeriesFailed(memory, true), true)
  assert.equal(memory.utpAlone, true)
  assert.deepEqual(series('allow', memory), ['plain', 'encrypted'])
  assert.equal(noteSeriesFailed(memory, false), false)
  assert.equal(memory.utpAlone, false)
  assert.equal(noteSeriesFailed(memory, false), false, 'nothing opened')
  assert.equal(memory.utpAlone, false)
  assert.equal(noteSeriesFailed(memory, true), true, 'a later series')
  assert.equal(noteSeriesFailed(memory, true), false, 'never twice in a row')
})

test('require never answers plain, off never encrypted: whatever is remembered, whatever failed', () => {
  const kinds: readonly (LinkKind | null)[] = ['plain', 'encrypted', null]
  for (const worked of kinds) {
    for (const failed of kinds) {
      for (const opened of [true, false]) {
        const memory = { ...newLinkMemory(), worked, failed }
        for (let round = 0; round < 4; round++) {
          assert.equal(nextKind('require', memory), 'encrypted')
          assert.equal(noteFailure('require', memory, 'encrypted', opened), false)
        }
        const other = { ...newLinkMemory(), worked, failed }
        for (let round = 0; round < 4; round++) {
          assert.equal(nextKind('off', other), 'plain')
          assert.equal(noteFailure('off', other, 'plain', opened), false)
        }
      }
    }
  }
})

test('which incoming connections are taken', () => {
  const taken = ENCRYPTION_MODES.map(mode => [mode, accepts(mode, 'plain'), accepts(mode, 'encrypted')])
  assert.deepEqual(taken, [
    ['prefer', true, true],
    ['require', false, true],
    ['allow', true, true],
    ['off', true, false],
  ])
})

test('first bytes tell the kind as soon as they can', () => {
  const plain = Buffer.from('\x13BitTorrent protocol........', 'latin1')
  for (let count = 0; count < 20; count++) assert.equal(kindOf(plain.subarray(0, count)), null)
  for (const count of [20, 21, plain.length]) assert.equal(kindOf(plain.subarray(0, count)), 'plain')
  assert.equal(kindOf(Uint8Array.of(0x12)), 'encrypted')
  assert.equal(kindOf(Buffer.from('\x13BitTorrent protocoL', 'latin1')), 'encrypted')
  assert.equal(kindOf(Buffer.from('\x13b', 'latin1')), 'encrypted')
})

test('methods: one when one is set; RC4 first only where encryption is asked for', () => {
  assert.deepEqual(methodsOf({ mode: 'require', methods: 'rc4' }), ['rc4'])
  assert.deepEqual(methodsOf({ mode: 'allow', methods: 'plaintext' }), ['plaintext'])
  assert.deepEqual(methodsOf({ mode: 'prefer', methods: 'both' }), ['rc4', 'plaintext'])
  assert.deepEqual(methodsOf({ mode: 'require', methods: 'both' }), ['rc4', 'plaintext'])
  assert.deepEqual(methodsOf({ mode: 'allow', methods: 'both' }), ['plaintext', 'rc4'])
})

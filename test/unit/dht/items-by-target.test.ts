// Mutable items known by their target only: the SHA-1 of a key. The key comes with the answer, and liars come with
// others.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { FamilyNode } from '../../../src/dht/family-node.ts'
import { findItem, signItem } from '../../../src/dht/one-lookup.ts'
import { nodeEd25519 } from '../../../src/io/ed25519.ts'
import { mutableTarget } from '../../../src/wire/dht/dht-item.ts'
import { signingKey, verifySignature } from '../../kit/doubles/signing-key.ts'

const NO_SALT = new Uint8Array(0)
const owner = new Uint8Array(32).fill(1)
const liar = new Uint8Array(32).fill(2)
const keyTarget = mutableTarget(nodeEd25519.publicKey(owner), NO_SALT)

interface Answer {
  readonly value: Uint8Array
  readonly key: Uint8Array
  readonly seq: bigint
  readonly signature: Uint8Array
}

function answer(seed: Uint8Array, seq: bigint, word: string): Answer {
  const value = Buffer.from(`${word.length}:${word}`)
  return { value, ...signItem(nodeEd25519, seed, { value, salt: NO_SALT, seq }) }
}

/** A network whose nodes answer so, one after the other. */
function network(answers: readonly Answer[]): FamilyNode[] {
  const add = (run: { onReply(reply: unknown, candidate: unknown): void; onDone(lookup: unknown): void }): void => {
    for (const [at, reply] of answers.entries())
      run.onReply(reply, { contact: { address: { ip: `1.1.1.${at}`, port: 1 } } })
    run.onDone({})
  }
  return [{ lookups: { add } } as unknown as FamilyNode]
}

const find = (...answers: Answer[]) => findItem(network(answers), nodeEd25519, { keyTarget })

test('the newest item of the key that hashes to the target is found, with its key', async () => {
  const found = await find(answer(owner, 1n, 'old'), answer(owner, 2n, 'new'), answer(owner, 2n, 'new'))
  assert.deepEqual(found?.value, Buffer.from('3:new'))
  assert.deepEqual([found.proof?.seq, found.copies], [2n, 2])
  assert.deepEqual(found.proof?.key, nodeEd25519.publicKey(owner))
})

test('a true item of another key, and one that the key has not signed, are no answer', async () => {
  assert.equal(await find(answer(liar, 9n, 'lie')), null)
  const forged = { ...answer(liar, 9n, 'lie'), key: nodeEd25519.publicKey(owner) }
  assert.equal(await find(forged), null)
  const found = await find(answer(liar, 9n, 'lie'), forged, answer(owner, 1n, 'true'))
  assert.deepEqual(found?.value, Buffer.from('4:true'))
})

test('a signature with a salt is none of an item without', async () => {
  const { publicKey, sign } = signingKey(1)
  const value = Buffer.from('3:yes')
  const signed = signItem(nodeEd25519, owner, { value, salt: Buffer.from('salt'), seq: 3n })
  assert.equal(await find({ value, ...signed }), null)
  assert.ok(verifySignature(publicKey, value, sign(value)), 'the key is the same')
})

// What an independent program wrote of channels is written and read here to the same (test/vectors/channels).

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { parseInfoHash } from '../../../../../src/base/ids.ts'
import { decodeHead, encodeHead, verifyHead } from '../../../../../src/chapters/channels/wire/head-codec.ts'
import { channelIdOf } from '../../../../../src/chapters/channels/wire/ids.ts'
import { decodeRecord, encodeRecord } from '../../../../../src/chapters/channels/wire/record-codec.ts'
import { verifyRecord } from '../../../../../src/chapters/channels/wire/record-signature.ts'
import { treeRoot } from '../../../../../src/chapters/channels/wire/tree.ts'
import type { RecordContent, RecordId } from '../../../../../src/chapters/channels/wire/types.ts'
import { decodeVote, encodeVote, verifyVote } from '../../../../../src/chapters/channels/wire/vote-codec.ts'
import { projectRoot } from '../../../../kit/project-root.ts'
import { signingKey, verifySignature } from '../../../../kit/doubles/signing-key.ts'

/** As make.py writes it; bytes are hexadecimal. */
interface Vectors {
  readonly publicKey: string
  readonly channel: string
  readonly records: readonly {
    readonly clock: number
    readonly timeS: number
    /** A grant's contributor is hexadecimal here. */
    readonly content: RecordContent | { readonly kind: 'grant'; readonly contributor: string }
    readonly bytes: string
    readonly id: string
  }[]
  readonly heads: readonly {
    readonly sequence: number
    readonly records: number
    readonly timeS: number
    readonly pack: string | null
    readonly root: string
    readonly value: string
    readonly signature: string
  }[]
  readonly votes: readonly { readonly value: 1 | 0 | -1; readonly timeS: number; readonly bytes: string }[]
  readonly trees: readonly { readonly count: number; readonly root: string }[]
}

const vectors = JSON.parse(readFileSync(join(projectRoot, 'test/vectors/channels/channels.json'), 'utf8')) as Vectors
const owner = signingKey(1)
const channel = channelIdOf(owner.publicKey)
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const raw = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'))

function contentOf(content: Vectors['records'][number]['content']): RecordContent {
  if (content.kind !== 'grant' || typeof content.contributor !== 'string') return content as RecordContent
  return { ...(content as RecordContent & { readonly kind: 'grant' }), contributor: raw(content.contributor) }
}

test('key and id of the channel', () => {
  assert.equal(hex(owner.publicKey), vectors.publicKey)
  assert.equal(channel, vectors.channel)
})

test('records', () => {
  assert.equal(vectors.records.length, 12)
  for (const { clock, timeS, content, bytes, id } of vectors.records) {
    const record = decodeRecord(raw(bytes))
    assert.deepEqual(record.content, contentOf(content))
    assert.deepEqual([record.channel, record.clock, record.timeS, record.id], [channel, clock, timeS, id])
    assert.ok(verifyRecord(record, verifySignature))
    assert.equal(hex(encodeRecord(record, owner.sign).bytes), bytes)
  }
})

test('heads', () => {
  for (const { sequence, records, timeS, pack, root, value, signature } of vectors.heads) {
    const head = decodeHead({ publicKey: owner.publicKey, sequence, value: raw(value), signature: raw(signature) })
    assert.deepEqual([head.records, head.timeS, head.pack, hex(head.root)], [records, timeS, pack, root])
    assert.ok(verifyHead(head, verifySignature))
    const set = { sequence, records, timeS, root: raw(root), pack: pack === null ? null : parseInfoHash(pack) }
    assert.equal(hex(encodeHead({ publicKey: owner.publicKey, ...set }, owner.sign).signature), signature)
  }
})

test('votes', () => {
  for (const { value, timeS, bytes } of vectors.votes) {
    const vote = decodeVote(raw(bytes))
    assert.deepEqual([vote.channel, vote.value, vote.timeS], [channel, value, timeS])
    assert.ok(verifyVote(vote, verifySignature))
    assert.equal(hex(encodeVote(vote, owner.sign).bytes), bytes)
  }
})

test('roots of trees', () => {
  for (const { count, root } of vectors.trees) {
    const ids = Array.from({ length: count }, (_, at) => createHash('sha256').update(`${at}`).digest('hex') as RecordId)
    assert.equal(hex(treeRoot(ids)), root, `${count} ids`)
  }
})

// The shortest pieces there are and very long ones, checked and committed by node:crypto and by every path of the
// machine code: the verdicts are the same.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { jobs } from '../../../src/pools/contract/jobs.ts'
import { PieceCommits } from '../../../src/pools/jobs/commits-side-by-side.ts'
import { hashPieces } from '../../../src/pools/jobs/hash.ts'
import type { NativeHash } from '../../../src/pools/jobs/native-hash.ts'
import { seededBytes } from '../../kit/content/make-torrent.ts'
import { nativeHashes, nativeMissing } from '../../kit/native-hashes.ts'

const SHORT = 16 * 1024
const LONG = 256 * 1024 * 1024

/** node:crypto, and every path. */
function everyPath(): (NativeHash | null)[] {
  return [null, ...(nativeMissing === false ? nativeHashes() : [])]
}

function emptyFile(t: TestContext): number {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-lengths-'))
  const fd = openSync(join(folder, 'content'), 'w+')
  t.after(() => {
    closeSync(fd)
    rmSync(folder, { recursive: true })
  })
  return fd
}

function sha1(bytes: Uint8Array): Buffer {
  return createHash('sha1').update(bytes).digest()
}

test('hundreds of pieces of 16 KiB, the last one shorter, one of them wrong', t => {
  const fd = emptyFile(t)
  const count = 300
  const bytes = seededBytes(SHORT * count - 1000, 8)
  writeSync(fd, bytes)
  const pieces = Array.from({ length: count }, (_, at) => bytes.subarray(at * SHORT, (at + 1) * SHORT))
  const hashes = pieces.map(sha1)
  hashes[177] = Buffer.alloc(20)
  const right = pieces.map((_, at) => (at === 177 ? 'bad-hash' : 'ok'))
  const spans = [{ fd, position: 0, length: bytes.length }]
  const arena = new Uint8Array(new SharedArrayBuffer(bytes.length))
  arena.set(bytes)
  for (const sha of everyPath()) {
    const check = { hashes: Buffer.concat(hashes), trees: [], pieceLength: SHORT, spans }
    assert.deepEqual(hashPieces(check, sha).verdicts, right, `checked by ${sha?.path ?? 'node'}`)
    const commits = new PieceCommits([arena, arena], sha)
    const requests = pieces.map((piece, at) => {
      const hash = new Uint8Array(hashes[at] ?? [])
      return { arena: 0, segments: [at * SHORT, piece.length], hash, tree: null, spans: [] } as const
    })
    commits.lookAhead(requests.map(request => ({ job: jobs['piece.commit'].number, request })))
    const verdicts = requests.map(request => commits.commit(request).verdict)
    assert.deepEqual(verdicts, right, `committed by ${sha?.path ?? 'node'}`)
  }
})

test('a piece of 256 MiB and a short one behind it', t => {
  const fd = emptyFile(t)
  const length = LONG + 5
  ftruncateSync(fd, length)
  const last = Buffer.from('tail!')
  writeSync(fd, last, 0, last.length, LONG)
  // A piece of zeroes alone has a verdict of its own.
  const bytes = Buffer.alloc(LONG)
  bytes[LONG - 1] = 1
  writeSync(fd, bytes, LONG - 1, 1, LONG - 1)
  const long = sha1(bytes)
  const spans = [{ fd, position: 0, length }]
  for (const sha of everyPath().slice(0, 3)) {
    const check = (hashes: Uint8Array) => hashPieces({ hashes, trees: [], pieceLength: LONG, spans }, sha).verdicts
    assert.deepEqual(check(Buffer.concat([long, sha1(last)])), ['ok', 'ok'], sha?.path ?? 'node')
    assert.deepEqual(check(Buffer.concat([sha1(last), long])), ['bad-hash', 'bad-hash'], sha?.path ?? 'node')
  }
})

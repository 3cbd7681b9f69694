// What the tests of the records share: a folder of their own, made-up downloads, an opened store.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type InfoHash, parseInfoHash } from '../../../src/base/ids.ts'
import type { NewDownload } from '../../../src/ports/records.ts'
import { type RecordsOptions, RecordsStore } from '../../../src/records/records-store.ts'

/** A folder that goes when the test ends. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-records-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The info hash whose last digits are `n`. */
export function hashOf(n: number): InfoHash {
  const hash = parseInfoHash(n.toString(16).padStart(40, '0'))
  if (hash === null) throw new Error('not an info hash')
  return hash
}

/** A download with 20 pieces. */
export function makeDownload(n: number, change: Partial<NewDownload> = {}): NewDownload {
  return {
    infoHash: hashOf(n),
    infoHashV2: null,
    webSeeds: [],
    name: `download ${n} ü`,
    sourceUri: 'magnet:?xt=urn:btih:x',
    destination: '/data/x',
    announceTiers: [['http://a/announce', 'udp://b:1'], ['http://c/announce']],
    peers: [{ ip: '10.0.0.1', port: 6881 }],
    addedAtMs: 1_700_000_000_000 + n,
    hops: 0,
    safeSeeding: true,
    selectedFiles: null,
    userStopped: false,
    pieceCount: 20,
    infoBytes: Uint8Array.of(100, n & 0xff, 101),
    notes: { comment: `comment ${n}`, createdBy: null, creationDateSec: 1_600_000_000 + n },
    ...change,
  }
}

/** An open store that is closed when the test ends. */
export async function openStore(t: TestContext, options: RecordsOptions): Promise<RecordsStore> {
  const store = await RecordsStore.open({ bootId: 'boot-a', ...options })
  t.after(() => store.close(5000))
  return store
}

/** Bits of a piece set, most significant first. */
export function bitsOf(pieceCount: number, pieces: readonly number[]): Uint8Array {
  const bits = new Uint8Array(Math.ceil(pieceCount / 8))
  for (const piece of pieces) bits[piece >> 3] = (bits[piece >> 3] ?? 0) | (0x80 >> (piece & 7))
  return bits
}

/** A promise's AppError code, or 'none' when it resolves. */
export function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  )
}

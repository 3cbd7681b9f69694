// A state directory with very many seeds, written by the product's own store: adding a hundred thousand by HTTP takes
// ten minutes, and is not what is measured. Each torrent is one file of one kibibyte, which lies there.

import { createHash } from 'node:crypto'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { infoHashFromBytes } from '../../src/base/ids.ts'
import type { FileFacts } from '../../src/ports/piece-store.ts'
import type { NewDownload } from '../../src/ports/records.ts'
import { DATABASE_FILE_NAME } from '../../src/records/database-file.ts'
import { RecordsStore } from '../../src/records/records-store.ts'

const FILE_BYTES = 1024
const PIECE_BYTES = 16_384
/** Rows that are asked for together: the store puts them into few transactions. */
const ROWS_AT_ONCE = 500

/** A tiny torrent, and its metainfo. */
export interface TinySeed {
  readonly name: string
  readonly content: Buffer
  readonly info: Buffer
  readonly torrentFile: Buffer
}

/** Number `index`; its name has a word for each hundred of them. */
export function tinySeed(index: number): TinySeed {
  const name = `item-${String(index).padStart(6, '0')} of shelf-${Math.floor(index / 100)} in the catalogue.bin`
  const content = Buffer.alloc(FILE_BYTES)
  content.writeUInt32LE(index)
  const hash = createHash('sha1').update(content).digest()
  const head = `d6:lengthi${FILE_BYTES}e4:name${name.length}:${name}12:piece lengthi${PIECE_BYTES}e6:pieces20:`
  const info = Buffer.concat([Buffer.from(head), hash, Buffer.from('e')])
  return { name, content, info, torrentFile: Buffer.concat([Buffer.from('d4:info'), info, Buffer.from('e')]) }
}

function factsOf(path: string): FileFacts {
  const { size, mtimeNs } = statSync(path, { bigint: true })
  return { index: 0, exists: true, sizeBytes: Number(size), mtimeMs: Number(mtimeNs) / 1e6 }
}

function rowOf({ name, info }: TinySeed, destination: string, tracker: string | null, index: number): NewDownload {
  return {
    infoHash: infoHashFromBytes(createHash('sha1').update(info).digest()),
    infoHashV2: null,
    name,
    sourceUri: '',
    destination,
    announceTiers: tracker === null ? [] : [[tracker]],
    webSeeds: [],
    peers: [],
    addedAtMs: 1_700_000_000_000 + index,
    hops: 0,
    safeSeeding: false,
    selectedFiles: null,
    userStopped: false,
    pieceCount: 1,
    infoBytes: info,
  }
}

/** Writes `count` seeds to `folder`: their files in `content`, their state in `state`. Answers where the state lies. */
export async function makeManySeeds(folder: string, count: number, tracker: string | null): Promise<string> {
  const [content, state] = [join(folder, 'content'), join(folder, 'state')]
  mkdirSync(content, { recursive: true })
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const store = await RecordsStore.open({ path: join(state, DATABASE_FILE_NAME) })
  for (let at = 0; at < count; at += ROWS_AT_ONCE) {
    const writes: Promise<unknown>[] = []
    for (let index = at; index < Math.min(count, at + ROWS_AT_ONCE); index++) {
      const seed = tinySeed(index)
      const path = join(content, seed.name)
      writeFileSync(path, seed.content)
      const row = rowOf(seed, content, tracker, index)
      writes.push(store.downloads.insert(row))
      writes.push(store.progress.checkpoint(row.infoHash, Uint8Array.of(0x80), [factsOf(path)]))
    }
    await Promise.all(writes)
  }
  await store.close(60_000)
  return state
}

// Packs of channels in memory: what one node seeds, others download, in no time. The torrent of a pack is made by
// hashing its files.

import { createHash } from 'node:crypto'

import { AppError } from '../../../../src/base/errors.ts'
import { infoHashFromBytes, type InfoHash } from '../../../../src/base/ids.ts'
import type { PackTorrents, PackWriter } from '../../../../src/chapters/channels/ports/pack-torrents.ts'
import type { Metainfo } from '../../../../src/wire/metainfo/torrent-types.ts'

type Files = Map<string, Uint8Array>

/** All packs that somebody seeds, by info hash. */
export class PackSwarm {
  readonly seeds = new Map<InfoHash, { metainfo: Metainfo; files: Files; seeders: number }>()
}

/** The packs of one node. */
export class MemoryPacks implements PackTorrents {
  readonly #swarm: PackSwarm
  readonly disk = new Map<string, { files: Files; metainfo: Metainfo | null }>()
  readonly engine = new Map<InfoHash, Metainfo>()

  readonly #waiting = new Map<InfoHash, () => void>()

  constructor(swarm: PackSwarm) {
    this.#swarm = swarm
  }

  write(pack: string): Promise<PackWriter> {
    const files: Files = new Map()
    const kept: { files: Files; metainfo: Metainfo | null } = { files, metainfo: null }
    this.disk.set(pack, kept)
    return Promise.resolve({
      append: (file, bytes) => {
        files.set(file, Buffer.concat([files.get(file) ?? Buffer.alloc(0), bytes]))
        return Promise.resolve()
      },
      finish: () => Promise.resolve((kept.metainfo = metainfoOf(pack, files))),
      abandon: () => this.discard(pack),
    })
  }

  stored(pack: string): Promise<Metainfo | null> {
    return Promise.resolve(this.disk.get(pack)?.metainfo ?? null)
  }

  seed(metainfo: Metainfo): boolean {
    if (this.engine.has(metainfo.infoHash)) return false
    this.engine.set(metainfo.infoHash, metainfo)
    const files = this.disk.get(metainfo.name)?.files ?? new Map()
    const seed = this.#swarm.seeds.get(metainfo.infoHash) ?? { metainfo, files, seeders: 0 }
    seed.seeders++
    this.#swarm.seeds.set(metainfo.infoHash, seed)
    return true
  }

  async fetch(
    infoHash: InfoHash,
    objection: (metainfo: Metainfo) => string | null,
    signal: AbortSignal,
  ): Promise<Metainfo> {
    const seed = this.#swarm.seeds.get(infoHash)
    if (seed === undefined) {
      await new Promise<void>(resolve => {
        signal.addEventListener('abort', () => resolve(), { once: true })
        this.#waiting.set(infoHash, resolve)
      })
      this.#waiting.delete(infoHash)
      if (signal.aborted) throw new AppError('Aborted')
      return this.fetch(infoHash, objection, signal)
    }
    const text = objection(seed.metainfo)
    if (text !== null) throw new AppError('InvalidParameter', text)
    this.disk.set(seed.metainfo.name, { files: new Map(seed.files), metainfo: seed.metainfo })
    this.seed(seed.metainfo)
    return seed.metainfo
  }

  lookForPeers(infoHash: InfoHash): void {
    if (this.#swarm.seeds.has(infoHash)) this.#waiting.get(infoHash)?.()
  }

  async *read(pack: string, file: string): AsyncGenerator<Uint8Array> {
    const bytes = this.disk.get(pack)?.files.get(file)
    // In small chunks, so that records lie across them.
    for (let at = 0; bytes !== undefined && at < bytes.length; at += 100)
      yield await Promise.resolve(bytes.subarray(at, at + 100))
  }

  async drop(infoHash: InfoHash): Promise<void> {
    const metainfo = this.engine.get(infoHash)
    if (metainfo === undefined) return
    this.engine.delete(infoHash)
    const seed = this.#swarm.seeds.get(infoHash)
    if (seed !== undefined && --seed.seeders === 0) this.#swarm.seeds.delete(infoHash)
    await this.discard(metainfo.name)
  }

  list(): Promise<string[]> {
    return Promise.resolve([...this.disk.keys()])
  }

  discard(pack: string): Promise<void> {
    this.disk.delete(pack)
    return Promise.resolve()
  }
}

function metainfoOf(name: string, files: Files): Metainfo {
  const sorted = [...files].sort(([one], [other]) => (one < other ? -1 : 1))
  const hash = createHash('sha1').update(name)
  let offset = 0
  const listed = sorted.map(([file, bytes], index) => {
    hash.update(bytes)
    offset += bytes.length
    return { index, path: [name, file], length: bytes.length, offset: offset - bytes.length, padding: false }
  })
  return {
    infoHash: infoHashFromBytes(hash.digest()),
    infoBytes: new Uint8Array(0),
    name,
    multiFile: true,
    pieceLength: 1,
    pieceCount: 1,
    pieceHashes: new Uint8Array(0),
    v2: null,
    totalLength: offset,
    files: listed,
    private: false,
    announceTiers: [],
    webSeeds: [],
    comment: null,
    createdBy: null,
    creationDateSec: null,
    nodes: [],
  } as unknown as Metainfo
}

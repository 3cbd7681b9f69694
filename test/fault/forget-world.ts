// A node with downloads over the same files, a user, a library, and what must not happen to their bytes: what the test
// of forgetting downloads is played in.

import assert from 'node:assert/strict'
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countBits } from '../../src/base/piece-set.ts'
import type { InfoHash } from '../../src/base/ids.ts'
import { decodeMetainfo } from '../../src/wire/metainfo/metainfo.ts'
import { type MadeTorrent, makeTorrent, seededBytes } from '../kit/content/make-torrent.ts'
import { ForgettingNode, KeptRecords } from './forgetting-node.ts'
import { LoopbackNode } from '../kit/nodes/loopback-node.ts'
import { SeededRandom } from '../kit/sim/seeded-random.ts'
import { waitFor } from '../kit/wait-for.ts'

export const KIB = 1024
const BOUND = 96 * KIB
export const HOUR_MS = 3_600_000
export const film = seededBytes(640 * KIB, 5)

/** One film in many torrents, and versions of a folder with it. */
export const torrents: readonly MadeTorrent[] = [
  makeTorrent({ name: 'film', content: film, pieceLength: 32 * KIB }),
  makeTorrent({ name: 'film', content: film, pieceLength: 64 * KIB }),
  makeTorrent({ name: 'FILM', content: film, pieceLength: 128 * KIB }),
  ...[2, 3].map(seed =>
    makeTorrent({
      name: 'show',
      files: [
        { path: 'film', content: film },
        { path: `notes ${seed}`, content: seededBytes(192 * KIB, seed) },
      ],
      pieceLength: 32 * KIB,
    }),
  ),
]
export const metainfos = new Map(torrents.map(made => [made.infoHash, decodeMetainfo(made.torrent)]))

/** Bytes that must stay as they are, in a file that must keep a name. */
interface Kept {
  readonly what: string
  readonly fd: number
  readonly parts: readonly { readonly at: number; readonly bytes: Uint8Array }[]
}

/** A part of a piece, where it lies in a file. */
interface Part {
  readonly path: string
  readonly at: number
  readonly bytes: Uint8Array
}

export class World {
  readonly root = mkdtempSync(join(tmpdir(), 'tributary-others-'))
  readonly random: SeededRandom
  readonly records = new KeptRecords()
  readonly count = { holes: 0 }
  readonly kept: Kept[] = []
  /** Who made a file that is there, as far as it can only be one; by inode. */
  readonly makers = new Map<string, InfoHash | null>()
  readonly done: string[] = []
  /** Downloads of which the user took files away. */
  readonly taken = new Set<InfoHash>()
  forgotten = 0
  relinked = false
  node: ForgettingNode
  readonly #seeder: LoopbackNode

  constructor(seed: number, seeder: LoopbackNode) {
    this.random = new SeededRandom(seed)
    this.#seeder = seeder
    for (const folder of ['a', 'b', 'library']) mkdirSync(join(this.root, folder))
    this.node = this.#run()
  }

  #run(): ForgettingNode {
    const { records, count } = this
    return new ForgettingNode({ records, count, folder: join(this.root, 'a'), cacheBytes: BOUND })
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[this.random.below(list.length)]
  }

  /** Downloads of the list. */
  get rows() {
    return [...this.records.rows.values()]
  }

  isForgetting(infoHash: InfoHash): boolean {
    return this.records.rows.get(infoHash)?.controls?.watchAndForget === true
  }

  /** The parts of a piece of a torrent in `folder`, padding left out. */
  partsOf(made: MadeTorrent, folder: string, piece: number): Part[] {
    const metainfo = metainfos.get(made.infoHash)
    assert.ok(metainfo)
    const [from, to] = [piece * metainfo.pieceLength, (piece + 1) * metainfo.pieceLength]
    return metainfo.files.flatMap(({ offset, length, path }) => {
      const [begin, end] = [Math.max(from, offset), Math.min(to, offset + length)]
      if (begin >= end) return []
      return [{ path: join(folder, ...path), at: begin - offset, bytes: made.content.subarray(begin, end) }]
    })
  }

  /** All parts of one file of a torrent in `folder`. */
  fileParts(made: MadeTorrent, folder: string, path: string): Part[] {
    const { pieceCount = 0 } = metainfos.get(made.infoHash) ?? {}
    const all = Array.from({ length: pieceCount }, (_, piece) => this.partsOf(made, folder, piece))
    return all.flat().filter(part => part.path === path)
  }

  paths(made: MadeTorrent, folder: string): string[] {
    return (metainfos.get(made.infoHash)?.files ?? []).map(({ path }) => join(folder, ...path))
  }

  /** What is right in a file now must stay right, whoever has it. */
  keep(what: string, path: string, parts: readonly Omit<Part, 'path'>[]): void {
    const fd = openSync(path, 'r')
    const right = parts.filter(({ at, bytes }) => readPart(fd, at, bytes.length).equals(bytes))
    this.kept.push({ what: `${what}, ${path.slice(this.root.length)}`, fd, parts: right })
  }

  async start(): Promise<void> {
    await this.node.start()
    await this.connect()
  }

  /** Peers of all downloads that are to come. */
  async connect(): Promise<void> {
    for (const handle of this.node.handles.values()) (await handle.wake()).addPeers([this.#seeder.address])
  }

  async restart(before: () => void = () => undefined): Promise<void> {
    await this.node.close()
    before()
    this.node = this.#run()
    await this.start()
  }

  /** A cache is looked at once a second: it is within its bound by then, or may give nothing back. */
  async cached(infoHash: InfoHash): Promise<void> {
    const held = (): number =>
      countBits(this.node.handles.get(infoHash)?.haveBits() ?? new Uint8Array(0)) *
      (metainfos.get(infoHash)?.pieceLength ?? 0)
    if (!this.isForgetting(infoHash)) return
    await waitFor('the cache', () => held() <= BOUND, 1300).catch(() => undefined)
  }

  /** Waits a while until all of a download is there; false: it is not. */
  isComplete(infoHash: InfoHash): Promise<boolean> {
    const { pieceCount = 0 } = metainfos.get(infoHash) ?? {}
    const held = (): number => countBits(this.node.handles.get(infoHash)?.haveBits() ?? new Uint8Array(0))
    return waitFor('all of it', () => held() === pieceCount, 5000).then(
      () => true,
      () => false,
    )
  }

  /** Downloads of the list that have this very file. */
  usersOf(path: string): InfoHash[] {
    const inode = inodeOf(path)
    const users = this.rows.filter(row => {
      const made = torrents.find(({ infoHash }) => infoHash === row.infoHash)
      return made !== undefined && this.paths(made, row.destination).some(one => inodeOf(one) === inode)
    })
    return inode === null ? [] : users.map(({ infoHash }) => infoHash)
  }

  /** Notes who made the files that are new. */
  noteMakers(): void {
    for (const row of this.rows) {
      const made = torrents.find(({ infoHash }) => infoHash === row.infoHash)
      if (made === undefined) continue
      for (const path of this.paths(made, row.destination)) {
        const inode = inodeOf(path)
        if (inode === null || this.makers.has(inode)) continue
        const users = this.usersOf(path)
        this.makers.set(inode, users.length === 1 ? row.infoHash : null)
      }
    }
  }

  /** Fails when anything is not as it must be. */
  check(): void {
    const told = (): string => `after ${this.done.join('; ')}`
    for (const { what, fd, parts } of this.kept) {
      assert.ok(fstatSync(fd).nlink > 0, `deleted: ${what} ${told()}`)
      for (const { at, bytes } of parts)
        assert.ok(readPart(fd, at, bytes.length).equals(bytes), `changed at ${at}: ${what} ${told()}`)
    }
    for (const { infoHash, destination, pieceCount } of this.rows) {
      const made = torrents.find(one => one.infoHash === infoHash)
      // Nobody has seen yet that the file is not there.
      if (this.taken.has(infoHash)) continue
      // What a start after a kill at this moment would trust.
      const { have } = this.records.journal.resume(infoHash, pieceCount)
      for (let piece = 0; made !== undefined && piece < pieceCount; piece += 1) {
        if (((have[piece >> 3] ?? 0) & (0x80 >> (piece & 7))) === 0) continue
        for (const { path, at, bytes } of this.partsOf(made, destination, piece)) {
          const forgets = this.isForgetting(infoHash)
          // Its files go before its row does: a start sees that they are not there.
          if (forgets && !existsSync(path)) continue
          const kind = forgets ? 'a forgetting' : 'another'
          assert.ok(isThere(path, at, bytes), `${kind} download claims piece ${piece} of ${path} ${told()}`)
        }
      }
    }
  }

  async close(): Promise<void> {
    await this.node.close()
    for (const { fd } of this.kept) closeSync(fd)
    rmSync(this.root, { recursive: true, force: true })
  }
}

function readPart(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(fd, bytes, 0, length, at))
}

function isThere(path: string, at: number, bytes: Uint8Array): boolean {
  return (
    existsSync(path) &&
    readFileSync(path)
      .subarray(at, at + bytes.length)
      .equals(bytes)
  )
}

export function inodeOf(path: string): string | null {
  if (!existsSync(path)) return null
  const { ino, birthtimeNs } = statSync(path, { bigint: true })
  return `${ino} ${birthtimeNs}`
}

// A power cut for a node under test: what it wrote and never synced is gone, so are names whose folder was not synced,
// and the next start sees another boot. lost-power.c, preloaded, keeps what is undone here after the kill.

import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Random } from '../../src/ports/random.ts'
import { projectRoot } from '../kit/project-root.ts'

const KINDS = ['', 'write', 'cut', 'sync', 'create', 'rename', 'unlink', 'mkdir', 'rmdir'] as const
const NUMBERS = 8
const HEAD_BYTES = NUMBERS * 8

/** One line of the log of lost-power.c; `at` is its place, which is its time. */
interface Entry {
  readonly at: number
  readonly kind: (typeof KINDS)[number]
  /** Of the file; of names: of the folder. */
  readonly inode: number
  /** Of a write; of a sync: what lies before this in the log is covered by it; of a rename: the other folder. */
  readonly offset: number
  /** Of the file before; of names: the process. */
  readonly size: number
  /** The file kept under this number lost this name; 0 = none. */
  readonly kept: number
  readonly path: string
  readonly path2: string
  readonly bytes: Buffer
}

/** What one power cut did. */
export interface LossReport {
  readonly writes: number
  readonly names: number
}

/** The disk of one node. All below `root` is on it. */
export class MortalDisk {
  readonly root: string
  readonly #log: string
  readonly #boot: string
  readonly #library: string

  /** `folder` is empty, and on one file system with all below it. */
  constructor(folder: string) {
    this.root = join(folder, 'disk')
    this.#log = join(folder, 'unsynced')
    this.#boot = join(folder, 'boot_id')
    this.#library = join(folder, 'lost-power.so')
    for (const path of [this.root, this.#log]) mkdirSync(path, { recursive: true })
    const source = join(projectRoot, 'test/fault/lost-power.c')
    execFileSync('gcc', ['-shared', '-fPIC', '-o', this.#library, source, '-ldl', '-lpthread'])
    this.#boots()
  }

  /** The environment of the node. */
  get env(): Readonly<Record<string, string>> {
    return { LD_PRELOAD: this.#library, POWER_ROOT: this.root, POWER_LOG: this.#log, POWER_BOOT: this.#boot }
  }

  /**
   * After the kill of the node: undoes what was not synced. By default all of it; 'bytes': names and lengths of files
   * stay; by a random source: names that the file system had got to by itself stay, all up to one of them, and so does
   * a part of the writes.
   */
  cutPower(what: Random | 'all' | 'bytes' = 'all'): LossReport {
    const lost = lostOf(readLog(join(this.#log, 'log')))
    const isName = ({ path }: Entry): boolean => path !== ''
    const names = lost.filter(isName)
    const random = typeof what === 'string' ? null : what
    const gone = names.slice(random?.below(names.length + 1) ?? (what === 'bytes' ? names.length : 0))
    const writes = lost.filter(entry => !isName(entry) && (random === null || random.below(4) > 0))
    undoWrites(writes, lost, pathsByInode(this.root, this.#log), what === 'bytes')
    for (const entry of gone.toReversed()) this.#undoName(entry)
    rmSync(this.#log, { recursive: true })
    mkdirSync(this.#log)
    for (const name of readdirSync(this.root, { recursive: true, encoding: 'utf8' })) {
      if (name.endsWith('-shm')) rmSync(join(this.root, name))
    }
    this.#boots()
    return { writes: writes.length, names: gone.length }
  }

  #boots(): void {
    writeFileSync(this.#boot, `${randomUUID()}\n`)
  }

  #undoName({ kind, path, path2, size, kept }: Entry): void {
    if (kind === 'create' || kind === 'mkdir') return rmSync(path, { recursive: true, force: true })
    if (!existsSync(dirname(path))) return
    if (kind === 'rmdir') return void mkdirSync(path, { recursive: true })
    if (kind === 'rename' && existsSync(path) && existsSync(dirname(path2))) renameSync(path, path2)
    if (kept > 0 && !existsSync(path)) linkSync(join(this.#log, `kept-${size}-${kept}`), path)
  }
}

/** A kill may have cut the last entry: what it was about has not happened. */
function readLog(path: string): Entry[] {
  const log = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
  const entries: Entry[] = []
  for (let at = 0; at + HEAD_BYTES <= log.length; ) {
    const number = (index: number): number => Number(log.readBigUInt64LE(at + index * 8))
    const ends = [HEAD_BYTES, number(5), number(6), number(7)].map((_, index, all) =>
      all.slice(0, index + 1).reduce((sum, length) => sum + length, at),
    ) as [number, number, number, number]
    if (ends[3] > log.length) break
    const kind = KINDS[number(0)] ?? ''
    const [path1, path2] = [log.toString('utf8', ends[0], ends[1]), log.toString('utf8', ends[1], ends[2])]
    const place = { at, kind, inode: number(1), offset: number(2), size: number(3), kept: number(4) }
    entries.push({ ...place, path: path1, path2, bytes: log.subarray(ends[2], ends[3]) })
    at = ends[3]
  }
  return entries
}

/** What no sync covers, oldest first. */
function lostOf(entries: readonly Entry[]): Entry[] {
  const synced = new Map<number, number>()
  for (const { kind, inode, offset } of entries) {
    if (kind === 'sync') synced.set(inode, Math.max(synced.get(inode) ?? 0, offset))
  }
  const isSafe = (inode: number, at: number): boolean => at < (synced.get(inode) ?? 0)
  return entries.filter(({ kind, inode, offset, at }) => {
    if (kind === 'sync') return false
    return !(isSafe(inode, at) && (kind !== 'rename' || isSafe(offset, at)))
  })
}

function pathsByInode(...folders: readonly string[]): Map<number, string> {
  const paths = new Map<number, string>()
  for (const folder of folders) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const facts = lstatSync(join(folder, name))
      if (facts.isFile()) paths.set(facts.ino, join(folder, name))
    }
  }
  return paths
}

/**
 * Newest first. A file keeps the length that the writes which stay have given it; `lengthsStay`: it keeps the one it
 * has, and zeroes stand where nothing was before. Its time stays as the file system had it.
 */
function undoWrites(
  writes: readonly Entry[],
  lost: readonly Entry[],
  paths: ReadonlyMap<number, string>,
  lengthsStay: boolean,
): void {
  const gone = new Set(writes)
  for (const entry of writes.toReversed()) {
    const { kind, inode, at, offset, size, kept, bytes } = entry
    const path = paths.get(inode)
    if (path === undefined) continue
    const file = openSync(path, 'r+')
    const { atime, mtime } = fstatSync(file)
    const zeroes = lengthsStay && kind === 'write' ? kept - bytes.length : 0
    writeSync(file, Buffer.concat([bytes, Buffer.alloc(zeroes)]), 0, bytes.length + zeroes, offset)
    const stays = lost.filter(
      other => other.kind === 'write' && other.inode === inode && other.at > at && !gone.has(other),
    )
    if (!lengthsStay || kind === 'cut')
      ftruncateSync(file, Math.max(size, ...stays.map(other => other.offset + other.kept)))
    futimesSync(file, atime, mtime)
    closeSync(file)
  }
}

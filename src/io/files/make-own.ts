// Makes a file that was there before a torrent the torrent's own, before the torrent's first write to it. Looked at by
// the descriptor that it is opened with. Invariants: a file with other names is never written to, a copy takes its
// name; what may be the user's work keeps every byte under another name in the same folder; at no moment is there no
// file of the torrent's name.

import { type BigIntStats, fstat, fsync, ftruncate, read } from 'node:fs'
import { promisify } from 'node:util'
import { AppError } from '../../base/errors.ts'
import type { FoundFile } from '../../ports/piece-store.ts'
import { copyBytes } from './copy-bytes.ts'
import { diskError, errnoOf } from './disk-errors.ts'
import type { DiskSpace } from './disk-space.ts'
import { NO_LINKS } from './move-files.ts'
import { closeQuietly, type FileIdentity, type OpenedFile, type SafeFolder } from './safe-files.ts'
import type { TorrentFolder } from './torrent-folder.ts'
import type { VolumeLanes } from './volume-lanes.ts'

const readDescriptor = promisify(read)
const statDescriptor = promisify(fstat) as unknown as (fd: number, options: { bigint: true }) => Promise<BigIntStats>
const syncDescriptor = promisify(fsync)
const truncateDescriptor = promisify(ftruncate)

/** Bytes read at a time: compared on the main thread, some 0.1 ms. */
const LOOK_BYTES = 256 * 1024
const ZEROES = Buffer.alloc(LOOK_BYTES)
/** What most file systems take as a name, bytes. */
const MAX_NAME_BYTES = 255
/** Files kept aside of one name and torrent. */
const MAX_KEPT = 99

/** A file and the first write to it. */
export interface FirstWrite {
  readonly folder: TorrentFolder
  readonly index: number
  /** Bytes that the torrent says it has. */
  readonly length: number
  /** The info hash. */
  readonly key: string
  readonly found: Exclude<FoundFile, 'foreign'>
  /** The first bytes to write, and where in the file. */
  readonly position: number
  readonly bytes: readonly Uint8Array[]
}

/** What came of it. */
export interface MadeOwn {
  /** The name of what was set aside; null = the file was taken. */
  readonly kept: string | null
  /** Another file has the name now, or it has another length. */
  readonly changed: boolean
}

interface DiskWork {
  readonly lanes: VolumeLanes
  readonly space: Pick<DiskSpace, 'reserve'>
}

/**
 * Makes a file that was there before a torrent the torrent's own, before the torrent writes to it first. Rejects with
 * FileMissing, UnsafePath, DiskFull, DiskError.
 */
export async function makeOwn(write: FirstWrite, disk: DiskWork): Promise<MadeOwn> {
  const { folder, index } = write
  const parent = await folder.openFolderOf(index, false)
  try {
    const file = await disk.lanes.run(folder.place, () =>
      parent.openFile(folder.nameOf(index), { write: false, create: false }),
    )
    try {
      return await new Taking(write, disk, parent, file).run()
    } finally {
      await disk.lanes.run(folder.place, () => closeQuietly(file.fd))
    }
  } catch (error) {
    throw diskError(error, folder.pathOf(index))
  } finally {
    await disk.lanes.run(folder.place, () => parent.close())
  }
}

/** One file, open for reading, in its open folder. */
class Taking {
  readonly #write: FirstWrite
  readonly #disk: DiskWork
  readonly #parent: SafeFolder
  readonly #file: OpenedFile
  readonly #name: string

  constructor(write: FirstWrite, disk: DiskWork, parent: SafeFolder, file: OpenedFile) {
    this.#write = write
    this.#disk = disk
    this.#parent = parent
    this.#file = file
    this.#name = write.folder.nameOf(write.index)
  }

  async run(): Promise<MadeOwn> {
    const { found, folder, index, length } = this.#write
    const { size, mtimeNs, nlink } = await this.#stats()
    const mayTake = typeof found === 'string' || (await this.#isAlike(found, Number(size)))
    if (!mayTake) {
      const kept = await this.#turn(() => this.#keep())
      await this.#putInPlace(() => Promise.resolve())
      return { kept, changed: true }
    }
    if (nlink > 1n) {
      await this.#putInPlace(async copy => {
        await this.#copyTo(copy, Math.min(Number(size), length))
        // A copy of what was being changed is a copy of nothing.
        if ((await this.#stats()).mtimeNs !== mtimeNs) throw this.#replaced()
      })
      return { kept: null, changed: true }
    }
    const longer = Number(size) > length
    if (longer) await this.#turn(() => this.#cut(length))
    folder.expect(index, this.#file)
    return { kept: null, changed: longer }
  }

  /** A call on files of the folder, when it may have its turn. */
  readonly #turn = <T>(call: () => Promise<T>): Promise<T> => this.#disk.lanes.run(this.#write.folder.place, call)

  #stats(): Promise<BigIntStats> {
    return this.#turn(() => statDescriptor(this.#file.fd, { bigint: true }))
  }

  /** Nothing but zeros, or where the first write goes it says the same. */
  async #isAlike({ from, to }: { readonly from: number; readonly to: number }, size: number): Promise<boolean> {
    const isBlank = (await this.#isZeros(0, Math.min(from, size))) && (await this.#isZeros(to, size))
    return isBlank || this.#saysTheSame(size)
  }

  async #isZeros(from: number, to: number): Promise<boolean> {
    for (let at = from; at < to; at += LOOK_BYTES) {
      const part = await this.#read(at, Math.min(LOOK_BYTES, to - at))
      if (part.compare(ZEROES, 0, part.length) !== 0) return false
    }
    return true
  }

  async #saysTheSame(size: number): Promise<boolean> {
    let at = this.#write.position
    if (at >= size) return false
    for (const bytes of this.#write.bytes) {
      for (let done = 0; done < bytes.length && at < size; ) {
        const part = await this.#read(at, Math.min(LOOK_BYTES, bytes.length - done, size - at))
        // Cut meanwhile: what was there is not known.
        if (part.length === 0 || part.compare(bytes, done, done + part.length) !== 0) return false
        done += part.length
        at += part.length
      }
    }
    return true
  }

  async #read(position: number, length: number): Promise<Buffer> {
    const chunk = Buffer.allocUnsafe(length)
    const { bytesRead } = await this.#turn(() => readDescriptor(this.#file.fd, chunk, 0, length, position))
    return chunk.subarray(0, bytesRead)
  }

  /** Gives what is there a second name; the name. What a run that was killed here left is found again. */
  async #keep(): Promise<string> {
    for (let count = 1; count <= MAX_KEPT; count += 1) {
      const kept = keptName(this.#name, this.#write.key, count)
      const there = await this.#parent.stat(kept)
      if (there !== null && isSame(there, this.#file)) return kept
      if (there !== null) continue
      try {
        await this.#parent.link(this.#name, this.#parent, kept)
      } catch (error) {
        if (!NO_LINKS.has(errnoOf(error) ?? '')) throw error
        // A file system without links: for a moment there is no file of that name.
        await this.#parent.replace(this.#name, kept)
      }
      return kept
    }
    throw new AppError('DiskError', `${this.#name}: ${MAX_KEPT} files of this name were set aside already.`)
  }

  /** A new file takes the name; `fill` writes to it before. */
  async #putInPlace(fill: (copy: number) => Promise<void>): Promise<void> {
    const { folder, key, index } = this.#write
    const unfinished = `.${key.slice(0, 16)}-${index}.part`
    await this.#turn(() => this.#parent.unlinkFile(unfinished))
    const options = { write: true, create: true, exclusive: true }
    const copy = await this.#turn(() => this.#parent.openFile(unfinished, options))
    try {
      await fill(copy.fd)
      await this.#turn(() => syncDescriptor(copy.fd))
      await this.#turn(() => this.#checkStillThere())
      await this.#turn(() => this.#parent.replace(unfinished, this.#name))
      await this.#turn(() => syncFolder(this.#parent.fd))
      folder.expect(index, copy)
    } catch (error) {
      await this.#turn(() => this.#parent.unlinkFile(unfinished)).catch(() => undefined)
      throw error
    } finally {
      await this.#turn(() => closeQuietly(copy.fd))
    }
  }

  async #copyTo(copy: number, length: number): Promise<void> {
    const root = await this.#write.folder.root()
    await copyBytes(this.#file.fd, copy, { space: this.#disk.space, root, reading: this.#turn, writing: this.#turn })
    await this.#turn(() => truncateDescriptor(copy, length))
  }

  /** A file that was put there meanwhile must not be lost. */
  async #checkStillThere(): Promise<void> {
    const now = await this.#parent.stat(this.#name)
    if (now !== null && !isSame(now, this.#file)) throw this.#replaced()
  }

  #replaced(): AppError {
    const path = this.#write.folder.pathOf(this.#write.index)
    return new AppError('FileMissing', `A file of the download was replaced by another: ${path}`)
  }

  async #cut(length: number): Promise<void> {
    const { fd, dev, ino } = await this.#parent.openFile(this.#name, { write: true, create: false })
    try {
      if (isSame({ dev, ino }, this.#file)) await truncateDescriptor(fd, length)
    } finally {
      await closeQuietly(fd)
    }
  }
}

function isSame(a: FileIdentity, b: FileIdentity): boolean {
  return a.dev === b.dev && a.ino === b.ino
}

/** `NAME.before-<8 of the infohash>`; of a second such file with `-2`. Cut so that file systems take it. */
function keptName(name: string, key: string, count: number): string {
  const ending = `.before-${key.slice(0, 8)}${count === 1 ? '' : `-${count}`}`
  const room = MAX_NAME_BYTES - Buffer.byteLength(ending)
  let kept = name
  while (Buffer.byteLength(kept) > room) kept = [...kept].slice(0, -1).join('')
  return `${kept}${ending}`
}

/** File systems that cannot flush folders do it with the files. */
async function syncFolder(fd: number): Promise<void> {
  await syncDescriptor(fd).catch((error: unknown) => {
    if (errnoOf(error) !== 'EINVAL') throw error
  })
}

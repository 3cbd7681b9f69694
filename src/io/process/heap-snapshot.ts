// A V8 heap snapshot as a file that has no name any more: V8 writes it piece by piece, so that it never lies in memory
// as a whole, and closing the reader frees the disk. V8 cannot make one while JavaScript runs: the thread is halted.

import { writeFileSync, unlinkSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { writeHeapSnapshot } from 'node:v8'
import { diskError } from '../files/disk-errors.ts'

/** One name: what a killed process left is written over. */
const FILE_NAME = 'memory-dump.heapsnapshot'

/** What is read of it; see StreamReader of services/api.ts. */
export interface SnapshotReader {
  /** Bytes from `position` to the end. */
  waitFor(position: number): number
  read(position: number, length: number, slot: { readonly bytes: Uint8Array }): Promise<number>
  /** Frees the disk; reads under way end first. */
  close(): void
}

/** A snapshot; openReader() is called exactly once. */
export interface HeapSnapshot {
  readonly name: string
  readonly size: number
  readonly tag: string
  openReader(): SnapshotReader
}

/** Takes a snapshot of the main thread, with its file in `folder`. Throws AppErrors DiskFull and DiskError. */
export async function takeHeapSnapshot(folder: string): Promise<HeapSnapshot> {
  const path = join(folder, FILE_NAME)
  try {
    writeFileSync(path, '', { mode: 0o600 })
    writeHeapSnapshot(path)
    const handle = await open(path, 'r')
    const { size } = await handle.stat()
    return { name: FILE_NAME, size, tag: 'memory-dump', openReader: () => readerOf(handle, size) }
  } catch (error) {
    throw diskError(error, path)
  } finally {
    remove(path)
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Nothing was written.
  }
}

function readerOf(handle: FileHandle, size: number): SnapshotReader {
  return {
    waitFor: position => Math.max(0, size - position),
    read: async (position, length, slot) => (await handle.read(slot.bytes, 0, length, position)).bytesRead,
    close: () => void handle.close().catch(() => undefined),
  }
}

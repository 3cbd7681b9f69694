// When the first bytes of a torrent that was just added are here: over HTTP, by a client's own way, or in the file.

import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { pass } from './bench-place.ts'
import { type BenchTorrent, contentAt } from './bench-torrent.ts'
import { bodyStart, type HttpRequest } from './local-http.ts'
import type { Client, FirstBytes } from './rivals/client.ts'

const LIMIT_MS = 60_000
/** How much of it a player needs to begin. */
const SOME = 64 * 1024
const LOOK_MS = 2

/** As a player asks for them, of the torrent that `client` was given last. */
export function firstBytes(
  client: Client,
  torrent: BenchTorrent,
  place: { readonly from: number; readonly length: number; readonly dir: string },
): Promise<FirstBytes> {
  const { from, length, dir } = place
  return client.firstBytes?.(torrent, from, length, dir) ?? overHttp(client.file(torrent), from, length)
}

/** Asks again while the server does not know the file yet. */
async function overHttp(file: HttpRequest, from: number, length: number): Promise<FirstBytes> {
  const end = performance.now() + LIMIT_MS
  const what = { ...file, headers: { ...file.headers, range: `bytes=${from}-` } }
  for (;;) {
    const answer = await bodyStart(what, length)
    if (answer.status === 206) return answer
    if (performance.now() > end) throw new Error(`${what.url}: ${answer.status} ${answer.bytes.toString()}`)
    await pass(5)
  }
}

/** Looks at the file until the right bytes are in it. */
export async function bytesOnDisk(
  torrent: BenchTorrent,
  from: number,
  length: number,
  dir: string,
): Promise<FirstBytes> {
  const right = await contentAt(torrent, from, length)
  const path = join(dir, torrent.name)
  const has = async (at: number, bytes: number): Promise<boolean> => {
    const file = await open(path).catch(() => null)
    if (file === null) return false
    const part = Buffer.alloc(bytes)
    try {
      await file.read(part, 0, bytes, from + at)
    } finally {
      await file.close()
    }
    return part.equals(right.subarray(at, at + bytes))
  }
  let firstAt = 0
  const end = performance.now() + LIMIT_MS
  for (let at = 0; at < length; ) {
    const bytes = Math.min(SOME, length - at)
    if (await has(at, bytes)) at += bytes
    else if (performance.now() > end) throw new Error(`${path}: not the right bytes`)
    else await pass(LOOK_MS)
    if (at > 0 && firstAt === 0) firstAt = performance.now()
  }
  return { firstAt, lastAt: performance.now(), bytes: right }
}

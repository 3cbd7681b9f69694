// Compares what a server sends with the file, byte by byte, while wrk loads it: wrk itself only counts.

import { type BenchTorrent, contentAt } from './bench-torrent.ts'
import { type HttpRequest, readBody } from './local-http.ts'
import { runWrk } from './wrk.ts'

const READERS = 4
const PART = 64 * 2 ** 20

/** Reads the request to its end and compares; `from` is where in the content its body begins. */
async function compare(torrent: BenchTorrent, what: HttpRequest, from: number, length: number): Promise<void> {
  const right = await contentAt(torrent, from, length)
  let same = true
  const received = await readBody(what, (chunk, at) => {
    same &&= chunk.equals(right.subarray(at, at + chunk.length))
  })
  if (!same || received !== length) throw new Error(`${what.url}: other bytes than those of the file from ${from}`)
}

/** The whole file, compared in parts that fit the benchmark's memory. */
async function compareWhole(torrent: BenchTorrent, what: HttpRequest): Promise<void> {
  let right: Buffer = Buffer.alloc(0)
  let base = 0
  const received = await readBody(what, async (chunk, at) => {
    if (at + chunk.length > base + right.length) {
      base = at
      right = await contentAt(torrent, base, PART)
    }
    if (!chunk.equals(right.subarray(at - base, at - base + chunk.length)))
      throw new Error(`${what.url}: other bytes than those of the file at ${at}`)
  })
  if (received !== torrent.length) throw new Error(`${what.url}: ${received} bytes of ${torrent.length}`)
}

/** What is checked: ranges of so many bytes, 0 = whole files. */
export interface RangeCheck {
  readonly torrent: BenchTorrent
  readonly what: HttpRequest
  readonly range: number
  readonly seconds: number
  readonly home: string
}

/** While 16 clients load the server, READERS clients compare every byte they get. Throws on the first that differs. */
export async function checkUnderLoad(check: RangeCheck): Promise<void> {
  const { torrent, what, range, seconds, home } = check
  if (range === 0) return compareWhole(torrent, what)
  const end = performance.now() + seconds * 1000
  const ranges = { range, size: torrent.length }
  const reader = async (number: number) => {
    for (let turn = 0; performance.now() < end; turn++) {
      // A different place each time; not aligned, so that ends of pieces lie inside.
      const from = (number * 7_368_787 + turn * 15_485_863) % (torrent.length - range)
      const headers = { ...what.headers, range: `bytes=${from}-${from + range - 1}` }
      await compare(torrent, { ...what, headers }, from, range)
    }
  }
  const readers = Array.from({ length: READERS }, (_, number) => reader(number))
  await Promise.all([runWrk({ what, connections: 16, seconds, ranges, home }), ...readers])
}

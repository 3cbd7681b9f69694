// Content on disk and torrents of it: made in chunks, so that GiBs never lie in the benchmark's own memory, and
// compared byte by byte with what a client made of it. The same length gives the same bytes.

import { createCipheriv, createHash } from 'node:crypto'
import { open, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeBencode } from '../../src/wire/bencode.ts'

const COMPARE_BYTES = 4 * 2 ** 20

/** A torrent of one file. */
export interface BenchTorrent {
  readonly name: string
  readonly length: number
  readonly pieceLength: number
  /** 40 hexadecimal digits. */
  readonly infoHash: string
  /** The bencoded info dictionary. */
  readonly info: Uint8Array
  /** Folder with the complete file. */
  readonly dir: string
  /** Metainfo without a tracker. */
  readonly path: string
  /** Metainfo with one, when made by withTracker, or with a web seed, when made by withWebSeed. */
  readonly trackedPath?: string
}

export interface BenchTorrentOptions {
  /** Folder of the content. */
  readonly dir: string
  /** Folder of the metainfo. */
  readonly metainfoDir: string
  readonly name: string
  readonly length: number
  readonly pieceLength: number
  /** Other seeds, other content; default 1. */
  readonly seed?: number
}

/** Writes content and metainfo. */
export async function makeBenchTorrent(options: BenchTorrentOptions): Promise<BenchTorrent> {
  const { dir, name, length, pieceLength } = options
  const key = Buffer.alloc(16)
  key.writeUInt32LE(options.seed ?? 1)
  const stream = createCipheriv('aes-128-ctr', key, Buffer.alloc(16))
  const zeroes = Buffer.alloc(pieceLength)
  const file = await open(join(dir, name), 'w')
  const hashes: Buffer[] = []
  for (let at = 0; at < length; at += pieceLength) {
    const piece = stream.update(zeroes.subarray(0, Math.min(pieceLength, length - at)))
    hashes.push(createHash('sha1').update(piece).digest())
    await file.write(piece)
  }
  await file.close()
  const info = encodeBencode({ length, name, 'piece length': pieceLength, pieces: Buffer.concat(hashes) })
  const infoHash = createHash('sha1').update(info).digest('hex')
  const path = join(options.metainfoDir, `${infoHash}.torrent`)
  await writeFile(path, Buffer.concat([Buffer.from('d4:info'), info, Buffer.from('e')]))
  return { name, length, pieceLength, infoHash, info, dir, path }
}

/** The same torrent with a tracker, its metainfo in `folder`. */
export async function withTracker(torrent: BenchTorrent, folder: string, announce: string): Promise<BenchTorrent> {
  const trackedPath = join(folder, `${torrent.infoHash}-tracked.torrent`)
  const head = Buffer.from(`d8:announce${announce.length}:${announce}4:info`)
  await writeFile(trackedPath, Buffer.concat([head, torrent.info, Buffer.from('e')]))
  return { ...torrent, trackedPath }
}

/** The same torrent with a web seed (BEP 19) and nothing else, its metainfo in `folder`. */
export async function withWebSeed(torrent: BenchTorrent, folder: string, url: string): Promise<BenchTorrent> {
  const trackedPath = join(folder, `${torrent.infoHash}-web-seed.torrent`)
  const tail = Buffer.from(`8:url-list${url.length}:${url}e`)
  await writeFile(trackedPath, Buffer.concat([Buffer.from('d4:info'), torrent.info, tail]))
  return { ...torrent, trackedPath }
}

/** A magnet of the torrent that names peers, and the tracker when `announce` is given. */
export function magnetOf(
  torrent: BenchTorrent,
  peers: readonly { readonly ip: string; readonly port: number }[],
  announce?: string,
): string {
  const named = peers.map(peer => `&x.pe=${peer.ip}:${peer.port}`).join('')
  const tracker = announce === undefined ? '' : `&tr=${encodeURIComponent(announce)}`
  return `magnet:?xt=urn:btih:${torrent.infoHash}&dn=${torrent.name}${named}${tracker}`
}

/** Throws unless the file in `dir` is the torrent's content, byte for byte. */
export async function assertSameContent(torrent: BenchTorrent, dir: string): Promise<void> {
  const path = join(dir, torrent.name)
  const { size } = await stat(path)
  if (size !== torrent.length) throw new Error(`the download has ${size} bytes, not ${torrent.length}`)
  const [right, got] = await Promise.all([open(join(torrent.dir, torrent.name)), open(path)])
  const [a, b] = [Buffer.alloc(COMPARE_BYTES), Buffer.alloc(COMPARE_BYTES)]
  try {
    for (let at = 0; at < size; at += COMPARE_BYTES) {
      const [x, y] = await Promise.all([right.read(a, 0, COMPARE_BYTES, at), got.read(b, 0, COMPARE_BYTES, at)])
      if (x.bytesRead !== y.bytesRead || !a.subarray(0, x.bytesRead).equals(b.subarray(0, y.bytesRead)))
        throw new Error(`the download differs between bytes ${at} and ${at + COMPARE_BYTES}`)
    }
  } finally {
    await Promise.all([right.close(), got.close()])
  }
}

/** Bytes of the content. */
export async function contentAt(torrent: BenchTorrent, at: number, length: number): Promise<Buffer> {
  const file = await open(join(torrent.dir, torrent.name))
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** `count` torrents of one piece of 16 KiB each, their files together in `dir`. */
export async function makeTinyTorrents(dir: string, metainfoDir: string, count: number): Promise<BenchTorrent[]> {
  const made: BenchTorrent[] = []
  for (let index = 0; index < count; index++) {
    const name = `item-${String(index).padStart(5, '0')}.bin`
    made.push(await makeBenchTorrent({ dir, metainfoDir, name, length: 16384, pieceLength: 16384, seed: 1000 + index }))
  }
  return made
}

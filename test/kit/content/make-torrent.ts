// Builds small torrents for tests: deterministic content, hashes by node:crypto, encoded here and not by the code under
// test (only its bencode writer is used). The same options give the same bytes.

import { createHash } from 'node:crypto'
import { parseInfoHash, type InfoHash } from '../../../src/base/ids.ts'
import type { TorrentSpec } from '../../../src/torrent/types.ts'
import { encodeBencode } from '../../../src/wire/bencode.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'

/** One file: its content, or a length for which seeded content is made. */
export interface MadeFile {
  /** Path below the torrent's folder with `/`, or the raw parts when a part needs strange characters or bytes. */
  readonly path: string | readonly (string | Uint8Array)[]
  readonly content?: Uint8Array
  readonly length?: number
  /** BEP 47 attributes, e.g. `p` (content is then zeroes). */
  readonly attr?: string
}

export interface MakeTorrentOptions {
  readonly name?: string
  /** Single-file torrent of this content ... */
  readonly content?: Uint8Array
  /** ... or of this many seeded bytes (default 100,000) ... */
  readonly length?: number
  /** ... or a multi-file torrent. */
  readonly files?: readonly MadeFile[]
  /** Bytes; default 32 KiB. */
  readonly pieceLength?: number
  /** Trackers by tier. */
  readonly announce?: readonly (readonly string[])[]
  readonly private?: boolean
  readonly comment?: string
  /** Adds padding files so that every file begins on a piece (BEP 47). */
  readonly padding?: boolean
  /** Seed of the made content; default 1. */
  readonly seed?: number
  /** Added to, or replacing, entries of the info dictionary. */
  readonly info?: { readonly [key: string]: import('../../../src/wire/bencode.ts').BencodeInput }
}

export interface MadeTorrent {
  /** The bencoded metainfo file. */
  readonly torrent: Uint8Array
  /** The bencoded info dictionary. */
  readonly info: Uint8Array
  readonly infoHash: InfoHash
  /** All bytes in torrent order, padding included. */
  readonly content: Uint8Array
  readonly pieceLength: number
  readonly files: readonly { readonly path: string; readonly content: Uint8Array; readonly padding: boolean }[]
}

/** `length` bytes that look random and depend only on `seed`. */
export function seededBytes(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length)
  let state = (seed * 2654435761 + 1) >>> 0 || 1
  for (let at = 0; at < length; at++) {
    // xorshift32
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    bytes[at] = state
  }
  return bytes
}

interface Part {
  readonly path: readonly (string | Uint8Array)[]
  readonly content: Uint8Array
  readonly attr: string
}

/** Makes a torrent. Without options: one file `file.bin` of 100,000 bytes in pieces of 32 KiB, no tracker. */
export function makeTorrent(options: MakeTorrentOptions = {}): MadeTorrent {
  const pieceLength = options.pieceLength ?? 32 * 1024
  const seed = options.seed ?? 1
  const name = options.name ?? (options.files ? 'folder' : 'file.bin')
  const parts = options.files
    ? padded(
        options.files.map((file, index) => partOf(file, seed + index)),
        options.padding ? pieceLength : 0,
      )
    : [{ path: [name], content: options.content ?? seededBytes(options.length ?? 100_000, seed), attr: '' }]
  const content = Buffer.concat(parts.map(part => part.content))
  const layout = options.files
    ? {
        files: parts.map(part => ({
          length: part.content.length,
          path: part.path,
          ...(part.attr && { attr: part.attr }),
        })),
      }
    : { length: content.length }
  const info = encodeBencode({
    ...layout,
    name,
    'piece length': pieceLength,
    pieces: hashPieces(content, pieceLength),
    ...(options.private ? { private: 1 } : {}),
    ...options.info,
  })
  const infoHash = parseInfoHash(createHash('sha1').update(info).digest('hex')) as InfoHash
  const files = parts.map(part => ({
    path: part.path.map(String).join('/'),
    content: part.content,
    padding: part.attr.includes('p'),
  }))
  return { torrent: wrap(info, options), info, infoHash, content, pieceLength, files }
}

function partOf(file: MadeFile, seed: number): Part {
  const attr = file.attr ?? ''
  const made = attr.includes('p') ? new Uint8Array(file.length ?? 0) : seededBytes(file.length ?? 0, seed)
  const path = typeof file.path === 'string' ? file.path.split('/') : file.path
  return { path, content: file.content ?? made, attr }
}

function padded(parts: readonly Part[], pieceLength: number): Part[] {
  if (pieceLength === 0) return [...parts]
  return parts.flatMap((part, index) => {
    const rest = part.content.length % pieceLength
    if (rest === 0 || index === parts.length - 1) return [part]
    const missing = pieceLength - rest
    return [part, { path: ['.pad', String(missing)], content: new Uint8Array(missing), attr: 'p' }]
  })
}

function hashPieces(content: Uint8Array, pieceLength: number): Uint8Array {
  const hashes: Buffer[] = []
  for (let at = 0; at < content.length; at += pieceLength) {
    hashes.push(
      createHash('sha1')
        .update(content.subarray(at, at + pieceLength))
        .digest(),
    )
  }
  return Buffer.concat(hashes)
}

/** Puts the info dictionary, byte for byte, into a metainfo file. Keys stand in order: announce ... comment, info. */
function wrap(info: Uint8Array, options: MakeTorrentOptions): Uint8Array {
  const tiers = options.announce ?? []
  const first = tiers[0]?.[0]
  const parts: Uint8Array[] = [Buffer.from('d')]
  if (first !== undefined) parts.push(Buffer.from('8:announce'), encodeBencode(first))
  if (tiers.flat().length > 1) parts.push(Buffer.from('13:announce-list'), encodeBencode(tiers))
  if (options.comment !== undefined) parts.push(Buffer.from('7:comment'), encodeBencode(options.comment))
  parts.push(Buffer.from('4:info'), info, Buffer.from('e'))
  return Buffer.concat(parts)
}

/** What a torrent is added with: all files, running, nothing known of its data. */
export function specOf(torrent: MadeTorrent): TorrentSpec {
  const metainfo = decodeMetainfo(torrent.torrent)
  return {
    infoHash: torrent.infoHash,
    name: metainfo.name,
    metainfo,
    destination: '/memory',
    announceTiers: metainfo.announceTiers,
    peers: [],
    selectedFiles: null,
    running: true,
    resume: null,
    totalUp: 0,
    totalDown: 0,
  }
}

// Web seeds as torrents and magnets name them (BEP 19: `url-list`, `ws`), cleaned, and the url of each file at one of
// them. Urls and text only. Invariant: no name of a torrent leads out of the folder that a web seed names.

import {
  asBuffer,
  type BencodeDict,
  type BencodeValue,
  decodeEntries,
  dictSlicesInSteps,
  getBytes,
  getText,
  utf8Text,
  visitListInSteps,
} from '../bencode.ts'
import { pathParts } from './info-files.ts'
import type { Steps } from '../steps.ts'
import type { TorrentFile } from './torrent-types.ts'

/** Most web seeds of one torrent: real ones have up to about 20. */
export const MAX_WEB_SEEDS = 50

/** Longest url of a web seed, characters. */
const MAX_URL_CHARS = 2048

/** The url as it was written, spaces escaped, when it is an http or https url with a host; else null. */
export function cleanWebSeed(text: string): string | null {
  const url = text.trim().replaceAll(' ', '%20')
  if (url.length > MAX_URL_CHARS || /[\p{Cc}\p{Cs}]/u.test(url)) return null
  if (!/^https?:\/\/[^/]/i.test(url)) return null
  return URL.canParse(url) ? url : null
}

/** What can be used of `texts`, each once, at most MAX_WEB_SEEDS. */
export function cleanWebSeeds(texts: Iterable<string>): string[] {
  const seeds = new Set<string>()
  for (const text of texts) {
    const url = seeds.size < MAX_WEB_SEEDS ? cleanWebSeed(text) : null
    if (url !== null) seeds.add(url)
  }
  return [...seeds]
}

/** The web seeds of a `url-list`: a list, or one url by itself (BEP 19). */
export function webSeedList(value: BencodeValue | undefined): string[] {
  const items = Array.isArray(value) ? value : value === undefined ? [] : [value]
  return cleanWebSeeds(textsOf(items))
}

function* textsOf(items: readonly BencodeValue[]): Iterable<string> {
  for (const item of items) {
    const text = item instanceof Uint8Array ? utf8Text(item) : null
    if (text !== null) yield text
  }
}

/** Each byte as it is written in a segment of a path (RFC 3986). */
const ESCAPED: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  return /[A-Za-z0-9._~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
})

/** One name as a segment of a url's path: everything but letters, digits and `-._~` escaped, byte by byte. */
export function escapeSegment(name: Uint8Array): string {
  let out = ''
  for (const byte of name) out += ESCAPED[byte] ?? ''
  return out
}

/** The path of a file below a web seed when nothing but its safe path is known, escaped. */
export function safeUrlPath(file: TorrentFile): string {
  return (file.torrentPath ?? file.path).map(part => escapeSegment(Buffer.from(part))).join('/')
}

/**
 * The escaped url paths of the files whose names the torrent spells otherwise than they are safe to create, by index;
 * of all others it is safeUrlPath(). Servers have files under the names of the torrent. `files` are those of the same
 * dictionary. Throws DecodeError when `infoBytes` are no info dictionary.
 */
export function* oddUrlPaths(infoBytes: Uint8Array, files: readonly TorrentFile[]): Steps<Map<number, string>> {
  const slices = yield* dictSlicesInSteps(asBuffer(infoBytes))
  const root = rootName(decodeEntries(slices, ['name', 'name.utf-8']))
  const odd = new Map<number, string>()
  const note = (index: number, parts: readonly Uint8Array[]): void => {
    const file = files[index]
    const path = urlPath(parts)
    if (file !== undefined && !file.padding && path !== null && path !== safeUrlPath(file)) odd.set(index, path)
  }
  const list = slices.get('files')
  if (root === null) return odd
  if (list === undefined) {
    if (files.length === 1) note(0, [root])
    return odd
  }
  yield* visitListInSteps(list, (item, index) => {
    if (item instanceof Map) note(index, [root, ...pathParts(item)])
  })
  return odd
}

/** The url of a file whose escaped path is `path`, at the web seed `base` (BEP 19). */
export function webSeedFileUrl(base: string, multiFile: boolean, path: string): string {
  const bare = base.replace(/#.*$/, '')
  if (bare.endsWith('/')) return bare + path
  return multiFile ? `${bare}/${path}` : bare
}

function rootName(info: BencodeDict): Uint8Array | null {
  return getText(info, 'name.utf-8') ? getBytes(info, 'name.utf-8') : getBytes(info, 'name')
}

/** Null when a part would name a folder above, the folder itself, or nothing. */
function urlPath(parts: readonly Uint8Array[]): string | null {
  const segments = parts.map(escapeSegment)
  return segments.some(segment => /^\.{0,2}$/.test(segment)) ? null : segments.join('/')
}

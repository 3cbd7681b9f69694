// The info dictionary of a new torrent (BEP 3, 27, 47, 52), written in steps: there may be 200,000 files. Only names
// and bytes of the content count, and what private and source say: neither times nor rights, so that equal content
// gives an equal hash.

import { type BencodeInput, encodeBencode } from '../bencode.ts'
import type { Steps } from '../steps.ts'
import type { NewTorrentLayout } from './torrent-layout.ts'
import type { TorrentFile } from './torrent-types.ts'

/** What goes into the dictionary. */
export interface NewInfo {
  readonly layout: NewTorrentLayout
  /** SHA-1, 20 bytes a piece; empty without v1. */
  readonly pieceHashes: Uint8Array
  /** Root of each file's tree by its index; files without bytes, and those of a v1 torrent, have none. */
  readonly roots: ReadonlyMap<number, Uint8Array>
  /** BEP 27. */
  readonly private: boolean
  /** Sets the torrent apart from the same one elsewhere; null = none. */
  readonly source: string | null
}

/** Files written in one step. */
const FILES_A_STEP = 256

const DICT = Buffer.from('d')
const LIST = Buffer.from('l')
const END = Buffer.from('e')
/** The empty key: what follows describes the file whose name led here. */
const FILE_KEY = Buffer.from('0:')

/** The bytes of the info dictionary, in steps. */
export function* newInfoBytes(info: NewInfo): Steps<Uint8Array> {
  const { layout } = info
  const entries: [key: string, value: readonly Uint8Array[]][] = []
  const add = (key: string, value: BencodeInput): void => {
    entries.push([key, [encodeBencode(value)]])
  }
  // In the order of the keys' bytes.
  if (layout.format !== 'v1') entries.push(['file tree', yield* fileTree(layout, info.roots)])
  if (layout.format !== 'v2' && layout.multiFile) entries.push(['files', yield* fileList(layout)])
  if (layout.format !== 'v2' && !layout.multiFile) add('length', layout.files[0]?.length ?? 0)
  if (layout.format !== 'v1') add('meta version', 2)
  add('name', layout.name)
  add('piece length', layout.pieceLength)
  if (layout.format !== 'v2') add('pieces', info.pieceHashes)
  if (info.private) add('private', 1)
  if (info.source !== null) add('source', info.source)
  return Buffer.concat([DICT, ...entries.flatMap(([key, value]) => [encodeBencode(key), ...value]), END])
}

/** The files of v1, padding among them. */
function* fileList({ files }: NewTorrentLayout): Steps<Uint8Array[]> {
  const parts: Uint8Array[] = [LIST]
  for (const file of files) {
    const path = file.path.slice(1)
    parts.push(encodeBencode({ attr: file.padding ? 'p' : undefined, length: file.length, path }))
    if (parts.length % FILES_A_STEP === 0) yield
  }
  parts.push(END)
  return parts
}

/** The tree of v2: files come sorted, so a folder is opened once, with everything in it one behind the other. */
function* fileTree(layout: NewTorrentLayout, roots: ReadonlyMap<number, Uint8Array>): Steps<Uint8Array[]> {
  const parts: Uint8Array[] = [DICT]
  let open: readonly string[] = []
  for (const [index, file] of layout.files.entries()) {
    if (index % FILES_A_STEP === FILES_A_STEP - 1) yield
    if (file.padding) continue
    const path = treePath(layout, file)
    const folders = path.slice(0, -1)
    const shared = sharedParts(open, folders)
    for (let level = open.length; level > shared; level--) parts.push(END)
    for (const folder of folders.slice(shared)) parts.push(encodeBencode(folder), DICT)
    open = folders
    const root = roots.get(file.index)
    const described = encodeBencode({ length: file.length, 'pieces root': root })
    parts.push(encodeBencode(path.at(-1) ?? ''), DICT, FILE_KEY, described, END)
  }
  for (let level = open.length; level > 0; level--) parts.push(END)
  parts.push(END)
  return parts
}

/** The path in the tree: a single file by its name, those of a folder without the folder. */
function treePath({ multiFile }: NewTorrentLayout, { path }: TorrentFile): readonly string[] {
  return multiFile ? path.slice(1) : path
}

function sharedParts(a: readonly string[], b: readonly string[]): number {
  let shared = 0
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++
  return shared
}

/** A metainfo file with the urls of web seeds (BEP 19) added: the key sorts behind all that this node writes. */
export function withWebSeeds(metainfo: Uint8Array, urls: readonly string[]): Uint8Array {
  if (urls.length === 0) return metainfo
  return Buffer.concat([metainfo.subarray(0, -1), encodeBencode('url-list'), encodeBencode(urls), END])
}

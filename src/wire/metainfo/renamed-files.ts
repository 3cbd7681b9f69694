// Files under other names than those of their torrent: what was renamed, applied to its files, and one name more.
// Invariant: what a torrent's own names are is never lost (web seeds have the files under those), and the paths stay as
// safe and as unique as they are without.

import { AppError } from '../../base/errors.ts'
import { MAX_NAME_BYTES, MAX_PATH_BYTES, safeName } from './safe-path.ts'
import type { Steps } from '../steps.ts'
import type { TorrentFile } from './torrent-types.ts'
import { foldName } from './unique-paths.ts'

/**
 * Names in place of the torrent's: the path of a file or folder in the torrent, `/` between its parts, and the name
 * that its last part has now. Each path once.
 */
export type FileNames = readonly (readonly [path: string, name: string])[]

/** Most names that a download may have changed: they are kept in memory, as long as it is listed. */
export const MAX_RENAMED = 2000

/** Most characters of all of them, with their paths. */
export const MAX_RENAMED_CHARS = 256 * 1024

/** Files looked at in one step. */
const FILES_A_STEP = 1024

/** Nothing to see: marks without width, and spaces. */
const UNSEEN = /^[\p{Cf}\p{Z}\p{DI}\u2800]*$/u

interface NamedPart {
  name: string | null
  readonly below: Map<string, NamedPart>
}

/** The files with these names, those that have none of them as they are; in steps. */
export function* namedFiles(files: readonly TorrentFile[], names: FileNames): Steps<readonly TorrentFile[]> {
  const top = treeOf(names)
  const named: TorrentFile[] = []
  for (const [count, file] of files.entries()) {
    named.push(namedFile(file, top))
    if (count % FILES_A_STEP === FILES_A_STEP - 1) yield
  }
  return named
}

function treeOf(names: FileNames): NamedPart {
  const top: NamedPart = { name: null, below: new Map() }
  for (const [path, name] of names) {
    let part = top
    for (const text of path.split('/')) {
      const next = part.below.get(text) ?? { name: null, below: new Map() }
      part.below.set(text, next)
      part = next
    }
    part.name = name
  }
  return top
}

function namedFile(file: TorrentFile, top: NamedPart): TorrentFile {
  const { torrentPath, ...rest } = file
  const own = torrentPath ?? file.path
  let part: NamedPart | undefined = top
  let isNamed = false
  const path = own.map(text => {
    part = part?.below.get(text)
    if (part === undefined || part.name === null) return text
    isNamed = true
    return part.name
  })
  if (isNamed) return { ...rest, path, torrentPath: own }
  return torrentPath === undefined ? file : { ...rest, path: own }
}

/** What one more name makes of the names there are. */
export interface Renaming {
  readonly names: FileNames
  /** The path it leads to, from the torrent's root on. */
  readonly path: readonly string[]
  /** The name was that already. */
  readonly isSame: boolean
}

/**
 * Gives the file or folder at `path` (as it is named now, from the torrent's root on) another name; in steps. `files`
 * have the names `names`. Throws AppErrors InvalidParameter (no name for a file, or too many), FileNotFound,
 * StateConflict (another one of the torrent has that name).
 */
export function* renamed(
  files: readonly TorrentFile[],
  names: FileNames,
  path: readonly string[],
  name: string,
): Steps<Renaming> {
  checkName(name)
  const last = path.length - 1
  const target = [...path.slice(0, last), name]
  const folded = foldName(name)
  let own: string | null = null
  let longest = 0
  let isTaken = false
  for (const [count, file] of files.entries()) {
    if (count % FILES_A_STEP === FILES_A_STEP - 1) yield
    if (file.padding || !path.slice(0, last).every((part, at) => file.path[at] === part)) continue
    const part = file.path[last]
    if (part === path[last] && part !== undefined) {
      own ??= (file.torrentPath ?? file.path).slice(0, path.length).join('/')
      longest = Math.max(longest, Buffer.byteLength([...target, ...file.path.slice(path.length)].join('/')))
    } else if (part !== undefined && foldName(part) === folded) isTaken = true
  }
  if (own === null || path.length === 0)
    throw new AppError('FileNotFound', `path: there is nothing at ${path.join('/')}.`)
  if (isTaken) throw new AppError('StateConflict', `The download has something of the name already: ${name}`)
  if (longest > MAX_PATH_BYTES)
    throw new AppError('InvalidParameter', `name: the path gets longer than ${MAX_PATH_BYTES} bytes.`)
  return { names: withName(names, own, name), path: target, isSame: path[last] === name }
}

/** `name` of a path of the torrent; the torrent's own is no change. Throws AppError InvalidParameter. */
function withName(names: FileNames, own: string, name: string): FileNames {
  const others = names.filter(([path]) => path !== own)
  const isOwn = own.slice(own.lastIndexOf('/') + 1) === name
  const all = isOwn ? others : [...others, [own, name] as const]
  const chars = all.reduce((sum, [path, text]) => sum + path.length + text.length, 0)
  if (all.length > MAX_RENAMED || chars > MAX_RENAMED_CHARS)
    throw new AppError(
      'InvalidParameter',
      'name: too many files and folders of this download have other names already.',
    )
  return all
}

/** Throws AppError InvalidParameter unless a file of any file system may have the name. */
function checkName(name: string): void {
  const bytes = Buffer.from(name)
  if (bytes.length > MAX_NAME_BYTES)
    throw new AppError('InvalidParameter', `name: must have at most ${MAX_NAME_BYTES} bytes.`)
  if (name.includes('/') || name.includes('\\'))
    throw new AppError(
      'InvalidParameter',
      'name: must be a name without / and \\; to change the folder, move the download.',
    )
  // A half of a surrogate pair is no text, and is written as something else.
  if (bytes.toString() !== name || safeName(bytes) !== name || UNSEEN.test(name))
    throw new AppError(
      'InvalidParameter',
      'name: not every system takes this name: it is empty, reserved (., .., CON, NUL and the like), ends in a dot or ' +
        'space, or has control characters, marks that turn text round, or nothing to see.',
    )
}

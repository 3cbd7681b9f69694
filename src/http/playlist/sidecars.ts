// Which files of a torrent a player should open, in which order, and which files beside a film belong to it: subtitles
// and further sound in files of their own. Names only; pure.

import { mediaTypeOf } from '../media-types.ts'

/** What is looked at of a file. */
export interface NamedFile {
  readonly index: number
  /** Path under the torrent root with `/`. */
  readonly name: string
}

/** A file to be played, with those that go with it. */
export interface PlayedFile extends NamedFile {
  readonly sidecars: readonly NamedFile[]
}

const SUBTITLES = new Set(['srt', 'ass', 'ssa', 'vtt', 'sub', 'smi', 'sup', 'ttml'])
/** Sound that belongs to a film when it is named like it; else it is played by itself. */
const SOUND = new Set(['mka', 'ac3', 'dts', 'eac3'])
/** Folders whose subtitles belong to the film above them. */
const SUBTITLE_FOLDER = /(?:^|\/)(?:subs?|subtitles?|sound)(?:\/|$)/i
/** Names are other people's: so many parts of one are cut off, and folders gone up, while its film is looked for. */
const MAX_CUTS = 16
const MAX_LEVELS = 32

/** Films of one name, by their folders; of two in one folder the first. */
interface Namesakes {
  readonly first: NamedFile
  readonly byFolder: Map<string, NamedFile>
}

function extensionOf(name: string): string {
  return /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
}

function typeOf(name: string): string {
  return mediaTypeOf(name) ?? ''
}

function stemOf(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1)
  const dot = base.lastIndexOf('.')
  return (dot > 0 ? base.slice(0, dot) : base).toLowerCase()
}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1).toLowerCase()
}

/** Numbers in names count as numbers: part 2 before part 10. */
function sortKey(name: string): string {
  return name.toLowerCase().replace(/\d{1,15}/g, digits => digits.padStart(15, '0'))
}

function inOrder<T extends NamedFile>(files: readonly T[]): T[] {
  const keyed = files.map(file => ({ file, key: sortKey(file.name) }))
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.file.index - b.file.index))
  return keyed.map(({ file }) => file)
}

/** The files to play, films and sound, in the order of their names. */
export function playedFiles(files: readonly NamedFile[]): PlayedFile[] {
  const videos = files.filter(({ name }) => typeOf(name).startsWith('video/') && !SUBTITLES.has(extensionOf(name)))
  const beside = files.filter(({ name }) => SUBTITLES.has(extensionOf(name)) || SOUND.has(extensionOf(name)))
  const sidecars = sidecarsOf(videos, beside)
  const taken = new Set([...sidecars.values()].flat().map(({ index }) => index))
  const sounds = files.filter(
    ({ index, name }) => typeOf(name).startsWith('audio/') && !taken.has(index) && !SUBTITLES.has(extensionOf(name)),
  )
  return inOrder([...videos, ...sounds]).map(({ index, name }) => ({
    index,
    name,
    sidecars: inOrder(sidecars.get(index) ?? []),
  }))
}

/** By the index of the film. */
function sidecarsOf(videos: readonly NamedFile[], beside: readonly NamedFile[]): Map<number, NamedFile[]> {
  const found = new Map<number, NamedFile[]>()
  const byStem = namesakesOf(videos)
  for (const file of beside) {
    const film = filmOf(file, byStem) ?? (SUBTITLES.has(extensionOf(file.name)) ? onlyOf(videos) : null)
    if (film === null) continue
    const before = found.get(film.index)
    if (before === undefined) found.set(film.index, [file])
    else before.push(file)
  }
  return found
}

function namesakesOf(videos: readonly NamedFile[]): Map<string, Namesakes> {
  const byStem = new Map<string, Namesakes>()
  for (const video of videos) {
    const [stem, folder] = [stemOf(video.name), folderOf(video.name)]
    const before = byStem.get(stem)
    if (before === undefined) byStem.set(stem, { first: video, byFolder: new Map([[folder, video]]) })
    else if (!before.byFolder.has(folder)) before.byFolder.set(folder, video)
  }
  return byStem
}

// `film.en.forced.srt` belongs to `film.mkv`: the longest name of a film that it begins with, up to a point; or it lies
// in a folder of the film's name.
function filmOf(file: NamedFile, byStem: ReadonlyMap<string, Namesakes>): NamedFile | null {
  let stem = stemOf(file.name)
  for (let cuts = 0; cuts <= MAX_CUTS; cuts += 1) {
    const films = byStem.get(stem)
    if (films !== undefined) return nearest(file, films)
    const cut = Math.max(stem.lastIndexOf('.'), stem.lastIndexOf('_'), stem.lastIndexOf(' '))
    if (cut <= 0) break
    stem = stem.slice(0, cut)
  }
  const folder = folderOf(file.name).split('/').at(-2) ?? ''
  const films = byStem.get(folder)
  return films === undefined ? null : nearest(file, films)
}

/** Of films with the same name that in the same folder, or nearest above it. */
function nearest(file: NamedFile, { first, byFolder }: Namesakes): NamedFile {
  const folder = folderOf(file.name)
  let above = folder
  for (let level = 0; level <= MAX_LEVELS; level += 1) {
    const film = byFolder.get(above)
    if (film !== undefined) return film
    if (above === '') break
    above = above.slice(0, above.lastIndexOf('/', above.length - 2) + 1)
  }
  return byFolder.get(folder.replace(SUBTITLE_FOLDER, '/')) ?? first
}

/** A subtitle that is named like nothing belongs to the only film there is. */
function onlyOf(videos: readonly NamedFile[]): NamedFile | null {
  return videos.length === 1 ? (videos[0] ?? null) : null
}

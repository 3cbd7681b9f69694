// The category of a torrent, guessed from what its files are called and how big they are. Pure; the words of adult
// content are in family-words.ts.

import { speaksOfAdultContent } from './family-words.ts'

/** Categories of torrents in channels; `xxx` is what the family filter hides, `other` what none of the rest fits. */
export const TORRENT_CATEGORIES = [
  'video',
  'audio',
  'document',
  'compressed',
  'image',
  'software',
  'other',
  'xxx',
] as const

/** One of TORRENT_CATEGORIES. */
export type TorrentCategory = (typeof TORRENT_CATEGORIES)[number]

/** Most files that are looked at: the first ones. */
const MAX_FILES = 10_000

const ENDINGS: readonly (readonly [TorrentCategory, string])[] = [
  ['video', 'mkv mp4 avi mov wmv mpg mpeg m4v webm flv ts m2ts mts vob ogv ogm 3gp rm rmvb divx asf'],
  ['audio', 'mp3 flac ogg oga opus m4a m4b aac wav wma ape wv alac aif aiff dsf dff mka mid ac3 dts mpc'],
  [
    'document',
    'pdf epub mobi azw azw3 djvu cbr cbz doc docx odt txt rtf ppt pptx odp xls xlsx ods chm html htm md csv ps',
  ],
  ['image', 'jpg jpeg png gif webp tif tiff bmp svg heic avif psd xcf raw cr2 nef dng'],
  ['software', 'exe msi iso img dmg pkg apk deb rpm appimage jar qcow2 vmdk vdi nsp xci rom'],
  ['compressed', 'zip rar 7z tar gz tgz bz2 tbz xz txz zst lz lzma lz4 cab zim'],
]

const CATEGORY_OF_ENDING: ReadonlyMap<string, TorrentCategory> = new Map(
  ENDINGS.flatMap(([category, endings]) => endings.split(' ').map(ending => [ending, category] as const)),
)

/** True for words that a torrent record may have as its category. */
export function isTorrentCategory(word: string): word is TorrentCategory {
  return TORRENT_CATEGORIES.some(category => category === word)
}

function categoryOfPath(path: string): TorrentCategory {
  const ending = /\.([A-Za-z0-9]{1,8})$/.exec(path)?.[1]?.toLowerCase()
  if (ending === undefined) return 'other'
  // Volumes of an archive: .r00, .z01, .001.
  if (/^[rz]?\d{2,3}$/.test(ending)) return 'compressed'
  return CATEGORY_OF_ENDING.get(ending) ?? 'other'
}

/** The category of most of the bytes; a file of unknown size counts as one byte. */
function categoryOfFiles(files: readonly { readonly path: string; readonly size: number }[]): TorrentCategory {
  const bytes = new Map<TorrentCategory, number>()
  for (const file of files) {
    const category = categoryOfPath(file.path)
    bytes.set(category, (bytes.get(category) ?? 0) + Math.max(1, file.size))
  }
  let most: TorrentCategory = 'other'
  for (const [category, sum] of bytes) if (sum > (bytes.get(most) ?? 0)) most = category
  return most
}

/**
 * The category of a torrent. `files`: paths joined by `/` and sizes in bytes, as many as are known; none: the name
 * decides. `xxx` where its name or its biggest file speaks of adult content.
 */
export function categoryOf(
  name: string,
  files: readonly { readonly path: string; readonly size: number }[],
): TorrentCategory {
  const seen = files.length === 0 ? [{ path: name, size: 1 }] : files.slice(0, MAX_FILES)
  const biggest = seen.reduce((big, file) => (file.size > big.size ? file : big))
  if (speaksOfAdultContent(name) || speaksOfAdultContent(biggest.path)) return 'xxx'
  return categoryOfFiles(seen)
}

/**
 * True for what the family filter hides: category `xxx`, or a name that speaks of it whatever category its author gave.
 */
export function hiddenByFamilyFilter(name: string, category: string): boolean {
  return category === 'xxx' || speaksOfAdultContent(name)
}

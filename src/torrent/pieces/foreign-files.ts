// What follows from a look at files that are not noted as a torrent's own: it stops when one is foreign and in its way,
// and takes those that fit. Nothing is written here.

import { foreignFile } from '../../base/foreign-file.ts'
import { piecesOfRange } from '../../base/lengths.ts'
import type { FoundFile } from '../../ports/piece-store.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import type { FirstLook } from './first-look.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'

type FileOptions = Pick<TorrentCore, 'overwrite' | 'selected' | 'destination'>

/** Throws AppError ForeignFile when a file that is foreign, as far as it is known by now, is in the way. */
export function refuseForeign(content: TorrentContent, look: FirstLook, options: FileOptions): void {
  if (options.overwrite) return
  const { files } = content.metainfo
  const inWay = foreignOf(look.found()).filter(index => isInWay(content, files[index] as TorrentFile, options))
  const first = inWay[0]
  if (first === undefined) return
  const path = [options.destination, ...(files[first] as TorrentFile).path].join('/')
  throw foreignFile(path, look.whyForeign(first), inWay.length)
}

/**
 * The look is over. Rejects as refuseForeign() throws; otherwise files that fit become the torrent's own, those with
 * other names left out: they are copied first when they are written to.
 */
export async function settleLook(content: TorrentContent, look: FirstLook, options: FileOptions): Promise<void> {
  const found = look.found()
  content.own.looked(found)
  refuseForeign(content, look, options)
  const fitting = [...found].flatMap(([index, what]) => (what === 'fits' ? [index] : []))
  if (fitting.length > 0) await content.own.note((await content.store.unshared?.(fitting)) ?? fitting)
}

function foreignOf(found: ReadonlyMap<number, FoundFile>): number[] {
  return [...found].flatMap(([index, what]) => (what === 'foreign' ? [index] : []))
}

/** It is selected, or shares a piece with what is. */
function isInWay({ lengths, wanted }: TorrentContent, file: TorrentFile, { selected }: FileOptions): boolean {
  if (selected === null || selected.includes(file.index)) return true
  if (file.length === 0) return false
  const [first, last] = piecesOfRange(lengths, file.offset, file.length)
  for (let piece = first; piece <= last; piece += 1) if (wanted.get(piece)) return true
  return false
}

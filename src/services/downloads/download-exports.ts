// A download given out again: as a torrent file, what that says of itself, and as a magnet link.

import { AppError } from '../../base/errors.ts'
import { formatMagnet } from '../../wire/metainfo/magnet.ts'
import { encodeMetainfo } from '../../wire/metainfo/metainfo.ts'
import type { TorrentDescription } from './details-api.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'
import { notesOf } from './new-download.ts'

/** Its torrent file, with the trackers it has now. AppErrors MetadataNotFound, NotReady, StateConflict. */
export async function torrentFileOf({ torrent, stored }: DownloadEntry): Promise<Uint8Array> {
  const metainfo = await torrent.loadMetainfo()
  if (metainfo === null) throw new AppError('MetadataNotFound')
  const { infoBytes, v2 } = metainfo
  const { webSeeds } = stored
  return encodeMetainfo({ infoBytes, v2, webSeeds, announceTiers: torrent.announceTiers(), ...notesOf(metainfo) })
}

/** What its metainfo says; null while it is not known. AppErrors NotReady, StateConflict. */
export async function descriptionOf({ torrent }: DownloadEntry): Promise<TorrentDescription | null> {
  const metainfo = await torrent.loadMetainfo()
  if (metainfo === null) return null
  return {
    piece_length: metainfo.pieceLength,
    files: metainfo.files.filter(file => !file.padding).length,
    multi_file: metainfo.multiFile,
    comment: metainfo.comment ?? '',
    created_by: metainfo.createdBy ?? '',
    creation_date: metainfo.creationDateSec ?? 0,
  }
}

/** A magnet link with its trackers and web seeds. */
export function magnetOf(set: DownloadSet, entry: DownloadEntry): string {
  const { name, infoHashV2, webSeeds, announceTiers } = entry.stored
  const trackers = (entry.loaded ? entry.torrent.announceTiers() : announceTiers).flat()
  return formatMagnet({ infoHash: set.v1Of(entry), infoHashV2, name, trackers, webSeeds })
}

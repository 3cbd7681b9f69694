// Segments of the paths of channels, for all routes that have them. What cannot be the name of anything is answered as
// what is not known (decisions part 1).

import { AppError } from '../../../base/errors.ts'

type Path = Readonly<Record<string, string>>

/** A channel of the samples. */
export const SAMPLE_CHANNEL = 'c0123456789abcdef0123456789abcdef0123456'

/** The segment `channelid`, lower case. AppError ChannelNotFound. */
export function channelOf(path: Path): string {
  const text = (path['channelid'] ?? '').toLowerCase()
  if (!/^[0-9a-f]{40}$/.test(text)) throw new AppError('ChannelNotFound')
  return text
}

/** The segment `playlistid`. AppError PlaylistNotFound. */
export function playlistOf(path: Path): number {
  const id = numberOf(path['playlistid'])
  if (id === null) throw new AppError('PlaylistNotFound')
  return id
}

/** The segment `commentid`. AppError CommentNotFound. */
export function commentOf(path: Path): number {
  const id = numberOf(path['commentid'])
  if (id === null) throw new AppError('CommentNotFound')
  return id
}

/** The segment `infohash`, lower case. AppError TorrentNotFound. */
export function torrentOf(path: Path): string {
  const text = (path['infohash'] ?? '').toLowerCase()
  if (!/^[0-9a-f]{40}$/.test(text)) throw new AppError('TorrentNotFound')
  return text
}

function numberOf(text = ''): number | null {
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : null
}

// The types that televisions know films and sounds by, where those differ from the registered ones.

import { mediaTypeOf } from '../../../http/media-types.ts'

/** By the ending of a name. */
const TYPES: Readonly<Record<string, string>> = {
  avi: 'video/x-msvideo',
  divx: 'video/x-msvideo',
  flac: 'audio/flac',
  m2ts: 'video/vnd.dlna.mpeg-tts',
  m4v: 'video/mp4',
  mkv: 'video/x-matroska',
  mts: 'video/vnd.dlna.mpeg-tts',
  mpg: 'video/mpeg',
  ts: 'video/mpeg',
  vob: 'video/mpeg',
  wav: 'audio/wav',
}

/** The small letters behind the last dot of a name; '' where there is none. */
export function endingOf(name: string): string {
  return /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
}

/** The type of a film or a sound; null: it is neither. */
export function playedType(name: string): string | null {
  const type = TYPES[endingOf(name)] ?? mediaTypeOf(name)
  return type !== null && /^(video|audio)\//.test(type) ? type : null
}

/** What the node says that there may be. */
export const TOLD_TYPES: readonly string[] = [
  ...['video/x-matroska', 'video/mp4', 'video/webm', 'video/x-msvideo', 'video/mpeg', 'video/vnd.dlna.mpeg-tts'],
  ...['video/quicktime', 'video/x-ms-wmv', 'video/x-flv', 'video/ogg', 'video/3gpp'],
  ...['audio/mpeg', 'audio/flac', 'audio/mp4', 'audio/ogg', 'audio/aac', 'audio/wav', 'audio/x-ms-wma'],
  ...['audio/x-matroska'],
]

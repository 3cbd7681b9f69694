// Tracks of Matroska and WebM (RFC 9559, 5.1.4), subtitle tracks too.

import { aacConfig, av1String, avcString, hevcString } from '../codec-strings.ts'
import { codecOfCode, codecOfMatroskaId, plainCodecString } from '../codec-names.ts'
import type { FieldBytes } from '../field-bytes.ts'
import { type FilmTrack, MAX_TRACKS, plainTrack, type TrackKind } from '../film-facts.ts'
import { soundHertz } from '../film-parts.ts'
import { childrenOf, floatOf, uintOf } from './elements.ts'

const ENTRY = 0xae
const KINDS: Readonly<Record<number, TrackKind>> = { 1: 'video', 2: 'audio', 17: 'subtitle' }

/** What is gathered of a TrackEntry; the defaults are those of the format. */
interface Entry {
  id: number
  type: number
  codecId: string
  config: FieldBytes | null
  language: string
  languageTag: string
  name: string
  isDefault: boolean
  isForced: boolean
  width: number
  height: number
  channels: number
  sampleRate: number
}

type Field = (entry: Entry, body: FieldBytes) => void

const VIDEO_FIELDS: Readonly<Record<number, Field>> = {
  0xb0: (entry, body) => void (entry.width = uintOf(body)),
  0xba: (entry, body) => void (entry.height = uintOf(body)),
}

const AUDIO_FIELDS: Readonly<Record<number, Field>> = {
  0xb5: (entry, body) => void (entry.sampleRate = soundHertz(floatOf(body))),
  0x78b5: (entry, body) => void (entry.sampleRate = soundHertz(floatOf(body))),
  0x9f: (entry, body) => void (entry.channels = uintOf(body)),
}

const FIELDS: Readonly<Record<number, Field>> = {
  0xd7: (entry, body) => void (entry.id = uintOf(body)),
  0x83: (entry, body) => void (entry.type = uintOf(body)),
  0x86: (entry, body) => void (entry.codecId = body.text(0, body.length)),
  0x63a2: (entry, body) => void (entry.config = body),
  0x22b59c: (entry, body) => void (entry.language = body.text(0, body.length)),
  0x22b59d: (entry, body) => void (entry.languageTag = body.text(0, body.length)),
  0x536e: (entry, body) => void (entry.name = body.text(0, body.length)),
  0x88: (entry, body) => void (entry.isDefault = uintOf(body) !== 0),
  0x55aa: (entry, body) => void (entry.isForced = uintOf(body) !== 0),
  0xe0: (entry, body) => readFields(entry, body, VIDEO_FIELDS),
  0xe1: (entry, body) => {
    entry.channels = 1
    entry.sampleRate = 8000
    readFields(entry, body, AUDIO_FIELDS)
  },
}

/** The tracks in the body of a Tracks element, at most MAX_TRACKS. Throws DecodeError. */
export function readTracks(body: FieldBytes): FilmTrack[] {
  const tracks: FilmTrack[] = []
  for (const child of childrenOf(body)) {
    if (child.id === ENTRY && tracks.length < MAX_TRACKS) tracks.push(trackOf(readEntry(child.body)))
  }
  return tracks
}

function readEntry(body: FieldBytes): Entry {
  const entry: Entry = {
    ...plainTrack,
    id: 0,
    type: 0,
    codecId: '',
    config: null,
    language: 'eng',
    languageTag: '',
    isDefault: true,
  }
  readFields(entry, body, FIELDS)
  return entry
}

function readFields(entry: Entry, body: FieldBytes, fields: Readonly<Record<number, Field>>): void {
  for (const child of childrenOf(body)) fields[child.id]?.(entry, child.body)
}

function trackOf(entry: Entry): FilmTrack {
  const { id, name, isDefault, isForced, width, height, sampleRate, language, languageTag } = entry
  const codec = codecOf(entry)
  const aac = codec === 'aac' && entry.config !== null ? aacConfig(entry.config) : null
  return {
    id,
    kind: KINDS[entry.type] ?? 'other',
    codec,
    codecString: aac === null ? stringOf(codec, entry.config) : `mp4a.40.${aac.objectType}`,
    language: languageTag || language || 'und',
    name,
    isDefault,
    isForced,
    width,
    height,
    channels: aac?.channels || entry.channels,
    sampleRate,
  }
}

/** Video for Windows names its codec by four letters in a BITMAPINFOHEADER. */
function codecOf({ codecId, config }: Entry): string {
  if (codecId === 'V_MS/VFW/FOURCC' && config !== null && config.length >= 20) return codecOfCode(config.latin(16, 4))
  return codecOfMatroskaId(codecId)
}

function stringOf(codec: string, config: FieldBytes | null): string | null {
  if (config === null) return plainCodecString(codec)
  if (codec === 'h264') return avcString(config)
  if (codec === 'hevc') return hevcString(config)
  if (codec === 'av1') return av1String(config)
  return plainCodecString(codec)
}

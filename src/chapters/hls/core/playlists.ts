// The playlists of a film (RFC 8216): one that says what it is, and one of its segments. Addresses are relative, and
// carry what opens them: players send no header of ours.

import { PICTURE_BITS_PER_SECOND } from './ffmpeg/conversion.ts'
import type { Cut } from './cuts.ts'
import { headName, segmentName, type SegmentPlan } from './segment-plan.ts'
import { TEXT_GROUP, textRenditions } from './text-segments.ts'

/** Bytes of a segment beside those of the film, and what players round. */
const OVERHEAD = 1.1
/** What players of HLS call sounds, where that is not what others call them. */
const SOUND_STRINGS: Readonly<Record<string, string>> = { mp3: 'mp4a.40.34', flac: 'fLaC', opus: 'Opus' }
const FIRST_SHORTER_S = 0.001
/** What a picture becomes that is converted: H.264, high profile, as large as 1080p at 60 a second. */
const CONVERTED_STRING = 'avc1.64002a'
/** Of a hundred thousandth: what numbers are not exact by. */
const EXACT = 1e-4

/** The playlist of variants: one, as nothing is encoded again. `query` belongs to each address. */
export function masterPlaylist(plan: SegmentPlan, query: string): string {
  const { video, cuts, texts } = plan
  const bytes = cuts.reduce((sum, cut) => sum + lengthOf(cut), 0)
  const seconds = cuts.reduce((sum, { duration }) => sum + duration, 0)
  const peak = Math.max(
    0,
    ...cuts.filter(({ duration }) => duration >= 1).map(cut => rateOf(lengthOf(cut), cut.duration)),
  )
  const isEncoded = plan.byProgram.picture !== null
  const average = isEncoded ? PICTURE_BITS_PER_SECOND : rateOf(bytes, seconds)
  const strings = codecStrings(plan)
  const codecs = strings.includes(null) ? '' : `,CODECS="${strings.join(',')}"`
  const size = video.width > 0 && video.height > 0 ? `,RESOLUTION=${video.width}x${video.height}` : ''
  const group = texts.length === 0 ? '' : `,SUBTITLES="${TEXT_GROUP}"`
  const facts = `BANDWIDTH=${isEncoded ? average : Math.max(peak, average)},AVERAGE-BANDWIDTH=${average}${size}${codecs}${group}`
  const head = `#EXTM3U\n#EXT-X-VERSION:${versionOf(plan)}\n#EXT-X-INDEPENDENT-SEGMENTS\n`
  return `${head}${textRenditions(texts, query)}#EXT-X-STREAM-INF:${facts}\nindex.m3u8?${query}\n`
}

/** Playlists of segments, cut where what opens them belongs: those of long films take milliseconds to write. */
const written = new WeakMap<SegmentPlan, readonly string[]>()
const writtenTexts = new WeakMap<SegmentPlan, readonly string[]>()
const OPENED_BY = '\0'

/** The playlist of segments. */
export function segmentPlaylist(plan: SegmentPlan, query: string): string {
  return openedBy(query, written, plan, () => {
    const name = headName(plan)
    const map = name === null ? '' : `#EXT-X-MAP:URI="segments/${name}?${OPENED_BY}"\n`
    return listOf(plan, `#EXT-X-INDEPENDENT-SEGMENTS\n${map}`, at => segmentName(plan, at))
  })
}

/** The playlist of a track of texts: cut where the film is. */
export function textPlaylist(plan: SegmentPlan, query: string): string {
  return openedBy(query, writtenTexts, plan, () => listOf(plan, '', at => `${at}.vtt`))
}

function openedBy(query: string, kept: typeof written, plan: SegmentPlan, write: () => string): string {
  const parts = kept.get(plan) ?? write().split(OPENED_BY)
  kept.set(plan, parts)
  return parts.join(query)
}

/** With a sign in the place of the query. */
function listOf(plan: SegmentPlan, more: string, nameOf: (at: number) => string): string {
  const { cuts } = plan
  const longest = Math.max(1, ...cuts.map(({ duration }) => Math.ceil(duration)))
  const head = `#EXTM3U\n#EXT-X-VERSION:${versionOf(plan)}\n#EXT-X-TARGETDURATION:${longest}\n#EXT-X-MEDIA-SEQUENCE:0\n`
  const lines = cuts.map((cut, at) => `#EXTINF:${shownDuration(cut, at)},\nsegments/${nameOf(at)}?${OPENED_BY}\n`)
  return `${head}#EXT-X-PLAYLIST-TYPE:VOD\n${more}${lines.join('')}#EXT-X-ENDLIST\n`
}

/**
 * Players add these up to find a place, and libavformat passes over a key frame that comes a microsecond before the
 * sum: so none is rounded up, and the first is a little short.
 */
function shownDuration({ duration }: Cut, at: number): string {
  const shown = at === 0 ? Math.max(0, duration - FIRST_SHORTER_S) : duration
  return (Math.floor(shown * 1e5 + EXACT) / 1e5).toFixed(5)
}

function lengthOf({ startByte, endByte }: Cut): number {
  return endByte - startByte
}

function rateOf(bytes: number, seconds: number): number {
  return seconds <= 0 ? 0 : Math.round((bytes * 8 * OVERHEAD) / seconds)
}

/** Fragments of MP4 came with a later version of the format. */
function versionOf({ packing }: SegmentPlan): number {
  return packing === 'ts' ? 3 : 7
}

/** Null: not known. */
function codecStrings({ video, sound, isConverted, byProgram }: SegmentPlan): (string | null)[] {
  // Parameter sets are in the head, whatever the film says.
  const copied = video.codecString?.replace(/^hev1/, 'hvc1') ?? null
  const picture = byProgram.picture === null ? copied : CONVERTED_STRING
  if (sound === null) return [picture]
  return [picture, isConverted ? 'mp4a.40.2' : (SOUND_STRINGS[sound.codec] ?? sound.codecString)]
}

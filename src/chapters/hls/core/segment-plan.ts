// Where a film is cut into segments, and what each holds: made of the film's facts alone, the same in every process, so
// that any segment can be made first and by itself. Cuts are key frames of the index, at least four seconds apart.

import { DecodeError } from '../../../base/errors.ts'
import type { FilmFacts, FilmTrack, KeyTable } from '../../media/core/film-facts.ts'
import { textTracks } from '../../media/core/subtitles/text-tracks.ts'
import type { Packing, SegmentOrder } from './samples.ts'

/** Shorter segments cost more requests than they save waiting. */
const MIN_SEGMENT_S = 4
/** The most that a film has: longer ones have longer ones. Nine hours of the shortest. */
const MAX_SEGMENTS = 8192
/** Codecs of pictures that are copied, and how they are packed, the best way first. */
const PACKINGS: ReadonlyMap<string, readonly Packing[]> = new Map([
  ['h264', ['ts', 'fmp4']],
  ['hevc', ['fmp4']],
])
/** Codecs of sound that are copied. */
const COPIED_SOUND: Readonly<Record<Packing, ReadonlySet<string>>> = {
  ts: new Set(['aac', 'mp3']),
  fmp4: new Set(['aac', 'flac', 'opus']),
}
/** Those of them that not all players take: only where there is no other, or when they are asked for. */
const LAST_SOUND: ReadonlySet<string> = new Set(['flac', 'opus'])
/** Codecs of sound that become AAC. */
const CONVERTED_SOUND: ReadonlySet<string> = new Set(['ac3', 'eac3'])
/** Run-up of encoder and decoder, and what both keep back: three frames of AAC and one of AC-3. */
const SOUND_MARGIN_S = 0.12

/** One segment. Times in seconds of the film, bytes of its file. */
export interface Cut {
  /** Its key frame is shown then. */
  readonly start: number
  /** The key frame of the next one; of the last one Infinity. */
  readonly end: number
  /** Seconds that it plays. */
  readonly duration: number
  /** Where its key frame is read from; see KeyTable. */
  readonly startByte: number
  /** The same of the next one; of the last one the length of the file. */
  readonly endByte: number
  /** The same of the key frame before its own: sound that belongs to it may lie from there on. */
  readonly backByte: number
}

/** A film as it is served. */
export interface SegmentPlan {
  readonly container: 'mp4' | 'matroska'
  readonly packing: Packing
  readonly video: FilmTrack
  /** Null: without sound. */
  readonly sound: FilmTrack | null
  /** The sound becomes AAC in two channels. */
  readonly isConverted: boolean
  /** Tracks of subtitles that are given beside it. */
  readonly texts: readonly FilmTrack[]
  readonly cuts: readonly Cut[]
}

/**
 * `soundId`: the number of the sound track that is wanted; null = the default one, 0 = none. Throws DecodeError: why
 * not.
 */
export function planOf(facts: FilmFacts, size: number, soundId: number | null): SegmentPlan {
  const { container, keys, duration, tracks } = facts
  if (container !== 'mp4' && container !== 'matroska' && container !== 'webm')
    throw new DecodeError(`films in ${container} are not cut into segments`)
  if (keys === null || duration === null) throw new DecodeError('it has no index')
  const video = tracks.find(({ id, kind }) => id === keys.track && kind === 'video')
  if (video === undefined) throw new DecodeError('it has no picture')
  const packings = PACKINGS.get(video.codec)
  if (packings === undefined) throw new DecodeError(`its picture is ${video.codec}, which is not copied`)
  const sound = soundId === 0 ? null : soundOf(tracks, soundId, packings)
  const packing = packings.find(one => sound === null || holds(one, sound)) ?? 'fmp4'
  const isConverted = sound !== null && CONVERTED_SOUND.has(sound.codec)
  const packed = container === 'mp4' ? 'mp4' : 'matroska'
  return { container: packed, packing, video, sound, isConverted, texts: textTracks(facts), cuts: cutsOf(facts, size) }
}

/** The name of segment `number`, and of the head that all have in common; null = they have none. */
export function segmentName({ packing }: SegmentPlan, number: number): string {
  return `${number}.${packing === 'ts' ? 'ts' : 'm4s'}`
}

/** See segmentName(). */
export function headName({ packing }: SegmentPlan): string | null {
  return packing === 'ts' ? null : 'init.mp4'
}

/** What makes the segment of this name, or the head; null = there is none. */
export function orderOf(plan: SegmentPlan, name: string): SegmentOrder | null {
  const { container, packing, video, sound, isConverted, cuts } = plan
  const isHead = name === headName(plan)
  const number = isHead ? 0 : Number.parseInt(name, 10)
  const cut = cuts[number]
  if (cut === undefined || (!isHead && name !== segmentName(plan, number))) return null
  const { start, end, startByte, endByte, backByte } = cut
  return {
    container,
    packing,
    isHead,
    number,
    video: video.id,
    videoCodec: video.codec,
    width: video.width,
    height: video.height,
    sound: sound?.id ?? null,
    soundCodec: sound?.codec ?? '',
    soundRate: sound?.sampleRate ?? 0,
    soundMargin: isConverted ? SOUND_MARGIN_S : 0,
    isFirst: number === 0,
    start,
    end,
    startByte,
    endByte,
    backByte,
  }
}

/** The track that is asked for; else the default one, or the first, of those that can be played. Null: it has none. */
function soundOf(tracks: readonly FilmTrack[], id: number | null, packings: readonly Packing[]): FilmTrack | null {
  const sounds = tracks.filter(track => track.kind === 'audio' && (id === null || track.id === id))
  const able = sounds.filter(track => packings.some(packing => holds(packing, track)))
  const usual = able.filter(({ codec }) => !LAST_SOUND.has(codec))
  const playable = usual.length > 0 ? usual : able
  const [first] = sounds
  if (first === undefined && id !== null) throw new DecodeError(`it has no sound of number ${id}`)
  // A film that plays without a sound and without a word is worse than one that does not play.
  if (first !== undefined && playable.length === 0)
    throw new DecodeError(`its sound is ${first.codec}, which is neither copied nor converted (sound=0 leaves it out)`)
  return playable.find(({ isDefault }) => isDefault) ?? playable[0] ?? null
}

/** Whether segments that are packed so hold the sound, as it is or converted. */
function holds(packing: Packing, { codec }: FilmTrack): boolean {
  return COPIED_SOUND[packing].has(codec) || CONVERTED_SOUND.has(codec)
}

interface ChosenKey {
  readonly time: number
  readonly byte: number
  readonly backByte: number
}

/** Key frames that are `apart` seconds from each other. */
function chosenKeys({ times, bytes }: KeyTable, apart: number): ChosenKey[] {
  const chosen: ChosenKey[] = []
  for (const [at, time] of times.entries()) {
    const before = chosen.at(-1)
    if (before !== undefined && time - before.time < apart) continue
    const byte = bytes[at] ?? 0
    chosen.push({ time, byte, backByte: bytes[at - 1] ?? byte })
  }
  return chosen
}

function cutsOf({ keys, duration }: FilmFacts, size: number): Cut[] {
  let chosen: ChosenKey[] = []
  for (let apart = MIN_SEGMENT_S; keys !== null; apart *= 2) {
    chosen = chosenKeys(keys, apart)
    if (chosen.length <= MAX_SEGMENTS) break
  }
  return chosen.map(({ time, byte, backByte }, at) => {
    const next = chosen[at + 1]
    return {
      start: time,
      end: next?.time ?? Number.POSITIVE_INFINITY,
      duration: Math.max(0, (next?.time ?? duration ?? time) - time),
      startByte: byte,
      endByte: next === undefined ? size : Math.max(byte, next.byte),
      backByte: Math.min(byte, backByte),
    }
  })
}

// How a film is served in segments, and what each holds: made of the film's facts alone, the same in every process, so
// that any segment can be made first and by itself.

import { DecodeError } from '../../../base/errors.ts'
import type { FilmFacts, FilmTrack } from '../../media/core/film-facts.ts'
import { textTracks } from '../../media/core/subtitles/text-tracks.ts'
import { type Cut, cutsOf } from './cuts.ts'
import { convertedRate, noProgram, type ProgramAbilities } from './ffmpeg/codecs.ts'
import { isConvertible, pictureFor, soundFor } from './ffmpeg/plan-parts.ts'
import type { ConvertedParts } from './ffmpeg/conversion.ts'
import type { CutContainer, Packing, SegmentOrder } from './samples.ts'

/** Codecs of pictures that are copied, and how they are packed, the best way first. */
const PACKINGS: ReadonlyMap<string, readonly Packing[]> = new Map([
  ['h264', ['ts', 'fmp4']],
  ['hevc', ['fmp4']],
])
/** How a picture is packed that another program has encoded. */
const ENCODED_PACKINGS: readonly Packing[] = ['ts']
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
/** The same where another program converts: frames of FLAC are longer. */
const PROGRAM_MARGIN_S = 0.2

/** A film as it is served. */
export interface SegmentPlan {
  readonly container: CutContainer
  readonly packing: Packing
  readonly video: FilmTrack
  /** Null: without sound. */
  readonly sound: FilmTrack | null
  /** The sound becomes AAC in two channels. */
  readonly isConverted: boolean
  /** Tracks of subtitles that are given beside it. */
  readonly texts: readonly FilmTrack[]
  /** What of it ffmpeg converts. */
  readonly byProgram: ConvertedParts
  readonly cuts: readonly Cut[]
}

/** How films may be served here. */
export interface PlanWays {
  /** What ffmpeg converts. */
  readonly abilities: ProgramAbilities
  /** Pictures that are none of H.264 become it, those too that could be copied. */
  readonly wantsH264: boolean
}

/**
 * `soundId`: the number of the sound track that is wanted; null = the default one, 0 = none. Throws DecodeError: why
 * not.
 */
export function planOf(
  facts: FilmFacts,
  size: number,
  soundId: number | null,
  { abilities, wantsH264 }: PlanWays = { abilities: noProgram, wantsH264: false },
): SegmentPlan {
  const { container, keys, duration, tracks } = facts
  if (container !== 'mp4' && container !== 'matroska' && container !== 'webm' && container !== 'avi')
    throw new DecodeError(`films in ${container} are not cut into segments`)
  if (keys === null || duration === null) throw new DecodeError('it has no index')
  const video = tracks.find(({ id, kind }) => id === keys.track && kind === 'video')
  if (video === undefined) throw new DecodeError('it has no picture')
  const cuts = cutsOf(facts, size)
  // AVI has no configuration of its pictures that could be copied.
  const isEncoded = container === 'avi' || (wantsH264 && video.codec !== 'h264')
  const copied = isEncoded ? undefined : PACKINGS.get(video.codec)
  const packed = container === 'webm' ? 'matroska' : container
  const picture = copied === undefined ? pictureFor(video, packed, cuts, abilities) : null
  const packings = copied ?? ENCODED_PACKINGS
  const sound = soundId === 0 ? null : soundOf(tracks, soundId, packings, packed, abilities)
  const packing = packings.find(one => sound === null || holds(one, sound)) ?? packings[0] ?? 'ts'
  const isConverted = sound !== null && !COPIED_SOUND[packing].has(sound.codec)
  const isOurs = sound !== null && picture === null && CONVERTED_SOUND.has(sound.codec)
  const byProgram = { picture, sound: isConverted && !isOurs ? sound.codec : null }
  return { container: packed, packing, video, sound, isConverted, byProgram, texts: textTracks(facts), cuts }
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
  const { container, packing, video, sound, isConverted, byProgram, cuts } = plan
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
    soundRate: byProgram.sound === null ? (sound?.sampleRate ?? 0) : convertedRate(sound?.sampleRate ?? 0),
    soundMargin: byProgram.sound !== null ? PROGRAM_MARGIN_S : isConverted ? SOUND_MARGIN_S : 0,
    isFirst: number === 0,
    withLeading: byProgram.picture !== null,
    start,
    end,
    startByte,
    endByte,
    backByte,
  }
}

/** The track that is asked for; else the default one, or the first, of those that can be played. Null: it has none. */
function soundOf(
  tracks: readonly FilmTrack[],
  id: number | null,
  packings: readonly Packing[],
  container: CutContainer,
  abilities: ProgramAbilities,
): FilmTrack | null {
  const sounds = tracks.filter(track => track.kind === 'audio' && (id === null || track.id === id))
  const alone = sounds.filter(track => packings.some(packing => holds(packing, track)))
  const usual = alone.filter(({ codec }) => !LAST_SOUND.has(codec))
  // What the node does itself is better than what another program does for it.
  const able = alone.length > 0 ? alone : sounds.filter(({ codec }) => soundFor(codec, container, abilities))
  const playable = usual.length > 0 ? usual : able
  const [first] = sounds
  if (first === undefined && id !== null) throw new DecodeError(`it has no sound of number ${id}`)
  // A film that plays without a sound and without a word is worse than one that does not play.
  if (first !== undefined && playable.length === 0)
    throw new DecodeError(
      `its sound is ${first.codec}, which is neither copied nor converted (sound=0 leaves it out${isConvertible(first.codec, container) ? `; ${abilities.without}` : ''})`,
    )
  return playable.find(({ isDefault }) => isDefault) ?? playable[0] ?? null
}

/** Whether segments that are packed so hold the sound, as it is or converted by the node itself. */
function holds(packing: Packing, { codec }: FilmTrack): boolean {
  return COPIED_SOUND[packing].has(codec) || CONVERTED_SOUND.has(codec)
}

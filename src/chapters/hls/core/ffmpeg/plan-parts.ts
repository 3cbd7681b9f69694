// Which films ffmpeg makes playable, where a node has it: said before anything is made.

import { DecodeError } from '../../../../base/errors.ts'
import type { FilmTrack } from '../../../media/core/film-facts.ts'
import type { CutContainer } from '../samples.ts'
import { MAX_CONVERTED_S, MAX_PIXELS, PROGRAM_PICTURE, PROGRAM_SOUND, type ProgramAbilities } from './codecs.ts'

/** Sound that is not taken out of MP4: each sample of it is one moment, or its head has no place for it. */
const NOT_IN_MP4: ReadonlySet<string> = new Set(['pcm', 'vorbis', 'truehd', 'mp1'])
const NOT_IN_MP4_PICTURE: ReadonlySet<string> = new Set(['vc1', 'msmpeg4v3'])
/** What has frames in AVI that can be told apart, or none. */
const SOUND_IN_AVI: ReadonlySet<string> = new Set(['mp3', 'mp2', 'ac3', 'pcm'])

/** There is sound of this codec that ffmpeg converts. */
export function isConvertible(codec: string, container: CutContainer): boolean {
  if (container === 'avi') return SOUND_IN_AVI.has(codec)
  return PROGRAM_SOUND.has(codec) && !(container === 'mp4' && NOT_IN_MP4.has(codec))
}

/** It is converted here. */
export function soundFor(codec: string, container: CutContainer, abilities: ProgramAbilities): boolean {
  return abilities.sound && isConvertible(codec, container)
}

/** The codec of a picture that is converted. Throws DecodeError: why it is not. */
export function pictureFor(
  { codec, width, height }: FilmTrack,
  container: CutContainer,
  cuts: readonly { readonly duration: number }[],
  abilities: ProgramAbilities,
): string {
  const isKnown = PROGRAM_PICTURE.has(codec) && !isHidden(codec, container)
  if (!isKnown || !abilities.picture)
    throw new DecodeError(`its picture is ${codec}, which is not copied${isKnown ? ` (${abilities.without})` : ''}`)
  if (width * height > MAX_PIXELS)
    throw new DecodeError(`its picture has ${width} x ${height}, and no more than 1920 x 1080 is converted`)
  const longest = Math.max(0, ...cuts.map(({ duration }) => duration))
  if (longest > MAX_CONVERTED_S)
    throw new DecodeError(
      `its key frames lie ${Math.round(longest)} s apart, and no more than ${MAX_CONVERTED_S} s are converted in one go`,
    )
  return codec
}

/** Its container has it in a way that is not read; H.264 is copied out of all but AVI. */
function isHidden(codec: string, container: CutContainer): boolean {
  return (container === 'mp4' && NOT_IN_MP4_PICTURE.has(codec)) || (container !== 'avi' && codec === 'h264')
}

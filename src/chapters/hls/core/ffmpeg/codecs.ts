// What ffmpeg converts when the settings name it: codecs by the names of facts, with the decoders that may be used.

/** Sound that becomes AAC. */
export const PROGRAM_SOUND: ReadonlyMap<string, readonly string[]> = new Map([
  ['dts', ['dca']],
  ['truehd', ['truehd', 'mlp']],
  ['flac', ['flac']],
  ['opus', ['opus', 'libopus']],
  ['vorbis', ['vorbis', 'libvorbis']],
  ['alac', ['alac']],
  ['mp1', ['mp1float', 'mp1']],
  ['mp2', ['mp2float', 'mp2']],
  ['mp3', ['mp3float', 'mp3']],
  ['ac3', ['ac3']],
  ['eac3', ['eac3']],
  ['pcm', ['pcm_u8', 'pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le', 'pcm_s32be', 'pcm_f32le']],
])
/** Pictures that become H.264. */
export const PROGRAM_PICTURE: ReadonlyMap<string, readonly string[]> = new Map([
  ['h264', ['h264']],
  ['hevc', ['hevc']],
  ['mpeg4', ['mpeg4']],
  ['msmpeg4v3', ['msmpeg4']],
  ['vc1', ['vc1', 'wmv3']],
  ['mpeg1', ['mpeg1video']],
  ['mpeg2', ['mpeg2video']],
  ['av1', ['libdav1d', 'libaom-av1', 'av1']],
  ['vp8', ['vp8']],
  ['vp9', ['vp9', 'libvpx-vp9']],
])

/** The most pixels of a picture that is converted: 1080p, with what coders add to its sides. */
export const MAX_PIXELS = 2048 * 1088
/**
 * The longest part between two key frames that is converted in one go, s: at the most bits a second that a converted
 * picture has, it is no longer than a segment may be.
 */
export const MAX_CONVERTED_S = 45

/** Hz that sound is converted to where it has a rate that players need not take. */
const USUAL_RATE = 48_000
const KEPT_RATES: ReadonlySet<number> = new Set([48_000, 44_100, 32_000])

/** What a node has to convert with. */
export interface ProgramAbilities {
  readonly sound: boolean
  readonly picture: boolean
  /** What is said of a film that it could have converted, within brackets. */
  readonly without: string
}

/** A node whose settings name no program. */
export const noProgram: ProgramAbilities = {
  sound: false,
  picture: false,
  without: 'ffmpeg could convert it: see the setting media.ffmpeg',
}

/** Hz of the AAC that sound of `rate` Hz becomes; `rate` 0 = not known. */
export function convertedRate(rate: number): number {
  return KEPT_RATES.has(rate) ? rate : USUAL_RATE
}

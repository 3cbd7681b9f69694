// Short names of codecs, the same for every container.

/** Four-letter codes of sample entries in MP4 and of streams in AVI, in lower case. */
const BY_CODE: Readonly<Record<string, string>> = {
  avc1: 'h264',
  avc3: 'h264',
  h264: 'h264',
  x264: 'h264',
  hvc1: 'hevc',
  hev1: 'hevc',
  dvh1: 'hevc',
  dvhe: 'hevc',
  hevc: 'hevc',
  av01: 'av1',
  vp08: 'vp8',
  vp80: 'vp8',
  vp09: 'vp9',
  vp90: 'vp9',
  mp4v: 'mpeg4',
  xvid: 'mpeg4',
  divx: 'mpeg4',
  dx50: 'mpeg4',
  fmp4: 'mpeg4',
  mp43: 'msmpeg4v3',
  div3: 'msmpeg4v3',
  wvc1: 'vc1',
  'vc-1': 'vc1',
  jpeg: 'mjpeg',
  mjpg: 'mjpeg',
  'png ': 'png',
  apcn: 'prores',
  apch: 'prores',
  apcs: 'prores',
  apco: 'prores',
  ap4h: 'prores',
  mp4a: 'aac',
  '.mp3': 'mp3',
  'ac-3': 'ac3',
  'ec-3': 'eac3',
  'ac-4': 'ac4',
  flac: 'flac',
  opus: 'opus',
  alac: 'alac',
  dtsc: 'dts',
  dtsh: 'dts',
  dtsl: 'dts',
  dtse: 'dts',
  mlpa: 'truehd',
  sowt: 'pcm',
  twos: 'pcm',
  lpcm: 'pcm',
  ipcm: 'pcm',
  fpcm: 'pcm',
  in24: 'pcm',
  in32: 'pcm',
  fl32: 'pcm',
  'raw ': 'pcm',
  tx3g: 'tx3g',
  wvtt: 'vtt',
  stpp: 'ttml',
  mp4s: 'vobsub',
}

/** The name for a code of four letters; the code itself where it is not known. */
export function codecOfCode(code: string): string {
  const lower = code.toLowerCase()
  return BY_CODE[lower] ?? (lower.replaceAll(/[^ -~]/g, '?').trim() || 'unknown')
}

/** ObjectTypeIndication of an elementary stream in MP4 (mp4ra.org) -> name. */
const BY_OBJECT_TYPE: Readonly<Record<number, string>> = {
  0x20: 'mpeg4',
  0x21: 'h264',
  0x23: 'hevc',
  0x40: 'aac',
  0x60: 'mpeg2',
  0x61: 'mpeg2',
  0x65: 'mpeg2',
  0x66: 'aac',
  0x67: 'aac',
  0x68: 'aac',
  0x69: 'mp3',
  0x6a: 'mpeg1',
  0x6b: 'mp3',
  0x6c: 'mjpeg',
  0x6d: 'png',
  0xa5: 'ac3',
  0xa6: 'eac3',
  0xa9: 'dts',
  0xad: 'opus',
  0xdd: 'vorbis',
  0xe0: 'vobsub',
}

/** Null: not known. */
export function codecOfObjectType(type: number): string | null {
  return BY_OBJECT_TYPE[type] ?? null
}

/** CodecID of Matroska (matroska.org/technical/codec_specs), the longest that begins it -> name. */
const BY_MATROSKA_ID: readonly (readonly [begins: string, name: string])[] = [
  ['V_MPEG4/ISO/AVC', 'h264'],
  ['V_MPEGH/ISO/HEVC', 'hevc'],
  ['V_MPEG4/MS/V3', 'msmpeg4v3'],
  ['V_MPEG4/', 'mpeg4'],
  ['V_MPEG2', 'mpeg2'],
  ['V_MPEG1', 'mpeg1'],
  ['V_AV1', 'av1'],
  ['V_VP8', 'vp8'],
  ['V_VP9', 'vp9'],
  ['V_THEORA', 'theora'],
  ['V_PRORES', 'prores'],
  ['V_MJPEG', 'mjpeg'],
  ['A_AAC', 'aac'],
  ['A_AC3', 'ac3'],
  ['A_EAC3', 'eac3'],
  ['A_DTS', 'dts'],
  ['A_TRUEHD', 'truehd'],
  ['A_MLP', 'truehd'],
  ['A_FLAC', 'flac'],
  ['A_OPUS', 'opus'],
  ['A_VORBIS', 'vorbis'],
  ['A_MPEG/L3', 'mp3'],
  ['A_MPEG/L2', 'mp2'],
  ['A_MPEG/L1', 'mp1'],
  ['A_ALAC', 'alac'],
  ['A_PCM/', 'pcm'],
  ['S_TEXT/UTF8', 'srt'],
  ['S_TEXT/ASCII', 'srt'],
  ['S_TEXT/ASS', 'ass'],
  ['S_TEXT/SSA', 'ass'],
  ['S_ASS', 'ass'],
  ['S_SSA', 'ass'],
  ['S_TEXT/WEBVTT', 'vtt'],
  ['D_WEBVTT', 'vtt'],
  ['S_HDMV/PGS', 'pgs'],
  ['S_VOBSUB', 'vobsub'],
  ['S_DVBSUB', 'dvbsub'],
]

/** The name for a CodecID; the id itself, in lower case, where it is not known. */
export function codecOfMatroskaId(id: string): string {
  const known = BY_MATROSKA_ID.find(([begins]) => id.startsWith(begins))
  return known?.[1] ?? (id.toLowerCase() || 'unknown')
}

/** What RFC 6381 calls codecs whose names need no configuration. */
const PLAIN_STRINGS: ReadonlyMap<string, string> = new Map([
  ['ac3', 'ac-3'],
  ['eac3', 'ec-3'],
  ['ac4', 'ac-4'],
  ['flac', 'flac'],
  ['opus', 'opus'],
  ['vorbis', 'vorbis'],
  ['mp3', 'mp3'],
  ['vp8', 'vp8'],
  ['vp9', 'vp9'],
  ['alac', 'alac'],
  ['dts', 'dtsc'],
])

/** Null: it takes a configuration, or there is none. `codec` may be what a file calls it: any text. */
export function plainCodecString(codec: string): string | null {
  return PLAIN_STRINGS.get(codec) ?? null
}

// Other people's libraries inside the machine code that packages bring: no manifest of npm names them, but their
// licences want to be passed on with it. A part that is found in a new version of such a package gets a row here.

/** A library inside the machine code of a package. */
export interface EmbeddedPart {
  readonly name: string
  /** The npm package whose machine code holds it. */
  readonly within: string
  /** As SPDX writes it. */
  readonly licence: string
  /** The text to be passed on, from the project's root. */
  readonly text: string
  readonly source: string
  /** Whose it is, where the text does not say so. */
  readonly authors?: string
}

const github = 'https://github.com'
const FFMPEG = 'The FFmpeg developers, https://ffmpeg.org. How it is built of their source is at the address above.'

/** All that are known, in the order in which the notices name them. */
export const EMBEDDED_PARTS: readonly EmbeddedPart[] = [
  {
    name: 'uWebSockets',
    within: 'uws-pack',
    licence: 'Apache-2.0',
    text: 'LICENSE',
    source: `${github}/uNetworking/uWebSockets.js`,
    authors: 'Authored by Alex Hultman, 2018-2024. Intellectual property of third-party.',
  },
  {
    name: 'uSockets',
    within: 'uws-pack',
    licence: 'Apache-2.0',
    text: 'LICENSE',
    source: `${github}/uNetworking/uSockets`,
    authors: 'Authored by Alex Hultman, 2018-2024. Intellectual property of third-party.',
  },
  {
    name: 'BoringSSL',
    within: 'uws-pack',
    licence: 'OpenSSL AND ISC AND BSD-3-Clause AND MIT',
    text: 'src/build/notices/boringssl.txt',
    source: 'https://boringssl.googlesource.com/boringssl',
  },
  {
    name: 'lsquic',
    within: 'uws-pack',
    licence: 'MIT',
    text: 'src/build/notices/lsquic.txt',
    source: `${github}/litespeedtech/lsquic`,
  },
  {
    name: 'FFmpeg (libavcodec, libavutil)',
    within: '@mediabunny/ac3',
    licence: 'LGPL-2.1-or-later',
    text: 'src/build/notices/lgpl-2.1.txt',
    source: `${github}/Vanilagy/mediabunny/tree/main/packages/ac3`,
    authors: FFMPEG,
  },
  {
    name: 'FFmpeg (libavcodec, libavutil)',
    within: '@mediabunny/aac-encoder',
    licence: 'LGPL-2.1-or-later',
    text: 'src/build/notices/lgpl-2.1.txt',
    source: `${github}/Vanilagy/mediabunny/tree/main/packages/aac-encoder`,
    authors: FFMPEG,
  },
  {
    name: 'libsodium',
    within: 'sodium-native',
    licence: 'ISC',
    text: 'src/build/notices/libsodium.txt',
    source: `${github}/jedisct1/libsodium`,
  },
  {
    name: 'SQLite',
    within: 'better-sqlite3',
    licence: 'blessing',
    text: 'src/build/notices/sqlite.txt',
    source: 'https://sqlite.org',
  },
  {
    name: 'FFmpeg (libavcodec, libavutil: the decoders of AC-3 and E-AC-3)',
    within: '@mediabunny/ac3',
    licence: 'LGPL-2.1-or-later',
    text: 'src/build/notices/ffmpeg.txt',
    source: 'https://ffmpeg.org',
    authors: `How they are built: ${github}/Vanilagy/mediabunny, packages/ac3. They are a script of their own in the dashboard.`,
  },
]

// What this browser says of itself.

import type { Abilities } from '../../model/film/film-way.ts'

/** Codecs of sound that the page decodes by its own means, where WebAssembly is there. */
const OWN_DECODERS: ReadonlySet<string> = new Set(['ac3', 'eac3'])
/** Those that WebCodecs may know. Browsers have it on secure pages alone: HTTPS, or this machine. */
const WEB_CODECS: ReadonlySet<string> = new Set(['aac', 'mp3', 'opus', 'vorbis', 'flac'])

const element = document.createElement('video')

/** What this browser says of itself. */
export const abilities: Abilities = {
  plays: type => element.canPlayType(type) !== '',
  takes: type => typeof MediaSource !== 'undefined' && MediaSource.isTypeSupported(type),
  decodes: codec =>
    codec === 'pcm' ||
    (OWN_DECODERS.has(codec) && typeof WebAssembly !== 'undefined') ||
    (WEB_CODECS.has(codec) && typeof AudioDecoder !== 'undefined'),
}

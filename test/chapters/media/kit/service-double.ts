// A double of the facts of films: a whole record.

import type { MediaAnswer, MediaService } from '../../../../src/chapters/media/service/media-api.ts'
import { plainTrack } from '../../../../src/chapters/media/core/film-facts.ts'
import { notedAnswers } from '../../../kit/doubles/noted-answers.ts'

const answer: MediaAnswer = {
  name: 'film.mkv',
  size: 1_000_000,
  facts: {
    container: 'matroska',
    fragmented: false,
    duration: 10.5,
    bitrate: 761_905,
    seek: 'keys',
    note: '',
    tracks: [
      { ...plainTrack, id: 1, kind: 'video', codec: 'h264', codecString: 'avc1.640028', width: 320, height: 180 },
    ],
    chapters: [{ start: 0, title: 'Opening' }],
    index: [{ start: 0, end: 900 }],
    keys: { track: 1, times: [0, 5], bytes: [900, 500_000], gap: 0 },
  },
  wanted: null,
  missing: [],
}

/** What the double of all services has for films. */
export function serviceDouble(note: (...call: unknown[]) => void): { readonly media: MediaService } {
  return { media: { kept: async () => null, facts: notedAnswers(note)('mediaFacts', answer) } }
}

// AVI is named, and not read further: its index has no times, and browsers play none of its codecs.

import type { FieldBytes } from './field-bytes.ts'
import type { FilmReading } from './film-facts.ts'

/** RIFF with the form AVI. */
export function isAvi(head: FieldBytes): boolean {
  return head.length >= 12 && head.latin(0, 4) === 'RIFF' && /^AVIX?$/.test(head.latin(8, 4).trimEnd())
}

/** What is said of every AVI. */
export function readAvi(fetched: number): FilmReading {
  const facts = {
    container: 'avi',
    fragmented: false,
    duration: null,
    bitrate: null,
    seek: 'no',
    note: 'An AVI file: it cannot be read further.',
    tracks: [],
    chapters: [],
    index: [],
    keys: null,
  } as const
  return { facts, missing: null, fetched }
}

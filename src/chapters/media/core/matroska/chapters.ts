// Chapters of Matroska (RFC 9559, 5.1.7): those of the first edition, which players show, without chapters within
// chapters.

import type { FieldBytes } from '../field-bytes.ts'
import { type FilmChapter, MAX_CHAPTERS } from '../film-facts.ts'
import { childrenOf, uintOf } from './elements.ts'

const EDITION = 0x45b9
const ATOM = 0xb6
const START = 0x91
const HIDDEN = 0x98
const ENABLED = 0x4598
const DISPLAY = 0x80
const TEXT = 0x85

/** The chapters in the body of a Chapters element, by time, at most MAX_CHAPTERS. Throws DecodeError. */
export function readChapters(body: FieldBytes): FilmChapter[] {
  for (const edition of childrenOf(body)) {
    if (edition.id !== EDITION) continue
    const chapters: FilmChapter[] = []
    for (const child of childrenOf(edition.body)) {
      const chapter = child.id === ATOM && chapters.length < MAX_CHAPTERS ? readAtom(child.body) : null
      if (chapter !== null) chapters.push(chapter)
    }
    if (chapters.length > 0) return chapters.toSorted((a, b) => a.start - b.start)
  }
  return []
}

/** Null: it is not to be shown. */
function readAtom(body: FieldBytes): FilmChapter | null {
  let [start, title, shown] = [0, '', true]
  for (const child of childrenOf(body)) {
    if (child.id === START) start = uintOf(child.body) / 1e9
    else if (child.id === HIDDEN) shown &&= uintOf(child.body) === 0
    else if (child.id === ENABLED) shown &&= uintOf(child.body) !== 0
    else if (child.id === DISPLAY && title === '') title = readTitle(child.body)
  }
  return shown ? { start, title } : null
}

function readTitle(body: FieldBytes): string {
  for (const child of childrenOf(body)) if (child.id === TEXT) return child.body.text(0, child.body.length)
  return ''
}

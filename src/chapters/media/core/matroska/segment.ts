// Finds the parts of a Matroska segment: by walking over what lies before the first cluster, and by its SeekHead.

import { DecodeError } from '../../../../base/errors.ts'
import { NotHere, OverBudget } from '../byte-source.ts'
import { FieldBytes } from '../field-bytes.ts'
import { MAX_PART_BYTES, MAX_STEPS } from '../limits.ts'
import type { MeteredSource } from '../metered-source.ts'
import { childrenOf, type Element, elementAt, ID, uintOf } from './elements.ts'

/** A part: its first byte, that of its body, and its end; all in the file. */
export interface Part {
  readonly start: number
  readonly body: number
  readonly end: number
}

/** The parts of one segment. What lies behind the first cluster is looked at when it is asked for. */
export class SegmentParts {
  /** First byte of the segment's body: positions in the file count from there. */
  readonly body: number
  readonly #source: MeteredSource
  readonly #head: Head

  /** Walks over the head as far as it can be read. Throws DecodeError: there is no segment; and what reading throws. */
  constructor(source: MeteredSource) {
    this.#source = source
    const segment = segmentOf(source)
    this.body = segment.body
    this.#head = walkHead(source, segment)
  }

  /** What lies before the first cluster, as far as that was seen, in its order. */
  get passed(): readonly Part[] {
    return this.#head.passed
  }

  /** Where the part with this id is; null = there is none. Throws what reading throws. */
  find(id: number): Part | null {
    const { parts, cut } = this.#head
    const place = this.placeOf(id)
    const part = parts.get(id) ?? (place === null ? null : partAt(this.#source, place, id))
    if (part !== null) parts.set(id, part)
    // It may lie where nothing was seen.
    else if (place === null && cut !== null) throw cut
    return part
  }

  /** First byte of the part, as far as that is known without reading; null = not known. */
  placeOf(id: number): number | null {
    const known = this.#head.parts.get(id)
    if (known !== undefined) return known.start
    const place = this.#head.places.get(id)
    return place === undefined || this.body + place >= this.#source.size ? null : this.body + place
  }
}

function segmentOf(source: MeteredSource): Element {
  let at = elementAt(source, 0)?.end ?? null
  for (let step = 0; at !== null && step < MAX_STEPS; step += 1) {
    const element = elementAt(source, at)
    if (element === null) break
    if (element.id === ID.segment) return element
    at = element.end
  }
  throw new DecodeError('it has no segment')
}

interface Head {
  readonly passed: Part[]
  /** The first of each kind, by id. */
  readonly parts: Map<number, Part>
  /** Of the SeekHead: id -> place in the segment. */
  readonly places: Map<number, number>
  /** Why the walk ended before the first cluster; null = it did not. */
  cut: Error | null
}

/**
 * Looks at each element up to the first cluster; bodies of others (pictures, fonts) are passed over. Fonts may take
 * tens of megabytes: that what follows them is not there yet, or makes no sense, hides nothing of what lies before.
 */
function walkHead(source: MeteredSource, segment: Element): Head {
  const head: Head = { passed: [], parts: new Map(), places: new Map(), cut: null }
  try {
    walk(source, segment, head)
  } catch (error) {
    if (!(error instanceof NotHere || error instanceof DecodeError || error instanceof OverBudget)) throw error
    head.cut = error
  }
  return head
}

function walk(source: MeteredSource, segment: Element, { passed, parts, places }: Head): void {
  const limit = Math.min(segment.end ?? source.size, source.size)
  let at = segment.body
  for (let step = 0; at < limit && step < MAX_STEPS; step += 1) {
    const element = elementAt(source, at)
    if (element === null || element.id === ID.cluster) return
    const { id, start, body, end } = element
    // Of all that has no length only a cluster is legal.
    if (end === null || end > limit) return
    const part = { start, body, end }
    passed.push(part)
    if (!parts.has(id)) parts.set(id, part)
    if (id === ID.seekHead) addPlaces(places, source, part)
    at = end
  }
}

function addPlaces(places: Map<number, number>, source: MeteredSource, { body, end }: Part): void {
  if (end - body > MAX_PART_BYTES) throw new DecodeError('its SeekHead is too long')
  for (const seek of childrenOf(new FieldBytes(source.read(body, end)))) {
    if (seek.id !== ID.seek) continue
    let [id, place] = [0, -1]
    for (const child of childrenOf(seek.body)) {
      if (child.id === ID.seekId) id = uintOf(child.body)
      else if (child.id === ID.seekPosition) place = uintOf(child.body)
    }
    if (place >= 0 && !places.has(id)) places.set(id, place)
  }
}

/** Null: another element, or one that goes beyond the file, lies there. */
function partAt(source: MeteredSource, at: number, id: number): Part | null {
  if (at >= source.size) return null
  const { start, body, end, ...element } = elementAt(source, at) ?? { id: 0, start: 0, body: 0, end: null }
  return element.id === id && end !== null && end <= source.size ? { start, body, end } : null
}

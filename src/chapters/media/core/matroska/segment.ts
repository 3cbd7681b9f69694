// Finds the parts of a Matroska segment: by walking over what lies before the first cluster, and by its SeekHead.

import { DecodeError } from '../../../../base/errors.ts'
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
  /** Null: none was seen. */
  readonly firstCluster: number | null
  readonly #source: MeteredSource
  readonly #head: Head

  /** Walks over the head. Throws DecodeError where there is no segment, and what reading throws. */
  constructor(source: MeteredSource) {
    this.#source = source
    const segment = segmentOf(source)
    this.body = segment.body
    this.#head = walkHead(source, segment)
    this.firstCluster = this.#head.firstCluster
  }

  /** Where the part with this id is; null = there is none. Throws what reading throws. */
  find(id: number): Part | null {
    const { parts } = this.#head
    const place = this.placeOf(id)
    const part = parts.get(id) ?? (place === null ? null : partAt(this.#source, place, id))
    if (part !== null) parts.set(id, part)
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
  readonly parts: Map<number, Part>
  /** Of the SeekHead: id -> place in the segment. */
  readonly places: ReadonlyMap<number, number>
  readonly firstCluster: number | null
}

/** Looks at each element up to the first cluster; bodies of others (pictures, fonts) are passed over. */
function walkHead(source: MeteredSource, segment: Element): Head {
  const limit = Math.min(segment.end ?? source.size, source.size)
  const parts = new Map<number, Part>()
  const places = new Map<number, number>()
  let at = segment.body
  for (let step = 0; at < limit && step < MAX_STEPS; step += 1) {
    const element = elementAt(source, at)
    if (element === null) break
    if (element.id === ID.cluster) return { parts, places, firstCluster: element.start }
    const { id, start, body, end } = element
    // Of all that has no length only a cluster is legal.
    if (end === null || end > limit) break
    if (!parts.has(id)) parts.set(id, { start, body, end })
    if (id === ID.seekHead) addPlaces(places, source, { start, body, end })
    at = end
  }
  return { parts, places, firstCluster: null }
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

// The order in which objects are listed: by the names of their properties, as the argument SortCriteria has them. Pure.

import type { MediaObject } from './media-objects.ts'

/** Properties to sort by. */
export type SortProperty = 'dc:title' | 'dc:date' | 'res@size'

/** One of them. */
export interface SortKey {
  readonly by: SortProperty
  readonly descending: boolean
}

/** As GetSortCapabilities tells. */
export const SORT_PROPERTIES: readonly SortProperty[] = ['dc:title', 'dc:date', 'res@size']

/** What televisions send though it has no meaning here: films are all of one class. */
const PASSED_OVER: readonly string[] = ['upnp:class', 'upnp:originalTrackNumber']
const MAX_KEYS = 8

/** Reads `+dc:title,-dc:date`; null: it has what objects cannot be sorted by. */
export function readSortCriteria(text: string): readonly SortKey[] | null {
  if (text.trim() === '') return []
  const keys: SortKey[] = []
  const parts = text.split(',')
  if (parts.length > MAX_KEYS) return null
  for (const part of parts) {
    const [, sign = '', name = ''] = /^\s*([+-])\s*(\S+)\s*$/.exec(part) ?? []
    if (PASSED_OVER.includes(name)) continue
    const by = SORT_PROPERTIES.find(one => one === name)
    if (by === undefined) return null
    // What is sorted by already changes nothing: there are few orders, and lists are kept by them.
    if (keys.some(key => key.by === by)) continue
    keys.push({ by, descending: sign === '-' })
  }
  return keys
}

/** Numbers in titles count as numbers: part 2 before part 10. */
const titles = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Folders before films, then by `keys`; without keys in their own order. */
export function sorted(objects: readonly MediaObject[], keys: readonly SortKey[]): readonly MediaObject[] {
  if (keys.length === 0) return objects
  return [...objects].sort((a, b) => {
    if (a.kind !== b.kind) return a.kind === 'container' ? -1 : 1
    for (const { by, descending } of keys) {
      const order = compared(a, b, by)
      if (order !== 0) return descending ? -order : order
    }
    return 0
  })
}

function compared(a: MediaObject, b: MediaObject, by: SortProperty): number {
  if (by === 'dc:title') return titles.compare(a.title, b.title)
  if (a.kind !== 'item' || b.kind !== 'item') return 0
  return by === 'dc:date' ? a.download.addedSec - b.download.addedSec : a.file.size - b.file.size
}

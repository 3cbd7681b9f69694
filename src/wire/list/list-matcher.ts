// Which downloads a filter of the list means. A download that is looked through is a row of precomputed columns, so
// that a hundred thousand cost some milliseconds. Pure.

import { bitOfState } from './list-states.ts'
import type { ListWord } from './list-words.ts'

/** The columns that a filter looks at. */
export interface FilteredRow {
  /** As stateBits() has them. */
  readonly bits: number
  /** As searchText() has it. */
  readonly text: string
  readonly labels: readonly string[]
  /** Hosts of its trackers, as trackerHosts() has them. */
  readonly hosts: readonly string[]
  readonly folder: string
  /** Bytes. */
  readonly size: number
}

/** What is searched of a record: name, labels and infohash in lower case. */
export function searchText(record: {
  readonly name: string
  readonly labels: readonly string[]
  readonly infohash: string
}): string {
  return `${record.name}\n${record.labels.join('\n')}\n${record.infohash}`.toLowerCase()
}

/** A filter. */
export interface ListMatcher {
  /** The same for filters that mean the same. */
  readonly key: string
  matches(row: FilteredRow): boolean
}

/** Any of the states, and all of the others. */
export function matcherOf(words: readonly ListWord[]): ListMatcher {
  let bits = 0
  for (const word of words) if (word.kind === 'state') bits |= bitOfState(word.text) ?? 0
  const others = words.filter(word => word.kind !== 'state')
  const checks = others.map(checkOf)
  const keys = others.map(word => JSON.stringify(word)).toSorted()
  return {
    key: JSON.stringify([bits, keys]),
    matches: row => (bits === 0 || (row.bits & bits) !== 0) && checks.every(check => check(row)),
  }
}

function checkOf(word: Exclude<ListWord, { kind: 'state' }>): (row: FilteredRow) => boolean {
  switch (word.kind) {
    case 'text':
      return ({ text }) => text.includes(word.text)
    case 'label':
      return ({ labels }) => (word.text === '' ? labels.length === 0 : labels.includes(word.text))
    case 'tracker':
      if (!word.exact) return ({ hosts }) => hosts.some(host => host.includes(word.text))
      return ({ hosts }) => (word.text === '' ? hosts.length === 0 : hosts.includes(word.text))
    case 'folder': {
      if (word.exact) return ({ folder }) => folder === word.text
      const part = word.text.toLowerCase()
      return ({ folder }) => folder.toLowerCase().includes(part)
    }
    case 'size':
      return ({ size }) => (word.larger ? size > word.bytes : size < word.bytes)
  }
}

// How many downloads have each label, tracker and folder, kept while they come, go and change. Pure.

import type { FilteredRow } from './list-matcher.ts'

/** Values of each kind in an answer. */
export const MAX_FACETS = 200

/** How many downloads have a value; an empty one: those that have none. */
export interface FacetCount {
  readonly value: string
  readonly count: number
}

/** The values with most downloads, in the order of their texts. */
export interface Facets {
  readonly labels: readonly FacetCount[]
  readonly trackers: readonly FacetCount[]
  readonly folders: readonly FacetCount[]
}

/** What of a row is counted. */
export type FacetRow = Pick<FilteredRow, 'labels' | 'hosts' | 'folder'>

/** How many downloads have each label, tracker and folder. */
export class FacetCounts {
  readonly #labels = new Map<string, number>()
  readonly #trackers = new Map<string, number>()
  readonly #folders = new Map<string, number>()
  /** What was read last; null: something has changed since. */
  #told: Facets | null = null

  /** A row came (`before` null), went (`now` null) or changed. */
  replace(before: FacetRow | null, now: FacetRow | null): void {
    if (before !== null && now !== null && isSame(before, now)) return
    if (before !== null) this.#note(before, -1)
    if (now !== null) this.#note(now, 1)
    this.#told = null
  }

  /** No row is there. */
  clear(): void {
    this.#told = null
    for (const counts of [this.#labels, this.#trackers, this.#folders]) counts.clear()
  }

  /** The counts of now. */
  read(): Facets {
    this.#told ??= {
      labels: largest(this.#labels),
      trackers: largest(this.#trackers),
      folders: largest(this.#folders),
    }
    return this.#told
  }

  #note({ labels, hosts, folder }: FacetRow, sign: 1 | -1): void {
    noteEach(this.#labels, labels, sign)
    noteEach(this.#trackers, hosts, sign)
    add(this.#folders, folder, sign)
  }
}

function isSame(a: FacetRow, b: FacetRow): boolean {
  return a.folder === b.folder && isSameList(a.labels, b.labels) && isSameList(a.hosts, b.hosts)
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((one, at) => one === b[at]))
}

function noteEach(counts: Map<string, number>, values: readonly string[], sign: 1 | -1): void {
  if (values.length === 0) add(counts, '', sign)
  for (const value of values) add(counts, value, sign)
}

function add(counts: Map<string, number>, value: string, sign: 1 | -1): void {
  const count = (counts.get(value) ?? 0) + sign
  if (count <= 0) counts.delete(value)
  else counts.set(value, count)
}

function largest(counts: ReadonlyMap<string, number>): FacetCount[] {
  const all = [...counts].map(([value, count]) => ({ value, count }))
  if (all.length > MAX_FACETS) all.sort((a, b) => b.count - a.count || compare(a.value, b.value)).splice(MAX_FACETS)
  return all.sort((a, b) => compare(a.value, b.value))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

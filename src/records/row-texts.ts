// Rows of downloads on their way from the database thread: many at a start, each with the same folder and trackers.
// They travel as text, since what msgpackr makes of a message are slices that keep all of its text in memory as long as
// one of them lives, and what many rows have in common is one object for all of them.

import type { LoadedDownload, StoredDownload, StoredMetainfo } from '../ports/records.ts'
import type { Steps } from '../wire/steps.ts'
import { packResume, type PackedResume, unpackResume } from './packed-progress.ts'

/** What rows may share that is remembered at a time. */
const MAX_SHARED = 4096

const NOTHING: readonly never[] = []

/** Rows as text. */
export function packRows(rows: readonly StoredDownload[]): string {
  return JSON.stringify(rows)
}

/** Loaded downloads as they travel: their rows, and what else there is of each. */
export interface PackedPage {
  readonly rows: string
  /** Position of the last; null: there are none. */
  readonly last: number | null
  readonly kept: readonly { readonly stored: StoredMetainfo | null; readonly resume: PackedResume | null }[]
}

/** Loaded downloads, to travel. */
export function packPage(page: readonly LoadedDownload[]): PackedPage {
  const kept = page.map(({ stored, resume }) => ({ stored, resume: packResume(resume) }))
  return { rows: packRows(page.map(({ download }) => download)), last: page.at(-1)?.download.position ?? null, kept }
}

/** Makes rows of their text. */
export class RowTexts {
  readonly #texts = new Map<string, string>()
  readonly #tiers = new Map<string, StoredDownload['announceTiers']>()

  /** The other way round: what is equal in these and earlier rows is one object. */
  unpack(text: string): StoredDownload[] {
    return (JSON.parse(text) as StoredDownload[]).map(row => this.#shared(row))
  }

  /** As unpack(), with what else there is of each; in steps. */
  *page({ rows, kept }: PackedPage): Steps<LoadedDownload[]> {
    const downloads = this.unpack(rows)
    const loaded: LoadedDownload[] = []
    for (const [at, download] of downloads.entries()) {
      const { stored = null, resume = null } = kept[at] ?? {}
      loaded.push({ download, stored, resume: yield* unpackResume(resume) })
    }
    return loaded
  }

  #shared(row: StoredDownload): StoredDownload {
    const { webSeeds, peers } = row
    return Object.assign(row, {
      destination: this.#text(row.destination),
      announceTiers: this.#tiersOf(row.announceTiers),
      webSeeds: webSeeds.length === 0 ? NOTHING : webSeeds,
      peers: peers.length === 0 ? NOTHING : peers,
    })
  }

  #text(text: string): string {
    return remembered(this.#texts, text, () => text)
  }

  #tiersOf(tiers: StoredDownload['announceTiers']): StoredDownload['announceTiers'] {
    if (tiers.length === 0) return NOTHING
    // No URL has a line break in it.
    const key = tiers.map(tier => tier.join('\n')).join('\n\n')
    return remembered(this.#tiers, key, () => tiers.map(tier => tier.map(url => this.#text(url))))
  }
}

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  const there = known.get(key)
  if (there !== undefined) return there
  if (known.size >= MAX_SHARED) known.clear()
  const made = make()
  known.set(key, made)
  return made
}

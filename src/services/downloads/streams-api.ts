// What a range stream reads from.

import type { Slot } from '../../ports/arena.ts'
import type { StoreVolume } from '../../ports/volumes.ts'
import type { FilmFacts } from '../../torrent/streams/film-facts.ts'

/** The client that asked. */
export interface Asker {
  /** Fires when it goes away. Made when it is first asked for. */
  readonly signal: AbortSignal
}

/** An open range stream of one file; see torrent/types.ts FileReader. */
export interface StreamReader {
  waitFor(position: number): number | Promise<number>
  /** What is missing between two places; asks nobody for it. Absent: nothing ever is. */
  gaps?(start: number, end: number): readonly { readonly start: number; readonly end: number }[]
  read(position: number, length: number, slot: Slot): Promise<number>
  /** The volume of the file; absent where there is nothing that could stop to answer. */
  readonly volume?: StoreVolume | undefined
  close(): void
}

/** How a file is read. */
export interface ReaderOptions {
  /** By the node itself: what it waits for comes behind what players need. */
  readonly background?: boolean
}

/** A file that somebody plays while it comes in. */
export interface PlayedFile {
  readonly infoHash: string
  readonly fileIndex: number
  /** Path under the torrent root with `/`. */
  readonly name: string
}

/** Who knows films. */
export interface FilmFactsSource {
  /**
   * Calls `tell` with what is known of a file, at once or later, as often as more is known, until the answer is called.
   * Asks nobody else to wait: what is not known is not told. Null: there is no place now, ask again. Must not throw.
   */
  follow(file: PlayedFile, tell: (facts: FilmFacts) => void): (() => void) | null
  /**
   * Seconds that a file plays, by what is there of it; null: it is no film, or says nothing of it. Rejects when it
   * cannot be found out now.
   */
  duration(infoHash: string, fileIndex: number, asker: Asker): Promise<number | null>
}

/** A file of a download that can be streamed. Holding it costs nothing; each request opens its own reader. */
export interface StreamableFile {
  /** Path under the torrent root with `/`. */
  readonly name: string
  readonly size: number
  /** Strong validator: `<infohash>-<index>`, without quotes. */
  readonly tag: string
  /**
   * Reads verified bytes that are at hand into the start of `into`, without a reader; how many, 0 = none. Never waits.
   * Absent where nothing can be read so.
   */
  readNow?(position: number, length: number, into: Uint8Array): number
  openReader(options?: ReaderOptions): StreamReader
}

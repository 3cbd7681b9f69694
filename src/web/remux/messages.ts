// What the page and its worker tell each other about a film that is repacked. Types alone.

import type { KnownFilm, RemuxPlan } from '../model/film/film-way.ts'

/** Which of the two tracks that are played. */
export type TrackKind = 'video' | 'sound'

/** What the page asks of the worker. */
export type Order =
  /** Opens a film: answered by `opened`. `url`: its signed link; `size`: bytes. */
  | { readonly order: 'open'; readonly url: string; readonly size: number }
  /** Which tracks are played from now on: answered by `ready`. */
  | { readonly order: 'play'; readonly plan: RemuxPlan }
  /** Another link to the same film. */
  | { readonly order: 'link'; readonly url: string }
  /**
   * The next part of a track: answered by `part` or `end`. `fromSec`: a new run begins at this place, and what was
   * asked before of this track is not answered any more; null: the run goes on.
   */
  | { readonly order: 'read'; readonly kind: TrackKind; readonly run: number; readonly fromSec: number | null }
  /** Is it still there? Answered by `here`, between two steps of other work. */
  | { readonly order: 'look' }

/** What the worker answers. */
export type Note =
  /** It is there; also when it has been loaded. */
  | { readonly note: 'here' }
  | { readonly note: 'opened'; readonly film: KnownFilm }
  /** Types for source buffers; null: the film has no such track. */
  | { readonly note: 'ready'; readonly types: Readonly<Record<TrackKind, string | null>> }
  | { readonly note: 'part'; readonly kind: TrackKind; readonly run: number; readonly part: Part }
  | { readonly note: 'end'; readonly kind: TrackKind; readonly run: number }
  /** `link`: the node does not answer to it; `film`: it cannot be repacked. Of a `read` with its track. */
  | { readonly note: 'failed'; readonly why: 'link' | 'film'; readonly kind: TrackKind | null; readonly text: string }

/** A stretch of a track as fragmented MP4, the first of a run with what stands before all fragments. */
export interface Part {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly endSec: number
}

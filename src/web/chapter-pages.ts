// What a chapter gives to the dashboard: the face that `pages.tsx` of its folder `web` exports.

import type { ComponentType } from 'preact'

/** Pages of a chapter: one line of the navigation, and all places below it. */
export interface ChapterPages {
  /** The chapter's id, as in its `chapter.ts`; the first word of its addresses too: `#/<id>/<part>…`. */
  readonly id: string
  /** What the navigation and the window's title call it. */
  readonly name: string
  /** Its sign in the navigation: the strokes of a path on a grid of 24, as in `parts/icons.tsx`. */
  readonly strokes: string
  /** Settings (`section.option`) without which there is nothing to see on its pages: off means not in use. */
  readonly switches?: readonly string[]
  /** The setting that is off until somebody wants the chapter: on means in use. */
  readonly chosenBy?: string
  /**
   * Loads the page at a place of it, which comes when it is shown. `parts`: those of its address behind the id, decoded
   * (ChapterPlace).
   */
  loadPage(): Promise<ComponentType<{ readonly parts: readonly string[] }>>
  /** The window's title at a place of it, where that is not its name. */
  titleAt?(parts: readonly string[]): string
  /** Its events in words, by their types. */
  readonly events?: Readonly<Record<string, EventWords>>
  /** Types of its events that answer who asked for them, and are not told among what happened. */
  readonly unlisted?: readonly string[]
}

/** An event in words. */
export interface EventWords {
  /** What happened: `Circuit ready`. */
  readonly name: string
  /** To what, from the members of the event; without it all its texts and numbers are shown. */
  about?(event: Readonly<Record<string, unknown>>): string
}

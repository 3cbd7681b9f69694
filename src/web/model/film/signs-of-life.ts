// Whether the worker still answers: films are made by strangers, and damage in one may keep a worker that takes it
// apart busy for ever, without a word. Pure.

/** Between two looks, ms. */
export const LOOK_MS = 1000
/** So many looks in a row may find nothing new: a slow device works for a second or two at a time. */
const MAX_SILENT = 10

/** Counts looks that found no sign of life. */
export class SignsOfLife {
  #silent: number | null = null

  /** Something was heard of it. Before the first word it is loading, which takes what it takes. */
  heard(): void {
    this.#silent = 0
  }

  /** Called every LOOK_MS of the page's own time. True: it is gone, or stuck. */
  look(): boolean {
    if (this.#silent === null) return false
    this.#silent += 1
    return this.#silent > MAX_SILENT
  }
}

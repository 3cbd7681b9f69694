// The cursor and the marks of the list: where the keyboard is, and which downloads are selected. A row that the cursor
// goes to may be on its way from the node; what is done meanwhile waits for it, and whatever the user does next ends
// what waits: a selection never comes after the key that gave it up, a command never reaches the row of before.

import type { Names, ShownList } from './shown-list.ts'

/** What the cursor changes. */
export interface CursorListener {
  /** The cursor is at another row, or knows its name now. */
  moved(): void
  select(selected: ReadonlySet<string>): void
  failed(error: unknown): void
}

/** How a row is gone to. */
export type Reach = 'move' | 'range'

/** The cursor and the marks of the list. */
export class ListCursor {
  readonly #listener: CursorListener
  #list: ShownList
  #active: string
  #index = -1
  /** Where a range begins. */
  #anchor = ''
  #anchorIndex = 0
  /** Of the row that the cursor is at, while that is being asked for. */
  #goal: Promise<string> | null = null
  /** What will be selected, while that is being asked for. */
  #choice: Promise<readonly string[]> | null = null
  #turn = new AbortController()

  /** `active`: info hash of the row to begin at, empty = none. */
  constructor(list: ShownList, active: string, listener: CursorListener) {
    this.#list = list
    this.#active = active
    this.#listener = listener
  }

  /** Info hash of the row that the keyboard is at; empty = none, or not known yet. */
  get active(): string {
    return this.#active
  }

  /** Its place; -1 = none. */
  get index(): number {
    return this.#index
  }

  /** The list has changed: rows may have moved. */
  follow(list: ShownList): void {
    this.#list = list
    const [at, from] = [list.indexOf(this.#active), list.indexOf(this.#anchor)]
    if (at !== -1) this.#index = at
    if (from !== -1) this.#anchorIndex = from
  }

  /** Puts the cursor to a download, wherever it is. */
  set(infohash: string): void {
    this.#begin()
    this.#active = infohash
    this.#index = this.#list.indexOf(infohash)
    this.#listener.moved()
  }

  /** Goes to a row; `range`: and selects all from where the last one began. */
  go(index: number, reach: Reach): void {
    const signal = this.#begin()
    this.#index = index
    this.#arrive(this.#list.names(index, index + 1, signal), signal, reach)
    if (reach === 'move') return
    const [from, to] = [Math.min(this.#anchorIndex, index), Math.max(this.#anchorIndex, index)]
    this.#select(this.#list.names(from, to + 1, signal), signal)
  }

  /** Does something with the row that the cursor is at, when its name is known. */
  act(run: (infohash: string) => void): void {
    const goal = this.#goal
    if (goal === null) {
      this.#begin()
      if (this.#active !== '') run(this.#active)
      return
    }
    // It ends in an empty name when the user has gone on.
    void goal.then(
      infohash => {
        if (infohash !== '') run(infohash)
      },
      () => undefined,
    )
  }

  /** Does something with all that are selected; without any, with the row that the cursor is at. */
  actOnAll(selected: ReadonlySet<string>, run: (infohashes: readonly string[]) => void): void {
    const { signal } = this.#turn
    if (this.#choice !== null)
      void this.#choice.then(
        found => {
          if (!signal.aborted) run(found)
        },
        () => undefined,
      )
    else if (selected.size > 0) run([...selected])
    else this.act(infohash => run([infohash]))
  }

  /** The cursor is at this download, and ranges begin there. */
  settle(infohash: string): void {
    this.#begin()
    const at = this.#list.indexOf(infohash)
    if (at !== -1 || this.#active !== infohash) this.#index = at
    this.#active = infohash
    this.#root(infohash)
    this.#listener.moved()
  }

  /** Selects all that the view shows. */
  all(): void {
    const signal = this.#begin()
    this.#select(this.#list.names(0, this.#list.length, signal), signal)
  }

  /** Ends what waits. */
  cancel(): void {
    this.#begin()
  }

  #begin(): AbortSignal {
    this.#turn.abort()
    this.#turn = new AbortController()
    this.#goal = null
    this.#choice = null
    return this.#turn.signal
  }

  #root(infohash: string): void {
    this.#anchor = infohash
    this.#anchorIndex = Math.max(0, this.#index)
  }

  #arrive(names: Names, signal: AbortSignal, reach: Reach): void {
    const at = this.#index
    const arrived = ([infohash = '']: readonly string[]): string => {
      if (signal.aborted) return ''
      this.#goal = null
      this.#active = infohash
      if (reach === 'move') this.#root(infohash)
      this.#listener.moved()
      return infohash
    }
    if (!(names instanceof Promise)) return void arrived(names)
    this.#active = ''
    if (reach === 'move') {
      this.#anchor = ''
      this.#anchorIndex = at
    }
    this.#listener.moved()
    this.#goal = names.then(arrived)
    this.#goal.catch((error: unknown) => this.#fail(error, signal))
    return undefined
  }

  #select(names: Names, signal: AbortSignal): void {
    if (!(names instanceof Promise)) return this.#listener.select(new Set(names))
    this.#choice = names
    names.then(
      found => {
        if (signal.aborted) return
        this.#choice = null
        this.#listener.select(new Set(found))
      },
      (error: unknown) => this.#fail(error, signal),
    )
    return undefined
  }

  #fail(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    this.#goal = null
    this.#choice = null
    this.#listener.failed(error)
  }
}

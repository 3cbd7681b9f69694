// Which torrents may run, and whose turn is next: limits of downloads, of seeds and of both, and the order in each.
// Data only: it starts nothing, knows no clock and no torrent (torrent-queue.ts does). No change walks over all that
// wait. Invariants: a member is in one list at most; between two calls limits may be broken, and next() answers what
// mends them.

import { OrderedList } from '../pieces/ordered-list.ts'

/** What a torrent is in the queue: misses something that is selected, or not. */
export type QueueKind = 'download' | 'seed'

/** How many may run; below 0 = no limit, 0 = none at all. */
export interface RunLimits {
  readonly downloads: number
  readonly seeds: number
  /** Both together, slow ones included. */
  readonly all: number
  /** Those marked slow count only in `all`. */
  readonly dontCountSlow: boolean
}

/** A place in the queue. Fields belong to RunQueue; others read them. */
export interface Place<T> {
  readonly member: T
  /** Its place among downloads; no two share one. */
  ranked: number
  order: number
  kind: QueueKind
  state: 'out' | 'waiting' | 'running'
  slow: boolean
}

/** Something to be done so that limits hold and no slot stays empty. */
export interface QueueStep<T> {
  readonly place: Place<T>
  readonly action: 'start' | 'hold'
}

interface Lists<T> {
  readonly waiting: OrderedList<Place<T>>
  readonly counted: OrderedList<Place<T>>
  readonly slow: OrderedList<Place<T>>
}

/** Which torrents may run, and whose turn is next: limits of downloads, of seeds and of both, and the order in each. */
export class RunQueue<T> {
  readonly #lists: Readonly<Record<QueueKind, Lists<T>>> = { download: makeLists(), seed: makeLists() }
  #limits: RunLimits
  #ticket = 0
  #running = 0
  /** The order of downloads was changed: one that waits may go before one that runs. */
  #reordered = false

  constructor(limits: RunLimits) {
    this.#limits = limits
  }

  get limits(): RunLimits {
    return this.#limits
  }

  /** New limits; what does not fit is held by the steps that follow. */
  setLimits(limits: RunLimits): void {
    this.#limits = limits
    if (limits.dontCountSlow) return
    for (const { slow } of Object.values(this.#lists)) {
      for (let place = slow.last; place !== undefined; place = slow.last) this.setSlow(place, false)
    }
  }

  /** A place among downloads, absent = at the end of the line; it asks for nothing yet. */
  place(member: T, ranked: number = this.#ticket++): Place<T> {
    return { member, ranked, order: ranked, kind: 'download', state: 'out', slow: false }
  }

  /** Its place among downloads is another: who runs follows with the next steps. Seeds take turns as before. */
  rank(place: Place<T>, ranked: number): void {
    if (place.ranked === ranked) return
    place.ranked = ranked
    if (place.kind !== 'download') return
    const list = place.state === 'out' ? null : this.#listOf(place)
    list?.delete(place)
    place.order = ranked
    list?.add(place)
    this.#reordered = true
  }

  /** How many of a kind wait. */
  waiting(kind: QueueKind): number {
    return this.#lists[kind].waiting.size
  }

  /** How many of its kind wait before it; null: it does not wait, or more than `most` do. Looks at few of them. */
  ahead(place: Place<T>, most: number): number | null {
    if (place.state !== 'waiting') return null
    const { items } = this.#lists[place.kind].waiting
    const last = items[most]
    return last !== undefined && place.order > last.order ? null : items.indexOf(place)
  }

  /** Running members of a kind that count, in order. */
  counted(kind: QueueKind): readonly Place<T>[] {
    return this.#lists[kind].counted.items
  }

  /** Asks to run: true = it runs, false = it waits, also when it ran as another kind that had room. */
  enter(place: Place<T>, kind: QueueKind): boolean {
    if (place.state !== 'out' && place.kind === kind) return place.state === 'running'
    const waited = place.state === 'waiting'
    this.leave(place)
    this.#setKind(place, kind)
    const free = !waited && this.waiting(kind) === 0 && this.#hasRoom(kind)
    this.#put(place, free ? 'running' : 'waiting')
    return free
  }

  /** It is of another kind now; when it runs it goes on until a step says otherwise. */
  turned(place: Place<T>, kind: QueueKind): void {
    const { state } = place
    if (state === 'out' || place.kind === kind) return
    this.leave(place)
    this.#setKind(place, kind)
    this.#put(place, state)
  }

  /** It neither runs nor waits any more. */
  leave(place: Place<T>): void {
    if (place.state === 'out') return
    this.#listOf(place).delete(place)
    if (place.state === 'running') this.#running -= 1
    place.state = 'out'
    place.slow = false
  }

  /** Marks a running member as slow, or not. */
  setSlow(place: Place<T>, slow: boolean): void {
    if (place.state !== 'running' || place.slow === slow) return
    this.#listOf(place).delete(place)
    place.slow = slow
    this.#listOf(place).add(place)
  }

  /**
   * The running seed that began first, of those that count if there are any, goes to the end of the line; the next step
   * lets another begin.
   */
  rotateSeed(): Place<T> | null {
    const { counted, slow, waiting } = this.#lists.seed
    const place = counted.first ?? slow.first
    if (place === undefined || waiting.size === 0) return null
    this.leave(place)
    place.order = this.#ticket++
    this.#put(place, 'waiting')
    return place
  }

  /** The next step, already noted as done; null when limits hold and none waits in vain. */
  next(): QueueStep<T> | null {
    const { download, seed } = this.#lists
    if (seed.counted.size > atMost(this.#limits.seeds)) return this.#hold(seed.counted.last)
    if (download.counted.size > atMost(this.#limits.downloads)) return this.#hold(download.counted.last)
    if (this.#running > atMost(this.#limits.all)) {
      return this.#hold(this.#lastSeed() ?? download.slow.last ?? download.counted.last)
    }
    if (this.#hasRoom('download')) {
      const step = this.#start(download.waiting.first)
      if (step !== null) return step
    } else if (download.waiting.size > 0 && download.counted.size < atMost(this.#limits.downloads)) {
      // Only the common limit is in the way: downloads go before seeds.
      const step = this.#hold(this.#lastSeed())
      if (step !== null) return step
    }
    return this.#overtaken() ?? this.#nextSeed()
  }

  /** After a change of the order: the last that runs makes room for one that waits and goes before it. */
  #overtaken(): QueueStep<T> | null {
    if (!this.#reordered) return null
    const { waiting, counted } = this.#lists.download
    const [first, last] = [waiting.first, counted.last]
    if (first !== undefined && last !== undefined && first.order < last.order) return this.#hold(last)
    this.#reordered = false
    return null
  }

  #nextSeed(): QueueStep<T> | null {
    const { seed } = this.#lists
    return this.#hasRoom('seed') ? this.#start(seed.waiting.first) : null
  }

  #lastSeed(): Place<T> | undefined {
    return this.#lists.seed.slow.last ?? this.#lists.seed.counted.last
  }

  #hasRoom(kind: QueueKind): boolean {
    const limit = kind === 'download' ? this.#limits.downloads : this.#limits.seeds
    return this.#lists[kind].counted.size < atMost(limit) && this.#running < atMost(this.#limits.all)
  }

  #hold(place: Place<T> | undefined): QueueStep<T> | null {
    return this.#move(place, 'waiting', 'hold')
  }

  #start(place: Place<T> | undefined): QueueStep<T> | null {
    return this.#move(place, 'running', 'start')
  }

  #move(place: Place<T> | undefined, state: 'waiting' | 'running', action: 'start' | 'hold'): QueueStep<T> | null {
    if (place === undefined) return null
    this.leave(place)
    this.#put(place, state)
    return { place, action }
  }

  // Downloads come in the order of their ranks; a seed goes to the end of its line.
  #setKind(place: Place<T>, kind: QueueKind): void {
    place.kind = kind
    place.order = kind === 'download' ? place.ranked : this.#ticket++
  }

  #put(place: Place<T>, state: 'waiting' | 'running'): void {
    place.state = state
    if (state === 'running') this.#running += 1
    this.#listOf(place).add(place)
  }

  #listOf(place: Place<T>): OrderedList<Place<T>> {
    const lists = this.#lists[place.kind]
    if (place.state === 'waiting') return lists.waiting
    return place.slow ? lists.slow : lists.counted
  }
}

function makeLists<T>(): Lists<T> {
  return { waiting: new OrderedList(), counted: new OrderedList(), slow: new OrderedList() }
}

function atMost(limit: number): number {
  return limit < 0 ? Number.POSITIVE_INFINITY : limit
}

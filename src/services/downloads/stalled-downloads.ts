// Requests that change downloads whose volume has stopped answering (decision 0470). Each is answered in time.
// Invariants: what was answered as done is in the store; what had not begun at an answer of 503 is not done any more.

import { AppError } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { StoredDownload } from '../../ports/records.ts'
import type { VolumeWatch } from '../../ports/volumes.ts'

/** What is asked of volumes. */
export type WaitingVolumes = Pick<VolumeWatch, 'stalledAt' | 'inTime'>

/** Where files of a download may be. */
type Places = Pick<StoredDownload, 'destination' | 'movingTo' | 'movedFrom'>

/** Runs a task when those before it are done. */
type Turn = <T>(task: () => Promise<T>) => Promise<T>

/** Removed, but its files are not closed. */
interface Leaving {
  readonly places: Places
  readonly done: Promise<void>
}

/** Requests that change downloads whose volume has stopped answering (decision 0470). */
export class StalledDownloads {
  readonly #volumes: WaitingVolumes | null
  readonly #leaving = new Map<InfoHash, Leaving>()

  constructor(volumes: WaitingVolumes | undefined) {
    this.#volumes = volumes ?? null
  }

  /** AppError VolumeStalled when it is known that nothing can be done to the files now. */
  check(places: Places): void {
    for (const place of placesOf(places)) {
      const mount = this.#volumes?.stalledAt(place) ?? null
      if (mount === null) continue
      const text = `Nothing was changed: the volume mounted at ${mount} does not answer. Try again when it does.`
      throw new AppError('VolumeStalled', text)
    }
  }

  /** Settles as `work` does; AppError VolumeStalled when the files' volume does not answer. The work goes on. */
  inTime<T>(places: Places, work: Promise<T>): Promise<T> {
    const volumes = this.#volumes
    if (volumes === null) return work
    return placesOf(places).reduce((waited, place) => volumes.inTime(place, waited), work)
  }

  /**
   * As inTime(), for what is in the store already: that the volume does not answer is no failure. False: it goes on
   * later.
   */
  async settled(places: Places, work: Promise<unknown>): Promise<boolean> {
    try {
      await this.inTime(places, work)
      return true
    } catch (error) {
      if (!isStalled(error)) throw error
      return false
    }
  }

  /**
   * Runs `task` in its turn. AppError VolumeStalled: its turn does not come, and it is not done. `held`: the same when
   * the task itself does not end; it goes on then, and those that come after it wait.
   */
  async inTurn<T>(places: Places, turn: Turn, task: () => Promise<T>, held = false): Promise<T> {
    let given = false
    let begin = (): void => undefined
    const begun = new Promise<void>(resolve => {
      begin = resolve
    })
    const work = turn(() => {
      if (given) return Promise.reject(new AppError('VolumeStalled'))
      begin()
      return task()
    })
    work.catch(() => undefined)
    try {
      await this.inTime(places, begun)
    } catch (error) {
      given = true
      throw error
    }
    return held ? this.inTime(places, work) : work
  }

  /** Waits for the engine to let go of a download that is removed; not for ever: gone() says when it has. */
  async leave<T>(infoHash: InfoHash, places: Places, left: Promise<T>): Promise<T | null> {
    try {
      return await this.inTime(places, left)
    } catch (error) {
      if (!isStalled(error)) throw error
      const forget = (): void => void this.#leaving.delete(infoHash)
      this.#leaving.set(infoHash, { places, done: left.then(forget, forget) })
      return null
    }
  }

  /** Waits until the engine has let go of an earlier download of the same torrent. AppError VolumeStalled. */
  async gone(infoHash: InfoHash): Promise<void> {
    const leaving = this.#leaving.get(infoHash)
    if (leaving !== undefined) await this.inTime(leaving.places, leaving.done)
  }
}

function placesOf({ destination, movingTo, movedFrom }: Places): string[] {
  return [destination, movingTo, movedFrom].filter(place => place !== null)
}

function isStalled(error: unknown): boolean {
  return error instanceof AppError && error.code === 'VolumeStalled'
}

// A track in a browser's buffer that is full for a while: it holds less ahead then, and what is usual again later.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Part } from '../../../../src/web/remux/messages.ts'
import { type PartBuffer, TrackBuffer } from '../../../../src/web/remux/track-buffer.ts'

/** A buffer that holds so many seconds; each byte of a part is one. */
class Held implements PartBuffer {
  roomSec = Number.POSITIVE_INFINITY
  startSec = 0
  endSec = 0
  refused = 0
  readonly #listeners = new Set<() => void>()

  readonly buffered = {
    length: 1,
    start: () => this.startSec,
    end: () => this.endSec,
  }

  appendBuffer(bytes: Uint8Array): void {
    if (this.endSec + bytes.length - this.startSec > this.roomSec) {
      this.refused += 1
      throw Object.assign(new Error('full'), { name: 'QuotaExceededError' })
    }
    this.endSec += bytes.length
    this.#done()
  }

  remove(_: number, endSec: number): void {
    this.startSec = Math.min(this.endSec, endSec)
    this.#done()
  }

  changeType(): void {}

  addEventListener(_: 'updateend', listener: () => void): void {
    this.#listeners.add(listener)
  }

  removeEventListener(_: 'updateend', listener: () => void): void {
    this.#listeners.delete(listener)
  }

  #done(): void {
    queueMicrotask(() => {
      for (const listener of this.#listeners) listener()
    })
  }
}

test('a buffer that was full is filled as far as usual some minutes later', async () => {
  const buffer = new Held()
  let [placeSec, readSec] = [0, 0]
  let rested = (): void => undefined
  const track = new TrackBuffer('video', buffer, {
    worker: {
      read: async (_kind, _run, fromSec): Promise<Part> => {
        readSec = Math.max(readSec, fromSec ?? 0) + 1
        return { bytes: new Uint8Array(1), endSec: readSec }
      },
      leave: () => undefined,
    },
    place: () => placeSec,
    nowMs: () => placeSec * 1000,
    came: () => undefined,
    rested: () => rested(),
    failed: error => assert.fail(String(error)),
  })
  /** Plays up to a place, a second at a time; how much was ahead at most within the last half minute. */
  const played = async (toSec: number): Promise<number> => {
    let most = 0
    for (; placeSec < toSec; placeSec += 1) {
      await new Promise<void>(resolve => {
        rested = resolve
        track.pump()
      })
      if (placeSec >= toSec - 30) most = Math.max(most, buffer.endSec - placeSec)
    }
    return most
  }
  assert.equal(await played(60), 30)
  // 20 s behind, up to 30 s before they are let go, and the rest ahead.
  buffer.roomSec = 40
  const less = await played(120)
  assert.ok(less < 20, `${less} s`)
  assert.ok(buffer.refused > 0)
  buffer.roomSec = Number.POSITIVE_INFINITY
  assert.equal(await played(1200), 30)
  track.close()
})

// Where the tests of one `describe` with other clients take place: addresses of their own, a folder, a tracker if they
// want one. Made before the first test, given up after the last, also when one fails.

import { after, before } from 'node:test'
import { makeTestFolder, type TestFolder } from '../content/content-on-disk.ts'
import { type HttpTracker, startHttpTracker } from '../peers/http-tracker.ts'
import { claimHosts, type LoopbackHosts } from '../nodes/loopback-hosts.ts'

/** Good from the first `before` of the test file on. */
export interface InteropPlace {
  readonly hosts: Pick<LoopbackHosts, 'next'>
  readonly folder: Pick<TestFolder, 'path' | 'sub'>
  /** What is to be ended after the last test, newest first, before the place itself goes. */
  atEnd(end: () => Promise<unknown>): void
}

/** With a tracker at the first address. */
export interface TrackerPlace extends InteropPlace {
  readonly tracker: Pick<HttpTracker, 'url' | 'announces'>
}

function there<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the place is made by the hooks of its describe')
  return part
}

/** To be called in a `describe`, before its own hooks. */
export function interopPlace(): InteropPlace {
  const ends: (() => Promise<unknown>)[] = []
  const atEnd = (end: () => Promise<unknown>) => void ends.push(end)
  let hosts: LoopbackHosts | undefined
  let folder: TestFolder | undefined
  before(async () => {
    const claimed = await claimHosts()
    atEnd(() => claimed.release())
    const made = await makeTestFolder()
    atEnd(() => made.remove())
    hosts = claimed
    folder = made
  })
  after(async () => {
    const results = []
    for (const end of ends.reverse()) results.push(...(await Promise.allSettled([end()])))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  })
  return {
    hosts: { next: () => there(hosts).next() },
    folder: {
      get path() {
        return there(folder).path
      },
      sub: name => there(folder).sub(name),
    },
    atEnd,
  }
}

/** As interopPlace, with a tracker. */
export function trackerPlace(): TrackerPlace {
  const place = interopPlace()
  let tracker: HttpTracker | undefined
  before(async () => {
    const started = await startHttpTracker(place.hosts.next())
    place.atEnd(() => started.stop())
    tracker = started
  })
  return {
    ...place,
    tracker: {
      get url() {
        return there(tracker).url
      },
      get announces() {
        return there(tracker).announces
      },
    },
  }
}

// When a tracker of ours heard of each torrent, and how many of the announces that it asked for came in time.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Later than this after its time an announce is late. */
const LATE_MS = 60_000

/** How many announces were due, and how many came in time. */
export interface AnnounceCount {
  readonly due: number
  readonly inTime: number
}

export interface AnnounceWatch {
  /** The announce URL. */
  readonly url: string
  /** Torrents that were announced at least so often. */
  announced(times: number): number
  /** Of the announces behind each torrent's first: those whose time came `LATE_MS` before now, or that came. */
  count(nowMs: number): AnnounceCount
  stop(): Promise<void>
}

/** What of `times` (ms, one torrent) was due by `nowMs`, where each announce asks for the next after `intervalMs`. */
export function countOf(times: readonly number[], intervalMs: number, nowMs: number): AnnounceCount {
  let [due, inTime] = [0, 0]
  for (const [at, time] of times.entries()) {
    const dueMs = time + intervalMs
    const next = times[at + 1]
    if (next === undefined && nowMs < dueMs + LATE_MS) continue
    due += 1
    if (next !== undefined && next <= dueMs + LATE_MS) inTime += 1
  }
  return { due, inTime }
}

/** Starts a tracker at `ip` that asks to be asked again after `intervalSec`. */
export async function watchAnnounces(ip: string, intervalSec: number): Promise<AnnounceWatch> {
  const heard = new Map<string, number[]>()
  const answer = Buffer.from(`d8:completei1e10:incompletei0e8:intervali${intervalSec}e5:peers0:e`)
  const server = createServer((request, reply) => {
    const infoHash = /[?&]info_hash=([^&]*)/.exec(request.url ?? '')?.[1] ?? ''
    const times = heard.get(infoHash) ?? []
    heard.set(infoHash, times)
    if (request.url?.includes('event=stopped') !== true) times.push(performance.now())
    reply.setHeader('content-type', 'text/plain').end(answer)
  })
  await new Promise<void>(resolve => server.listen(0, ip, resolve))
  return {
    url: `http://${ip}:${(server.address() as AddressInfo).port}/announce`,
    announced: times => [...heard.values()].filter(each => each.length >= times).length,
    count(nowMs) {
      const counts = [...heard.values()].map(times => countOf(times, intervalSec * 1000, nowMs))
      const sum = (key: keyof AnnounceCount) => counts.reduce((all, each) => all + each[key], 0)
      return { due: sum('due'), inTime: sum('inTime') }
    },
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

// uTP: transfers with libtorrent over a good line and bad ones, and over loopback, beside what two libtorrents do on
// the same line. TCP is off.

import { makeUtpHosts } from '../../test/kit/sim/utp-hosts.ts'
import type { UtpLineShape } from '../../test/kit/sim/utp-line.ts'
import { inPlace } from '../lib/bench-place.ts'
import { makeBenchTorrent } from '../lib/bench-torrent.ts'
import { type Flow, runAlone } from '../lib/flow.ts'
import { loopbackPair } from '../lib/loopback-pair.ts'
import type { CaseResult } from '../lib/samples.ts'
import { takeTurns } from '../lib/turns.ts'
import { type NearKind, utpOnce } from '../lib/utp-pair.ts'

/** A line, and how much goes over it: what two libtorrents need some ten seconds for. `--counts 0,3` picks lines. */
interface Line extends UtpLineShape {
  readonly kiB: number
  /** Both at one loopback device instead of wires between namespaces. */
  readonly loopback?: boolean
}

const lines: readonly Line[] = [
  { loss: 0, delayMs: 0, kiB: 64 * 1024 },
  { loss: 0.02, delayMs: 0, kiB: 24 * 1024 },
  { loss: 0.1, delayMs: 0, kiB: 512 },
  { loss: 0, delayMs: 50, kiB: 24 * 1024 },
  { loss: 0.02, delayMs: 50, kiB: 2 * 1024 },
  { loss: 0.1, delayMs: 50, kiB: 512 },
  { loss: 0, delayMs: 0, kiB: 96 * 1024, loopback: true },
]

const nears: readonly NearKind[] = ['tributary', 'libtorrent']

/** The name of a case. */
function utpCase(role: string, line: Line): string {
  if (line.loopback === true) return `uTP ${role}, loopback`
  return `uTP ${role}, ${line.loss * 100} % loss, ${line.delayMs} ms`
}

export const utp: Flow = {
  name: 'utp',
  run: options =>
    inPlace(async place => {
      const hosts = await makeUtpHosts()
      const [cases, failures]: [CaseResult[], string[]] = [[], []]
      try {
        for (const line of lines.filter((_, index) => options.counts?.includes(index) ?? true)) {
          const dir = await place.folder.sub(`content-${place.turn()}`)
          const length = options.mib === null ? line.kiB * 1024 : options.mib * 2 ** 20
          const sizes = { name: 'utp.bin', length, pieceLength: Math.min(2 ** 20, length / 16) }
          const torrent = await makeBenchTorrent({ dir, metainfoDir: place.folder.path, ...sizes })
          for (const role of ['leech', 'seed'] as const) {
            const turns = nears.map(near => ({
              client: near,
              run: () =>
                utpOnce(place, {
                  hosts: line.loopback === true ? loopbackPair(place) : hosts,
                  near,
                  role,
                  torrent,
                  line,
                }),
            }))
            cases.push(await takeTurns(utpCase(role, line), 'kB/s', turns, options, failures))
          }
        }
      } finally {
        await hosts.stop()
      }
      return { title: 'uTP with libtorrent, in bytes of content', cases, notes: failures }
    }),
}

await runAlone(utp, import.meta.url)

// A list of a million lines, a tenth of them broken, read from a packed file and put in force while the loop goes on:
// nothing waits 20 ms for it, and the old filter answers until the new one is whole.

import assert from 'node:assert/strict'
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { createGzip } from 'node:zlib'
import { IpFilterFiles } from '../../src/io/files/ip-filter-file.ts'
import { buildIpFilter, IpFilter } from '../../src/torrent/peers/ip-filter.ts'
import { runStepsInTurns } from '../../src/wire/steps.ts'
import { silentLog } from '../kit/doubles/silent-log.ts'
import { settle, VirtualClock } from '../kit/sim/virtual-clock.ts'
import { cpuTimeMs } from '../kit/nodes/cpu-time.ts'

const LINES = 1_000_000
const LINES_A_PART = 10_000

/** Line `n`: every tenth broken, every hundredth IPv6, the rest ranges of two addresses that do not touch. */
function line(n: number): string {
  if (n % 10 === 3) return `broken line ${n}: 1.2.3.4-1.2.3`
  if (n % 100 === 7) return `2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::/64`
  const first = 0x0a000000 + n * 4
  const ip = (at: number): string => [24, 16, 8, 0].map(shift => (at >>> shift) & 255).join('.')
  return `Some name of a range:${ip(first)}-${ip(first + 1)}`
}

function* parts(): Generator<string> {
  for (let from = 0; from < LINES; from += LINES_A_PART) {
    yield `${Array.from({ length: LINES_A_PART }, (_, n) => line(from + n)).join('\n')}\n`
  }
}

test('a million lines are put in force in turns of the loop', { timeout: 120_000 }, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-filter-'))
  const file = join(folder, 'list.gz')
  writeFileSync(join(folder, 'old'), '9.9.9.9\n')
  await pipeline(Readable.from(parts()), createGzip({ level: 1 }), createWriteStream(file))
  let filter = IpFilter.none
  const during: boolean[] = []
  const files = new IpFilterFiles(
    { files: [join(folder, 'old')] },
    {
      clock: new VirtualClock(),
      log: silentLog,
      take: async ranges => {
        filter = await runStepsInTurns(buildIpFilter(ranges), settle)
      },
    },
  )
  t.after(async () => {
    await files.stop()
    rmSync(folder, { recursive: true })
  })
  await files.start()
  const turns: number[] = []
  let done = false
  const watch = (async () => {
    for (let last = cpuTimeMs(); !done; ) {
      await settle()
      const now = cpuTimeMs()
      turns.push(now - last)
      last = now
      during.push(filter.blocks('9.9.9.9'))
    }
  })()
  await files.setFiles([file])
  done = true
  await watch
  assert.deepEqual(files.state, { ranges: 900_000, lines: LINES, broken: 100_000, problem: null })
  assert.equal(filter.size, 900_000)
  assert.ok(filter.blocks('10.0.0.0') && filter.blocks('10.0.0.1') && !filter.blocks('10.0.0.2'))
  assert.ok(filter.blocks('2001:db8:0:7::1') && !filter.blocks('2001:db8:0:8::1'))
  assert.ok(!filter.blocks('9.9.9.9'), 'the new list has it no more')
  assert.ok(
    during.length > 400 && during.lastIndexOf(true) > during.length - 5,
    'the old one was in force until the end',
  )
  // The machine and the collector take a turn now and then; without steps there would be turns of hundreds of ms.
  turns.sort((a, b) => b - a)
  assert.ok((turns[5] ?? 0) < 20, `the longest turns: ${turns.slice(0, 8).map(ms => ms.toFixed(1))}`)
})

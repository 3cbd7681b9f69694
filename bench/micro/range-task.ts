// What one range reply of 64 KiB costs us beside the kernel: plan, head, turn, read and write, on a socket that takes
// everything and a file at hand that is a copy in memory.

import { SharedArena } from '../../src/pools/arena.ts'
import { SystemClock } from '../../src/io/clock.ts'
import { planStream, StreamedFile } from '../../src/http/stream-plan.ts'
import type { HttpResponse } from '../../src/http/uws/native.ts'
import { RequestMeter } from '../../src/http/request-meter.ts'
import { RangeWriter } from '../../src/http/uws/range-writer.ts'
import { Reply, ReplyShare } from '../../src/http/uws/reply.ts'
import { Scratch } from '../../src/http/uws/scratch.ts'
import { SlowReaders } from '../../src/http/uws/slow-readers.ts'
import { StreamSchedule } from '../../src/http/uws/stream-schedule.ts'
import type { StreamableFile } from '../../src/services/api.ts'

const RANGE = 64 * 1024
const FILE = 16 * RANGE

function greedySocket(): HttpResponse {
  const native = {
    onAborted: () => native,
    onWritable: () => native,
    writeStatus: () => native,
    writeHeader: () => native,
    cork: (run: () => void) => run(),
    tryEnd: (): [boolean, boolean] => [true, true],
  }
  return native as unknown as HttpResponse
}

function fileAtHand(): StreamableFile {
  const content = new Uint8Array(FILE)
  return {
    name: 'film.mp4',
    size: FILE,
    tag: 'tag',
    readNow: (position, length, into) => {
      into.set(content.subarray(position, position + length))
      return length
    },
    openReader: () => {
      throw new Error('not at hand')
    },
  }
}

/** Answers a range of 64 KiB. */
export function rangeTask(): () => void {
  const file = fileAtHand()
  const streamed = new StreamedFile({ size: FILE, tag: 'tag', contentType: 'video/mp4' })
  const arena = new SharedArena({ id: 'range' })
  const clock = new SystemClock()
  const schedule = new StreamSchedule(clock, 60_000)
  const fail = (error: unknown) => {
    throw error
  }
  const parts = { slow: new SlowReaders(schedule, clock), meter: new RequestMeter({ now: () => performance.now() }) }
  const share = new ReplyShare(fail, bytes => schedule.turn(bytes), parts)
  const deps = { arena, schedule, scratch: new Scratch(new Uint8Array(1 << 20)) }
  const request = { head: false, ifRange: '', ifNoneMatch: '', boundary: () => 'b', file: streamed }
  return () => {
    const reply = new Reply(greedySocket(), share, false, [])
    const plan = planStream({ ...request, range: `bytes=${RANGE}-${2 * RANGE - 1}` })
    const later = new RangeWriter(reply, plan, file, deps).run()
    if (later !== undefined) throw new Error('the range was not answered at once')
    schedule.unused(RANGE)
  }
}

// Long answers to players that pause: they stay while there is room, and those that take nothing go first.

import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { type SlowAnswer, SlowReaders } from '../../../../src/http/uws/slow-readers.ts'
import { StreamSchedule } from '../../../../src/http/uws/stream-schedule.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

const KIB = 1024
const BUDGET = 10 * 1024 * KIB
/** As the node has it. */
const REAL_BUDGET = 104 * 1024 * KIB
const SILENT_MS = 600_000

describe('slow readers', () => {
  let clock: VirtualClock
  let slow: SlowReaders
  beforeEach(() => {
    clock = new VirtualClock()
    slow = new SlowReaders(new StreamSchedule(clock, SILENT_MS), clock, BUDGET)
  })

  class Answer implements SlowAnswer {
    taken = 0
    rearmed = 0
    isCut = false
    constructor(bytes: number, film = 'film') {
      slow.add(this, bytes, film)
    }
    rearm(): void {
      this.rearmed += 1
    }
    cut(): void {
      this.isCut = true
      slow.remove(this)
    }
  }

  test('one that is blocked is rearmed, and cut after the limit of streams', async () => {
    const answer = new Answer(1000)
    slow.block(answer)
    await clock.advance(SILENT_MS - 4000)
    assert.ok(answer.rearmed > 100, `${answer.rearmed}`)
    assert.equal(answer.isCut, false)
    await clock.advance(8000)
    assert.deepEqual([answer.isCut, slow.bytes, clock.pending], [true, 0, 0])
  })

  test('one that goes on is no longer watched', async () => {
    const answer = new Answer(1000)
    slow.block(answer)
    slow.unblock(answer)
    await clock.advance(2 * SILENT_MS)
    assert.deepEqual([answer.rearmed, answer.isCut], [0, false])
  })

  test('where there is no room those go that have taken nothing for 10 s, the longest first, and no more than needed', async () => {
    const [first, second, third] = [new Answer(4096 * KIB), new Answer(3072 * KIB), new Answer(3072 * KIB)]
    slow.block(second)
    await clock.advance(5000)
    slow.block(first)
    slow.block(third)
    assert.equal(slow.makeRoom(KIB, 'other'), false, 'none is idle yet')
    await clock.advance(6000)
    // The others have taken a step since.
    for (const going of [first, third]) {
      going.taken = 256 * KIB
      slow.block(going)
    }
    assert.equal(slow.makeRoom(3072 * KIB, 'other'), true)
    assert.deepEqual([first.isCut, second.isCut, third.isCut], [false, true, false])
    assert.equal(slow.bytes, 7168 * KIB)
  })

  test('none is cut in vain', async () => {
    const [going, idle] = [new Answer(8192 * KIB), new Answer(2048 * KIB)]
    await clock.advance(11_000)
    going.taken = 512 * KIB
    slow.block(going)
    assert.equal(slow.makeRoom(4096 * KIB, 'film'), false)
    assert.equal(idle.isCut, false)
    assert.equal(slow.makeRoom(2048 * KIB, 'film'), true)
    assert.equal(idle.isCut, true)
  })

  test('a client that trickles does not hold its place', async () => {
    const trickling = new Answer(BUDGET)
    for (let second = 0; second < 12; second += 1) {
      trickling.taken += 1000
      slow.block(trickling)
      await clock.advance(1000)
    }
    assert.equal(slow.makeRoom(KIB, 'other'), true)
    assert.equal(trickling.isCut, true)
  })

  test('clients that trickle fast enough to be no idle ones do not hold their places', async () => {
    const trickling = [new Answer(BUDGET / 4, 'a'), new Answer(BUDGET / 4, 'b')]
    const honest = new Answer(BUDGET / 2, 'c')
    for (let ms = 0; ms < 40_000; ms += 10_000) {
      // Beyond its own share, so that nothing else is taken from others for it.
      assert.equal(slow.makeRoom(KIB, 'c'), ms >= 30_000, `after ${ms} ms`)
      await clock.advance(9000)
      honest.taken += 10 * 256 * KIB
      for (const answer of trickling) answer.taken += 300 * KIB
      for (const answer of [honest, ...trickling]) slow.block(answer)
      await clock.advance(1000)
    }
    assert.equal(trickling.filter(({ isCut }) => isCut).length, 1)
    assert.equal(honest.isCut, false)
  })

  test('what one has beyond its share is given to others, however fast it is taken', async () => {
    const film = [3, 3, 3].map(mib => new Answer(mib * 1024 * KIB))
    const take = async (): Promise<void> => {
      for (const answer of film) answer.taken += 5000 * KIB
      for (const answer of film) slow.block(answer)
      await clock.advance(5000)
    }
    await take()
    assert.equal(slow.makeRoom(3072 * KIB, 'other'), false, 'they have just begun')
    await take()
    assert.equal(slow.makeRoom(3072 * KIB, 'film'), false, 'no more for itself')
    assert.equal(slow.makeRoom(3072 * KIB, 'other'), true)
    assert.deepEqual(
      film.map(({ isCut }) => isCut),
      [false, false, true],
    )
  })

  test('a film that begins again and again does not take the room that others wait for', async () => {
    let film = [new Answer(BUDGET / 2), new Answer(BUDGET / 2)]
    assert.equal(slow.makeRoom(KIB, 'other'), false)
    for (const answer of film) slow.remove(answer)
    film = [new Answer(BUDGET / 2)]
    assert.equal(slow.makeRoom(BUDGET / 2, 'film'), false, 'another has asked')
    assert.equal(slow.makeRoom(BUDGET / 2, 'other'), true)
    await clock.advance(10_000)
    assert.equal(slow.makeRoom(BUDGET / 2, 'film'), true, 'none asks any more')
    assert.equal(film[0]?.isCut, false)
  })

  for (const [seconds, within] of [
    [12, 14],
    [150, 32],
  ] as const)
    test(`two that take a long answer in ${seconds} s each, and begin again and again, do not keep a third one out`, async () => {
      slow = new SlowReaders(new StreamSchedule(clock, SILENT_MS), clock, REAL_BUDGET)
      const long = 48 * 1024 * KIB
      const running = new Map<string, Answer>()
      const has = (holder: string): boolean => running.get(holder)?.isCut === false
      const ask = (holder: string): void => {
        if (!has(holder) && slow.makeRoom(long, holder)) running.set(holder, new Answer(long, holder))
      }
      const waits: number[] = []
      let since = 0
      for (let second = 0; second < 300; second += 1) {
        // Those who keep others out ask first, and more often.
        for (const holder of ['a', 'b']) ask(holder)
        if (second % 2 === 0 && !has('c')) {
          ask('c')
          if (has('c')) waits.push(second - since)
        }
        for (const [holder, answer] of running) {
          if (answer.isCut) continue
          answer.taken += long / (holder === 'c' ? 12 : seconds)
          slow.block(answer)
          if (answer.taken < long) continue
          slow.remove(answer)
          running.delete(holder)
          if (holder === 'c') since = second
        }
        await clock.advance(1000)
      }
      assert.ok(waits.length >= 6, `${waits.length} answers: ${waits.join(' ')}`)
      assert.ok(Math.max(...waits) <= within, waits.join(' '))
    })

  test('the first answer of each, longer than a share, has half a minute', async () => {
    const [first, second] = [new Answer(BUDGET / 2, 'a'), new Answer(BUDGET / 2, 'b')]
    const take = async (): Promise<void> => {
      for (const answer of [first, second]) {
        answer.taken += 5000 * KIB
        slow.block(answer)
      }
      await clock.advance(7000)
    }
    for (let time = 0; time < 5; time += 1) {
      assert.equal(slow.makeRoom(BUDGET / 2, 'c'), false, `after ${time * 7} s`)
      assert.equal(slow.makeRoom(BUDGET / 2, 'd'), false, 'behind the one who asked first')
      assert.equal(slow.makeRoom(KIB, 'e'), false, 'that one too')
      await take()
    }
    assert.equal(slow.makeRoom(BUDGET / 2, 'd'), false, 'behind the one who asked first')
    assert.equal(slow.makeRoom(BUDGET / 2, 'c'), true)
    assert.deepEqual([first.isCut, second.isCut], [false, true])
  })

  test('who has little is served beside many', async () => {
    const all = Array.from({ length: 10 }, (_, at) => new Answer(BUDGET / 10, `${at}`))
    assert.equal(slow.makeRoom(BUDGET / 10, 'last'), false)
    for (let time = 0; time < 4; time += 1) {
      for (const answer of all) {
        answer.taken += 3000 * KIB
        slow.block(answer)
      }
      await clock.advance(9000)
    }
    // A share is an eighth at least: nobody has more.
    assert.equal(slow.makeRoom(BUDGET / 10, 'last'), false)
    slow.remove(all[3] as Answer)
    assert.equal(slow.makeRoom(BUDGET / 10, 'last'), true)
    assert.ok(all.every(({ isCut }) => !isCut))
  })

  test('all end together', () => {
    const answers = [new Answer(1), new Answer(2)]
    slow.cutAll()
    assert.ok(answers.every(({ isCut }) => isCut))
    assert.equal(slow.bytes, 0)
  })
})

// Long answers to players that pause: they stay while there is room, and those that take nothing go first.

import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { type SlowAnswer, SlowReaders } from '../../../../src/http/uws/slow-readers.ts'
import { StreamSchedule } from '../../../../src/http/uws/stream-schedule.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

const KIB = 1024
const BUDGET = 10 * 1024 * KIB
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
    const trickling = [new Answer(BUDGET / 2, 'a'), new Answer(BUDGET / 2, 'b')]
    const honest = new Answer(0, 'c')
    for (let ms = 0; ms < 40_000; ms += 10_000) {
      assert.equal(slow.makeRoom(KIB, 'd'), ms >= 30_000, `after ${ms} ms`)
      await clock.advance(9000)
      honest.taken += 10 * 256 * KIB
      for (const answer of trickling) answer.taken += 300 * KIB
      for (const answer of [honest, ...trickling]) slow.block(answer)
      await clock.advance(1000)
    }
    assert.equal(trickling.filter(({ isCut }) => isCut).length, 1)
    assert.equal(honest.isCut, false)
  })

  test('what one film has beyond its half is given to others, however fast it is taken', async () => {
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

  test('all end together', () => {
    const answers = [new Answer(1), new Answer(2)]
    slow.cutAll()
    assert.ok(answers.every(({ isCut }) => isCut))
    assert.equal(slow.bytes, 0)
  })
})

// Who makes way for whom: films that run short before all others, as far as that helps.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type InfoHash, parseInfoHash } from '../../../../src/base/ids.ts'
import { StreamTurns } from '../../../../src/torrent/session/stream-turns.ts'

const hash = (digit: string): InfoHash => parseInfoHash(digit.repeat(40)) ?? assert.fail()
const [film, second, other, another] = [hash('1'), hash('2'), hash('3'), hash('4')]
const NEED = 100

/**
 * Tells every quarter of a second, and asks for another one, which comes to rest at once; answers when that may go on.
 */
function run(turns: StreamTurns, fromMs: number, toMs: number, levelSec: number, rate: number, othersRate = 1000) {
  for (let nowMs = fromMs; nowMs < toMs; nowMs += 250) {
    turns.tell(film, { levelSec, need: NEED, rate }, nowMs)
    if (!turns.makesWay(other, nowMs === fromMs ? othersRate : 0, nowMs)) return nowMs
  }
  return null
}

test('a film with less than 15 seconds ahead is first, until it has 25', () => {
  const turns = new StreamTurns()
  const waits = (levelSec: number, nowMs: number): boolean => {
    turns.tell(film, { levelSec, need: NEED, rate: 1000 }, nowMs)
    assert.equal(turns.active, turns.makesWay(other, 0, nowMs))
    return turns.active
  }
  assert.deepEqual(
    [15, 14.9, 20, 24.9, 25, 15, 0, Number.POSITIVE_INFINITY].map((levelSec, i) => waits(levelSec, i * 250)),
    [false, true, true, true, false, false, true, false],
  )
  waits(0, 3000)
  turns.tell(film, null, 3250)
  assert.equal(turns.active, false, 'its readers are gone')
})

test('of two films the one with less ahead is first; that they differ by five seconds is no matter', () => {
  const turns = new StreamTurns()
  const tell = (who: InfoHash, levelSec: number): void => turns.tell(who, { levelSec, need: NEED, rate: 1000 }, 0)
  tell(film, 3)
  tell(second, 8)
  assert.deepEqual(
    [film, second, other].map(who => turns.makesWay(who, 0, 0)),
    [false, false, true],
  )
  tell(second, 9)
  assert.deepEqual(
    [film, second, other].map(who => turns.makesWay(who, 0, 0)),
    [false, true, true],
  )
  assert.deepEqual(
    [film, second, other].map(who => turns.waits(who, 0)),
    [false, true, true],
  )
  tell(second, Number.POSITIVE_INFINITY)
  assert.equal(turns.makesWay(second, 0, 0), true, 'its window is full')
})

test('where it gains what the others lose it stays first', () => {
  const turns = new StreamTurns()
  assert.equal(run(turns, 0, 1000, 5, 50), null)
  assert.equal(run(turns, 1000, 120_000, 5, 50 + 250), null)
  // Its peers leave.
  assert.equal(run(turns, 120_000, 125_000, 5, 50 + 249), 122_000)
})

test('where it gains little of that, the others go on, and it is tried again after 30 s, 60 s and so on', () => {
  const turns = new StreamTurns()
  const goesOn = run(turns, 0, 20_000, 0, 50)
  assert.equal(goesOn, 6000)
  const tries: number[] = []
  let waited = false
  for (let nowMs = 6000; nowMs < 1_000_000; nowMs += 250) {
    turns.tell(film, { levelSec: 0, need: NEED, rate: 50 }, nowMs)
    const waits = turns.makesWay(other, waited ? 0 : 1000, nowMs)
    if (waits && !waited) tries.push(nowMs)
    waited = waits
  }
  assert.deepEqual(tries, [36_000, 102_000, 228_000, 474_000, 780_000])
  // Fed in between: what was seen before does not count.
  turns.tell(film, { levelSec: 25, need: NEED, rate: 50 }, 1_000_000)
  turns.tell(film, { levelSec: 5, need: NEED, rate: 50 }, 1_000_250)
  assert.equal(turns.makesWay(other, 1000, 1_000_250), true)
})

test('it is judged when the others have come to rest, and after half a minute in any case', () => {
  for (const [left, untilMs] of [
    [251, 30_000],
    [250, 6000],
  ] as const) {
    const turns = new StreamTurns()
    let goesOnMs = -1
    for (let nowMs = 0; goesOnMs < 0; nowMs += 250) {
      turns.tell(film, { levelSec: 0, need: NEED, rate: 50 }, nowMs)
      if (!turns.makesWay(other, nowMs === 0 ? 1000 : left, nowMs)) goesOnMs = nowMs
    }
    assert.equal(goesOnMs, untilMs)
  }
})

test('while nobody has to stop for it, nothing is judged', () => {
  const turns = new StreamTurns()
  for (let nowMs = 0; nowMs < 60_000; nowMs += 250) turns.tell(film, { levelSec: 5, need: NEED, rate: 1 }, nowMs)
  assert.equal(turns.makesWay(other, 1000, 60_000), true)
})

test('others that had nothing yet wait for a film that is quick enough, and for no other', () => {
  assert.equal(run(new StreamTurns(), 0, 60_000, 5, NEED, 0), null)
  assert.equal(run(new StreamTurns(), 0, 60_000, 5, NEED - 1, 0), 6000)
})

test('short again within seconds: what the film gained before counts, not the rate it had at its best', () => {
  const turns = new StreamTurns()
  assert.equal(run(turns, 0, 10_000, 5, 50), 6000)
  const again = new StreamTurns()
  assert.equal(run(again, 0, 2000, 5, 50), null)
  assert.equal(run(again, 2000, 20_000, 5, 300), null)
  assert.equal(run(again, 20_000, 20_250, 25, 300), 20_000)
  assert.equal(run(again, 20_250, 60_000, 5, 300, 10), null)
})

test('each other one counts once; and films of which nothing is heard do not', () => {
  const turns = new StreamTurns()
  turns.tell(film, { levelSec: 0, need: NEED, rate: 0 }, 0)
  for (let i = 0; i < 10; i += 1) for (const who of [other, another]) turns.makesWay(who, i === 0 ? 100 : 0, i)
  turns.tell(film, { levelSec: 0, need: NEED, rate: 50 }, 6000)
  assert.equal(turns.makesWay(other, 0, 6000), true, 'a quarter of 200')
  turns.tell(film, { levelSec: 0, need: NEED, rate: 49 }, 6250)
  turns.tell(film, { levelSec: 0, need: NEED, rate: 49 }, 8000)
  assert.equal(turns.makesWay(other, 0, 8000), true, 'not for long enough')
  turns.tell(film, { levelSec: 0, need: NEED, rate: 49 }, 8250)
  assert.equal(turns.makesWay(other, 0, 8250), false)
  const silent = new StreamTurns()
  silent.tell(film, { levelSec: 0, need: NEED, rate: 50 }, 0)
  assert.equal(silent.makesWay(other, 100, 5000), true)
  assert.equal(silent.makesWay(other, 100, 5001), false)
})

/** One that comes for five seconds, leaves and comes again half a second later; how long the other had to stand, ms. */
function comesAndGoes(turns: StreamTurns, told: (nowMs: number) => { rate: number; frontier?: number }): number {
  let stood = 0
  for (let nowMs = 0; nowMs < 60_000; nowMs += 250) {
    const isHere = nowMs % 5500 < 5000
    turns.tell(film, isHere ? { levelSec: 0, need: NEED, ...told(nowMs) } : null, nowMs)
    if (turns.makesWay(other, nowMs < 250 ? 1000 : 0, nowMs)) stood += 250
  }
  return stood
}

test('who comes and goes is judged as if it had stayed', () => {
  const stood = comesAndGoes(new StreamTurns(), () => ({ rate: 50 }))
  assert.ok(stood > 0 && stood < 30_000, `${stood} ms`)
  assert.ok(comesAndGoes(new StreamTurns(), nowMs => ({ rate: nowMs < 1000 ? 50 : 400 })) > 50_000, 'it gains')
})

test('one whose readers wait at one place is in vain, whatever comes in for its torrent', () => {
  const stood = comesAndGoes(new StreamTurns(), () => ({ rate: 5000, frontier: 7 }))
  assert.ok(stood > 0 && stood < 30_000, `${stood} ms`)
  const turns = new StreamTurns()
  let goesOnMs = -1
  for (let nowMs = 0; goesOnMs < 0 && nowMs < 60_000; nowMs += 250) {
    turns.tell(film, { levelSec: 0, need: NEED, rate: 5000, frontier: nowMs < 10_000 ? nowMs : 10_000 }, nowMs)
    if (!turns.makesWay(other, 0, nowMs)) goesOnMs = nowMs
  }
  assert.ok(goesOnMs >= 25_000 && goesOnMs < 30_000, `${goesOnMs} ms`)
})

test('while nobody plays nobody waits, and what was found out stays', () => {
  const turns = new StreamTurns()
  assert.equal(run(turns, 0, 20_000, 0, 50), 6000)
  turns.tell(film, { levelSec: null, need: NEED, rate: 50 }, 6250)
  turns.tell(film, { levelSec: 0, need: NEED, rate: 50 }, 12_000)
  assert.equal(turns.makesWay(other, 1000, 12_000), false)
  turns.tell(film, { levelSec: 0, need: NEED, rate: 50 }, 36_250)
  assert.equal(turns.makesWay(other, 1000, 36_250), true)
  assert.equal(turns.waits(other, 42_000), false, 'nothing is heard of it')
})

test('a film that the line is not enough for: from the tenth minute on a quarter of the time is that of others', () => {
  const turns = new StreamTurns()
  const stood: number[] = []
  for (let nowMs = 0; nowMs < 3_600_000; nowMs += 250) {
    const minute = Math.floor(nowMs / 60_000)
    // Another reader, another place, and a moment in which it has enough: it is the time that counts.
    const levelSec = nowMs % 10_000 === 0 ? Number.POSITIVE_INFINITY : 3
    turns.tell(film, { levelSec, need: 800, rate: 900, frontier: nowMs }, nowMs)
    stood[minute] = (stood[minute] ?? 0) + (turns.makesWay(other, 0, nowMs) ? 0.25 : 0)
  }
  assert.ok(
    stood.slice(0, 9).every(seconds => seconds > 55),
    `${stood}`,
  )
  const later = stood.slice(15).reduce((sum, seconds) => sum + seconds, 0) / 45
  assert.ok(later > 40 && later <= 46, `${later} s of a minute: ${stood}`)
  turns.tell(film, { levelSec: 25, need: 800, rate: 900 }, 3_600_000)
  turns.tell(film, { levelSec: 25, need: 800, rate: 900 }, 3_900_000)
  let held = 0
  for (let nowMs = 3_900_000; nowMs < 4_200_000; nowMs += 250) {
    turns.tell(film, { levelSec: 3, need: 800, rate: 900, frontier: nowMs }, nowMs)
    if (turns.makesWay(other, 0, nowMs)) held += 0.25
  }
  assert.ok(held > 295, `fed for five minutes, it is first again: ${held} s`)
})

test('after a turn of the others what the film gains is seen afresh', () => {
  const turns = new StreamTurns()
  let [waited, stood, lastMs] = [false, 0, 0]
  for (let nowMs = 0; nowMs < 1_800_000; nowMs += 250) {
    // What comes in is the film's while the others stand, and theirs in a turn: it takes two seconds to show.
    const isFirst = waited && nowMs - lastMs >= 2000
    turns.tell(film, { levelSec: 3, need: 1000, rate: isFirst ? 900 : 50, frontier: nowMs }, nowMs)
    const waits = turns.makesWay(other, isFirst ? 0 : 900, nowMs)
    if (waits !== waited) lastMs = nowMs
    waited = waits
    if (waits && nowMs >= 900_000) stood += 0.25
  }
  assert.ok(stood > 0.7 * 900 && stood < 0.77 * 900, `${stood} of 900 s`)
})

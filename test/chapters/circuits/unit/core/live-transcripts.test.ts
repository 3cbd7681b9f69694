// Live sessions with py-ipv8 (test/vectors/ipv8-live), played to the node again: it gets what it got, and must do what
// it did, byte for byte and in the same order. What py-ipv8 sent is thus read by us, and what we send now is what
// py-ipv8 understood.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { DrawnRandom, type Draws } from '../../../../kit/sim/drawn-random.ts'
import { projectRoot } from '../../../../kit/project-root.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { type Entry, HAPPENS, Session } from '../../kit/session.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const folder = join(projectRoot, 'test/vectors/ipv8-live/circuits')

interface Transcript {
  readonly community: string
  readonly privateKey: string
  readonly flags: number
  readonly ownPort: number
  readonly wallMs: number
  readonly draws: Draws
  readonly entries: readonly Entry[]
}

function read(name: string): Transcript {
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as Transcript
}

const AGAIN = 'if what is sent is meant to be another now, record again: make live-transcripts'

/** What the node does when what happened happens again, after each thing that happens. */
async function play({ entries, draws, wallMs, ...params }: Transcript): Promise<{ session: Session; done: Entry[] }> {
  const done: Entry[] = []
  const random = new DrawnRandom(structuredClone(draws), new SeededRandom(1))
  const clock = new VirtualClock(wallMs)
  const session = new Session({ ...params, clock, random, did: entry => done.push(entry) })
  for (const entry of entries) if (HAPPENS.has(entry[0])) await session.apply(entry)
  return { session, done }
}

describe('live sessions with py-ipv8', () => {
  for (const name of readdirSync(folder).filter(file => file.endsWith('.json')))
    it(`are played again: ${name}`, async () => {
      const transcript = read(name)
      const { session, done } = await play(transcript)
      const expected = transcript.entries.filter(([kind]) => !HAPPENS.has(kind))
      assert.ok(expected.some(([kind]) => kind === 'o'))
      for (const [position, entry] of expected.entries())
        assert.deepEqual(done[position], entry, `${entry[0]} at ${position}; ${AGAIN}`)
      assert.equal(done.length, expected.length)
      session.stop()
    })
})

describe('live sessions whose packets are spoilt on the way', () => {
  const spoil: Record<string, (packet: Buffer, random: SeededRandom) => readonly Buffer[]> = {
    'a bit is wrong': (packet, random) => [flipped(packet, random.below(packet.length), 1 << random.below(8))],
    'the end is missing': (packet, random) => [packet.subarray(0, 23 + random.below(packet.length - 23))],
    'each comes twice': packet => [packet, packet],
    'something is added': (packet, random) => [Buffer.concat([packet, random.bytes(1 + random.below(2_000))])],
  }
  for (const [what, change] of Object.entries(spoil))
    for (const name of ['originator-3.json', 'hidden-seeder-2.json', 'hidden-downloader-2.json', 'points-2.json'])
      it(`${what}: nothing is thrown, and no other data comes out: ${name}`, async () => {
        const transcript = read(name)
        const random = new SeededRandom(name.length)
        const entries = transcript.entries.flatMap((entry): Entry[] => {
          if (entry[0] !== 'i' || random.below(4) > 0) return [entry]
          return change(Buffer.from(String(entry[2]), 'hex'), random).map(bytes => [
            'i',
            entry[1] ?? 0,
            bytes.toString('hex'),
          ])
        })
        const { session, done } = await play({ ...transcript, entries })
        const heard = (list: readonly Entry[]): unknown[] =>
          list.filter(([kind]) => kind === 'r').map(entry => entry[1])
        const right = heard(transcript.entries)
        const got = heard(done)
        assert.ok(got.every(data => right.includes(data)))
        assert.equal(new Set(got).size, got.length, 'nothing comes out twice')
        session.stop()
      })
})

function flipped(packet: Buffer, position: number, bit: number): Buffer {
  const copy = Buffer.from(packet)
  copy[position] = (copy[position] ?? 0) ^ bit
  return copy
}

// Who runs how often: everybody once, then we and the two best rivals of the case again, taking turns, so that what the
// machine does meanwhile meets all alike.

import { watchOthers } from './other-work.ts'
import { type CaseResult, type ClientResult, type Figures, type Metric, OURS, rivalsByRank } from './samples.ts'

/** One client's way to do the case once. */
export interface Turn {
  readonly client: string
  run(): Promise<Figures>
}

export interface Rounds {
  readonly rounds: number
  /** All rivals get all rounds, but for those that need very long. */
  readonly everyone: boolean
  /** Hears of each case after each of its rounds: what was measured is not lost when something fails later. */
  readonly heard?: (found: CaseResult) => void
}

const BEST = 2
/** Who needs longer for a run, starts and comparing of bytes counted, and is none of the best, runs once. */
const LONG_MS = 25_000

interface Standing {
  readonly turn: Turn
  readonly runs: Figures[]
  readonly rounds: number[]
  failed: boolean
  /** Its longest run, ms. */
  longestMs: number
}

async function take(standing: Standing, round: number, id: string, failures: string[]): Promise<void> {
  const others = watchOthers()
  const begin = performance.now()
  try {
    const figures = await standing.turn.run()
    standing.runs.push({ ...figures, 'busy elsewhere': others() })
    standing.rounds.push(round)
  } catch (error) {
    standing.failed = true
    const text = error instanceof Error ? error.message : String(error)
    failures.push(`FAILED ${id}: ${standing.turn.client}: ${text.slice(0, 600)}`)
  }
  standing.longestMs = Math.max(standing.longestMs, performance.now() - begin)
}

function resultOf(id: string, primary: Metric, all: readonly Standing[]): CaseResult {
  const results = all.map(
    (each): ClientResult => ({
      client: each.turn.client,
      runs: [...each.runs],
      rounds: [...each.rounds],
    }),
  )
  return { id, primary, results }
}

/** Runs a case. What fails is written to `failures` and does not run again; `longMs`: who needs longer runs once. */
export async function takeTurns(
  id: string,
  primary: Metric,
  turns: readonly Turn[],
  how: Rounds,
  failures: string[],
  longMs = LONG_MS,
): Promise<CaseResult> {
  const all = turns.map((turn): Standing => ({ turn, runs: [], rounds: [], failed: false, longestMs: 0 }))
  for (let round = 0; round < how.rounds; round++) {
    const best = rivalsByRank(resultOf(id, primary, all)).slice(0, BEST)
    const plays = ({ turn, longestMs }: Standing) =>
      round === 0 ||
      (how.everyone && longestMs < longMs) ||
      turn.client === OURS ||
      best.some(each => each.client === turn.client)
    const playing = all.filter(each => !each.failed && plays(each))
    // Another one begins each round.
    const first = round % Math.max(1, playing.length)
    for (const each of [...playing.slice(first), ...playing.slice(0, first)]) await take(each, round, id, failures)
    how.heard?.(resultOf(id, primary, all))
  }
  const result = resultOf(id, primary, all)
  const mine = all.find(each => each.turn.client === OURS)?.runs.at(-1)
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${id}: ${JSON.stringify(mine ?? {})}\n`)
  return result
}

// Long work on hostile bytes in short steps: a generator that yields every few milliseconds, run in one go or a turn of
// the event loop for each step, so that a huge torrent does not hold up everything else. Knows no clock and no loop.

/** Work in steps; its return value is the result. */
export type Steps<T> = Generator<void, T>

/** Bytes copied in one step: half a millisecond, most of it for memory that is touched first. */
const COPIED_A_STEP = 1024 * 1024

/** Runs all steps now. Throws what they throw. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Runs the steps with `turn` awaited between them. Rejects with what they throw. */
export async function runStepsInTurns<T>(steps: Steps<T>, turn: () => Promise<unknown>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await turn()
  }
}

/** Copies `from` to byte `at` of `to`; steps where it is long. */
export function* copyInSteps(from: Uint8Array, to: Uint8Array, at: number): Steps<void> {
  for (let begin = 0; begin < from.length; begin += COPIED_A_STEP) {
    if (begin > 0) yield
    to.set(from.subarray(begin, begin + COPIED_A_STEP), at + begin)
  }
}

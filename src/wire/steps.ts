// Long work on hostile bytes in short steps: a generator that yields every few milliseconds, run in one go or a turn of the
// event loop for each step, so that a huge torrent does not hold up everything else. Knows no clock and no loop.

/** Work in steps; its return value is the result. */
export type Steps<T> = Generator<void, T>

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

// The room V8 leaves between two collections of all that has lived for a while. It lets that grow to several times of
// what is alive: thousands of torrents that wake for some seconds and rest again would leave hundreds of MiB of the
// dead, and what lives on lies between them, so that little of the room is given back later (decision 0482). Not a
// limit: without the hold V8 sizes it as ever.

import { setFlagsFromString } from 'node:v8'

/** How far it may grow while it is held, percent of what is alive. */
const HELD_GROWTH = 20

/** Keeps that room small until the function returned is called. Of all threads; from the next collection on. */
export function holdOldSpace(): () => void {
  setFlagsFromString(`--heap-growing-percent=${HELD_GROWTH}`)
  return () => setFlagsFromString('--heap-growing-percent=0')
}

/** Holds it while told that there is a crowd: for SessionDeps.crowdChanged. */
export function oldSpaceInCrowds(): (crowded: boolean) => void {
  let release = (): void => undefined
  return crowded => {
    release()
    release = crowded ? holdOldSpace() : () => undefined
  }
}

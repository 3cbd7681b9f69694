// Holds the size of V8's space for new objects. V8 doubles it, up to 32 MiB, while many of them survive, as all do that
// a start loads, and gives the memory back only at a full collection much later. While it is held, survivors just move
// to the old space. Not a limit: without the hold V8 sizes it as ever.

import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the room as it is until the function returned is called. Of all threads, and until another begins: V8 then sets
 * its factor again, so a thread that starts meanwhile ends the hold, which costs only memory (decision 0232).
 */
export function holdYoungGeneration(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1')
  return () => setFlagsFromString('--semi-space-growth-factor=2')
}

// The room V8 takes for new objects. It doubles that, up to 32 MiB, while much of what is made survives, as everything
// does that a start loads; and gives it back only when much later it collects all. Held, what survives just moves on.
// Not a limit: without the hold V8 sizes it as ever.

import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the room as it is until the function returned is called. Of all threads, and until another begins: V8 then sets
 * its factor again, so a thread that starts meanwhile ends the hold, which costs only memory (decision 0232).
 */
export function holdYoungGeneration(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1')
  return () => setFlagsFromString('--semi-space-growth-factor=2')
}

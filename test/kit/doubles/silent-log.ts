// A log that keeps nothing.

import type { Log } from '../../../src/ports/log.ts'

/** Takes everything, says nothing; its parts are itself. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  part: () => silentLog,
}

// Child of state-directory.test: opens the directory, says how it went, and stays until it is killed.

import { writeSync } from 'node:fs'
import { AppError } from '../../../src/base/errors.ts'
import { StateDirectory } from '../../../src/node/state/state-directory.ts'

try {
  StateDirectory.open(process.argv[2] ?? '')
  writeSync(1, 'held\n')
} catch (error) {
  writeSync(1, `${error instanceof AppError ? error.code : String(error)}\n`)
}
setInterval(() => undefined, 60_000)

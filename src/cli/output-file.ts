// Writes what a command got: to standard output, or to a file that is not there yet.

import { writeFileSync } from 'node:fs'
import { errorText } from '../base/errors.ts'
import { CommandError } from './node-client.ts'

/** `-` is standard output. CommandError when the file is there, or cannot be written. */
export async function writeOutput(path: string, bytes: Buffer): Promise<void> {
  if (path === '-') {
    await new Promise<void>(resolve => process.stdout.write(bytes, () => resolve()))
    return
  }
  try {
    writeFileSync(path, bytes, { flag: 'wx' })
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${errorText(error)}`)
  }
}

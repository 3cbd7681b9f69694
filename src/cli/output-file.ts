// Writes what a command got: to standard output, or to a file that is not there yet.

import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { errorText } from '../base/errors.ts'
import { CommandError } from './node-client.ts'

/** A terminal takes some of these bytes for commands. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const BINARY = /[\u0000-\u0008\u000e-\u001f]/

/**
 * `-` is standard output. CommandError when the file is there or cannot be written, and when bytes that are no text
 * would go to a terminal.
 */
export async function writeOutput(path: string, bytes: Buffer): Promise<void> {
  if (path === '-' && process.stdout.isTTY && BINARY.test(bytes.subarray(0, 65_536).toString('latin1'))) {
    throw new CommandError('That is no text for a terminal: give a file with --output, or send it into one.')
  }
  if (path === '-') {
    await new Promise<void>(resolve => process.stdout.write(bytes, () => resolve()))
    return
  }
  let made = false
  try {
    const file = openSync(path, 'wx')
    made = true
    try {
      writeFileSync(file, bytes)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    // A part of it is of no use; what was there before us is not ours.
    if (made) rmSync(path, { force: true })
    throw new CommandError(`${path} cannot be written: ${errorText(error)}`)
  }
}

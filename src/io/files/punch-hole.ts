// Bytes of a file, given back to the disk by the machine code of src/native, where that is there: Node has no call for
// it (decision 0546).

import { createRequire } from 'node:module'
import { nativePart } from '../native-part.ts'

/** What of the machine code is used here. */
interface HoleCode {
  /** False: it cannot be done here. Throws RangeError for what is no part of a file. */
  punchHole(fd: number, position: number, length: number): Promise<boolean>
}

/**
 * Gives `length` bytes (at least 1) at `position` of a file that is open for writing back to the disk: the file is as
 * long as before, and reads as zeros there. False: the file system, the system or this program cannot, and nothing was
 * changed. Rejects with what the disk said.
 */
export async function punchHole(
  fd: number,
  position: number,
  length: number,
  load: () => HoleCode = loadHoleCode,
): Promise<boolean> {
  let code: HoleCode
  try {
    code = load()
  } catch {
    return false
  }
  return code.punchHole(fd, position, length)
}

function loadHoleCode(): HoleCode {
  return createRequire(import.meta.url)(nativePart) as HoleCode
}

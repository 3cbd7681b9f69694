// What a database thread does when a start is over: the pages of a long list have left memory behind that nobody uses
// again, and V8 would not look at the heap of a thread that has little to do for a long time.

import { createRequire } from 'node:module'
import { dropPackingRoom } from './packer.ts'

/** What of the machine code is used here. */
interface CollectingCode {
  /** Begins a collection of this thread's garbage. */
  collectSoon(): void
}

/** Lets go of what only much work needs. `machineCode`: the file of src/native, if it is there. Never throws. */
export function restThread(machineCode: string): void {
  dropPackingRoom()
  try {
    const code = createRequire(import.meta.url)(machineCode) as CollectingCode
    code.collectSoon()
  } catch {
    // Without it V8 collects when it has to.
  }
}

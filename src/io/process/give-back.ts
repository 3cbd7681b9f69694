// Memory that a start has used, back to the system, where the machine code of src/native is there.

import { createRequire } from 'node:module'
import { nativePart } from '../native-part.ts'

/** What of the machine code is used here. */
interface MemoryCode {
  /** Bytes that the process held less in memory afterwards; may be negative, others work meanwhile. */
  giveBack(): Promise<number> | number
}

/**
 * Gives the system free memory that the allocator keeps, and pages of programs and libraries that are the same in their
 * files. Another thread does it. Never rejects; null: not here.
 */
export async function giveBackMemory(load = loadMemoryCode): Promise<number | null> {
  try {
    return (await load().giveBack()) ?? null
  } catch {
    return null
  }
}

function loadMemoryCode(): MemoryCode {
  return createRequire(import.meta.url)(nativePart) as MemoryCode
}

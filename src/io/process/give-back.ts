// Memory that a start has used, back to the system, where the machine code of src/native is there.

import { createRequire } from 'node:module'
import { nativePart } from '../native-part.ts'

/** What of the machine code is used here. */
interface MemoryCode {
  /** Bytes that the process held less in memory afterwards; may be negative, others work meanwhile. */
  giveBack(): Promise<number> | number
  /** Begins a collection of the calling thread's garbage, in small steps. */
  collectSoon(): void
}

/**
 * Gives the system free memory that the allocator keeps, and pages of programs and libraries that are the same in their
 * files. Another thread does it. Never rejects; null: not here.
 */
export async function giveBackMemory(
  load: () => Pick<MemoryCode, 'giveBack'> = loadMemoryCode,
): Promise<number | null> {
  try {
    return (await load().giveBack()) ?? null
  } catch {
    return null
  }
}

/**
 * V8 begins to collect this thread's garbage, in small steps beside other work; by itself it does when much new memory
 * has been asked for, or the thread has been still for half a minute. Never throws; false: not here.
 */
export function collectSoon(load: () => Pick<MemoryCode, 'collectSoon'> = loadMemoryCode): boolean {
  try {
    load().collectSoon()
    return true
  } catch {
    return false
  }
}

function loadMemoryCode(): MemoryCode {
  return createRequire(import.meta.url)(nativePart) as MemoryCode
}

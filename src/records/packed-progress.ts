// Progress on its way between the main thread and the database thread: what is there once a file or a piece travels as
// runs of numbers, not as that many objects, which cost a tenth of a second of the main loop for a torrent of 200,000
// files.

import type { FileFacts } from '../ports/piece-store.ts'
import type { ResumeData } from '../ports/progress-journal.ts'
import type { Steps } from '../wire/steps.ts'

/**
 * Bytes of one file: size and time as float64, number as uint32, whether it is there as uint32. Machine order: both
 * ends are one machine.
 */
export const FACT_BYTES = 24
/** Files made in one step. */
const FACTS_A_STEP = 4096

/** Facts of files as bytes. */
export type PackedFacts = Uint8Array

/** ResumeData as it travels; `suspect` has 4 bytes a piece. */
export interface PackedResume {
  readonly have: Uint8Array
  readonly suspect: Uint8Array
  readonly files: PackedFacts
  readonly newestMs: number
}

/** The facts as bytes; at once, so that jobs keep the order of their calls. */
export function packFacts(files: readonly FileFacts[]): PackedFacts {
  const bytes = new Uint8Array(files.length * FACT_BYTES)
  const numbers = new Float64Array(bytes.buffer)
  const words = new Uint32Array(bytes.buffer)
  for (let at = 0; at < files.length; at++) {
    const { index, exists, sizeBytes, mtimeMs } = files[at] as FileFacts
    numbers[at * 3] = sizeBytes
    numbers[at * 3 + 1] = mtimeMs
    words[at * 6 + 4] = index
    words[at * 6 + 5] = exists ? 1 : 0
  }
  return bytes
}

/** The other way round; in steps. */
export function* unpackFacts(packed: PackedFacts): Steps<FileFacts[]> {
  // Memory of its own begins where numbers may begin.
  const { buffer } = new Uint8Array(packed)
  const numbers = new Float64Array(buffer)
  const words = new Uint32Array(buffer)
  const files: FileFacts[] = []
  for (let at = 0; at < packed.length / FACT_BYTES; at++) {
    if (at % FACTS_A_STEP === FACTS_A_STEP - 1) yield
    files.push({
      index: words[at * 6 + 4] as number,
      exists: words[at * 6 + 5] === 1,
      sizeBytes: numbers[at * 3] as number,
      mtimeMs: numbers[at * 3 + 1] as number,
    })
  }
  return files
}

/** What a torrent resumes from, as bytes. */
export function packResume(resume: ResumeData | null): PackedResume | null {
  if (resume === null) return null
  const { have, suspect, files, newestMs } = resume
  return { have, suspect: new Uint8Array(Uint32Array.from(suspect).buffer), files: packFacts(files), newestMs }
}

/** The other way round; in steps. */
export function* unpackResume(packed: PackedResume | null): Steps<ResumeData | null> {
  if (packed === null) return null
  const { have, suspect, files, newestMs } = packed
  const pieces = new Uint32Array(new Uint8Array(suspect).buffer)
  return { have, suspect: Array.from(pieces), files: yield* unpackFacts(files), newestMs }
}

// Which hash the workers go by: the quickest path of the machine code that this processor can run, the one that a
// setting names, or node:crypto. Asked for once, when the first worker starts, or somebody wants to know.

import { errorText } from '../base/errors.ts'
import { nativePart } from '../io/native-part.ts'
import { type HashPath, type HashPathName, hashPathNames, loadNative, type NativeModule } from './jobs/native-hash.ts'

/** What a user can ask for; `auto`: the quickest, `node`: node:crypto. */
export const hashChoices = ['auto', 'avx512', 'avx2', 'sha-ni', 'node'] as const

/** One of them. */
export type HashChoice = (typeof hashChoices)[number]

/** Which path a choice means on this machine. */
export interface ChosenHash {
  /** Null: node:crypto. */
  readonly path: HashPath | null
  /** Why it is not what was asked for; '' = it is. */
  readonly missing: string
}

/** Finds out which path `choice` means here, by loading the machine code. Never throws. */
export function chooseHash(
  choice: HashChoice,
  load: (file: string) => Pick<NativeModule, 'paths'> = loadNative,
): ChosenHash {
  if (choice === 'node') return { path: null, missing: '' }
  try {
    const known = load(nativePart).paths()
    const wanted: readonly HashPathName[] = choice === 'auto' ? ['avx512', 'avx2', 'sha-ni'] : [choice]
    const path = wanted.find(name => typeof known[hashPathNames.indexOf(name)] === 'string')
    if (path === undefined) return { path: null, missing: 'the processor lacks the instructions' }
    return { path: { file: nativePart, path }, missing: '' }
  } catch (error) {
    const [line = ''] = errorText(error).split('\n')
    return { path: null, missing: line }
  }
}

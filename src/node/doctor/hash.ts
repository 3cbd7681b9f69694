// By what pieces are hashed: machine code for this processor, or the hash of Node, which is slower.

import { chooseHash, type ChosenHash, type HashChoice } from '../../pools/hash-choice.ts'
import type { Finding } from './finding.ts'
import { coreFinding } from './finding-table.ts'

/** `choice`: the setting disk.hash. */
export function checkHash(choice: HashChoice, choose: (choice: HashChoice) => ChosenHash = chooseHash): Finding {
  const { path, missing } = choose(choice)
  if (missing === '')
    return path === null ? coreFinding('hash_of_node', {}) : coreFinding('hash_chosen', { means: path.path })
  // What was asked for by name is missed; with auto nothing is wrong with the configuration.
  return coreFinding(choice === 'auto' ? 'hash_slow' : 'hash_not_as_set', { cause: missing })
}

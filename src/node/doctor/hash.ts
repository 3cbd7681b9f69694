// By what pieces are hashed: machine code for this processor, or the hash of Node, which is slower.

import { chooseHash, type ChosenHash, type HashChoice } from '../../pools/hash-choice.ts'
import { fine, type Finding, warning } from './finding.ts'

/** `choice`: the setting disk.hash. */
export function checkHash(choice: HashChoice, choose: (choice: HashChoice) => ChosenHash = chooseHash): Finding {
  const { path, missing } = choose(choice)
  if (missing === '') return fine('hash', `Pieces are hashed by ${path === null ? 'the hash of Node' : path.path}.`)
  const text = `Pieces are hashed by the hash of Node, several times slower: ${missing}.`
  // What was asked for by name is missed; with auto nothing is wrong with the configuration.
  if (choice !== 'auto') return warning('hash', text, 'Set disk.hash to auto.')
  return fine('hash', text)
}

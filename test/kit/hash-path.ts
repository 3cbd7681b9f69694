// By which path the tests hash: TEST_HASH names one of the setting disk.hash (`make test-hash-paths` runs those that
// kill, break disks and lie by each that this processor has).

import { chooseHash, type HashChoice, hashChoices } from '../../src/pools/hash-choice.ts'

const named = process.env['TEST_HASH'] ?? 'auto'

/** The choice; `auto` where none is named. Throws on a name that is none, or that this machine cannot do. */
export const testedHash: HashChoice = checked(hashChoices.find(choice => choice === named))

function checked(choice: HashChoice | undefined): HashChoice {
  if (choice === undefined) throw new Error(`TEST_HASH=${named}: it is one of ${hashChoices.join(', ')}`)
  const { missing } = chooseHash(choice)
  if (choice !== 'auto' && missing !== '') throw new Error(`TEST_HASH=${named}: ${missing}`)
  return choice
}

/** Those of the setting that this machine can do, node:crypto first; `auto` is one of them. */
export function hashChoicesHere(): HashChoice[] {
  return hashChoices.filter(choice => choice !== 'auto' && chooseHash(choice).missing === '').toReversed()
}

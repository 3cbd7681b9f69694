// The filter of GET /downloads: the words that the dashboard reads too (src/wire/list), where names of states alone
// mean these, and what is wrong is refused. Pure.

import { AppError } from '../../../base/errors.ts'
import { type ListMatcher, matcherOf } from '../../../wire/list/list-matcher.ts'
import { LIST_STATES } from '../../../wire/list/list-states.ts'
import { MAX_FILTER_CHARS, MAX_FILTER_WORDS, readWords, type WordFault } from '../../../wire/list/list-words.ts'

/**
 * Reads `seeding films label:"my films" tracker:example.org folder:/srv size>1GiB "active"`: states (any of them), and
 * all of the others. AppError InvalidParameter: too long, too many words, a state or a size that is none.
 */
export function readFilter(text: string): ListMatcher {
  const { words, faults } = readWords(text, true)
  const [fault] = faults
  if (fault !== undefined) throw new AppError('InvalidParameter', textOf(fault))
  return matcherOf(words)
}

function textOf({ code, word }: WordFault): string {
  switch (code) {
    case 'too-long':
      return `The parameter filter is longer than ${MAX_FILTER_CHARS}.`
    case 'too-many-words':
      return `The parameter filter has more than ${MAX_FILTER_WORDS} words.`
    case 'unreadable-size':
      return `The parameter filter holds what is no size: ${word}. Sizes are written as size>1.5GiB.`
    case 'unknown-state':
      return `The parameter filter names no state: ${word}. States: ${LIST_STATES.join(', ')}.`
  }
}

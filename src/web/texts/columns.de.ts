// The same in German.

import type { Translation } from '../language/texts.ts'
import type { ColumnTexts } from './columns.ts'

/** Texts by their keys. */
export const german: Translation<ColumnTexts> = {
  earlier: '{{name}} nach vorn',
  later: '{{name}} nach hinten',
  narrower: '{{name}} schmaler',
  wider: '{{name}} breiter',
  asBefore: 'Wie am Anfang',
}

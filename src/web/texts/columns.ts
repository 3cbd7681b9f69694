// Choosing the columns of the list, in English.

import { textsOf } from '../language/texts.ts'

const english = {
  earlier: 'Move {{name}} to the front',
  later: 'Move {{name}} to the end',
  narrower: 'Make {{name}} narrower',
  wider: 'Make {{name}} wider',
  asBefore: 'As at first',
} as const

/** Its texts by their keys, as translations have them. */
export type ColumnTexts = typeof english

/** A text of this choice. */
export const text = textsOf('columns', english)

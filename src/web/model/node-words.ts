// What the node says by codes, in the language of the page: errors, reasons and conditions of downloads. What has no
// text in it is said as the node does, in English. Pure.

import { conditionName } from '../../client/condition-names.ts'
import type { Download } from '../../client/core-routes.ts'
import { englishOfCode, textOfCode } from '../language/texts.ts'
import { text } from '../texts/node/connection.ts'

/** Parameters of a code. */
type CodeValues = Readonly<Record<string, string | number>>

/** An error of the node. `message`: its own, which may tell more than the code does. */
export function errorWords(code: string, message: string): string {
  const own = textOfCode('errors', code)
  if (own === null) return message
  return message === englishOfCode('errors', code) ? own : text('withDetail', { text: own, detail: message })
}

/** A reason why a download does not move. */
export function reasonWords({
  code,
  message,
  parameters = {},
}: {
  readonly code: string
  readonly message: string
  readonly parameters?: CodeValues | undefined
}): string {
  const own = textOfCode('explain', code, parameters)
  if (own === null) return message
  // The node's own text of this one names the file.
  if (code === 'foreign_file' && parameters['error'] !== undefined)
    return text('withDetail', { text: own, detail: parameters['error'] })
  const detail = textOfCode('explain', `${code}_detail`, parameters)
  return detail === null ? own : `${own} ${detail}`
}

/** What the doctor found, and what to do about it; the node's own English where the language has none. */
export function findingWords({
  code,
  parameters = {},
  text: said,
  advice,
}: {
  readonly code: string
  readonly parameters?: CodeValues | undefined
  readonly text: string
  readonly advice: string
}): { readonly said: string; readonly advice: string; readonly isEnglish: boolean } {
  const role = textOfCode('findings', `role_${parameters['role']}`)
  const values = role === null ? parameters : { ...parameters, role }
  const own = textOfCode('findings', code, values)
  const todo = advice === '' ? '' : textOfCode('findings', `${code}_advice`, values)
  // Half of it in another language would be read by neither voice.
  if (own === null || todo === null) return { said, advice, isEnglish: true }
  return { said: own, advice: todo, isEnglish: false }
}

/** The short name of a condition; null: there is none. */
export function conditionWords(condition: Download['condition']): string | null {
  const english = conditionName(condition)
  if (condition === undefined || english === null) return english
  const place = condition.parameters?.place
  const own = place === undefined ? null : textOfCode('conditions', 'queuedAt', { place })
  return (condition.code === 'queued' ? own : null) ?? textOfCode('conditions', condition.code) ?? english
}

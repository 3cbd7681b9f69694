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

/** The short name of a condition; null: there is none. */
export function conditionWords(condition: Download['condition']): string | null {
  const english = conditionName(condition)
  if (condition === undefined || english === null) return english
  const place = condition.parameters?.place
  const own = place === undefined ? null : textOfCode('conditions', 'queuedAt', { place })
  return (condition.code === 'queued' ? own : null) ?? textOfCode('conditions', condition.code) ?? english
}

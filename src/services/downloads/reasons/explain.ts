// The reasons why a download does not move, in sentences. Pure.

import type { ExplainReason } from '../download-records-api.ts'
import { type ExplainCode, explainCodes, explainDetails } from './explain-codes.ts'
import { type ExplainFacts, type Reason, reasonsOf } from './reasons.ts'

/** The reasons, the one that counts most first. */
export function explain(facts: ExplainFacts): ExplainReason[] {
  return reasonsOf(facts).map(reason => ({ ...reason, message: messageOf(reason) }))
}

function messageOf({ code, parameters = {} }: Reason): string {
  // It names the file, and what can be done.
  if (code === 'foreign_file' && parameters.error !== undefined) return parameters.error
  const text = explainCodes[code]
  const detail = explainDetails[code satisfies ExplainCode]
  const values: Readonly<Record<string, string | number>> = { ...parameters }
  if (detail === undefined || Object.keys(values).length === 0) return text
  return `${text} ${detail.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))}`
}

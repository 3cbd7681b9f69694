// The table of settings in src/docs/configuration.md, made from the schema.

import { Secret } from '../../src/base/secret.ts'
import type { OptionSpec } from '../../src/node/settings/settings-option.ts'
import { settingsTable } from '../kit/all-settings.ts'

const OPEN = '<!-- settings: generated from the schema; `make readme` rewrites it -->'
const CLOSE = '<!-- /settings -->'

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  return value === '' || value instanceof Secret ? 'empty' : String(value)
}

/** The kind of an option with its range. */
function typeOf(spec: OptionSpec): string {
  if (spec.kind === 'integer' || spec.kind === 'number') return `${spec.kind}, ${spec.min} to ${spec.max}`
  if (spec.kind === 'secret') return 'text'
  return spec.kind === 'choice' ? spec.values.join(', ') : spec.kind
}

/** The table as Markdown, one row an option. */
function settingsMarkdown(): string {
  const rows = Object.entries(settingsTable).flatMap(([section, options]) =>
    Object.entries(options).map(([option, spec]) => {
      const when = spec.needsRestart ? 'restart' : 'at once'
      return `| \`${section}.${option}\` | ${typeOf(spec)} | ${shown(spec.default)} | ${when} | ${spec.doc} |`
    }),
  )
  return ['| option | type | default | applies | meaning |', '|---|---|---|---|---|', ...rows].join('\n')
}

/** `page` with its table of settings replaced by the present one. Throws when the marks are missing. */
export function withSettingsTable(page: string): string {
  const from = page.indexOf(OPEN)
  const to = page.indexOf(CLOSE)
  if (from < 0 || to < from) throw new Error('the page has no marks for the settings table')
  return `${page.slice(0, from + OPEN.length)}\n${settingsMarkdown()}\n${page.slice(to)}`
}

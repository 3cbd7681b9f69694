// The README's table of settings, made from the schema.

import { Secret } from '../../src/base/secret.ts'
import type { OptionSpec } from '../../src/node/settings-option.ts'
import { settingsTable } from '../../src/node/settings-schema.ts'

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

/** `readme` with its table of settings replaced by the present one. Throws when the marks are missing. */
export function withSettingsTable(readme: string): string {
  const from = readme.indexOf(OPEN)
  const to = readme.indexOf(CLOSE)
  if (from < 0 || to < from) throw new Error('the README has no marks for the settings table')
  return `${readme.slice(0, from + OPEN.length)}\n${settingsMarkdown()}\n${readme.slice(to)}`
}

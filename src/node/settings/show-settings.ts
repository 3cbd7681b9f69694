// The command `settings`: every setting with its value and where that comes from, as a start with the same flags would
// have it. No node has to run; nothing is written.

import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'
import type { EffectiveSetting } from '../../services/settings/settings-api.ts'
import { effectiveSettings } from './settings-docs.ts'
import type { SettingsOptions } from './settings-layers.ts'
import { SettingsStore } from './settings-store.ts'
import { settingsTable } from './settings-table.ts'
import type { NodeChapter } from '../chapter.ts'
import { defaultStateDirectory } from '../state/state-directory.ts'

/** What the command line gives: as to a start. */
export interface ShowSettingsArguments {
  /** --state-dir, or null. */
  readonly stateDir: string | null
  readonly flags: SettingsOptions['flags']
  readonly chapters: readonly NodeChapter[]
  /** Those with their default value too. */
  readonly all: boolean
  /** One JSON object, as of GET /settings/effective. */
  readonly json: boolean
}

const EXIT_SHOWN = 0
const EXIT_FAILED = 1

/** Prints the settings; the exit code, 1 when they cannot be used. Never rejects. */
export async function runShowSettings(args: ShowSettingsArguments): Promise<number> {
  try {
    const store = await openToLook(args)
    const shown = effectiveSettings(store)
    process.stdout.write(args.json ? `${JSON.stringify(shown)}\n` : linesOf(shown.settings, args.all))
    for (const warning of store.warnings) process.stderr.write(`tributary: ${warning}\n`)
    return EXIT_SHOWN
  } catch (error) {
    const text = error instanceof AppError ? error.message : `unexpected error: ${errorText(error)}`
    process.stderr.write(`tributary: ${text}\n`)
    return EXIT_FAILED
  }
}

function openToLook({ stateDir, flags, chapters }: ShowSettingsArguments): Promise<SettingsStore> {
  const env = process.env
  const chosen = stateDir ?? (env['TRIBUTARY_STATE_DIR'] || null)
  return SettingsStore.look({
    stateDir: resolve(chosen ?? defaultStateDirectory(env, homedir())),
    stateDirChosen: chosen !== null,
    homeDir: homedir(),
    env,
    flags,
    table: settingsTable(chapters),
  })
}

function linesOf(settings: Record<string, Record<string, EffectiveSetting>>, all: boolean): string {
  const rows = Object.entries(settings).flatMap(([section, options]) =>
    Object.entries(options).map(([option, one]) => ({ name: `${section}.${option}`, one })),
  )
  const shown = all ? rows : rows.filter(({ one }) => one.source !== 'default')
  const width = Math.max(0, ...shown.map(({ name }) => name.length))
  return shown.map(({ name, one }) => `${name.padEnd(width)}  ${one.source.padEnd(11)}  ${textOf(one)}\n`).join('')
}

/** What a file has beside a value that wins over it is worth knowing. */
function textOf({ value, source, stored }: EffectiveSetting): string {
  const hidden = stored !== null && source !== 'file' ? `  (the file has ${JSON.stringify(stored)})` : ''
  return `${value === null ? '(secret)' : JSON.stringify(value)}${hidden}`
}

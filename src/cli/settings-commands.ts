// `settings get`, `set` and `history` of a running node; `settings` alone shows those that a start would have.

import type { Command } from 'commander'
import type { CoreRoutes } from '../client/core-routes.ts'
import type { ReplyOf } from '../client/routes.ts'
import { forNode, type NodeFlags, runForNode } from './command-run.ts'
import { CommandError, type JsonObject } from './node-client.ts'
import { readValue } from './plain-commands.ts'
import { type SettingSpecs, settingValue } from './setting-value.ts'
import { printable } from './show.ts'

const VALUES = 'rates as 500k, 2M or 8Mbit, times as 90s, 12h or 30d, lists as a,b, switches as on or off'

type Sections = Record<string, Record<string, unknown>>

function linesOf(settings: Sections): string {
  return Object.entries(settings)
    .flatMap(([section, options]) =>
      Object.entries(options).map(([name, value]) => `${section}.${name} = ${printable(JSON.stringify(value))}\n`),
    )
    .join('')
}

/** What `section`, `section.option` or nothing names. */
function chosen(settings: Sections, path: string | undefined): Sections {
  if (path === undefined) return settings
  const [section = '', name] = path.split('.', 2)
  const options = settings[section]
  if (options === undefined || (name !== undefined && !(name in options))) {
    throw new CommandError(`There is no setting ${printable(path)}.`)
  }
  return { [section]: name === undefined ? options : { [name]: options[name] } }
}

function bodyOf(pairs: readonly string[], sections: SettingSpecs): JsonObject {
  const body: Record<string, JsonObject> = {}
  for (const pair of pairs) {
    const [, section, name, value] = /^(\w+)\.(\w+)=(.*)$/s.exec(pair) ?? []
    if (section === undefined || name === undefined || value === undefined) {
      throw new CommandError(`${printable(pair)} is not SECTION.OPTION=VALUE.`)
    }
    const spec = sections[section]?.[name]
    body[section] = {
      ...body[section],
      // A node of another version may have settings that this program does not know.
      [name]: spec === undefined ? readValue(value) : settingValue(`${section}.${name}`, spec, value),
    }
  }
  return body
}

function changeText(answer: ReplyOf<CoreRoutes, 'POST /settings'>): string {
  const { modified, restart_required: restart, overridden } = answer
  const lines = [
    modified ? 'Changed.' : 'Nothing changed.',
    ...(restart.length > 0 ? [`After the next start: ${restart.join(', ')}`] : []),
    ...(overridden.length > 0 ? [`Held by a flag or the environment: ${overridden.join(', ')}`] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** What this program knows of each setting. */
async function settingSpecs(): Promise<SettingSpecs> {
  const [{ settingsTable }, { loadChapters }] = await Promise.all([
    import('../node/settings/settings-table.ts'),
    import('../app/chapters.ts'),
  ])
  return settingsTable(await loadChapters()).sections
}

/** Adds every command of this file. */
export function addSettingsCommands(program: Command): void {
  const settings = program.commands.find(command => command.name() === 'settings') ?? program.command('settings')
  forNode(settings.command('get').description('Settings of the running node.'))
    .argument('[setting]', 'SECTION or SECTION.OPTION; default: all')
    .action((path: string | undefined, _: unknown, command: Command) =>
      runForNode(command.optsWithGlobals<NodeFlags>(), async ({ node, show }) => {
        const answer = await node.call('GET /settings')
        show(chosen(answer.settings, path), linesOf)
      }),
    )
  forNode(settings.command('set').description('Change settings of the running node, all or none.'))
    .argument('<section.option=value...>', VALUES)
    .action((pairs: string[], _: unknown, command: Command) =>
      runForNode(command.optsWithGlobals<NodeFlags>(), async ({ node, show }) => {
        const parameters = bodyOf(pairs, await settingSpecs())
        show(await node.call('POST /settings', { parameters }), changeText)
      }),
    )
  for (const [name, route, text] of [
    ['history', 'GET /settings/history', 'What settings were changed to, and when.'],
    ['effective', 'GET /settings/effective', 'Settings of the running node with where each comes from.'],
  ] as const) {
    forNode(settings.command(name).description(text)).action((_: unknown, command: Command) =>
      runForNode(command.optsWithGlobals<NodeFlags>(), async ({ node, show }) => show(await node.call(route))),
    )
  }
}

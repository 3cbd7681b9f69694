// What people read tells the truth and speaks of this program: no page, help text or text of the dashboard says that
// something is missing which is there, and names of the program whose interface this is stand only in names of
// settings, routes and events, which the specification fixes.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Command } from 'commander'
import { parseSync } from 'oxc-parser'
import { addAllCommands } from '../kit/all-commands.ts'
import { settingsTable } from '../kit/all-settings.ts'
import { projectRoot } from '../kit/project-root.ts'
import { sourceFiles } from './source-tree.ts'

interface Text {
  /** Where it stands. */
  readonly at: string
  readonly text: string
}

/** Sentences that were true once, or never. */
const DEAD =
  /\b(do(es)? not exist yet|(is|are) not (yet )?implemented|coming soon|under construction|TODO|FIXME|lorem ipsum)/i
/** Of the program that the interface comes from. */
const OLD_NAMES = /dispersy|tribler|all_?channel|tunnel[ _]community|\bvod\b/i
/** Further ones that nobody who looks at the dashboard needs. */
const OLD_IN_DASHBOARD = /ipv8|libtorrent|_community/i
/** The network that circuits go through is called so by everybody. */
const ALLOWED = ['that of Tribler and py-ipv8']

/** What pages say that a node cannot, and the command which shows that it can. */
const CLAIMS: readonly (readonly [RegExp, string])[] = [
  [/order of the queue (is that of adding|cannot be changed)/i, 'queue'],
  [/files cannot be renamed/i, 'rename'],
]

function textOf(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8')
}

const chapters = readdirSync(join(projectRoot, 'src/chapters')).map(name => `src/chapters/${name}`)
const within = (room: string) => chapters.map(chapter => `${chapter}/${room}`).filter(isThere)

function isThere(folder: string): boolean {
  return existsSync(join(projectRoot, folder))
}

const program = new Command('tributary')
program.command('settings')
addAllCommands(program)

/** Lines of the pages for users, without what is code. */
function proseOf(path: string): Text[] {
  const prose = textOf(path).replaceAll(/```[\s\S]*?```/g, '')
  return prose
    .split('\n')
    .map(line => ({ at: path, text: line.replaceAll(/`[^`]*`/g, '').replaceAll(/\]\([^)]*\)/g, ']') }))
}

const pages = ['README.md', 'CONTRIBUTING.md', ...['src/docs', ...within('docs')].flatMap(pagesIn)].flatMap(proseOf)

function pagesIn(folder: string): string[] {
  const names = readdirSync(join(projectRoot, folder)).filter(name => name.endsWith('.md'))
  return names.map(name => `${folder}/${name}`)
}

interface Literal {
  readonly type: string
  readonly value?: unknown
}

/** What is shown of a source: its texts, without names, paths of modules and requests. */
function shownBy({ path, text }: { path: string; text: string }): Text[] {
  const found: Text[] = []
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) walk(each)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const { type, value: content } = value as Literal
    const raw = type === 'TemplateElement' ? (content as { cooked: string | null }).cooked : content
    if (/^(Literal|JSXText|TemplateElement)$/.test(type) && typeof raw === 'string' && isShown(raw, type))
      found.push({ at: path, text: raw })
    for (const [name, each] of Object.entries(value)) if (!/^(source|key)$/.test(name)) walk(each)
  }
  walk(parseSync(path, text).program)
  return found
}

/** Names (`dispersy_cid`), requests and places of parts are no texts. */
function isShown(text: string, type: string): boolean {
  if (/^(GET|PUT|POST|PATCH|DELETE|HEAD) \//.test(text) || /^[./#]/.test(text)) return false
  return type === 'JSXText' ? text.trim() !== '' : /\s|^[A-Z][a-z]/.test(text.trim())
}

const dashboard = sourceFiles('src/web', ...within('web')).flatMap(shownBy)
// Words of commands are those of routes, and are no sentences.
const commandLine = sourceFiles('src/cli', ...within('cli'))
  .flatMap(shownBy)
  .filter(({ text }) => !/^[a-z-]+( [a-z-]+)?$/.test(text))
const found = sourceFiles('src/services', 'src/node/doctor')
  .filter(({ path }) => /explain|doctor/.test(path))
  .flatMap(shownBy)
const settings = Object.entries(settingsTable).flatMap(([section, options]) =>
  Object.entries(options).map(([name, { doc }]) => ({ at: `${section}.${name}`, text: doc })),
)

/** Without names of settings, and what is allowed to stand. */
function bare(text: string): string {
  const allowed = ALLOWED.reduce((rest, each) => rest.replaceAll(each, ''), text)
  return allowed.replaceAll(/\b[a-z0-9_]+\.[a-z_]+\b/g, '')
}

function refuse(texts: readonly Text[], pattern: RegExp): void {
  const hits = texts
    .filter(({ text }) => pattern.test(bare(text)))
    .map(({ at, text }) => `${at}: ${text.slice(0, 160)}`)
  assert.deepEqual(hits, [])
}

test('the texts are found', () => {
  const has = (texts: readonly Text[], what: string) =>
    assert.ok(
      texts.some(({ text }) => text.includes(what)),
      what,
    )
  has(dashboard, 'Nothing has happened yet.')
  has(commandLine, 'Run the node until SIGINT or SIGTERM.')
  has(pages, 'an encrypted disk')
  assert.ok(dashboard.length > 500 && commandLine.length > 300 && settings.length > 100 && found.length > 60)
})

test('nothing says that it does not exist yet', () => {
  for (const texts of [pages, dashboard, commandLine, found, settings]) refuse(texts, DEAD)
  assert.match('Does not exist yet. No bandwidth is bought.', DEAD)
  assert.match('Do not exist yet. To publish', DEAD)
})

test('names of the program that the interface comes from are no texts', () => {
  for (const texts of [pages, dashboard, commandLine, found, settings]) refuse(texts, OLD_NAMES)
  refuse(dashboard, OLD_IN_DASHBOARD)
})

test('what pages say that a node cannot, no command does', () => {
  const commands = new Set(program.commands.map(command => command.name()))
  for (const [claim, command] of CLAIMS) if (commands.has(command)) refuse(pages, claim)
})

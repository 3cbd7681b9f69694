// The README and the pages of src/docs and of chapters tell the truth: the settings table is the schema's, linked files
// and places exist, every command and setting they name is there, and the README stays short.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Command } from 'commander'
import { parse } from 'yaml'
import { addAllCommands } from '../kit/all-commands.ts'
import { settingsTable } from '../kit/all-settings.ts'
import { projectRoot } from '../kit/project-root.ts'
import { takenOut } from '../kit/taken-out.ts'
import { withSettingsTable } from './settings-markdown.ts'

/** Pages for users are of the whole program. */
const skip = takenOut.length > 0

/** Lines that a newcomer reads in five minutes. */
const README_LINES = 160
/** The package is loaded as a whole: a picture is made small. */
const PICTURE_BYTES = 60_000
/** Commands of src/cli/commands.ts, which needs no node. */
const ALONE = ['start', 'doctor', 'create', 'key']

function textOf(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8')
}

const readme = textOf('README.md')
const configurationPath = 'src/docs/configuration.md'
const chapters = readdirSync(join(projectRoot, 'src/chapters')).map(name => `src/chapters/${name}/docs`)
const folders = ['src/docs', ...chapters.filter(folder => existsSync(join(projectRoot, folder)))]
const pages = ['README.md', ...folders.flatMap(pagesIn)]

function pagesIn(folder: string): string[] {
  const names = readdirSync(join(projectRoot, folder)).filter(name => name.endsWith('.md'))
  return names.map(name => `${folder}/${name}`)
}

test('the settings table is that of the schema', () => {
  const page = textOf(configurationPath)
  const fresh = withSettingsTable(page)
  if (process.env['UPDATE_README'] === '1') writeFileSync(join(projectRoot, configurationPath), fresh)
  else assert.equal(page, fresh, 'run `make readme`')
})

test('the first line names what native builds need, and the page is short', () => {
  const lines = readme.split('\n')
  for (const tool of ['g++', 'make', 'python3'])
    assert.ok(lines[0]?.includes(tool), `${tool} is missing in: ${lines[0]}`)
  assert.ok(lines.length <= README_LINES, `${lines.length} lines: move long things to src/docs`)
})

test('it goes the way of a newcomer, and names packages of this version', () => {
  const headings = [...readme.matchAll(/^##+ (.*)$/gm)].map(([, heading = '']) => heading)
  const way = ['Run it', 'Install', 'Upgrade', 'Uninstall', 'Five minutes', 'Where next']
  assert.deepEqual(
    headings.filter(heading => way.includes(heading)),
    way,
  )
  assert.ok(readme.startsWith('# Tributary '), 'the title comes first')
  assert.ok(readme.indexOf('![') < readme.indexOf('## Run it'), 'a picture comes before the first command')
  const { version } = JSON.parse(textOf('package.json')) as { version: string }
  const named = [...readme.matchAll(/tributary[-_](\d+\.\d+\.\d+)/g)].map(([, each = '']) => each)
  assert.ok(named.length > 1)
  for (const each of named) assert.equal(each, version)
})

test('the changelog has releases, and the newest is the version of package.json', () => {
  const releases = [...textOf('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)
  const { version } = JSON.parse(textOf('package.json')) as { version: string }
  assert.equal(releases[0]?.split(' ')[0], version)
  assert.ok(releases.includes('0.1.0 (2026-11-28)'), releases.join())
  for (const each of releases) assert.match(each, /^\d+\.\d+\.\d+( \(\d{4}-\d\d-\d\d\))?$/)
})

/** The place that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}

test('linked files and places exist', { skip }, () => {
  let count = 0
  for (const page of pages) {
    for (const [, link = ''] of textOf(page).matchAll(/(?:\]\(|src=")([^)"]+)/g)) {
      if (link.includes(':')) continue
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? page : join(dirname(page), file)
      assert.ok(existsSync(join(projectRoot, target)), `${page}: ${link} does not exist`)
      if (anchor === undefined) continue
      const anchors = [...textOf(target).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
      assert.ok(anchors.includes(anchor), `${page}: ${link} leads to none of ${anchors.join(' ')}`)
      count++
    }
  }
  assert.ok(count > 3)
})

test('pictures of pages are small, and each is shown', () => {
  for (const folder of folders) {
    const pictures = join(projectRoot, folder, 'pictures')
    const texts = pagesIn(folder).map(textOf).join('\n')
    for (const name of existsSync(pictures) ? readdirSync(pictures) : []) {
      const { size } = statSync(join(pictures, name))
      assert.ok(size > 1000 && size <= PICTURE_BYTES, `${folder}/pictures/${name}: ${size} bytes`)
      assert.ok(texts.includes(`pictures/${name}`), `${folder}/pictures/${name} is shown by no page`)
    }
  }
  for (const player of ['page', 'phone', 'vlc', 'kodi', 'television'])
    assert.ok(textOf('src/docs/watching.md').includes(`pictures/${player}.webp`), `a picture of ${player}`)
})

test('the package has the pages', () => {
  const { files } = JSON.parse(textOf('package.json')) as { files: readonly string[] }
  for (const folder of folders) assert.ok(files.includes(folder), `${folder} is missing in package.json`)
})

test('every command that they name exists', { skip }, () => {
  const program = new Command('tributary')
  program.command('settings')
  addAllCommands(program)
  let count = 0
  for (const page of pages) {
    for (const [, first = '', second = ''] of textOf(page).matchAll(
      /(?:`|^|\(|<\()tributary ([a-z][a-z-]*)(?: ([a-z-]+))?/gm,
    )) {
      count++
      const command = program.commands.find(one => one.name() === first)
      assert.ok(command !== undefined || ALONE.includes(first), `${page}: tributary ${first}`)
      const below = command?.commands.map(one => one.name()) ?? []
      if (below.length > 0 && second !== '') assert.ok(below.includes(second), `${page}: tributary ${first} ${second}`)
    }
  }
  assert.ok(count > 40, `only ${count} found`)
})

/** `section.option` of everything a page sets or names. */
function settingsIn(text: string): string[] {
  const named = [...text.matchAll(/`([a-z][a-z0-9_]*\.[a-z_]+)`/g)].map(([, name = '']) => name)
  const given = [...text.matchAll(/\b([a-z][a-z0-9_]*\.[a-z_]+)=/g)].map(([, name = '']) => name)
  const blocks = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    Object.entries(parse(block) as Record<string, object>).flatMap(([section, options]) =>
      Object.keys(options).map(option => `${section}.${option}`),
    ),
  )
  return [...named, ...given, ...blocks]
}

test('every setting that they name exists', { skip }, () => {
  const known = Object.entries(settingsTable).flatMap(([section, options]) =>
    Object.keys(options).map(option => `${section}.${option}`),
  )
  for (const page of pages) {
    for (const name of settingsIn(textOf(page))) {
      if (name.split('.')[0] === undefined || !((name.split('.')[0] as string) in settingsTable)) continue
      assert.ok(known.includes(name), `${page}: there is no setting ${name}`)
    }
  }
})

test('the top level holds only what it may', () => {
  const allowed =
    '.ci .git .gitignore CHANGELOG.md CONTRIBUTING.md LICENSE Makefile README.md bench biome.json package-lock.json package.json src test tsconfig.json workers'
  const ignored = /^(node_modules|dist.*)$/
  const present = readdirSync(projectRoot).filter(name => !ignored.test(name) && name !== '.git')
  assert.deepEqual(
    present.toSorted(),
    allowed
      .split(' ')
      .filter(name => name !== '.git')
      .toSorted(),
  )
})

// The README tells the truth: its settings table is the schema's, and the files it links to exist.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { projectRoot } from '../kit/project-root.ts'
import { withSettingsTable } from '../kit/settings-markdown.ts'

const path = join(projectRoot, 'README.md')
const readme = readFileSync(path, 'utf8')

test('the settings table is that of the schema', () => {
  const fresh = withSettingsTable(readme)
  if (process.env['UPDATE_README'] === '1') writeFileSync(path, fresh)
  else assert.equal(readme, fresh, 'run `make readme`')
})

test('the first line names what native builds need', () => {
  const first = readme.split('\n')[0] ?? ''
  for (const tool of ['g++', 'make', 'python3']) assert.ok(first.includes(tool), `${tool} is missing in: ${first}`)
})

test('linked files exist', () => {
  const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(match => match[1] ?? '').filter(link => !link.includes(':'))
  assert.ok(links.length > 0)
  for (const link of links) assert.ok(existsSync(join(projectRoot, link)), `${link} does not exist`)
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

// Decision pages are indexed and complete: a number of their own, question, choice, reasons, and what would change it.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { projectRoot } from '../kit/project-root.ts'

const folder = join(projectRoot, 'src/decisions')
const topics = readdirSync(folder, { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? entry.name : []))
const pages = topics.flatMap(topic =>
  readdirSync(join(folder, topic)).map(name => ({
    topic,
    name,
    text: readFileSync(join(folder, topic, name), 'utf8'),
  })),
)

/** The index: each topic with its pages, by number. */
function index(): string {
  const head =
    '# Decisions by topic\n\nQuestion, choice, reasons and what would change it, a page each; numbers say in what order they came. `make readme` writes this index.\n'
  const lists = topics.toSorted().map(topic => {
    const rows = pages.filter(page => page.topic === topic).toSorted((a, b) => a.name.localeCompare(b.name))
    const lines = rows.map(({ name, text }) => `- [${/^# (.*)$/m.exec(text)?.[1] ?? name}](${topic}/${name})`)
    return `\n## ${topic.replaceAll('-', ' ')}\n\n${lines.join('\n')}\n`
  })
  return head + lists.join('')
}

test('the index names every page under its topic (make readme)', () => {
  const path = join(folder, 'README.md')
  if (process.env['UPDATE_README'] === '1') writeFileSync(path, index())
  assert.equal(readFileSync(path, 'utf8'), index())
})

test('every page has a number of its own, in its name and its title', () => {
  const numbers = pages.map(({ name, text }) => {
    assert.match(name, /^\d{4}-[a-z0-9-]+\.md$/)
    const number = name.slice(0, 4)
    assert.ok(text.startsWith(`# ${number} `), `${name}: the title has another number`)
    return number
  })
  assert.equal(new Set(numbers).size, numbers.length, 'two pages have the same number')
})

test('every page has question, choice, reasons, and what would change it', () => {
  for (const { name, text } of pages) {
    for (const part of [
      /\*\*Question/,
      /\*\*Choice/,
      /\*\*(Why|Figures|Not taken|Choice and why)/,
      /\*\*What would change it/,
    ])
      assert.match(text, part, `${name} lacks ${part.source}`)
  }
})

test('every decision a page refers to exists', () => {
  for (const { name, text } of pages)
    for (const [, number = ''] of text.matchAll(/decision (\d{4})/g))
      assert.ok(
        pages.some(page => page.name.startsWith(number)),
        `${name}: decision ${number}`,
      )
})

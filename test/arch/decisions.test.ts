// Decision pages are complete: a number of their own, question, choice, reasons, and what would change it.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { projectRoot } from '../kit/project-root.ts'

const folder = join(projectRoot, 'src/decisions')
const pages = readdirSync(folder).map(name => ({ name, text: readFileSync(join(folder, name), 'utf8') }))

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

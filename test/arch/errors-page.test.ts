// src/docs/errors.md is the table of error codes: each code with its status and text, under the headings that the
// comments of the table give.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errorTable } from '../../src/base/errors.ts'
import { projectRoot } from '../kit/project-root.ts'

const OPEN = '<!-- errors: generated from src/base/errors.ts; `make readme` rewrites it -->'
const CLOSE = '<!-- /errors -->'
const path = join(projectRoot, 'src/docs/errors.md')

/** Codes below the comments that stand above them in the source. */
function groups(): Map<string, string[]> {
  const source = readFileSync(join(projectRoot, 'src/base/errors.ts'), 'utf8')
  const table = source.slice(source.indexOf('export const errorTable'), source.indexOf('} as const satisfies'))
  const found = new Map<string, string[]>()
  let codes: string[] = []
  for (const [, comment, code] of table.matchAll(/^ {2}(?:\/\/ (.*)|([A-Z]\w+): \{)/gm)) {
    if (comment !== undefined) found.set(comment.replace(/ \(.*\)$/, ''), (codes = []))
    else codes.push(code ?? '')
  }
  return found
}

/** The part of the page between its marks. */
function table(): string {
  const parts = [...groups()].map(([heading, codes]) => {
    const rows = codes.map(code => {
      const { status, text } = errorTable[code as keyof typeof errorTable]
      return `| \`${code}\` | ${status} | ${text} |`
    })
    return `## ${heading}\n\n| code | HTTP status | text |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  return `\n${parts.join('\n')}`
}

test('the page of error codes is the table (make readme)', () => {
  const page = readFileSync(path, 'utf8')
  const [head, rest] = page.split(OPEN)
  const [, tail] = (rest ?? '').split(CLOSE)
  assert.ok(head !== undefined && tail !== undefined, 'the page has no marks')
  const fresh = `${head}${OPEN}\n${table()}\n${CLOSE}${tail}`
  if (process.env['UPDATE_README'] === '1') writeFileSync(path, fresh)
  else assert.equal(page, fresh, 'run `make readme`')
})

test('every code is on it', () => {
  const page = readFileSync(path, 'utf8')
  for (const code of Object.keys(errorTable)) assert.ok(page.includes(`| \`${code}\` |`), code)
})

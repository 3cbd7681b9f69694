// Every export of src says what it is. Routes say it in their own fields.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSync } from 'oxc-parser'
import { sourceFiles } from './source-tree.ts'

/** Comments that still say that somebody "is told" or that something is done "anew". It may only fall. */
const MOST_STIFF = 0

const declaration = /^export (?:abstract |async )*(?:const|function\*?|class|interface|type) (\w+)/

test('every export has a docstring', () => {
  const bare = sourceFiles('src')
    .filter(({ path }) => !/^src\/(http\/routes|chapters\/[a-z]+\/http)\//.test(path) && !path.endsWith('.d.ts'))
    .flatMap(file => {
      const lines = file.text.split('\n')
      return lines.flatMap((line, at) => {
        const name = declaration.exec(line)?.[1]
        return name === undefined || lines[at - 1]?.trimEnd().endsWith('*/') ? [] : [`${file.path}: ${name}`]
      })
    })
  assert.deepEqual(bare, [])
})

test('no docstring sends the reader elsewhere for what a thing is', () => {
  const sent = sourceFiles('src').filter(({ text }) => /See (above|the top of the file)\b/.test(text))
  assert.deepEqual(
    sent.map(({ path }) => path),
    [],
  )
})

test('comments say who does what: nobody "is told", nothing is done "anew"', () => {
  const stiff = sourceFiles('src', 'workers').flatMap(({ path, text }) => {
    const comments = parseSync(path, text).comments.map(({ value }) => value.replaceAll(/\n\s*\*/g, ' '))
    const found = comments.join(' ').match(/\b(?:is|are)\s+told\b|\banew\b/gi) ?? []
    return found.map(words => `${path}: ${words}`)
  })
  assert.ok(stiff.length <= MOST_STIFF, `${stiff.length}, at most ${MOST_STIFF}:\n${stiff.join('\n')}`)
})

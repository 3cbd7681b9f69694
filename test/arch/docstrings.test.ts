// Every export of src says what it is. Routes say it in their own fields.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles } from './source-tree.ts'

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

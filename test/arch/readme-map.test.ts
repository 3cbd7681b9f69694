// src/README.md and the pages of the rooms tell the truth: files and methods it names exist, every folder of src has a
// row, and the rows agree with the import rules.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadChapters } from '../../src/app/chapters.ts'
import { projectRoot } from '../kit/project-root.ts'
import { isTakenOut } from '../kit/taken-out.ts'
import { allowedImports, edgeFolders } from './layers.ts'
import { mapSvg } from './map-svg.ts'
import { sourceFiles } from './source-tree.ts'

/** The map, the pages of the rooms, and that of the bounds. */
const pages = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
  .filter(name => /(^|\/)(README|bounds)\.md$/.test(name) && !name.startsWith('decisions/'))
  .map(name => ({ name, text: readFileSync(join(projectRoot, 'src', name), 'utf8') }))
const map = pages.map(({ text }) => text).join('\n')
const codeSpans = [...map.matchAll(/`([^`\n]+)`/g)].map(match => match[1] ?? '')

const sources = sourceFiles('src')

/** A folder without files is not in the repository. */
function isThere(path: string): boolean {
  return existsSync(path) && (!statSync(path).isDirectory() || readdirSync(path).length > 0)
}

/** Cells of the folder table by folder. */
const rows = new Map(
  [...map.matchAll(/^\| `src\/([a-z]+)` \|(.*)\|$/gm)].map(match => [
    match[1] ?? '',
    (match[2] ?? '').split('|').map(cell => cell.trim()),
  ]),
)

const folders = readdirSync(join(projectRoot, 'src'), { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(entry => entry.name)

test('the map has at most 120 lines, the page of a room at most 60', () => {
  for (const { name, text } of pages)
    if (name !== 'bounds.md') assert.ok(text.split('\n').length <= (name === 'README.md' ? 121 : 61), name)
})

test('the picture shows the imports as they are (make readme)', () => {
  const path = join(projectRoot, 'src/map.svg')
  if (process.env['UPDATE_README'] === '1') writeFileSync(path, mapSvg())
  assert.equal(readFileSync(path, 'utf8'), mapSvg())
})

test('every file and folder it names exists', () => {
  const paths = codeSpans.filter(text => /^(src|workers|test|bench)(\/[\w.-]+)*\/?$/.test(text))
  assert.ok(paths.length > 80, `only ${paths.length} paths found`)
  assert.deepEqual(
    paths.filter(path => !isThere(join(projectRoot, path)) && !isTakenOut(path)),
    [],
  )
})

test('every method it names exists', () => {
  const methods = codeSpans.flatMap(text => /^([A-Z]\w+)\.(#?[a-z]\w*)/.exec(text) ?? []).length / 3
  assert.ok(methods > 30, `only ${methods} methods found`)
  for (const span of codeSpans) {
    const [, owner, name] = /^([A-Z]\w+)\.(#?[a-z]\w*)/.exec(span) ?? []
    if (owner === undefined || name === undefined) continue
    const file = sources.find(source => source.text.includes(`class ${owner} `))
    assert.ok(file, `there is no class ${owner}`)
    assert.match(file.text, new RegExp(`^  (async |static )*${name}[(<]`, 'm'), `${span} is not in ${file.path}`)
  }
})

test('every folder of src has a row, and no other', () => {
  assert.deepEqual([...rows.keys()].toSorted(), folders.toSorted())
})

test('the rows say what the import rules say', () => {
  for (const [folder, imports] of Object.entries(allowedImports)) {
    const [, cell = '', edge = ''] = rows.get(folder) ?? []
    assert.deepEqual(cell === 'nothing' ? [] : cell.split(', '), imports, folder)
    assert.equal(edge === 'yes', edgeFolders.has(folder), `${folder}: edge`)
  }
})

/** Rows of the table of chapters: what the first paragraph of its page says, and what its face needs. */
async function chapterRows(): Promise<string> {
  const rows = (await loadChapters()).map(({ id, needs }) => {
    const page = readFileSync(join(projectRoot, 'src/chapters', id, 'README.md'), 'utf8')
    const [, what = ''] = page.split('\n\n')
    return `| [\`src/chapters/${id}\`](chapters/${id}/README.md) | ${what.replaceAll('\n', ' ')} | ${needs.join(', ') || 'nothing'} |\n`
  })
  return rows.toSorted().join('')
}

test('every chapter has the row that its page and its face make (make readme)', async () => {
  const path = join(projectRoot, 'src/README.md')
  const table = /(\| chapter \| what it is \| needs \|\n\|---\|---\|---\|\n)((?:\|.*\n)*)/
  const wanted = await chapterRows()
  if (process.env['UPDATE_README'] === '1') {
    const text = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      text.replace(table, (_, head: string) => head + wanted),
    )
  }
  assert.equal(table.exec(readFileSync(path, 'utf8'))?.[2], wanted)
})

test('every decision it names has a page', () => {
  const decisions = readdirSync(join(projectRoot, 'src/decisions'), { recursive: true, encoding: 'utf8' })
  for (const [, number] of map.matchAll(/decision (\d{4})/g))
    assert.ok(
      decisions.some(page => page.includes(`/${number}-`)),
      `decision ${number}`,
    )
})

// Who may import whom (src/README.md), no cycles, no forbidden globals, no vague file names, no giant files.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { checkNeeds, loadChapters } from '../../src/app/chapters.ts'
import { eventDocs } from '../../src/services/events/event-table.ts'
import { projectRoot } from '../kit/project-root.ts'
import { chapterRooms, chaptersNeeded, coreIntoChapters, edgeRooms } from './chapter-rooms.ts'
import { allowedImports, edgeFolders } from './layers.ts'
import { chapterOf, roomOf } from './room-of.ts'
import { type SourceFile, sourceFiles } from './source-tree.ts'

const forbiddenText = /\bDate\.now\b|\bset(Timeout|Interval)\(|\bMath\.random\b|\bprocess\.env\b|\bperformance\.now\b/
const forbiddenModules = /^node:(net|dgram|fs|fs\/promises|http|https|tls|dns|child_process|worker_threads)$/

const sources = sourceFiles('src')
const workers = sourceFiles('workers')

const rules: Record<string, readonly string[]> = { ...allowedImports, ...chapterRooms }

/** The one list of the chapters. */
const LIST = 'src/app/chapters.ts'

/** True for what a file of the core has of a chapter, which is counted. */
function isUpward(from: string, target: string): boolean {
  return chapterOf(from) === null && chapterOf(target) !== null && from !== LIST
}

function mayImport(from: SourceFile, target: string): boolean {
  const room = roomOf(from.path)
  if (roomOf(target) === room || isUpward(from.path, target)) return true
  if (from.path === LIST && target === `src/chapters/${chapterOf(target)}/chapter.ts`) return true
  return (rules[room] ?? []).some(entry =>
    entry.endsWith('.ts') ? target === `src/${entry}` : roomOf(target) === entry && target.startsWith('src/'),
  )
}

test('every folder of src is a known room', () => {
  for (const file of sources) assert.ok(roomOf(file.path) in rules, `${file.path}: room without a rule`)
  const rooms = new Set(sources.map(file => roomOf(file.path)))
  assert.deepEqual(
    Object.keys(rules).filter(room => !rooms.has(room)),
    [],
  )
})

test('imports point downwards only', () => {
  const wrong = sources.flatMap(file =>
    file.imports.filter(target => !mayImport(file, target)).map(target => `${file.path} -> ${target}`),
  )
  assert.deepEqual(wrong, [])
})

test('chapters know those they need, and no other', () => {
  const wrong = sources.flatMap(file => {
    const chapter = chapterOf(file.path)
    if (chapter === null) return []
    const known = [null, chapter, ...(chaptersNeeded[chapter] ?? [])]
    return file.imports.filter(target => !known.includes(chapterOf(target))).map(target => `${file.path} -> ${target}`)
  })
  assert.deepEqual(wrong, [])
})

test('the faces name the chapters that the rules name, and stand after them in the list', async () => {
  const chapters = await loadChapters()
  const named = chapters.map(({ id, needs }) => [id, [...needs].toSorted()])
  assert.deepEqual(Object.fromEntries(named), chaptersNeeded)
  const [market] = chapters.filter(({ id }) => id === 'market')
  assert.throws(() => checkNeeds(market === undefined ? [] : [market]), /market needs overlay, before it/)
})

test('no event is named twice', async () => {
  const tables = [eventDocs, ...(await loadChapters()).map(({ events }) => events)]
  const names = tables.flatMap(({ lines }) => Object.keys(lines))
  assert.equal(new Set(names).size, names.length, names.join(' '))
})

test('what the core has of chapters grows nowhere, and falls here when it falls there', () => {
  const counts: Record<string, number> = {}
  for (const file of [...sources, ...workers])
    for (const target of new Set(file.imports))
      if (isUpward(file.path, target)) {
        const layer = file.path.startsWith('src/') ? roomOf(file.path) : 'workers'
        counts[layer] = (counts[layer] ?? 0) + 1
      }
  assert.deepEqual(counts, coreIntoChapters)
})

test('workers import only codecs, contracts and jobs', () => {
  const fine =
    /^(workers\/|src\/(base|wire|records|chapters\/(channels\/(catalogue|feeds\/wire)|overlay\/sealing))\/|src\/pools\/(contract|jobs)\/)/
  const wrong = workers.flatMap(file =>
    file.imports.filter(target => !fine.test(target)).map(t => `${file.path} -> ${t}`),
  )
  assert.deepEqual(wrong, [])
  for (const file of workers) assert.ok(file.text.split('\n').length <= 100, `${file.path} has over 100 lines`)
})

test('only edges touch time, randomness, environment, disk and network', () => {
  const inner = sources.filter(({ path }) => !edgeFolders.has(roomOf(path)) && !edgeRooms.has(roomOf(path)))
  const wrong = inner.flatMap(file => [
    ...file.specifiers.filter(name => forbiddenModules.test(name)).map(name => `${file.path} imports ${name}`),
    ...(forbiddenText.test(file.text.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, ''))
      ? [`${file.path} uses a forbidden global`]
      : []),
  ])
  assert.deepEqual(wrong, [])
})

test('uWebSockets.js is imported only by http/uws', () => {
  const users = sources.filter(file => file.specifiers.includes('uWebSockets.js')).map(file => file.path)
  assert.ok(users.length > 0, 'nobody imports uWebSockets.js')
  for (const path of users) assert.match(path, /^src\/http\/uws\//)
})

test('no import cycles, in what measures neither', () => {
  const all = [...sources, ...workers, ...sourceFiles('bench')]
  const byPath = new Map(all.map(file => [file.path, file]))
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(path), `cycle: ${[...trail, path].join(' -> ')}`)
    if (done.has(path)) return
    for (const target of byPath.get(path)?.imports ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const file of all) visit(file.path, [])
})

test('files are named after things and stay under 500 lines', () => {
  for (const file of [...sources, ...workers, ...sourceFiles('test', 'bench')]) {
    assert.doesNotMatch(file.path, /(utils?|helpers?|manager|common|misc)\.ts$/)
    assert.match(file.path, /^[a-z0-9/.-]+$/, `${file.path} is not kebab-case`)
    const lines = file.text.split('\n').length
    assert.ok(lines <= 500, `${file.path} has ${lines} lines`)
    assert.match(file.text, /^(#!.*\n)?\/\/ /, `${file.path} does not begin with a comment that says what it is`)
  }
})

test('no folder of src or test holds more than 45 files directly', () => {
  const counts = new Map<string, number>()
  for (const top of ['src', 'test'])
    for (const entry of readdirSync(join(projectRoot, top), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) counts.set(entry.parentPath, (counts.get(entry.parentPath) ?? 0) + 1)
  assert.deepEqual(
    [...counts]
      .filter(([, files]) => files > 45)
      .map(([folder, files]) => `${relative(projectRoot, folder)}: ${files}`),
    [],
  )
})

test('comments keep to 120 columns; drawings and tables, three spaces in, may be wider', () => {
  const wide = [...sources, ...workers, ...sourceFiles('test', 'bench')].flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, at) => {
      const isComment = /^\s*(\/\/ {0,2}\S|\/\*|\* )/.test(line)
      return isComment && line.length > 120 ? [`${path}:${at + 1}`] : []
    }),
  )
  assert.deepEqual(wide, [])
})

test('no object literal is spread into another: it would only hide lines', () => {
  const hidden = [...sources, ...workers, ...sourceFiles('test', 'bench')].filter(
    ({ path, text }) => path.endsWith('.ts') && /\.\.\.\{ *\w/.test(text),
  )
  assert.deepEqual(
    hidden.map(({ path }) => path),
    [],
  )
})

/** Imports from one room of a folder of src into another, but through faces. */
function betweenRooms(folder: string, isFace: (path: string) => boolean): number {
  const room = (path: string): string | undefined => {
    const parts = path.split('/')
    return parts[1] === folder && parts.length > 3 ? parts[2] : undefined
  }
  return sources
    .filter(({ path }) => room(path) !== undefined)
    .flatMap(({ path, imports }) =>
      [...new Set(imports)].filter(to => room(to) !== undefined && room(to) !== room(path) && !isFace(to)),
    ).length
}

test('the walls between rooms: they may become higher', () => {
  assert.equal(
    betweenRooms('services', path => path.endsWith('-api.ts')),
    24,
    'at most 33 were the aim',
  )
  assert.equal(
    betweenRooms('torrent', () => false),
    154,
  )
})

test('every package the project promises is in real use', () => {
  const used = new Set([...sources, ...workers, ...sourceFiles('bench')].flatMap(file => file.specifiers))
  const promised = ['uWebSockets.js', 'piscina', 'bitfield', 'simple-sha1', 'fs-chunk-store', 'msgpackr']
  for (const name of promised) assert.ok(used.has(name), `${name} is not imported by the product`)
})

// Who may import whom (src/README.md), no cycles, no forbidden globals, no vague file names, no giant files.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { checkNeeds, loadChapters } from '../../src/app/chapters.ts'
import { eventDocs } from '../../src/services/events/event-table.ts'
import { projectRoot } from '../kit/project-root.ts'
import { chapterLists, chapterRooms, edgeRooms } from './chapter-rooms.ts'
import { allowedImports, edgeFolders } from './layers.ts'
import { chapterOf, roomOf } from './room-of.ts'
import { type SourceFile, sourceFiles } from './source-tree.ts'

const forbiddenText = /\bDate\.now\b|\bset(Timeout|Interval)\(|\bMath\.random\b|\bprocess\.env\b|\bperformance\.now\b/
const forbiddenModules = /^node:(net|dgram|fs|fs\/promises|http|https|tls|dns|child_process|worker_threads)$/

const sources = sourceFiles('src')
const chapters = await loadChapters()
const chaptersNeeded = new Map(chapters.map(({ id, needs }) => [id, needs]))
const workers = sourceFiles('workers')

const rules: Record<string, readonly string[]> = { ...allowedImports, ...chapterRooms }

function mayImport(from: SourceFile, target: string): boolean {
  const room = roomOf(from.path)
  if (roomOf(target) === room) return true
  if (chapterLists[from.path]?.some(face => target === `src/chapters/${chapterOf(target)}/${face}`)) return true
  return (rules[room] ?? []).some(entry =>
    entry.endsWith('.ts') ? fileRule(entry).test(target) : roomOf(target) === entry && target.startsWith('src/'),
  )
}

/** What an entry that ends in `.ts` names: `*` is any run of characters. */
function fileRule(entry: string): RegExp {
  return new RegExp(`^src/${entry.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
}

test('every folder of src is a known room', () => {
  for (const file of sources)
    assert.ok(
      roomOf(file.path) in rules,
      `${file.path}: room without a rule (test/arch/layers.ts, of a chapter kit/rooms.ts of its tests)`,
    )
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
    const known = [null, chapter, ...(chaptersNeeded.get(chapter) ?? [])]
    return file.imports.filter(target => !known.includes(chapterOf(target))).map(target => `${file.path} -> ${target}`)
  })
  assert.deepEqual(wrong, [])
})

test('each folder of a chapter has its line in the list, after those that it needs', () => {
  const listed = chapters.map(({ id }) => id).toSorted()
  const folders = new Set(sources.flatMap(({ path }) => chapterOf(path) ?? []))
  assert.deepEqual(listed, [...folders].toSorted())
  const needy = { id: 'late', needs: ['early'] }
  assert.throws(() => checkNeeds([needy, { id: 'early', needs: [] }]), /late needs early, before it/)
})

test('no event is named twice', () => {
  const tables = [eventDocs, ...chapters.map(({ events }) => events)]
  const names = tables.flatMap(({ lines }) => Object.keys(lines))
  assert.equal(new Set(names).size, names.length, names.join(' '))
})

test('the core names no chapter but in the lists, the benchmarks and tests of the core none at all', () => {
  const core = [...sources, ...workers, ...sourceFiles('bench'), ...sourceFiles('test')].filter(
    ({ path }) => !path.includes('/chapters/') && !(path in chapterLists),
  )
  const wrong = core.flatMap(({ path, imports }) =>
    imports.filter(target => target.includes('/chapters/')).map(target => `${path} -> ${target}`),
  )
  assert.deepEqual(wrong, [])
})

test('pages of the dashboard have their chapter as id: it is in their addresses', () => {
  const pages = sources.filter(({ path }) => /^src\/chapters\/[a-z]+\/web\/pages\.tsx$/.test(path))
  for (const { path, text } of pages)
    assert.deepEqual(
      [...text.matchAll(/^  id: '(.*)',$/gm)].map(([, id]) => id),
      [chapterOf(path)],
      path,
    )
})

test('workers of the core import only codecs, contracts and jobs; no worker has over 100 lines', () => {
  const fine = /^src\/((base|wire|records)\/|pools\/(contract|jobs)\/)/
  const wrong = workers.flatMap(file =>
    file.imports.filter(target => !fine.test(target)).map(t => `${file.path} -> ${t}`),
  )
  assert.deepEqual(wrong, [])
  for (const file of [...workers, ...sources.filter(({ path }) => /\/workers\//.test(path))])
    assert.ok(file.text.split('\n').length <= 100, `${file.path} has over 100 lines`)
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

test('clients have routes as types alone: nothing is loaded with them', () => {
  const rooms = sources.filter(({ path }) => /(^|\/)client$/.test(roomOf(path)))
  assert.ok(rooms.some(({ path }) => path.startsWith('src/chapters/')))
  const wrong = rooms.flatMap(({ path, loads }) =>
    loads.filter(name => !name.startsWith('src/client/')).map(name => `${path} loads ${name}`),
  )
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
    21,
    'at most 33 were the aim',
  )
  assert.equal(
    betweenRooms('torrent', () => false),
    147,
  )
})

test('every package the project promises is in real use', () => {
  const used = new Set([...sources, ...workers, ...sourceFiles('bench')].flatMap(file => file.specifiers))
  const promised = ['uWebSockets.js', 'piscina', 'bitfield', 'simple-sha1', 'fs-chunk-store', 'msgpackr']
  for (const name of promised) assert.ok(used.has(name), `${name} is not imported by the product`)
})

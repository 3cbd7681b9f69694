// The tree of a torrent's files: folders, sizes, what is chosen in them, and names of strangers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  choices,
  fileTree,
  filesLike,
  filesOf,
  folderPaths,
  openRows,
  type TreeFile,
  type TreeNode,
} from '../../../src/web/model/file-tree.ts'

const listed = (...names: string[]): TreeFile[] => names.map((name, index) => ({ index, name, size: 10 ** index }))
const outline = (nodes: readonly TreeNode<TreeFile>[]) => nodes.map(({ depth, name }) => `${'-'.repeat(depth)}${name}`)

const show = listed('Season 2/E10.mkv', 'Season 2/E2.mkv', 'readme.txt', 'Season 10/Extras/a.srt', 'Season 10/b.mkv')

test('folders come before files, each by name and number', () => {
  const tree = fileTree(show)
  assert.deepEqual(outline(openRows(tree, folderPaths(tree))), [
    'Season 2',
    '-E2.mkv',
    '-E10.mkv',
    'Season 10',
    '-Extras',
    '--a.srt',
    '-b.mkv',
    'readme.txt',
  ])
})

test('only what is open is shown', () => {
  const tree = fileTree(show)
  assert.deepEqual(outline(openRows(tree, new Set())), ['Season 2', 'Season 10', 'readme.txt'])
  // An open folder in a closed one shows nothing.
  assert.equal(openRows(tree, new Set(['Season 10/Extras'])).length, 3)
  assert.deepEqual(outline(openRows(tree, new Set(['Season 10']))).slice(2, 4), ['-Extras', '-b.mkv'])
})

test('a folder has the size and the files of all that is below it', () => {
  const tree = fileTree(show)
  const folder = tree.top[1]
  assert.ok(folder?.kind === 'folder')
  assert.equal(folder.size, 1000 + 10_000)
  assert.deepEqual(
    filesOf(tree, folder).map(({ index }) => index),
    [3, 4],
  )
  assert.equal(tree.files.length, show.length)
})

test('a folder is chosen, not chosen, or in part', () => {
  const tree = fileTree(show)
  const chosen = new Set([0, 1, 3])
  const choice = choices(tree, ({ index }) => chosen.has(index))
  assert.deepEqual(tree.top.map(choice), ['all', 'some', 'none'])
  assert.deepEqual(openRows(tree, folderPaths(tree)).map(choice), [
    'all',
    'all',
    'all',
    'some',
    'all',
    'all',
    'none',
    'none',
  ])
})

test('a search finds paths with all its words', () => {
  assert.deepEqual(
    filesLike(show, ' season  MKV ').map(({ index }) => index),
    [0, 1, 4],
  )
  assert.equal(filesLike(show, '  '), show)
  assert.deepEqual(filesLike(show, 'nothing'), [])
})

test('a file may have the name of a folder, and names what objects have', () => {
  const tree = fileTree(listed('a', 'a/b', '__proto__/constructor', 'toString'))
  assert.deepEqual(outline(openRows(tree, folderPaths(tree))), [
    '__proto__',
    '-constructor',
    'a',
    '-b',
    'a',
    'toString',
  ])
})

test('a name that shows nothing is told in code points', () => {
  const tree = fileTree(listed('\u200b\u200d/\u200b', '\u0000', '\u202e', 'x\u200b'))
  assert.deepEqual(outline(openRows(tree, folderPaths(tree))).toSorted(), [
    '-U+200B',
    'U+0000',
    'U+200B U+200D',
    'U+202E',
    'x\u200b',
  ])
})

test('paths of 2,000 folders are shown to a bounded depth, and 20,000 files take no time', () => {
  const deep = Array.from({ length: 2000 }, (_, i) => String(i % 10)).join('/')
  const tree = fileTree([...listed(deep), ...listed(`${deep}/x`)])
  const rows = openRows(tree, folderPaths(tree))
  assert.equal(rows.length, 18)
  assert.equal(rows.at(-1)?.depth, 16)
  assert.equal(rows.at(-1)?.path.length, deep.length + 2)
  const many = Array.from({ length: 20_000 }, (_, index) => ({
    index,
    name: `${deep}/${index % 300}/f${index}`,
    size: 1,
  }))
  const large = fileTree(many)
  assert.equal(openRows(large, folderPaths(large)).length, 20_016)
  assert.equal(choices(large, () => true)(large.top[0]!), 'all')
})

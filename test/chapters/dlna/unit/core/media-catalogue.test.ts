// The tree of folders and films.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MediaCatalogue } from '../../../../../src/chapters/dlna/core/media-catalogue.ts'
import type { MediaDownload } from '../../../../../src/chapters/dlna/core/media-objects.ts'
import { mediaFiles } from '../../../../../src/chapters/dlna/core/media-files.ts'
import { labelScope, readObjectId } from '../../../../../src/chapters/dlna/core/object-id.ts'
import { readSortCriteria } from '../../../../../src/chapters/dlna/core/sort-order.ts'

function made(number: number, names: readonly string[], more: Partial<MediaDownload> = {}): MediaDownload {
  return {
    infohash: String(number).padStart(40, '0'),
    key: `key${String(number).padStart(13, '0')}`,
    name: `download ${number}`,
    labels: [],
    addedSec: number,
    complete: true,
    files: mediaFiles(names.map((name, index) => ({ index, name, size: 1000 + index }))),
    ...more,
  }
}

const single = made(1, ['Film One.mkv'])
const series = made(
  2,
  [
    'readme.txt',
    'Season 2/e1.mkv',
    'Season 1/e10.mkv',
    'Season 1/e2.mkv',
    'Season 1/extra/cut.mp4',
    'trailer.mp4',
    'Season 1/e2.en.srt',
  ],
  { labels: ['kids & co'], complete: false },
)
const catalogue = new MediaCatalogue([single, series])
const titles = (id: string): string[] | undefined => catalogue.children(id)?.map(({ title }) => title)

test('the root has the folders, that of labels where there are some', () => {
  assert.deepEqual(titles('0'), ['Newest', 'In progress', 'All downloads', 'Labels'])
  assert.deepEqual(
    new MediaCatalogue([single]).children('0')?.map(({ id }) => id),
    ['n', 'p', 'f'],
  )
  assert.equal(new MediaCatalogue([single]).find('l'), null)
})

test('a download with one film is the film, others are folders', () => {
  const [folder, film] = catalogue.children('f') ?? []
  assert.deepEqual([folder?.kind, folder?.title], ['container', 'download 2'])
  assert.deepEqual([film?.kind, film?.title, film?.parentId], ['item', 'Film One', 'f'])
})

test('folders inside a download are its own, films in the order of numbers', () => {
  assert.deepEqual(titles(`f$${series.key}`), ['Season 1', 'Season 2', 'trailer'])
  const [season] = catalogue.children(`f$${series.key}`) ?? []
  assert.deepEqual(titles(season?.id ?? ''), ['extra', 'e2', 'e10'])
})

test('every object is found again by its id, below the folder it was listed in', () => {
  let count = 0
  const walk = (id: string): void => {
    for (const object of catalogue.children(id) ?? []) {
      count += 1
      assert.equal(object.parentId, id)
      assert.deepEqual(catalogue.find(object.id), object)
      if (object.kind === 'item') assert.equal(catalogue.children(object.id), null)
      else {
        assert.equal(catalogue.childCount(object), catalogue.children(object.id)?.length)
        walk(object.id)
      }
    }
  }
  walk('0')
  assert.equal(count, 43)
})

test('newest first; in progress what is not complete; labels their own', () => {
  assert.deepEqual(titles('n'), ['download 2', 'Film One'])
  assert.deepEqual(titles('p'), ['download 2'])
  assert.deepEqual(titles('l'), ['kids & co'])
  assert.deepEqual(titles(labelScope('kids & co')), ['download 2'])
  const twins = new MediaCatalogue([made(1, ['a.mkv'], { addedSec: 7 }), made(2, ['b.mkv'], { addedSec: 7 })])
  assert.deepEqual(
    twins.children('n')?.map(({ title }) => title),
    ['b', 'a'],
  )
  const many = new MediaCatalogue(Array.from({ length: 150 }, (_, at) => made(at, ['a.mkv'])))
  assert.equal(many.children('n')?.length, 100)
  assert.equal(many.children('f')?.length, 150)
})

test('what lies elsewhere is not there', () => {
  for (const id of [
    '1',
    '',
    'x',
    `p$${single.key}`,
    `p$${single.key}$0`,
    `f$${single.key}`,
    `f$${series.key}$1.3`,
    `f$${series.key}$0`,
    `f$${series.key}$6`,
    `f$${series.key}$99`,
    `f$${series.key}$9.2`,
    `${labelScope('other')}$${series.key}`,
    labelScope('other'),
    `0$${series.key}`,
    `l$${series.key}`,
  ])
    assert.equal(catalogue.find(id), null, id)
  for (const id of ['f$', 'f$short', 'f$key0000000000002$01', 'f$key0000000000002$1$1', '../0', 'l.', '0'.repeat(500)])
    assert.equal(readObjectId(id), null, id)
})

test('lists are sorted as asked, folders first', () => {
  const downloads = [made(3, ['b 10.mkv']), made(4, ['a.mkv']), made(5, ['b 2.mkv']), series]
  const sorted = (text: string): string[] => {
    const keys = readSortCriteria(text)
    assert.ok(keys !== null, text)
    return (new MediaCatalogue(downloads).children('f', keys) ?? []).map(({ title }) => title)
  }
  // Without a wish the order of titles, folders among films.
  assert.deepEqual(sorted(''), sorted('+dc:title'))
  assert.deepEqual(sorted('+dc:title'), ['download 2', 'a', 'b 2', 'b 10'])
  assert.deepEqual(sorted('-dc:title'), ['download 2', 'b 10', 'b 2', 'a'])
  assert.deepEqual(sorted('+upnp:class, -dc:date'), ['download 2', 'b 2', 'a', 'b 10'])
  for (const wrong of ['dc:title', '+dc:creator', '+', '+dc:title;', `${'+dc:title,'.repeat(20)}+dc:date`])
    assert.equal(readSortCriteria(wrong), null, wrong)
})

test('views know how many they hold without listing and sorting it', () => {
  const many = Array.from({ length: 3_000 }, (_, at) => ({
    ...made(at + 10, [`Film ${at}.mkv`]),
    labels: at % 3 === 0 ? ['kids', 'kids', 'new'] : [],
    complete: at % 2 === 0,
  }))
  const large = new MediaCatalogue(many)
  const counted = (id: string): number => {
    const object = large.find(id)
    assert.ok(object?.kind === 'container', id)
    return large.childCount(object)
  }
  const labels = (large.children('l') ?? []).map(({ id }) => id)
  for (const id of ['0', 'n', 'p', 'f', 'l', ...labels]) assert.equal(counted(id), large.children(id)?.length, id)
  const before = process.cpuUsage()
  for (let at = 0; at < 300; at += 1) for (const id of ['n', 'p', 'f', ...labels]) counted(id)
  assert.ok(process.cpuUsage(before).user < 500_000)
})

test('what is sorted by twice is one order', () => {
  assert.deepEqual(readSortCriteria('+dc:title,-dc:date,-dc:title'), readSortCriteria('+dc:title,-dc:date'))
})

test('the number of the state is that of its content', () => {
  const again = new MediaCatalogue([made(1, ['Film One.mkv']), series])
  assert.equal(again.updateId, catalogue.updateId)
  for (const changed of [
    [single],
    [{ ...single, name: 'x' }, series],
    [single, { ...series, complete: true }],
    [single, { ...series, labels: [] }],
  ])
    assert.notEqual(new MediaCatalogue(changed).updateId, catalogue.updateId)
})

test('films and sounds are shown with the types televisions know, and their subtitles', () => {
  const found = mediaFiles([
    { index: 0, name: 'a.ts', size: 1 },
    { index: 1, name: 'a.en.vtt', size: 1 },
    { index: 2, name: 'a.srt', size: 1 },
    { index: 3, name: 'b.flac', size: 1 },
    { index: 4, name: 'c.exe', size: 1 },
    { index: 5, name: 'cover.jpg', size: 1 },
    { index: 6, name: 'd.MKV', size: 1 },
  ])
  assert.deepEqual(
    found.map(({ name, mime }) => [name, mime]),
    [
      ['a.ts', 'video/mpeg'],
      ['b.flac', 'audio/flac'],
      ['d.MKV', 'video/x-matroska'],
    ],
  )
  assert.deepEqual(
    found[0]?.subtitles.map(({ index, type }) => [index, type]),
    [
      [2, 'srt'],
      [1, 'vtt'],
    ],
  )
})

// Categories guessed from files, and the words of the family filter with the names that they must leave alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  categoryOf,
  hiddenByFamilyFilter,
  isTorrentCategory,
} from '../../../../../src/chapters/channels/wire/category.ts'
import { speaksOfAdultContent } from '../../../../../src/chapters/channels/wire/family-words.ts'

test('the category is that of most of the bytes', () => {
  const film = [
    { path: 'Sintel/Sintel.mkv', size: 900 },
    { path: 'Sintel/cover.jpg', size: 50 },
    { path: 'Sintel/readme.txt', size: 10 },
  ]
  assert.equal(categoryOf('Sintel', film), 'video')
  assert.equal(categoryOf('Sintel', film.slice(1)), 'image')
  assert.equal(categoryOf('album', [{ path: '01.FLAC', size: 1 }]), 'audio')
  assert.equal(categoryOf('set', [{ path: 'set.part.r07', size: 9 }]), 'compressed')
})

test('without files the name decides; what fits nothing is other', () => {
  assert.equal(categoryOf('debian-12.5.0-amd64-netinst.iso', []), 'software')
  assert.equal(categoryOf('a book.epub', []), 'document')
  assert.equal(categoryOf('something', []), 'other')
  assert.equal(categoryOf('x', [{ path: 'noending', size: 7 }]), 'other')
  assert.equal(categoryOf('x', [{ path: '.', size: 0 }]), 'other')
})

test('files without sizes count each as one', () => {
  const files = ['a.mp3', 'b.mp3', 'c.jpg'].map(path => ({ path, size: 0 }))
  assert.equal(categoryOf('songs', files), 'audio')
})

test('names of adult content are known by whole words', () => {
  for (const name of [
    'Some.Site.24.01.02.Somebody.XXX.1080p',
    'best PORN collection',
    'BrazzersExtra - clip',
    'hot_milf_video.mp4',
    'Naked Teens',
    'ｐｏｒｎ in full width',
    'Порно видео',
  ]) {
    assert.equal(speaksOfAdultContent(name), true, name)
  }
})

test('decent names stay', () => {
  for (const name of [
    'xXx (2002) 1080p BluRay',
    'Essex and Middlesex: a history',
    'Sex Education S01',
    'Data analysis with Python',
    'The Naked Gun',
    'Cockpit manual, Boeing 747',
    'Assassin, Class of 1999',
    'Teen Titans Go',
    'Hamlet',
    'Scunthorpe United',
    '',
  ]) {
    assert.equal(speaksOfAdultContent(name), false, name)
  }
})

test('adult content is xxx by its name or its biggest file, whatever its ending', () => {
  assert.equal(categoryOf('holiday porn', [{ path: 'a.mkv', size: 1 }]), 'xxx')
  assert.equal(
    categoryOf('pack', [
      { path: 'some.porn.mkv', size: 9 },
      { path: 'a.txt', size: 1 },
    ]),
    'xxx',
  )
  assert.equal(
    categoryOf('pack', [
      { path: 'a.mkv', size: 9 },
      { path: 'about porn.txt', size: 1 },
    ]),
    'video',
  )
})

test('the filter does not trust the category that an author gave', () => {
  assert.equal(hiddenByFamilyFilter('holiday porn', 'document'), true)
  assert.equal(hiddenByFamilyFilter('holiday', 'xxx'), true)
  assert.equal(hiddenByFamilyFilter('holiday', 'video'), false)
  assert.equal(isTorrentCategory('video'), true)
  assert.equal(isTorrentCategory('__proto__'), false)
})

test('a long text and many files cost a bounded time', () => {
  const files = Array.from({ length: 20_000 }, (_, i) => ({ path: `f${i}.${i < 10_000 ? 'mp3' : 'mkv'}`, size: 1 + i }))
  assert.equal(categoryOf('many', files), 'audio')
  assert.equal(speaksOfAdultContent(`${'a '.repeat(100_000)}porn`), false)
})

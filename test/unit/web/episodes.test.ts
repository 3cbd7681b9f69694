// Season and episode out of names, and which film comes next.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EpisodeFile, episodeOf, neighboursOf } from '../../../src/web/model/episodes.ts'

const filesOf = (...names: string[]): EpisodeFile[] => names.map((name, index) => ({ index, name, included: true }))

const nextName = (files: readonly EpisodeFile[], name: string): string | null => {
  const index = files.findIndex(file => file.name === name)
  return neighboursOf(files, files[index]?.index ?? -1).next?.name ?? null
}

test('season and episode of a name', () => {
  const table: [name: string, season: number, episode: number, last?: number][] = [
    ['Show.S01E02.1080p.mkv', 1, 2],
    ['show s1e2.mkv', 1, 2],
    ['Show - S02 E113 - Name.mkv', 2, 113],
    ['Show.S01.E05.mkv', 1, 5],
    ['Show.S01E01E02.mkv', 1, 1, 2],
    ['Show.S01E01-E02.mkv', 1, 1, 2],
    ['Show.S01E10.10bit.mkv', 1, 10],
    ['Show 1x02 Name.avi', 1, 2],
    ['Show/Season 3/Episode 7.mkv', 3, 7],
    ['Show/Staffel 2/Folge 04.mkv', 2, 4],
    ['Show.Ep.12.mkv', 1, 12],
    ['Episode 2.mkv', 1, 2],
    ['Show/Season 2/03 - Name.mkv', 2, 3],
    ['Show/S02/Show - 04 [1080p].mkv', 2, 4],
    [`${'x'.repeat(4000)}.S01E02.mkv`, 1, 2],
    ['\u202e\u200bShow.S01E02.\u0000.mkv', 1, 2],
  ]
  for (const [name, season, episode, last = episode] of table)
    assert.deepEqual(episodeOf(name), { season, episode, last }, name.slice(-60))
  const none = [
    'Film.1920x1080.mkv',
    'Film (2012).mkv',
    '02 - Song.mp3',
    'Movie.2160p.x265.mkv',
    'Heroes 7.mkv',
    '.mkv',
    '',
  ]
  for (const name of none) assert.equal(episodeOf(name), null, name)
})

test('the next episode, over seasons, samples, left out files and other resolutions', () => {
  const files = filesOf(
    'Show/Season 1/Show.S01E10.mkv',
    'Show/Season 1/Show.S01E02.mkv',
    'Show/Season 1/Sample/Show.S01E03.sample.mkv',
    'Show/Season 2/Show.S02E01.mkv',
    'Show/720p/Show.S01E03.mkv',
    'Show/Season 1/Show.S01E03.mkv',
    'Show/Season 1/Show.S01E03.srt',
    'Show/Season 2/Show.S02E02.mkv',
    'Show/theme.mp3',
  )
  assert.equal(nextName(files, 'Show/Season 1/Show.S01E02.mkv'), 'Show/Season 1/Show.S01E03.mkv')
  assert.equal(nextName(files, 'Show/Season 1/Show.S01E03.mkv'), 'Show/Season 1/Show.S01E10.mkv')
  assert.equal(nextName(files, 'Show/Season 1/Show.S01E10.mkv'), 'Show/Season 2/Show.S02E01.mkv')
  assert.equal(nextName(files, 'Show/Season 2/Show.S02E02.mkv'), null, 'the last one')
  assert.equal(nextName(files, 'Show/theme.mp3'), null)
  assert.equal(neighboursOf(files, 0).previous?.name, 'Show/Season 1/Show.S01E03.mkv')
  assert.equal(neighboursOf(files, 1).previous, null)
  const without = files.map(file => ({ ...file, included: !file.name.includes('S01E03') }))
  assert.equal(nextName(without, 'Show/Season 1/Show.S01E02.mkv'), 'Show/Season 1/Show.S01E10.mkv')
})

test('a file of two episodes is followed by the one after both', () => {
  const files = filesOf('S01E01E02.mkv', 'S01E02.mkv', 'S01E03.mkv')
  assert.equal(nextName(files, 'S01E01E02.mkv'), 'S01E03.mkv')
})

test('without episodes the order of names, numbers read as numbers', () => {
  const files = filesOf('a/part 10.mp4', 'a/part 2.mp4', 'a/part 1.mp4', 'a/cover.jpg', 'b/part 1.mp4')
  assert.equal(nextName(files, 'a/part 1.mp4'), 'a/part 2.mp4')
  assert.equal(nextName(files, 'a/part 2.mp4'), 'a/part 10.mp4')
  assert.equal(nextName(files, 'a/part 10.mp4'), 'b/part 1.mp4')
  assert.equal(nextName(files, 'a/cover.jpg'), null)
  assert.deepEqual(neighboursOf(files, 99), { previous: null, next: null })
})

test('ten thousand files with names of 4,000 characters take no time that is felt', () => {
  const files = filesOf(...Array.from({ length: 10_000 }, (_, n) => `${'e-s '.repeat(1000)}${n} s e - - ${n}.mkv`))
  const before = performance.now()
  neighboursOf(files, 5000)
  assert.ok(performance.now() - before < 5000)
})

// Which files are played, their order, and what belongs to them: by names as they are found in torrents.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneLine, playlistHead, playlistLines } from '../../../../src/http/playlist/m3u.ts'
import { playedFiles } from '../../../../src/http/playlist/sidecars.ts'

/** `[film, ...sidecars]` by name. */
function played(...names: string[]): string[][] {
  const files = names.map((name, index) => ({ index, name }))
  return playedFiles(files).map(({ name, sidecars }) => [name, ...sidecars.map(sidecar => sidecar.name)])
}

test('films and sound in the order of their names, numbers as numbers, nothing else', () => {
  assert.deepEqual(played('b/Part 10.mkv', 'readme.txt', 'b/part 2.MKV', 'cover.jpg', 'a/song.flac', 'x.exe'), [
    ['a/song.flac'],
    ['b/part 2.MKV'],
    ['b/Part 10.mkv'],
  ])
  assert.deepEqual(played('a.iso', 'b.txt', ''), [])
})

test('subtitles go with the film they are named like, also in folders of their own', () => {
  assert.deepEqual(
    played(
      'S/e1.mkv',
      'S/e10.mkv',
      'S/e1.en.srt',
      'S/e10.forced.de.ass',
      'S/Subs/e1.fr.srt',
      'S/Subs/e10/2_English.srt',
    ),
    [
      ['S/e1.mkv', 'S/e1.en.srt', 'S/Subs/e1.fr.srt'],
      ['S/e10.mkv', 'S/e10.forced.de.ass', 'S/Subs/e10/2_English.srt'],
    ],
  )
})

test('one film has all subtitles there are; of several, one that is named like none goes with none', () => {
  assert.deepEqual(played('film.mp4', 'english.srt', 'Subs/de.vtt'), [['film.mp4', 'english.srt', 'Subs/de.vtt']])
  assert.deepEqual(played('a.mp4', 'b.mp4', 'english.srt'), [['a.mp4'], ['b.mp4']])
})

test('sound named like a film goes with it, else it is played by itself', () => {
  assert.deepEqual(played('film.mkv', 'film.commentary.mka', 'other.mka'), [
    ['film.mkv', 'film.commentary.mka'],
    ['other.mka'],
  ])
})

test('films of one name in two folders keep their own', () => {
  assert.deepEqual(played('d1/v.mkv', 'd2/v.mkv', 'd2/v.srt', 'd1/v.srt'), [
    ['d1/v.mkv', 'd1/v.srt'],
    ['d2/v.mkv', 'd2/v.srt'],
  ])
})

test('10,000 films with subtitles cost little', () => {
  const names = Array.from({ length: 10_000 }, (_, n) => [`s/e${n}.mkv`, `s/e${n}.a.b.c.d.e.srt`]).flat()
  const begun = performance.now()
  assert.equal(played(...names).length, 10_000)
  assert.ok(performance.now() - begun < 2000)
})

/** Milliseconds of processor time that `run` takes. */
function cpuMs(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

test('names that are all alike, and one film with all the subtitles there are, cost no more', () => {
  const alike = Array.from({ length: 25_000 }, (_, n) => [`d${n}/movie.mkv`, `d${n}/subs/movie.srt`]).flat()
  let films: string[][] = []
  const ofAlike = cpuMs(() => (films = played(...alike)))
  assert.deepEqual(films[7], ['d7/movie.mkv', 'd7/subs/movie.srt'])
  const one = ['film.mkv', ...Array.from({ length: 50_000 }, (_, n) => `subs/${n}.srt`)]
  const ofOne = cpuMs(() => (films = played(...one)))
  assert.equal(films[0]?.length, 50_001)
  const deep = Array.from({ length: 2_000 }, (_, n) => `${'a/'.repeat(1_500)}${n}/x.srt`)
  const ofDeep = cpuMs(() => (films = played('b/x.mkv', 'c/x.mkv', ...deep)))
  assert.ok(Math.max(ofAlike, ofOne, ofDeep) < 3000, `${ofAlike} ${ofOne} ${ofDeep} ms`)
})

test('of films of one name above a subtitle the nearest has it', () => {
  assert.deepEqual(played('v.mkv', 'd/v.mkv', 'd/subs/en/v.srt', 'subs/v.srt'), [
    ['d/v.mkv', 'd/subs/en/v.srt'],
    ['v.mkv', 'subs/v.srt'],
  ])
})

test('a name cannot make a line of its own', () => {
  const evil = 'a\r\n#EXTVLCOPT:sout=file\nhttp://evil.example/\u2028\u202ex'
  assert.equal(oneLine(evil), 'a #EXTVLCOPT:sout=file http://evil.example/ x')
  const text =
    playlistHead(evil) +
    playlistLines({ title: evil, url: 'http://n/1', sidecarUrls: ['http://n/2', 'http://n/3'], startSec: 0 })
  assert.deepEqual(text.split('\n').slice(0, 2), ['#EXTM3U', `#PLAYLIST:${oneLine(evil)}`])
  assert.deepEqual(text.split('\n').slice(2), [
    `#EXTINF:-1,${oneLine(evil)}`,
    '#EXTVLCOPT:input-slave=http://n/2#http://n/3',
    'http://n/1',
    '',
  ])
})

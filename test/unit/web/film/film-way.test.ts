// Which way a film is played: by the browser, by the page, or not, and what is said then.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Abilities,
  choicesOf,
  type KnownFilm,
  type KnownTrack,
  planOf,
  lacksOf,
  wayOf,
} from '../../../../src/web/model/film/film-way.ts'
import { soundName } from '../../../../src/web/model/film/sound-names.ts'

const strings: Readonly<Record<string, string>> = {
  h264: 'avc1.640028',
  hevc: 'hvc1.1.6.L93.B0',
  vp8: 'vp8',
  aac: 'mp4a.40.2',
  ac3: 'ac-3',
  eac3: 'ec-3',
  dts: 'dtsc',
  flac: 'flac',
  mp3: 'mp3',
  opus: 'opus',
}

/** A browser that knows these codecs in its element, those in its source buffers, and decodes those. */
const browser = (element: string[], buffers: string[], decoders: string[]): Abilities => {
  const named = (names: string[]) => names.map(name => `codecs="${strings[name]}"`)
  return {
    plays: type => named(element).some(each => type.endsWith(each)),
    takes: type => named(buffers).some(each => type.endsWith(each)),
    decodes: codec => decoders.includes(codec),
  }
}
const chromium = browser(
  ['h264', 'vp8', 'aac', 'flac', 'mp3', 'opus'],
  ['h264', 'aac', 'flac', 'opus'],
  ['ac3', 'eac3', 'mp3'],
)
const withHevc = browser(['h264', 'hevc', 'aac'], ['h264', 'hevc', 'aac', 'flac'], ['ac3'])
const withoutBuffers = browser(['h264', 'aac'], [], ['ac3'])

const track = (id: number, kind: 'video' | 'audio', codec: string, more: Partial<KnownTrack> = {}): KnownTrack => ({
  id,
  kind,
  codec,
  codecString: strings[codec] ?? null,
  language: 'und',
  name: '',
  isDefault: false,
  channels: kind === 'audio' ? 2 : 0,
  ...more,
})
const film = (container: string, ...tracks: KnownTrack[]): KnownFilm => ({ container, durationSec: 60, tracks })
const h264 = track(1, 'video', 'h264')

describe('the way of a film', () => {
  test('what the browser plays stays with it', () => {
    const played = [
      film('mp4', h264, track(2, 'audio', 'aac')),
      film('matroska', h264, track(2, 'audio', 'aac')),
      film('webm', track(1, 'video', 'vp8'), track(2, 'audio', 'opus')),
      film('mp4', h264),
      film('flac', track(1, 'audio', 'flac')),
      // Nothing can be asked of them: the element is tried.
      film('matroska', track(1, 'video', 'theora')),
    ]
    for (const each of played) assert.deepEqual(wayOf(each, chromium, null), { by: 'browser', lacks: null })
  })

  test('sound that it lacks is converted by the page, the picture copied', () => {
    for (const codec of ['ac3', 'eac3'])
      assert.deepEqual(wayOf(film('matroska', h264, track(2, 'audio', codec)), chromium, null), {
        by: 'page',
        plan: { video: 1, sound: { id: 2, converted: true } },
      })
  })

  test('a container that it lacks is taken apart, and what it knows copied', () => {
    assert.deepEqual(wayOf(film('mpegts', h264, track(2, 'audio', 'aac')), chromium, null), {
      by: 'page',
      plan: { video: 1, sound: { id: 2, converted: false } },
    })
  })

  test('what nobody plays is said: DTS, HEVC where there is none, AVI', () => {
    const said = (each: KnownFilm) => wayOf(each, chromium, null)
    assert.deepEqual(said(film('matroska', h264, track(2, 'audio', 'dts'))), { by: 'browser', lacks: 'sound' })
    const hevc = track(1, 'video', 'hevc')
    assert.deepEqual(said(film('matroska', hevc, track(2, 'audio', 'aac'))), { by: 'browser', lacks: 'picture' })
    assert.deepEqual(said(film('matroska', hevc, track(2, 'audio', 'ac3'))), { by: 'browser', lacks: 'format' })
    assert.deepEqual(said(film('matroska', hevc)), { by: 'browser', lacks: 'format' })
    assert.deepEqual(said(film('avi', track(1, 'video', 'h264'), track(2, 'audio', 'mp3'))), {
      by: 'browser',
      lacks: 'format',
    })
  })

  test('what the page has given up lacks what the browser lacks', () => {
    const ac3 = film('matroska', h264, track(2, 'audio', 'ac3'))
    assert.equal(wayOf(ac3, chromium, null).by, 'page')
    assert.equal(lacksOf(ac3, chromium), 'sound')
    assert.equal(lacksOf(film('matroska', h264, track(2, 'audio', 'aac')), chromium), null)
    assert.equal(lacksOf(film('mpegts', h264, track(2, 'audio', 'aac')), chromium), 'format')
  })

  test('HEVC is copied where the browser has it', () => {
    const hevc = film('matroska', track(1, 'video', 'hevc'), track(2, 'audio', 'ac3'))
    assert.equal(wayOf(hevc, withHevc, null).by, 'page')
  })

  test('without source buffers nothing is repacked', () => {
    assert.deepEqual(wayOf(film('matroska', h264, track(2, 'audio', 'ac3')), withoutBuffers, null), {
      by: 'browser',
      lacks: 'sound',
    })
  })

  test('of several sounds the default is heard, or another that can be', () => {
    const dts = track(2, 'audio', 'dts')
    const ac3 = track(3, 'audio', 'ac3', { isDefault: true })
    const eac3 = track(4, 'audio', 'eac3')
    const heard = (...sounds: KnownTrack[]) => planOf(film('matroska', h264, ...sounds), chromium, null)?.sound?.id
    assert.equal(heard(eac3, ac3), 3)
    assert.equal(heard(dts, eac3), 4, 'DTS cannot be')
    assert.equal(heard(dts), undefined)
  })

  test('a chosen sound that is not the first needs the page, the first does not', () => {
    const two = film('mp4', h264, track(2, 'audio', 'aac'), track(3, 'audio', 'aac'))
    assert.equal(wayOf(two, chromium, 2).by, 'browser')
    assert.deepEqual(wayOf(two, chromium, 3), { by: 'page', plan: { video: 1, sound: { id: 3, converted: false } } })
  })

  test('those that can be heard are there to choose from, where there is a choice', () => {
    const ids = (...sounds: KnownTrack[]) => choicesOf(film('matroska', h264, ...sounds), chromium).map(({ id }) => id)
    const [aac, ac3, dts] = [track(2, 'audio', 'aac'), track(3, 'audio', 'ac3'), track(4, 'audio', 'dts')]
    assert.deepEqual(ids(aac, ac3, dts), [2, 3])
    assert.deepEqual(ids(dts, aac), [])
    assert.deepEqual(ids(aac), [])
  })

  test('covers are no picture', () => {
    const song = film('matroska', track(1, 'video', 'mjpeg'), track(2, 'audio', 'ac3'))
    assert.deepEqual(planOf(song, chromium, null), { video: null, sound: { id: 2, converted: true } })
  })
})

test('names of sounds: language, codec, speakers, and what the file calls it', () => {
  const name = (more: Partial<KnownTrack>) => soundName(track(2, 'audio', 'ac3', more), 1)
  assert.equal(name({ language: 'eng', channels: 6 }), 'English · AC-3 5.1')
  assert.equal(name({ language: 'fr', name: 'Commentary' }), 'French · AC-3 stereo · Commentary')
  assert.equal(name({ channels: 0 }), 'Sound 2 · AC-3')
  assert.equal(name({ language: 'not a language', channels: 3 }), 'Sound 2 · AC-3 3 channels')
  assert.equal(soundName(track(2, 'audio', 'atrac'), 0), 'Sound 1 · atrac stereo')
})

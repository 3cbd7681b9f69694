// What readers of films that come in are told: each film is asked for once, as long as somebody plays it.

import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { AppError } from '../../../../../src/base/errors.ts'
import type { FilmFacts } from '../../../../../src/chapters/media/core/film-facts.ts'
import { FollowedFilms } from '../../../../../src/chapters/media/service/followed-films.ts'
import type { MediaWatching } from '../../../../../src/chapters/media/service/media-api.ts'
import type { PlayedFile } from '../../../../../src/services/downloads/streams-api.ts'
import type { FilmFacts as WindowFacts } from '../../../../../src/torrent/streams/film-facts.ts'

const INFO_HASH = 'ab'.repeat(20)
const unwanted = (): never => assert.fail('nothing is to be told')

/** One asking. */
interface Asking {
  readonly file: string
  readonly signal: AbortSignal
  readonly tell: (facts: FilmFacts) => void
  readonly done: () => void
  readonly fail: (error: unknown) => void
}

const film = (index: number, name = 'Film.mkv'): PlayedFile => ({ infoHash: INFO_HASH, fileIndex: index, name })

const facts = (bitrate: number | null, duration: number | null = 10): FilmFacts => ({
  container: 'matroska',
  fragmented: false,
  duration,
  bitrate,
  seek: 'keys',
  note: '',
  tracks: [],
  chapters: [],
  index: [{ start: 0, end: 900 }],
  // One of them leads back, as no real film has it.
  keys: { track: 1, times: [0, 4, 5], bytes: [900, 800, 5000], gap: 0 },
})

const told = (bytesPerSecond: number): WindowFacts => ({
  bytesPerSecond,
  index: [{ start: 0, end: 900 }],
  keys: { times: [0, 5], bytes: [900, 5000] },
})

describe('films that readers follow', () => {
  let askings: Asking[]
  let films: FollowedFilms

  const media: MediaWatching = {
    watch: (infohash, index, { signal }, tell) =>
      new Promise((done, fail) => {
        signal.addEventListener('abort', () => fail(new AppError('Aborted')))
        askings.push({ file: `${infohash}/${index}`, signal, tell, done, fail })
      }),
  }
  const asking = (at: number): Asking => {
    const found = askings[at]
    assert.ok(found !== undefined, `${askings.length} were asked for`)
    return found
  }

  beforeEach(() => {
    askings = []
    films = new FollowedFilms(media)
  })

  test('a film is asked for once for all its readers, and no longer when the last has left', async () => {
    const [first, second]: [WindowFacts[], WindowFacts[]] = [[], []]
    const leave = films.follow(film(3), found => first.push(found))
    asking(0).tell(facts(800))
    const leaveToo = films.follow(film(3), found => second.push(found))
    assert.deepEqual([askings.length, asking(0).file], [1, `${INFO_HASH}/3`])
    assert.deepEqual([first, second], [[told(100)], [told(100)]], 'what is known is told at once')
    leave?.()
    assert.equal(asking(0).signal.aborted, false)
    asking(0).tell(facts(1600))
    assert.deepEqual([first, second], [[told(100)], [told(100), told(200)]])
    leaveToo?.()
    assert.equal(asking(0).signal.aborted, true)
    await setImmediate()
    assert.equal(films.asked, 0)
    films.follow(film(3), unwanted)
    assert.equal(askings.length, 2, 'who comes back asks again')
    leaveToo?.()
    await setImmediate()
    assert.deepEqual([films.asked, asking(1).signal.aborted], [1, false], 'who has left ends nothing any more')
  })

  test('nothing is asked of what is neither film nor sound', () => {
    for (const name of ['notes.txt', 'cover.jpg', 'film.srt', 'film', 'film.mkv.zip', '']) {
      films.follow(film(0, name), unwanted)?.()
    }
    assert.equal(askings.length, 0)
    for (const name of ['a/b.MKV', 'b.mp4', 'c.ts', 'd.flac', 'e.mp3', 'f.webm', 'g.avi', 'h.ogg']) {
      films.follow(film(0, name), unwanted)?.()
    }
    assert.equal(askings.length, 8)
  })

  test('too little is not told', () => {
    films.follow(film(0), unwanted)
    asking(0).tell(facts(null))
    asking(0).tell(facts(800, null))
  })

  test('a film of which all is known is not asked for again; 16 are remembered', async () => {
    for (let index = 0; index < 17; index += 1) {
      films.follow(film(index), () => undefined)
      asking(index).tell(facts(800))
      asking(index).done()
      await setImmediate()
    }
    assert.equal(films.asked, 0)
    const found: WindowFacts[] = []
    for (let index = 16; index > 0; index -= 1) films.follow(film(index), one => found.push(one))?.()
    assert.deepEqual([askings.length, found.length, found[0]], [17, 16, told(100)])
    films.follow(film(0), unwanted)
    assert.equal(askings.length, 18)
  })

  test('what cannot be read, or not now, is not told, and asked for by the next reader', async () => {
    for (const code of ['MediaUnreadable', 'TooManyRequests', 'NotReady'] as const) {
      const leave = films.follow(film(0), unwanted)
      askings.at(-1)?.fail(new AppError(code))
      await setImmediate()
      assert.equal(films.asked, 0)
      leave?.()
    }
    assert.equal(askings.length, 3)
  })

  test('16 films are asked for at a time', async () => {
    const leave = Array.from({ length: 20 }, (_, index) => films.follow(film(index), unwanted))
    assert.deepEqual([askings.length, films.asked], [16, 16])
    assert.ok(
      leave.slice(16).every(one => one === null),
      'they are to ask again',
    )
    leave[5]?.()
    films.follow(film(19), unwanted)
    assert.equal(asking(16).file, `${INFO_HASH}/19`)
    await setImmediate()
    assert.equal(films.asked, 16)
  })
})

// How long one film plays, asked for by those who show many.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import type { FilmFacts } from '../../../../../src/chapters/media/core/film-facts.ts'
import { filmDuration } from '../../../../../src/chapters/media/service/film-duration.ts'
import type { MediaService } from '../../../../../src/chapters/media/service/media-api.ts'

const asker = { signal: new AbortController().signal }

/** A service that keeps nothing; `duration` undefined: nothing is known of the film. */
function media(duration: number | null | undefined): MediaService {
  return {
    kept: async () => null,
    facts: async (infohash, fileIndex, waitMs, by) => {
      assert.deepEqual([infohash, fileIndex, waitMs, by], ['aa', '3', 0, asker])
      const facts = duration === undefined ? null : ({ duration } as FilmFacts)
      return { name: 'a.mkv', size: 1, facts, wanted: null, missing: [] }
    },
  }
}

function refusing(code: 'MediaUnreadable' | 'TooManyRequests'): MediaService {
  return { kept: async () => null, facts: () => Promise.reject(new AppError(code)) }
}

test('it is what the facts say, without waiting for the swarm; null where they say nothing', async () => {
  assert.equal(await filmDuration(media(61.5), 'aa', 3, asker), 61.5)
  assert.equal(await filmDuration(media(null), 'aa', 3, asker), null)
  assert.equal(await filmDuration(media(undefined), 'aa', 3, asker), null)
})

test('facts that are kept are enough: the download is not asked', async () => {
  const facts = { duration: 7 } as FilmFacts
  const service: MediaService = {
    kept: async (...asked) => (asked.join() === 'aa,3' ? facts : null),
    facts: () => assert.fail('it would be woken'),
  }
  assert.equal(await filmDuration(service, 'aa', 3, asker), 7)
})

test('what is no film has none; one for which there is no place now rejects', async () => {
  assert.equal(await filmDuration(refusing('MediaUnreadable'), 'aa', 3, asker), null)
  await assert.rejects(filmDuration(refusing('TooManyRequests'), 'aa', 3, asker), { code: 'TooManyRequests' })
})

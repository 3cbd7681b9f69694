// How long one film plays, asked for by those who show many.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import type { FilmFacts } from '../../../../../src/chapters/media/core/film-facts.ts'
import { filmDuration } from '../../../../../src/chapters/media/service/film-duration.ts'
import type { MediaService } from '../../../../../src/chapters/media/service/media-api.ts'

const asker = { signal: new AbortController().signal }

function media(duration: number | null | undefined): MediaService {
  return {
    facts: async (infohash, fileIndex, waitMs, by) => {
      assert.deepEqual([infohash, fileIndex, waitMs, by], ['aa', '3', 0, asker])
      const facts = duration === undefined ? null : ({ duration } as FilmFacts)
      return { name: 'a.mkv', size: 1, facts, wanted: null, missing: [] }
    },
  }
}

test('it is what the facts say, without waiting for the swarm; null where they say nothing', async () => {
  assert.equal(await filmDuration(media(61.5), 'aa', 3, asker), 61.5)
  assert.equal(await filmDuration(media(null), 'aa', 3, asker), null)
  assert.equal(await filmDuration(media(undefined), 'aa', 3, asker), null)
})

test('what is no film, or finds no place, has none', async () => {
  for (const code of ['MediaUnreadable', 'TooManyRequests', 'DownloadNotFound'] as const)
    assert.equal(
      await filmDuration({ facts: () => Promise.reject(new AppError(code)) }, 'aa', 3, asker),
      null,
    )
})

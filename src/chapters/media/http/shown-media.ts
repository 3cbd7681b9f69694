// Facts of films as the interface says them.

import type { Static } from '@sinclair/typebox'
import type { MediaAnswer } from '../service/media-api.ts'
import type { MediaReply } from './media-schemas.ts'

/** What is answered of a file. `keyframes`: false = without their times and bytes. */
export function shownMedia(
  { name, size, facts, wanted, missing }: MediaAnswer,
  keyframes: boolean,
): Static<typeof MediaReply>['media'] {
  const missingBytes = missing.reduce((sum, { start, end }) => sum + end - start, 0)
  const known = facts === null ? null : shownFacts(facts, keyframes)
  return {
    name,
    size,
    complete: wanted === null,
    facts: known,
    wanted,
    missing: [...missing],
    missing_bytes: missingBytes,
  }
}

function shownFacts(
  { keys, tracks, chapters, index, ...facts }: NonNullable<MediaAnswer['facts']>,
  keyframes: boolean,
): NonNullable<Static<typeof MediaReply>['media']['facts']> {
  return {
    ...facts,
    tracks: tracks.map(({ codecString, isDefault, isForced, sampleRate, ...track }) => ({
      ...track,
      codec_string: codecString,
      default: isDefault,
      forced: isForced,
      sample_rate: sampleRate,
    })),
    chapters: [...chapters],
    index: [...index],
    keyframes: keys && {
      track: keys.track,
      count: keys.times.length,
      gap: keys.gap,
      times: keyframes ? [...keys.times] : [],
      bytes: keyframes ? [...keys.bytes] : [],
    },
  }
}

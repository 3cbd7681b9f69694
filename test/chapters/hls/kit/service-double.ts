// A double of films in segments: a plan of three, and a few bytes for each.

import { planOf } from '../../../../src/chapters/hls/core/segment-plan.ts'
import type { HlsService, HlsTexts } from '../../../../src/chapters/hls/service/hls-api.ts'
import { notedAnswers } from '../../../kit/doubles/noted-answers.ts'
import { madeFacts, madeTexts } from './made-facts.ts'

/** What the double of all services has for films in segments. */
export function serviceDouble(note: (...call: unknown[]) => void): { readonly hls: HlsService & HlsTexts } {
  const noted = notedAnswers(note)
  return {
    hls: {
      plan: noted('hlsPlan', planOf(madeFacts({ tracks: [...madeFacts().tracks, madeTexts] }), 1_000_000, null)),
      texts: noted('hlsTexts', Buffer.from('WEBVTT\n')),
      segment: noted('hlsSegment', Buffer.from('a segment')),
    },
  }
}

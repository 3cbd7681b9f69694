// How often something of a download has begun to come in since the page shows it: what asks for it asks at once then.

import { useRef } from 'preact/hooks'
import { Beginnings } from '../../model/film/beginnings.ts'
import { session } from '../../node/context.ts'
import { recordOf } from '../../node/session.ts'

/** See Beginnings.note. */
export function useBeginnings(infohash: string): number {
  const seen = useRef<Beginnings>(null)
  seen.current ??= new Beginnings()
  return seen.current.note((recordOf(session, infohash)?.speed_down ?? 0) >= 1, performance.now())
}

// Reading of films put together; loaded when facts are first asked for.

import { join } from 'node:path'
import type { Arena } from '../../../ports/arena.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { parseInfoHash } from '../../../base/ids.ts'
import type { Downloads } from '../../../services/downloads/downloads.ts'
import { FactsFolder } from '../io/facts-folder.ts'
import { MediaThread } from '../io/media-thread.ts'
import { FilmDisk } from '../service/film-bytes.ts'
import { FilmTexts } from '../service/film-texts.ts'
import { MediaFacts } from '../service/media-facts.ts'

/** The folder of facts, in the state directory. */
const MEDIA_FOLDER = 'media'

/** What it is made from. */
export interface MediaPartsDeps {
  readonly stateDir: string
  readonly clock: Clock
  readonly log: Log
  readonly downloads: Pick<Downloads, 'streamable' | 'has'>
  readonly arena: Arena
}

/** What reads films. */
export interface MediaParts {
  readonly facts: MediaFacts
  readonly texts: FilmTexts
  stop(): Promise<void>
}

/** Makes it. */
export function makeMedia({ stateDir, clock, log, downloads, arena }: MediaPartsDeps): MediaParts {
  const isWanted = (text: string): boolean => {
    const infoHash = parseInfoHash(text)
    return infoHash !== null && downloads.has(infoHash)
  }
  const disk = new FilmDisk(clock, arena)
  const streamable: Downloads['streamable'] = (...asked) => downloads.streamable(...asked)
  const facts = new MediaFacts({
    clock,
    disk,
    reader: new MediaThread({ clock, log }),
    store: new FactsFolder({ folder: join(stateDir, MEDIA_FOLDER), log, isWanted }),
    streamable,
  })
  const texts = new FilmTexts({ clock, disk, line: facts.line, streamable })
  return {
    facts,
    texts,
    stop: async () => {
      texts.stop()
      await facts.stop()
    },
  }
}

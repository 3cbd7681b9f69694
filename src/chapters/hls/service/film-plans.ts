// How films are cut: known of their facts, and kept for the films that are played now. A film that this node serves by
// itself is never asked of another program: one that hangs keeps nothing else from playing.

import { AppError, DecodeError } from '../../../base/errors.ts'
import type { Asker, StreamableFile } from '../../../services/downloads/streams-api.ts'
import type { FilmFacts } from '../../media/core/film-facts.ts'
import type { MediaAnswer, MediaService } from '../../media/service/media-api.ts'
import { noProgram } from '../core/ffmpeg/codecs.ts'
import { planOf, type SegmentPlan } from '../core/segment-plan.ts'
import type { ConvertedSegments } from './converted-segments.ts'
import type { AskedFilm } from './hls-api.ts'

/** Films whose cuts are kept; a film of two hours has some 200 KB of them. */
const MAX_PLANS = 16
/** How long facts may take that have to be downloaded first. */
export const FACTS_WAIT_MS = 20_000

/** What of a film its plan depends on beside its facts. */
interface Wanted {
  readonly size: number
  readonly sound: number | null
  readonly wantsH264: boolean
}

/** Plans of films. */
export class FilmPlans {
  readonly #media: Pick<MediaService, 'facts'>
  readonly #converted: Pick<ConvertedSegments, 'abilities'> | null
  /** Tag of a film, number of its sound and kind of its picture -> its plan; the least lately used first. */
  readonly #plans = new Map<string, SegmentPlan>()

  /** `converted`: null where the settings name no program. */
  constructor(media: Pick<MediaService, 'facts'>, converted: Pick<ConvertedSegments, 'abilities'> | null) {
    this.#media = media
    this.#converted = converted
  }

  /** The plan of a film. AppErrors NotReady: its facts are not there yet; MediaUnreadable; those of facts(). */
  async planOf(film: AskedFilm, { tag, size }: StreamableFile, asker: Asker): Promise<SegmentPlan> {
    const { sound, wantsH264 = false } = film
    const key = `${tag}/${sound ?? ''}/${wantsH264 ? 'h264' : ''}`
    // Whatever else becomes known of the film: cuts follow from its key frames, its duration and its tracks.
    const plan =
      this.#plans.get(key) ?? (await this.#planned(await this.#factsOf(film, asker), { size, sound, wantsH264 }))
    this.#keep(key, plan)
    return plan
  }

  async #factsOf({ infohash, fileIndex }: AskedFilm, asker: Asker): Promise<FilmFacts> {
    const now = await this.#media.facts(infohash, fileIndex, 0, asker)
    // Chapters and what else may be far behind are not waited for.
    const { facts, wanted } = canPlan(now) ? now : await this.#media.facts(infohash, fileIndex, FACTS_WAIT_MS, asker)
    if (facts === null || (wanted !== null && !canPlan({ facts })))
      throw new AppError('NotReady', 'The index of the film is not there yet; it has been asked for. Try again.')
    return facts
  }

  /** Without another program where that goes. */
  async #planned(facts: FilmFacts, { size, sound, wantsH264 }: Wanted): Promise<SegmentPlan> {
    const alone = (): SegmentPlan => planOf(facts, size, sound, { abilities: noProgram, wantsH264 })
    if (this.#converted === null) return cannot(alone)
    try {
      return alone()
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
    }
    const abilities = await this.#converted.abilities()
    return cannot(() => planOf(facts, size, sound, { abilities, wantsH264 }))
  }

  #keep(key: string, plan: SegmentPlan): void {
    this.#plans.delete(key)
    this.#plans.set(key, plan)
    const [oldest] = this.#plans.keys()
    if (this.#plans.size > MAX_PLANS && oldest !== undefined) this.#plans.delete(oldest)
  }
}

/** Whether segments follow from what is known. */
function canPlan({ facts }: Pick<MediaAnswer, 'facts'>): boolean {
  return facts !== null && facts.keys !== null && facts.duration !== null
}

/** What `work` gives; why not as AppError MediaUnreadable. */
function cannot<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof DecodeError) throw new AppError('MediaUnreadable', `It cannot be cut: ${error.message}.`)
    throw error
  }
}

// Takes the records out of a pack that was downloaded: each is checked by itself by the catalogue; what is corrupt is
// passed over and counted, and the set is adopted when root and count are those of the head.

import { AppError, DecodeError } from '../../../base/errors.ts'
import type { ChannelCatalogue, RecordsVerdict } from '../ports/channel-catalogue.ts'
import type { PackTorrents } from '../ports/pack-torrents.ts'
import { recordIdOf } from '../wire/ids.ts'
import { PackFrames, packFileNames, packName } from '../wire/pack-files.ts'
import type { ChannelHead, RecordId } from '../wire/types.ts'

/** Records given to the catalogue at a time. */
const BATCH_RECORDS = 256

/** What was in a pack. */
export interface TakenPack extends RecordsVerdict {
  /** The set of the head is held now. */
  readonly adopted: boolean
  /** Files that were broken off. */
  readonly broken: number
}

/**
 * Takes the pack of a channel. Rejects as the catalogue and PackTorrents.read do, and with AppError Aborted when
 * `signal` has fired.
 */
export async function takePack(
  head: ChannelHead,
  catalogue: Pick<ChannelCatalogue, 'offerRecords' | 'adopt'>,
  packs: Pick<PackTorrents, 'read'>,
  signal: AbortSignal,
): Promise<TakenPack> {
  const taking = new Taking(head, catalogue, signal)
  let broken = 0
  for (const file of packFileNames(head.records)) {
    const whole = await takeFile(packs.read(packName(head), file), taking)
    if (!whole) broken++
  }
  await taking.flush()
  const adopted = await catalogue.adopt(head, { added: taking.ids, removed: [], whole: true })
  return { ...taking.verdict, adopted, broken }
}

/** False: it was broken off. */
async function takeFile(chunks: AsyncIterable<Uint8Array>, taking: Taking): Promise<boolean> {
  const frames = new PackFrames()
  try {
    for await (const chunk of chunks) for (const record of frames.push(chunk)) await taking.add(record)
    frames.end()
    return true
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}

class Taking {
  readonly ids: RecordId[] = []
  verdict: RecordsVerdict = { kept: 0, known: 0, refused: 0 }
  readonly #head: ChannelHead
  readonly #catalogue: Pick<ChannelCatalogue, 'offerRecords'>
  readonly #signal: AbortSignal
  #batch: Uint8Array[] = []

  constructor(head: ChannelHead, catalogue: Pick<ChannelCatalogue, 'offerRecords'>, signal: AbortSignal) {
    this.#head = head
    this.#catalogue = catalogue
    this.#signal = signal
  }

  async add(record: Uint8Array): Promise<void> {
    // More records than the head counts cannot all be of its set.
    if (this.ids.length + this.#batch.length >= this.#head.records) throw new DecodeError('more records than the head')
    this.#batch.push(record)
    if (this.#batch.length >= BATCH_RECORDS) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.#signal.aborted) throw new AppError('Aborted')
    const batch = this.#batch
    this.#batch = []
    if (batch.length === 0) return
    const { kept, known, refused } = await this.#catalogue.offerRecords(this.#head.channel, batch, 'wanted', 'pack')
    for (const record of batch) this.ids.push(recordIdOf(record))
    const { verdict } = this
    this.verdict = {
      kept: verdict.kept + kept,
      known: verdict.known + known,
      refused: verdict.refused + refused,
    }
  }
}

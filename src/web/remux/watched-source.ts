// The bytes of a film as the package mediabunny asks for them, watched: films are made by strangers, and some would
// keep its readers busy for ever or fill all memory. What is found is an error of the reader like any other.

import { CustomSource, type CustomSourceOptions } from 'mediabunny'
import { checkFragment, checkMovie } from '../model/film/mp4-tables.ts'

/** So often in a row two places may be looked at again: a reader that goes on has left them long before. */
const MAX_SAME_LOOKS = 1000
/** The longest header of a box of MP4. */
const HEADER_BYTES = 16

/** What is looked at: bytes of which the first is byte `offset` of the file. */
interface Look {
  readonly bytes: Uint8Array
  readonly offset: number
}
type Looks = Look | null | undefined

/** What the package calls for each look, also at bytes that it holds; not in its types. */
interface Looked {
  _read(start: number, end: number, ...more: readonly number[]): Looks | Promise<Looks>
}

/** A source whose looks are watched. */
export function watchedSource(options: CustomSourceOptions): CustomSource {
  const source = new CustomSource(options)
  const looked = source as unknown as Looked
  const read = looked._read.bind(source)
  const watch = new LookWatch()
  looked._read = (start, end, ...more) => {
    watch.begins(start)
    const look = read(start, end, ...more)
    if (!(look instanceof Promise)) return watch.seen(look, start, end)
    return look.then(late => watch.seen(late, start, end))
  }
  return source
}

class LookWatch {
  #last = -1
  #before = -1
  #again = 0
  /** Where the box begins whose header was seen last. */
  #movieAt = -1

  /**
   * The package's reader of Matroska goes back to where it was when it finds a part whose length is damaged, for ever
   * and without a pause: nothing else of the worker would run.
   */
  begins(start: number): void {
    this.#again = start === this.#last || start === this.#before ? this.#again + 1 : 0
    if (this.#again > MAX_SAME_LOOKS) throw new Error('The film is damaged: its reader goes round in a circle.')
    if (start === this.#last) return
    this.#before = this.#last
    this.#last = start
  }

  /** It reads `moov` behind its header, and `moof` with it. */
  seen(look: Looks, start: number, end: number): Looks {
    if (look === null || look === undefined) return look
    const bytes = look.bytes.subarray(start - look.offset, end - look.offset)
    const name = nameOf(bytes)
    if (bytes.length <= HEADER_BYTES) {
      if (name === 'moov') this.#movieAt = start
    } else if (this.#movieAt >= 0 && start > this.#movieAt && start <= this.#movieAt + HEADER_BYTES) checkMovie(bytes)
    else if (name === 'moof') checkFragment(bytes)
    return look
  }
}

function nameOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(4, 8))
}

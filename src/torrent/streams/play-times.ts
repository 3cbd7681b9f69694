// Which byte of a film is played when. By its key frames where they are known; between them, and without them, bytes
// follow time evenly. Invariant: both lists rise strictly, and begin and end with the file.

import { type FilmFacts, soundRate } from './film-facts.ts'

/** Key frames that count; the film's facts hold no more. */
const MAX_KEYS = 16_384

/** The times of one film. */
export class PlayTimes {
  readonly #times: number[] = [0]
  readonly #bytes: number[] = [0]

  /** Null where nothing can be said: no rate. `length`: of the file, bytes. */
  static of(film: FilmFacts, length: number): PlayTimes | null {
    const rate = soundRate(film.bytesPerSecond)
    return rate === 0 || length <= 0 ? null : new PlayTimes(film, length, length / rate)
  }

  private constructor({ keys }: FilmFacts, length: number, duration: number) {
    for (let i = 0; keys !== null && i < Math.min(keys.times.length, MAX_KEYS); i += 1) {
      const [time, byte] = [keys.times[i] ?? Number.NaN, keys.bytes[i] ?? Number.NaN]
      // Also false for what is no number, and for tables that go back.
      if (time > this.#last(this.#times) && byte > this.#last(this.#bytes) && time < duration && byte < length) {
        this.#times.push(time)
        this.#bytes.push(byte)
      }
    }
    this.#times.push(duration)
    this.#bytes.push(length)
  }

  /** Seconds from the start at which a byte is played. */
  secondAt(byte: number): number {
    const i = below(this.#bytes, byte)
    const [from, to] = [this.#bytes[i] ?? 0, this.#bytes[i + 1] ?? 0]
    const [begin, end] = [this.#times[i] ?? 0, this.#times[i + 1] ?? 0]
    return to > from ? begin + ((byte - from) / (to - from)) * (end - begin) : begin
  }

  /** Where a player begins to read for a time: the key frame before it; without key frames the byte of that time. */
  byteAt(second: number): number {
    const i = below(this.#times, second)
    if (this.#times.length > 2) return this.#bytes[Math.min(i, this.#bytes.length - 2)] ?? 0
    const [duration, length] = [this.#times[1] ?? 1, this.#bytes[1] ?? 0]
    return Math.min(length - 1, Math.floor((Math.max(0, second) / duration) * length))
  }

  #last(values: readonly number[]): number {
    return values[values.length - 1] ?? 0
  }
}

/** The last index whose value is at most `value`; 0 when there is none. */
function below(values: readonly number[], value: number): number {
  let [low, high] = [0, values.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((values[middle] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return low
}

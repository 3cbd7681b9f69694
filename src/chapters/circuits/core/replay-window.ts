// Counters of cells that came already, of one way of one layer: a cell that comes again is dropped, one that overtook
// others is not. Only counters that passed the check of their cell come here, so only the sender can move the window.

/** So many counters behind the newest are remembered; what is older is taken for a repetition. */
const WINDOW = 2_048

/** A window of bits behind the highest counter. */
export class ReplayWindow {
  readonly #bits = new Uint32Array(WINDOW / 32)
  #highest = 0

  /** True the first time. */
  take(counter: number): boolean {
    if (counter > this.#highest) this.#moveTo(counter)
    else if (this.#highest - counter >= WINDOW) return false
    const slot = counter % WINDOW
    const word = slot >>> 5
    const bit = 1 << (slot & 31)
    const seen = this.#bits[word] as number
    if ((seen & bit) !== 0) return false
    this.#bits[word] = seen | bit
    return true
  }

  #moveTo(counter: number): void {
    const steps = counter - this.#highest
    if (steps >= WINDOW) this.#bits.fill(0)
    else {
      for (let at = this.#highest + 1; at <= counter; at++) {
        const slot = at % WINDOW
        this.#bits[slot >>> 5] = (this.#bits[slot >>> 5] as number) & ~(1 << (slot & 31))
      }
    }
    this.#highest = counter
  }
}

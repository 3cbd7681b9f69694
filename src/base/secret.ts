// A text that must not lie about: kept as bytes beside the JavaScript heap, where heap snapshots do not look, shown by
// nothing that prints values, and wiped when it is over.

/** A secret text. Immutable until wipe(). */
export class Secret {
  /** No text at all. */
  static readonly none = new Secret('')
  readonly #bytes: Buffer

  /** `text` itself stays in the heap until it is collected: its maker must drop it. */
  constructor(text: string) {
    this.#bytes = Buffer.alloc(Buffer.byteLength(text))
    this.#bytes.write(text, 'utf8')
  }

  get isEmpty(): boolean {
    return this.#bytes.length === 0
  }

  /** UTF-8; not to be written to, and not to be kept longer than this. */
  get bytes(): Buffer {
    return this.#bytes
  }

  /** The text, while it is needed. */
  reveal(): string {
    return this.#bytes.toString('utf8')
  }

  equals(other: unknown): boolean {
    if (!(other instanceof Secret) || other.#bytes.length !== this.#bytes.length) return false
    let difference = 0
    for (const [at, byte] of this.#bytes.entries()) difference |= byte ^ (other.#bytes[at] ?? 0)
    return difference === 0
  }

  /** Overwrites the bytes with zeroes. */
  wipe(): void {
    this.#bytes.fill(0)
  }

  toString(): string {
    return '***'
  }

  toJSON(): string {
    return '***'
  }
}

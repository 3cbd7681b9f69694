// What chapters give each other: each under a key of the chapter that gives it, so that an import of the key shows
// which chapter is needed.

/** Names a part and its type. */
export class SharedKey<Part> {
  readonly name: string
  /** For the type alone. */
  declare readonly part: Part

  constructor(name: string) {
    this.name = name
  }
}

/** The parts of one node. */
export class SharedParts {
  readonly #parts = new Map<SharedKey<unknown>, unknown>()

  /** Once for each key. */
  offer<Part>(key: SharedKey<Part>, part: Part): void {
    if (this.#parts.has(key)) throw new Error(`${key.name} is there twice`)
    this.#parts.set(key, part)
  }

  /** Null: it is not there yet. */
  find<Part>(key: SharedKey<Part>): Part | null {
    return (this.#parts.get(key) as Part | undefined) ?? null
  }

  /** What a chapter that is needed has given. Throws when it has not: a bug in the order of the chapters. */
  take<Part>(key: SharedKey<Part>): Part {
    const part = this.find(key)
    if (part === null) throw new Error(`${key.name} is not there`)
    return part
  }
}

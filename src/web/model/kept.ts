// Choices that this device keeps: what is stored there may be anybody's, and is read as such.

/** Where a device keeps texts: `localStorage`. */
export interface KeptTexts {
  getItem(name: string): string | null
  setItem(name: string, text: string): void
}

/** Characters of one choice. */
const MAX_CHARS = 20_000

/** What was kept under a name; null: nothing that can be read. */
export function readKept(store: Pick<KeptTexts, 'getItem'>, name: string): unknown {
  try {
    const text = store.getItem(name)
    return text === null || text.length > MAX_CHARS ? null : JSON.parse(text)
  } catch {
    return null
  }
}

/** Keeps it; what this device has no room for is kept as long as the page is open. */
export function keep(store: Pick<KeptTexts, 'setItem'>, name: string, value: unknown): void {
  try {
    store.setItem(name, JSON.stringify(value))
  } catch {
    // Nothing depends on it.
  }
}

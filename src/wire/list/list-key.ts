// What a download is sorted by where a field has several values. Pure.

/** Characters of a key: labels of strangers may be long and many, and keys are kept and compared for every row. */
const MAX_CHARS = 256

/** One text of all values, in lower case; '' = none. */
export function listKey(values: readonly string[]): string {
  return values.join(', ').slice(0, MAX_CHARS).toLowerCase()
}

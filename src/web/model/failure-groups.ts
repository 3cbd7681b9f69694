// What did not work for some of many downloads: those with the same reason together. Pure.

/** A download for which it did not work. */
export interface Failure {
  readonly infohash: string
  /** The node's own text. */
  readonly message: string
}

/** Downloads with the same reason. */
export interface FailureGroup {
  readonly message: string
  /** The first of them, to be named. */
  readonly named: readonly string[]
  /** How many there are besides. */
  readonly more: number
}

/** Reasons, and downloads that are named with each. */
const [MAX_REASONS, MAX_NAMED] = [3, 3]

/** The reasons that most have; the others are left out. */
export function failureGroups(failures: readonly Failure[]): readonly FailureGroup[] {
  const groups = new Map<string, string[]>()
  for (const { infohash, message } of failures) {
    const group = groups.get(message)
    if (group === undefined) groups.set(message, [infohash])
    else group.push(infohash)
  }
  return [...groups]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, MAX_REASONS)
    .map(([message, all]) => ({ message, named: all.slice(0, MAX_NAMED), more: Math.max(0, all.length - MAX_NAMED) }))
}

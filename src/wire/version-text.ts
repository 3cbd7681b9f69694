// Versions as releases are named: `1.2.3`, `v1.2.3-beta.2`. Pure; the order is that of semver.org, part 11.

/** A version that can be compared. */
export interface Version {
  /** Without a `v`. */
  readonly text: string
  readonly numbers: readonly number[]
  /** Identifiers behind the hyphen; empty = a full release. */
  readonly pre: readonly string[]
}

const VERSION = /^v?((?:\d{1,9})(?:\.\d{1,9}){1,3})(?:-([0-9a-z.-]{1,64}))?(?:\+[0-9a-z.-]{1,64})?$/i

/** Reads a version; null when it is none. */
export function parseVersion(text: string): Version | null {
  const [, numbers, pre] = VERSION.exec(text.trim()) ?? []
  if (numbers === undefined) return null
  return {
    text: pre === undefined ? numbers : `${numbers}-${pre}`,
    numbers: numbers.split('.').map(Number),
    pre: pre === undefined ? [] : pre.split('.'),
  }
}

/** Below 0 when `a` is the older one, 0 when they are equal. */
export function compareVersions(a: Version, b: Version): number {
  for (let at = 0; at < 4; at++) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0)
    if (difference !== 0) return difference
  }
  // A full release is newer than what came before it.
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length
  for (let at = 0; at < Math.max(a.pre.length, b.pre.length); at++) {
    const difference = compareIdentifiers(a.pre[at], b.pre[at])
    if (difference !== 0) return difference
  }
  return 0
}

function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1
  const numbers = /^\d{1,15}$/
  const [first, second] = [numbers.test(a), numbers.test(b)]
  if (first && second) return Number(a) - Number(b)
  if (first !== second) return first ? -1 : 1
  return a === b ? 0 : a < b ? -1 : 1
}

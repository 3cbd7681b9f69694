// Chapters that `make without-chapters` has taken out of this tree: pages of the core may still name them.

const names = process.env['TRIBUTARY_WITHOUT'] ?? ''

/** Their names; nothing in the whole tree. */
export const takenOut: readonly string[] = names === '' ? [] : names.split(' ')

/** True for a path into one of them. */
export function isTakenOut(path: string): boolean {
  return takenOut.some(name => new RegExp(`^(src|test)/chapters/${name}(/|$)`).test(path))
}

// What of a torrent's files is asked for: priorities that people know by name, of a file and of many. Pure.

/** A file as the node lists it. */
interface ChosenFile {
  readonly index: number
  readonly size: number
  readonly progress: number
  /** 0 = not fetched, to 7. */
  readonly priority: number
}

/** The named priority that is nearest to one of the node's eight. */
export function namedPriority(priority: number): number {
  if (priority === 0) return 0
  return priority < 3 ? 1 : priority < 6 ? 4 : 7
}

/** The named priority that all of them have; null: they differ. */
export function commonPriority(files: readonly ChosenFile[]): number | null {
  const [first] = files
  if (first === undefined) return null
  const named = namedPriority(first.priority)
  return files.every(({ priority }) => namedPriority(priority) === named) ? named : null
}

/** What is sent to give them a priority: one number a file up to the last of them, -1 = as it is. */
export function priorityList(files: readonly ChosenFile[], priority: number): number[] {
  let last = -1
  for (const { index } of files) last = Math.max(last, index)
  const list = Array.from({ length: last + 1 }, () => -1)
  for (const { index } of files) list[index] = priority
  return list
}

/** Share of the bytes of files that is there, 0 to 1. */
export function progressOf(files: readonly ChosenFile[]): number {
  let [size, done] = [0, 0]
  for (const file of files) {
    size += file.size
    done += file.size * file.progress
  }
  return size === 0 ? 1 : done / size
}

// Work on many items, some at a time (a bounded parallel loop).

/**
 * Runs `work` on each item, at most `limit` at a time; settles when all have. The first failure rejects, and no further
 * item is begun.
 */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0
  let failed = false
  const worker = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const item = items[next++] as T
      try {
        await work(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
}

/** The items in lists of `size`. */
export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const lists: T[][] = []
  for (let at = 0; at < items.length; at += size) lists.push(items.slice(at, at + size))
  return lists
}

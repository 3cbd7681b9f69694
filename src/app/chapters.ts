// The chapters of this program: the one list of them. A chapter whose folder and line are gone is gone; those that need
// it go with it.

import type { Chapter } from './chapter.ts'

const LOADERS: readonly (() => Promise<{ readonly chapter: Chapter }>)[] = [
  () => import('../chapters/overlay/chapter.ts'),
  () => import('../chapters/channels/chapter.ts'),
  () => import('../chapters/wallets/chapter.ts'),
  () => import('../chapters/market/chapter.ts'),
  () => import('../chapters/circuits/chapter.ts'),
]

/** The faces of all chapters, in the order of the documentation. */
export async function loadChapters(): Promise<readonly Chapter[]> {
  const loaded = await Promise.all(LOADERS.map(load => load()))
  return loaded.map(({ chapter }) => chapter)
}

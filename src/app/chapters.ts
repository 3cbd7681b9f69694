// The chapters of this program: the one list of them. A chapter whose folder and line are gone is gone; those that need
// it go with it.

import type { Chapter } from './chapter.ts'

const LOADERS: readonly (() => Promise<{ readonly chapter: Chapter }>)[] = [
  () => import('../chapters/overlay/chapter.ts'),
  () => import('../chapters/channels/chapter.ts'),
  () => import('../chapters/wallets/chapter.ts'),
  () => import('../chapters/market/chapter.ts'),
  () => import('../chapters/circuits/chapter.ts'),
  () => import('../chapters/dlna/chapter.ts'),
  () => import('../chapters/media/chapter.ts'),
  () => import('../chapters/hls/chapter.ts'),
]

/**
 * The faces of all chapters, in the order of the documentation. Throws when the list above lacks a chapter that one of
 * them needs, or names it later.
 */
export async function loadChapters(): Promise<readonly Chapter[]> {
  const loaded = await Promise.all(LOADERS.map(load => load()))
  const chapters = loaded.map(({ chapter }) => chapter)
  checkNeeds(chapters)
  return chapters
}

/** Throws unless each has those it needs before it. */
export function checkNeeds(chapters: readonly Pick<Chapter, 'id' | 'needs'>[]): void {
  const before = new Set<string>()
  for (const { id, needs } of chapters) {
    const missing = needs.find(need => !before.has(need))
    if (missing !== undefined) throw new Error(`src/app/chapters.ts: ${id} needs ${missing}, before it`)
    before.add(id)
  }
}

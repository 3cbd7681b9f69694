// Every route of the program, the core's and the chapters'.

import { loadChapters } from '../../src/app/chapters.ts'
import { routeTable as tableOf } from '../../src/http/table.ts'
import type { Route } from '../../src/http/route.ts'

const chapters = await loadChapters()
const ofChapters = await Promise.all(chapters.map(chapter => chapter.routes()))

/** They, in the order of the documentation. */
export const routeTable: readonly Route[] = tableOf(
  ofChapters.flat(),
  chapters.map(({ events }) => events),
)

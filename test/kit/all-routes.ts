// Every route of the program, the core's and the chapters'.

import { loadChapters } from '../../src/app/chapters.ts'
import { routeTable as tableOf } from '../../src/http/table.ts'
import type { Route, RouteTable } from '../../src/http/route.ts'

const chapters = await loadChapters()

/** As a node has them: those of chapters when they are asked for. */
export const routes: RouteTable = tableOf(
  () => chapters.flatMap(chapter => chapter.routes()),
  chapters.map(({ events }) => events),
)

/** All of them, in the order of the documentation. */
export const routeTable: readonly Route[] = routes.all()

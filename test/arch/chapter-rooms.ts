// The rooms of all chapters, which each chapter names in its `kit/rooms.ts`, and the lists that name the chapters.

import { chapterKits } from '../kit/chapter-kits.ts'

interface Rooms {
  readonly rooms: Readonly<Record<string, readonly string[]>>
  readonly edges: readonly string[]
}

const kits = (await chapterKits('rooms')) as readonly Rooms[]

/** Room -> what it may import from other rooms and layers. A trailing `.ts` names one file. */
export const chapterRooms: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  kits.flatMap(({ rooms }) => Object.entries(rooms)),
)

/** Rooms that may touch time, randomness, environment, disk and network themselves. */
export const edgeRooms: ReadonlySet<string> = new Set(kits.flatMap(({ edges }) => edges))

/** The lists of chapters, which alone name them all, and what of each chapter's folder they name. */
export const chapterLists: Readonly<Record<string, readonly string[]>> = {
  'src/app/chapters.ts': ['chapter.ts'],
  'src/web/chapters.ts': ['web/pages.tsx', 'web/film-facts.ts'],
}

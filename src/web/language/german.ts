// German: the texts of all areas, loaded when it is spoken. Those of chapters lie in the chapters.

import type { Catalogue } from './texts.ts'

const files = import.meta.glob<Catalogue>(['../**/texts/**/*.de.ts', '../../chapters/*/web/texts/*.de.ts'], {
  eager: true,
  import: 'german',
})

/** `../texts/frame.de.ts`: the area `frame`. */
const areaOf = (path: string): string => path.split('/').at(-1)?.replace('.de.ts', '') ?? path

/** All texts, by area. */
export const german: Readonly<Record<string, Catalogue>> = Object.fromEntries(
  Object.entries(files).map(([path, texts]) => [areaOf(path), texts]),
)

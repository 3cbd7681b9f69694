// The picture of the map: every folder of src and every chapter as a box, those that import nothing at the bottom,
// and an arrow for each import that no longer way explains. Made from the imports as they are.

import { chapterLists } from './chapter-rooms.ts'
import { chapterOf } from './room-of.ts'
import { sourceFiles } from './source-tree.ts'

const BOX = { width: 118, height: 34, gapX: 22, gapY: 46 } as const
const MARGIN = 24

/** A chapter, or a folder of src. */
function partOf(path: string): string {
  return chapterOf(path) ?? path.split('/')[1] ?? ''
}

/** Who imports whom. */
function arrows(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { path, imports } of sourceFiles('src')) {
    const from = partOf(path)
    const to = found.get(from) ?? new Set<string>()
    found.set(from, to)
    // They name all chapters, and their layers begin with them: what is drawn comes to the parts otherwise.
    if (path in chapterLists) continue
    for (const target of imports)
      if (target.startsWith('src/') && !(target in chapterLists) && partOf(target) !== from) to.add(partOf(target))
  }
  for (const to of [...found.values()]) for (const name of to) if (!found.has(name)) found.set(name, new Set())
  return found
}

/** How many steps down it goes; who is come back to in a circle counts for nothing. */
function depthOf(name: string, all: ReadonlyMap<string, ReadonlySet<string>>, trail: readonly string[] = []): number {
  if (trail.includes(name)) return -1
  const below = [...(all.get(name) ?? [])].map(next => depthOf(next, all, [...trail, name]))
  return 1 + Math.max(-1, ...below)
}

/** Whether a way of two steps or more leads there. */
function isExplained(from: string, to: string, all: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const seen = new Set<string>()
  const open = [...(all.get(from) ?? [])].filter(next => next !== to)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === to) return true
    if (next === from || seen.has(next)) continue
    seen.add(next)
    open.push(...(all.get(next) ?? []))
  }
  return false
}

interface Placed {
  readonly name: string
  readonly x: number
  readonly y: number
  readonly isChapter: boolean
}

function placed(all: ReadonlyMap<string, ReadonlySet<string>>, chapters: ReadonlySet<string>): Placed[] {
  const depths = new Map([...all.keys()].toSorted().map(name => [name, depthOf(name, all)]))
  const levels = [...new Set(depths.values())].toSorted((a, b) => a - b)
  const rows = levels.map(level => [...depths].flatMap(([name, depth]) => (depth === level ? name : [])))
  const widest = Math.max(...rows.map(row => row.length))
  return rows.flatMap((row, depth) =>
    row.map((name, at) => ({
      name,
      isChapter: chapters.has(name),
      x: MARGIN + (at + (widest - row.length) / 2) * (BOX.width + BOX.gapX),
      y: MARGIN + (rows.length - 1 - depth) * (BOX.height + BOX.gapY),
    })),
  )
}

/** The picture as SVG. */
export function mapSvg(): string {
  const all = arrows()
  const chapters = new Set(sourceFiles('src').flatMap(({ path }) => chapterOf(path) ?? []))
  const boxes = placed(all, chapters)
  const places = new Map(boxes.map(box => [box.name, box]))
  const lines = [...all].flatMap(([from, to]) =>
    [...to].flatMap(name => {
      const [a, b] = [places.get(from), places.get(name)]
      if (a === undefined || b === undefined || b.y <= a.y || isExplained(from, name, all)) return []
      const half = BOX.width / 2
      return `<path d="M${a.x + half} ${a.y + BOX.height}L${b.x + half} ${b.y - 5}" marker-end="url(#to)"/>`
    }),
  )
  const drawn = boxes.map(
    ({ name, x, y, isChapter }) =>
      `<g><rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="5" fill="${isChapter ? '#fde7c4' : '#dfe9f5'}"/>` +
      `<text x="${x + BOX.width / 2}" y="${y + 22}">${name}</text></g>`,
  )
  const width = Math.max(...boxes.map(({ x }) => x)) + BOX.width + MARGIN
  const height = Math.max(...boxes.map(({ y }) => y)) + BOX.height + MARGIN
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    '<title>Folders of src (blue), chapters (yellow), and who imports whom</title>',
    '<defs><marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">' +
      '<path d="M0 0L8 4L0 8z" fill="#567"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<g stroke="#567" fill="none">${lines.toSorted().join('')}</g>`,
    `<g font-family="sans-serif" font-size="14" text-anchor="middle">${drawn.join('')}</g>`,
    '</svg>\n',
  ].join('\n')
}

// Paths of another client made into paths of this machine: it may have run elsewhere, in a container or on Windows.
// Pure.

import { isAbsolute, normalize } from 'node:path/posix'
import { AppError } from '../../base/errors.ts'

/** Pairs of a path there and a path here. */
export type PathMap = readonly (readonly [theirs: string, ours: string])[]

/** AppError InvalidParameter unless every path here is absolute and none is empty. */
export function checkMap(map: PathMap): void {
  for (const [theirs, ours] of map) {
    if (theirs === '' || !isAbsolute(ours) || ours.includes('\0'))
      throw new AppError('InvalidParameter', 'map: pairs of a path of the other client and an absolute path here.')
  }
}

/** The path here, absolute and normal. AppError InvalidParameter when it is none of this machine, or climbs. */
export function mappedPath(named: string, map: PathMap): string {
  const path = plain(named)
  if (path.split('/').includes('..'))
    throw new AppError('InvalidParameter', `The path ${named} climbs out of its folder.`)
  let [best, mapped] = ['', path]
  for (const [theirs, ours] of map) {
    const start = plain(theirs)
    if (start.length <= best.length || !isBelow(path, start)) continue
    best = start
    mapped = `${ours}/${path.slice(start.length)}`
  }
  if (!isAbsolute(mapped) || (best === '' && isWindows(named)))
    throw new AppError('InvalidParameter', `${named} is no path of this machine; say with map where that is here.`)
  const normal = normalize(mapped)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}

/** With `/`, none doubled, none at the end. Backslashes separate on Windows alone. */
function plain(path: string): string {
  const text = (isWindows(path) ? path.replaceAll('\\', '/') : path).replace(/\/{2,}/g, '/')
  return text.length > 1 && text.endsWith('/') ? text.slice(0, -1) : text
}

function isWindows(path: string): boolean {
  return /^[A-Za-z]:[\\/]/.test(path) || path.startsWith('\\\\')
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

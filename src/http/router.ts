// Finds the route of a method and a path. Built once from the table; static paths by map, the rest by segments.

import type { Route } from './route.ts'

/** What the path alone tells: all routes there by method, and the decoded segments by name. */
export interface PathMatch {
  readonly routes: ReadonlyMap<string, Route>
  readonly path: Readonly<Record<string, string>>
  /** The route here that is a door (Route.door), whatever the method; null when there is none. */
  readonly door: Route | null
}

/** A path without names. */
interface FixedPath extends PathMatch {
  readonly routes: Map<string, Route>
  door: Route | null
}

interface Segment {
  /** Null: any text, which becomes the value of `name`. */
  readonly text: string | null
  readonly name: string
}

interface Pattern {
  /** The path with its names left out: two of one shape are one pattern. */
  readonly shape: string
  readonly segments: readonly Segment[]
  readonly routes: Map<string, Route>
}

/** Segments that are looked at; no route has as many. */
const MAX_SEGMENTS = 64
/** Paths whose match is kept, and how long they may be. */
const MAX_RECENT = 256
const MAX_RECENT_LENGTH = 512

/** The routing table. HEAD finds the routes of GET. */
export class Router {
  readonly #fixed = new Map<string, FixedPath>()
  readonly #patterns = new Map<number, Pattern[]>()
  // Clients ask for the same paths again and again: a player for the ranges of one file.
  readonly #recent = new Map<string, PathMatch>()
  #later: (() => readonly Route[]) | null

  /**
   * `later`: routes that are asked for when a path is not among `routes`, once; their paths are others. Throws Error
   * for two routes of one method and path.
   */
  constructor(routes: readonly Route[], later: (() => readonly Route[]) | null = null) {
    this.#later = later
    this.#add(routes)
  }

  #add(routes: readonly Route[]): void {
    for (const route of routes) {
      const fixed = route.path.includes('{') ? null : this.#fixedOf(route.path)
      const methods = fixed?.routes ?? this.#patternOf(route.path)
      if (methods.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`)
      methods.set(route.method, route)
      if (fixed !== null && route.door) fixed.door = route
    }
  }

  /** What is at a path, or null. `rawPath` is as sent, without the query. */
  find(rawPath: string): PathMatch | null {
    const fixed = this.#fixed.get(rawPath)
    if (fixed !== undefined) return fixed
    const known = this.#recent.get(rawPath)
    if (known !== undefined) return known
    const match = this.#match(rawPath)
    if (match === null) return this.#findLater(rawPath)
    if (rawPath.length <= MAX_RECENT_LENGTH) this.#remember(rawPath, match)
    return match
  }

  #findLater(rawPath: string): PathMatch | null {
    if (this.#later === null) return null
    const routes = this.#later()
    this.#later = null
    this.#add(routes)
    return this.find(rawPath)
  }

  #remember(rawPath: string, match: PathMatch): void {
    if (this.#recent.size >= MAX_RECENT) this.#recent.clear()
    this.#recent.set(rawPath, match)
  }

  #match(rawPath: string): PathMatch | null {
    const segments = rawPath.split('/', MAX_SEGMENTS + 1)
    for (const pattern of this.#patterns.get(segments.length) ?? []) {
      const path = matchSegments(pattern.segments, segments)
      if (path !== null) return { routes: pattern.routes, path, door: null }
    }
    return null
  }

  #fixedOf(path: string): FixedPath {
    const fixed = this.#fixed.get(path) ?? { routes: new Map<string, Route>(), path: {}, door: null }
    this.#fixed.set(path, fixed)
    return fixed
  }

  #patternOf(path: string): Map<string, Route> {
    const segments = path.split('/')
    const patterns = this.#patterns.get(segments.length) ?? []
    this.#patterns.set(segments.length, patterns)
    const shape = path.replace(/\{[^}]*\}/g, '{}')
    const present = patterns.find(pattern => pattern.shape === shape)
    if (present !== undefined) return present.routes
    const pattern = { shape, segments: segments.map(segmentOf), routes: new Map<string, Route>() }
    patterns.push(pattern)
    return pattern.routes
  }
}

/** The route for a method, HEAD read as GET; null when the path does not answer to it. */
export function routeFor(match: PathMatch, method: string): Route | null {
  return match.routes.get(method === 'HEAD' ? 'GET' : method) ?? null
}

/** The value of the Allow header for a path. */
export function allowedMethods(match: PathMatch): string {
  const methods = [...match.routes.keys()]
  return (methods.includes('GET') ? ['HEAD', ...methods] : methods).sort().join(', ')
}

function segmentOf(part: string): Segment {
  return part.startsWith('{') ? { text: null, name: part.slice(1, -1) } : { text: part, name: '' }
}

function matchSegments(pattern: readonly Segment[], segments: readonly string[]): Record<string, string> | null {
  const path: Record<string, string> = {}
  for (let at = 0; at < pattern.length; at++) {
    const { text, name } = pattern[at] as Segment
    const segment = segments[at] ?? ''
    if (text !== null) {
      if (text !== segment) return null
      continue
    }
    const decoded = decodeSegment(segment)
    if (decoded === null || decoded === '') return null
    path[name] = decoded
  }
  return path
}

function decodeSegment(segment: string): string | null {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

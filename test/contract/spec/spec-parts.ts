// What chapters add to the tables of the specification: `kit/spec-part.ts` of those that are there.

import type { NodeProcess } from '../../kit/nodes/node-process.ts'
import { chapterKits } from '../../kit/chapter-kits.ts'
import type { Ask, SpecRoute, World } from './routes.ts'
import type { Json, RecordShape } from './shapes.ts'

/** Segments of a path and parameters of one request. */
export interface MadeAsk {
  readonly segments: Readonly<Record<string, string>>
  readonly parameters: Json
}

/** The part of one chapter. */
export interface SpecPart {
  /** Under which its rows can be asked of a node alone. */
  readonly settings?: Readonly<Record<string, boolean>>
  /** Rows that are asked of a node with the chapter's defaults. */
  readonly routes?: readonly SpecRoute[]
  /** Rows that the chapter's own tests ask, and of which only the document is compared here. */
  readonly documented?: readonly SpecRoute[]
  /** Of part 6. */
  readonly events?: Readonly<Record<string, RecordShape>>
  /** Makes at `node` what the rows are asked of. */
  readonly make?: (node: NodeProcess) => Promise<Partial<World>>
  /** Makes what one request needs; null: nothing of this chapter. */
  readonly prepare?: (node: NodeProcess, world: World, ask: Ask) => Promise<MadeAsk | null>
  /** Segments of paths that stay for all refusals. */
  readonly segments?: (node: NodeProcess, world: World) => Promise<Readonly<Record<string, string>>>
  /** What a request that is refused could have changed. */
  readonly changeable?: (node: NodeProcess, world: World) => Promise<unknown>
}

const kits = (await chapterKits('spec-part')) as readonly { readonly specPart: SpecPart }[]

/** The parts of all chapters. */
export const specParts: readonly SpecPart[] = kits.map(({ specPart }) => specPart)

/** The settings of all of them. */
export const specSettings: Readonly<Record<string, boolean>> = Object.fromEntries(
  specParts.flatMap(({ settings = {} }) => Object.entries(settings)),
)

/** `world` with what chapters have in it, made at `node`. */
export async function withChapters(node: NodeProcess, world: World): Promise<World> {
  let whole = world
  for (const { make } of specParts) if (make !== undefined) whole = { ...whole, ...(await make(node)) }
  return whole
}

/** Makes what a request needs at `node`. */
export async function prepare(node: NodeProcess, world: World, ask: Ask): Promise<MadeAsk> {
  for (const part of specParts) {
    const prepared = (await part.prepare?.(node, world, ask)) ?? null
    if (prepared !== null) return prepared
  }
  if (ask.made !== undefined) throw new Error(`nobody makes "${ask.made}"`)
  return { segments: ask.segments ?? {}, parameters: ask.parameters ?? {} }
}

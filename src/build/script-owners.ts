// Which script each module lies in: the first one that needs it. What several need is in the first of them, and the
// others are given it, so that every module exists once.

import type { Metafile } from 'esbuild'
import { type LaterScript, PROGRAM } from './script-list.ts'

type Inputs = Metafile['inputs']

/** Names of scripts by modules, both of the whole program. */
export type Owners = ReadonlyMap<string, string>

/**
 * `inputs`: the modules of the whole program, made as one script that begins with `entry`. Throws where a module that
 * is to come later is loaded otherwise than by import(), or is not there.
 */
export function ownersOf(inputs: Inputs, entry: string, scripts: readonly LaterScript[]): Owners {
  const later = new Set(scripts.flatMap(({ roots }) => roots))
  const missing = [...later].filter(name => inputs[name] === undefined)
  if (missing.length > 0) throw new Error(`nobody loads ${missing.join()}`)
  const owners = new Map<string, string>()
  for (const { name, roots } of [{ name: PROGRAM, roots: [entry] }, ...scripts]) {
    for (const root of roots) claim(root, name, { inputs, later, owners })
    const others = roots.filter(root => owners.get(root) !== name)
    if (others.length > 0) throw new Error(`not loaded by import() alone: ${others.join()}`)
  }
  return owners
}

interface Claims {
  readonly inputs: Inputs
  readonly later: ReadonlySet<string>
  readonly owners: Map<string, string>
}

function claim(first: string, script: string, { inputs, later, owners }: Claims): void {
  const open = [first]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const input = inputs[name]
    if (owners.has(name) || input === undefined) continue
    owners.set(name, script)
    for (const { path, kind, external } of input.imports)
      if (external !== true && !(kind === 'dynamic-import' && later.has(path))) open.push(path)
  }
}

/** Modules of each script that another one takes from it. */
export function givenModules(inputs: Inputs, owners: Owners, later: ReadonlySet<string>): Map<string, Set<string>> {
  const given = new Map<string, Set<string>>()
  for (const [name, script] of owners)
    for (const { path, kind } of inputs[name]?.imports ?? []) {
      const owner = owners.get(path)
      if (owner === undefined || owner === script || (kind === 'dynamic-import' && later.has(path))) continue
      given.set(owner, (given.get(owner) ?? new Set()).add(path))
    }
  return given
}

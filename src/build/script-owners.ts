// Which script each module lies in: the first one that needs it. What several need is in the first of them, and the
// others are given it, so that every module exists once.

import type { Metafile } from 'esbuild'
import { type LaterScript, PROGRAM } from './script-list.ts'

type Inputs = Metafile['inputs']

/** The modules of a program, and what of it lies where. */
export interface ScriptPlan {
  /** All, as esbuild finds them where they are one script. */
  readonly inputs: Inputs
  /** Loaded by import(). */
  readonly later: ReadonlySet<string>
  /** Imported as ever, and loaded at the first use. */
  readonly atFirstUse: ReadonlySet<string>
  /** Names of scripts by modules. */
  readonly owners: ReadonlyMap<string, string>
}

/**
 * Plans the scripts of the program that begins with `entry`. Throws where a module that is to come later is loaded
 * otherwise than by import(), or is not there.
 */
export function planScripts(inputs: Inputs, entry: string, scripts: readonly LaterScript[]): ScriptPlan {
  const owners = new Map<string, string>()
  const later = new Set(scripts.flatMap(({ roots }) => roots))
  const plan = { inputs, later, atFirstUse: new Set(scripts.flatMap(({ atFirstUse }) => atFirstUse)), owners }
  const missing = [...later, ...plan.atFirstUse].filter(name => inputs[name] === undefined)
  if (missing.length > 0) throw new Error(`nobody loads ${missing.join()}`)
  const first = { name: PROGRAM, roots: [entry], atFirstUse: [] }
  for (const { name, roots, atFirstUse } of [first, ...scripts]) {
    const all = [...roots, ...atFirstUse]
    for (const root of all) claim(root, name, plan)
    const others = all.filter(root => owners.get(root) !== name)
    if (others.length > 0) throw new Error(`not loaded by import() alone: ${others.join()}`)
  }
  return plan
}

function claim(first: string, script: string, plan: ScriptPlan & { readonly owners: Map<string, string> }): void {
  const open = [first]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (plan.owners.has(name)) continue
    plan.owners.set(name, script)
    open.push(...loadedWith(name, plan))
  }
}

/** What is there when `name` has been loaded. */
function loadedWith(name: string, { inputs, later, atFirstUse }: ScriptPlan): string[] {
  const found = (inputs[name]?.imports ?? []).filter(
    ({ path, kind }) => isFile(path) && !atFirstUse.has(path) && !(kind === 'dynamic-import' && later.has(path)),
  )
  return found.map(({ path }) => path)
}

/** Not one of Node, nor what a plugin makes: every script has its own of these. */
function isFile(path: string): boolean {
  return /^(?:src|node_modules)\//.test(path)
}

/** Modules of each script that another one takes from it when it runs. */
export function givenModules(plan: ScriptPlan): Map<string, Set<string>> {
  const given = new Map<string, Set<string>>()
  for (const [name, script] of plan.owners)
    for (const path of loadedWith(name, plan)) {
      const owner = plan.owners.get(path)
      if (owner !== undefined && owner !== script) given.set(owner, (given.get(owner) ?? new Set()).add(path))
    }
  return given
}

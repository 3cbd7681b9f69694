// In the built program: reads another script (later-parts.ts) when one of its modules is asked for.

/** Modules by their paths from the project's root. */
type Modules = Readonly<Record<string, () => unknown>>
/** A module, asked for as `script:module`. Throws when the script cannot be read. */
type Given = (name: string) => unknown
type ImportLater = (name: string) => Promise<unknown>
/** Runs a script by its name, with what those have that are not the first. */
type RunScript = (name: string, given: Given, importLater: ImportLater) => Modules

/**
 * Modules of other scripts, at once and as import() gives them. `shared`: modules of the first that others need.
 */
export function openLater(
  shared: Modules,
  runScript: RunScript,
): { readonly given: Given; readonly importLater: ImportLater } {
  const scripts = new Map<string, Modules>([['program', shared]])
  const known = new Map<string, unknown>()
  const given = (name: string): unknown => {
    const before = known.get(name)
    if (before !== undefined) return before
    const [script = '', module = ''] = name.split(':')
    const modules = scripts.get(script) ?? runScript(script, given, importLater)
    scripts.set(script, modules)
    const found = modules[module]?.()
    known.set(name, found)
    return found
  }
  const importLater: ImportLater = name => Promise.resolve().then(() => given(name))
  return { given, importLater }
}

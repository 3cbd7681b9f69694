// In the built program: reads another script (later-parts.ts) when one of its modules is asked for.

/** Modules by their paths from the project's root. */
type Modules = Readonly<Record<string, () => unknown>>
type ImportLater = (name: string) => Promise<unknown>
/** Runs a script by its name, with what those have that are not the first. */
type RunScript = (name: string, given: (name: string) => unknown, importLater: ImportLater) => Modules

/**
 * The import() of modules of other scripts, which it asks for as `script:module`. `shared`: modules of the first that
 * others need. Rejects when a script cannot be read.
 */
export function openLater(shared: Modules, runScript: RunScript): ImportLater {
  const parts = new Map<string, Modules>([['program', shared]])
  const importLater: ImportLater = name => Promise.resolve().then(() => given(name))
  const given = (name: string): unknown => {
    const [script = '', module = ''] = name.split(':')
    const modules = parts.get(script) ?? runScript(script, given, importLater)
    parts.set(script, modules)
    return modules[module]?.()
  }
  return importLater
}

// Reads the TypeScript sources for the architecture tests: imports, by oxc-parser (TypeScript 7 has no parser
// interface).

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'
import { parseSync } from 'oxc-parser'
import { projectRoot } from '../kit/project-root.ts'

/** A source file: its path from the project's top with `/`, text, and what it imports or re-exports. */
export interface SourceFile {
  readonly path: string
  readonly text: string
  /** As written: `./x.ts`, `node:fs`, `piscina`. */
  readonly specifiers: readonly string[]
  /** Project files among them, from the project's top. */
  readonly imports: readonly string[]
  /** Those that are loaded with the file: neither types alone nor by import(). Project files from the project's top. */
  readonly loads: readonly string[]
}

function specifiersOf(path: string, text: string): string[] {
  const parsed = parseSync(path, text)
  const found = parsed.module.staticImports.map(entry => entry.moduleRequest.value)
  for (const exported of parsed.module.staticExports)
    for (const entry of exported.entries) if (entry.moduleRequest) found.push(entry.moduleRequest.value)
  for (const dynamic of parsed.module.dynamicImports) {
    const literal = /^['"](.+)['"]$/.exec(text.slice(dynamic.moduleRequest.start, dynamic.moduleRequest.end))
    if (literal?.[1]) found.push(literal[1])
  }
  for (const match of text.matchAll(/\bimport\('(\.[^']+)'\)/g)) if (match[1]) found.push(match[1])
  return found
}

/** What a file cannot be run without. */
function loadedBy(path: string, text: string): string[] {
  const { staticImports, staticExports } = parseSync(path, text).module
  const imported = staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(entry => !entry.isType))
    .map(entry => entry.moduleRequest.value)
  const exported = staticExports
    .flatMap(({ entries }) => entries.filter(entry => !entry.isType))
    .flatMap(entry => entry.moduleRequest?.value ?? [])
  return [...imported, ...exported]
}

/** A relative specifier of `path` from the project's top; others as they are. */
function fromTop(path: string, specifier: string): string {
  return specifier.startsWith('.')
    ? normalize(join(dirname(path), specifier))
        .split(sep)
        .join('/')
    : specifier
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(projectRoot, path), 'utf8')
  const specifiers = specifiersOf(path, text)
  const imports = specifiers.filter(name => name.startsWith('.')).map(name => fromTop(path, name))
  const loads = loadedBy(path, text).map(name => fromTop(path, name))
  return { path, text, specifiers, imports, loads }
}

/** Every TypeScript file below `folders` (from the project's top). */
export function sourceFiles(...folders: string[]): SourceFile[] {
  return folders.flatMap(folder =>
    readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map(entry => readSource(relative(projectRoot, join(entry.parentPath, entry.name)).split(sep).join('/'))),
  )
}

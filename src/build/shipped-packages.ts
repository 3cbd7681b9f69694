// Which npm packages reach a user: those that the bundles and the dashboard hold, and those that are installed beside
// the program.

import type { Metafile } from 'esbuild'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package that users get, as it lies on this machine. */
export interface ShippedPackage {
  readonly name: string
  readonly version: string
  /** Its folder, from the project's root. */
  readonly folder: string
  /** As its manifest says. */
  readonly licence: string
}

interface LockedPackage {
  readonly dev?: boolean
  readonly devOptional?: boolean
}

/** Folders of packages whose code or files came into what was built. `metafiles` are esbuild's of the bundles. */
export function bundledFolders(metafiles: readonly Metafile[], alsoPacked: readonly string[]): string[] {
  const inputs = metafiles.flatMap(({ inputs: files }) => Object.keys(files))
  const folders = inputs.map(path => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? '')
  return [...new Set([...folders, ...alsoPacked.map(name => `node_modules/${name}`)])]
    .filter(folder => folder !== '')
    .toSorted()
}

/**
 * Folders of packages that npm installs with the program, as far as they are on this machine; `root`: the project's
 * folder.
 */
export function installedFolders(root: string): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>
  }
  return Object.entries(lock.packages)
    .filter(([folder, { dev, devOptional }]) => folder !== '' && dev !== true && devOptional !== true)
    .map(([folder]) => folder)
    .toSorted()
}

/** What the manifest in a folder says; null where nothing is installed there (made for another kind of machine). */
export function shippedPackage(root: string, folder: string): ShippedPackage | null {
  try {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Record<string, string>
    const { name = '', version = '', license = 'unknown' } = manifest
    return { name, version, folder, licence: license }
  } catch {
    return null
  }
}

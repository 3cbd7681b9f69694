// The list of parts (CycloneDX 1.5) that comes with every package: `npm sbom` says it of all that the lock file names,
// and what users do not get is taken out of it. The same build of the same sources gives the same list: it holds no
// time and no path.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { EMBEDDED_PARTS } from './embedded-parts.ts'
import type { ShippedPackage } from './shipped-packages.ts'

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version?: string
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
  readonly [field: string]: unknown
}

/** What npm prints, as far as it is used here. */
export interface PartsList {
  readonly bomFormat: string
  readonly specVersion: string
  readonly version: number
  readonly serialNumber: string
  readonly metadata: { readonly component: Component; readonly [field: string]: unknown }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

/** What `npm sbom` says of the lock file in `root`. Throws when npm fails. */
export function askNpm(root: string): PartsList {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--loglevel', 'error']
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(text) as PartsList
}

/**
 * `all` without what is not shipped, and with the libraries inside machine code. Throws when a shipped package is not
 * in it.
 */
export function shippedParts(all: PartsList, shipped: readonly ShippedPackage[]): PartsList {
  const refs = new Set(shipped.map(({ name, version }) => `${name}@${version}`))
  const components = all.components.filter(one => refs.has(one['bom-ref'])).map(withoutDevelopment)
  const found = new Set(components.map(one => one['bom-ref']))
  const missing = [...refs].filter(ref => !found.has(ref))
  if (missing.length > 0) throw new Error(`the lock file does not name ${missing.join(', ')}`)
  const own = { ...all.metadata.component, name: 'tributary', 'bom-ref': all.metadata.component['bom-ref'] }
  const kept = new Set([own['bom-ref'], ...refs])
  const dependencies = all.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(one => kept.has(one)) }))
  const parts = { components: [...components, ...embedded(shipped)], dependencies }
  return {
    bomFormat: all.bomFormat,
    specVersion: all.specVersion,
    serialNumber: serialOf(JSON.stringify(parts)),
    version: 1,
    metadata: { component: own },
    ...parts,
  }
}

/** What is a development dependency of ours reaches users inside the bundle. */
function withoutDevelopment(component: Component): Component {
  const properties = (component.properties ?? []).filter(({ name }) => name !== 'cdx:npm:package:development')
  return { ...component, scope: 'required', properties }
}

function embedded(shipped: readonly ShippedPackage[]): Component[] {
  const names = new Set(shipped.map(({ name }) => name))
  return EMBEDDED_PARTS.filter(({ within }) => names.has(within)).map(({ name, within, licence, source }) => ({
    'bom-ref': `${within}/${name}`,
    type: 'library',
    name,
    licenses: [{ expression: licence }],
    externalReferences: [{ type: 'website', url: source }],
    properties: [{ name: 'tributary:within', value: within }],
  }))
}

/** A URN of a UUID that follows from the contents (RFC 9562, version 8). */
function serialOf(text: string): string {
  const digest = createHash('sha256').update(text).digest('hex')
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 3) | 8).toString(16)
  const groups = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ]
  return `urn:uuid:${groups.join('-')}`
}

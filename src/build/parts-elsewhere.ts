// Rewrites what a build says of its origins (the list of parts, the notices) for a package of another processor, which
// holds the same packages but for those of machine code: node dist/src/build/parts-elsewhere.js FOLDER arm64, FOLDER is
// that of the bundle in the package. Ends with an error where the lock file has no such package for that processor.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { askNpm, type PartsList, shippedParts } from './parts-list.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Names of packages for this processor, as `@koromix/koffi-linux-x64` and `nice-linux-x64-gnu` are written. */
const ofHere = new RegExp(`-linux-${process.arch}(?=$|[-@ ])`)

/** The parts of a package for `arch`: `parts` are those of the build, `all` what npm says of the lock file. */
function partsFor(parts: PartsList, all: PartsList, arch: string): PartsList {
  // `name@version`; libraries inside machine code, which are added again, have no version.
  const refs = parts.components.map(part => /^(.+)@(.+)$/.exec(part['bom-ref']))
  const shipped = refs.flatMap(ref => {
    const [, name = '', version = ''] = ref ?? []
    return name === '' ? [] : [{ name: nameFor(name, arch), version, folder: '', licence: '' }]
  })
  return shippedParts(all, shipped)
}

function nameFor(name: string, arch: string): string {
  return name.replace(ofHere, `-linux-${arch}`)
}

/** The headings of the notices and what names one; the words below them are the same for every processor. */
function noticesFor(text: string, arch: string): string {
  return text.replace(/^(====|The words that stand at) .*$/gm, line => nameFor(line, arch))
}

const [, , folder = '', arch = ''] = process.argv
const parts = join(folder, 'parts.cdx.json')
const notices = join(folder, 'licences.txt')
const found = partsFor(JSON.parse(readFileSync(parts, 'utf8')) as PartsList, askNpm(root), arch)
writeFileSync(parts, `${JSON.stringify(found, null, 2)}\n`)
writeFileSync(notices, noticesFor(readFileSync(notices, 'utf8'), arch))

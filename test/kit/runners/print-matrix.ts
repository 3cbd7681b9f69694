// Prints the matrix of a run of the interop tests, from the file they wrote (the argument). Ends with 1 where peers are
// required and a cell that must be passed is missing; names those that were passed though listed as not shown.

import { readFileSync } from 'node:fs'
import type { PassedCell } from './interop-matrix.ts'
import { matrixMarkdown, missingCells, unlistedCells } from './matrix-markdown.ts'
import { peersRequired } from '../requirements.ts'

const lines = readFileSync(process.argv[2] ?? '', 'utf8').split('\n')
const cells = lines.filter(line => line !== '').map(line => JSON.parse(line) as PassedCell)
const missing = missingCells(cells)
const unlisted = unlistedCells(cells)
process.stdout.write(`\n${matrixMarkdown(cells)}\n`)
if (missing.length > 0) process.stdout.write(`\nnot passed (${missing.length}): ${missing.join('; ')}\n`)
if (unlisted.length > 0) process.stdout.write(`\npassed, but listed as not shown: ${unlisted.join('; ')}\n`)
if (missing.length > 0 && peersRequired) process.exitCode = 1

// English of what the node says by codes, loaded with every other language: with it is seen what an answer says beyond
// its code.

import { english as conditions } from '../texts/node/conditions.ts'
import { english as errors } from '../texts/node/errors.ts'
import { english as explain } from '../texts/node/explain.ts'
import { english as findings } from '../texts/node/findings.ts'
import { addNodeTexts } from './texts.ts'

/** Makes them known. */
export function addNodeCodes(): void {
  addNodeTexts('conditions', conditions)
  addNodeTexts('errors', errors)
  addNodeTexts('explain', explain)
  addNodeTexts('findings', findings)
}

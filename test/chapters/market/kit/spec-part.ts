// What the market adds to the tables of the specification; its own tests ask its routes.

import type { SpecPart } from '../../../contract/spec/spec-parts.ts'
import { MARKET_ROUTES } from './spec-routes.ts'

export const specPart: SpecPart = { documented: MARKET_ROUTES }
